// What goes into the module class that TwinCAT's wizard makes: a member, and one line in its CycleUpdate. See README.md.
//
//     #include "@name@_module.hpp"
//     class CModule1 : ... {
//         ...
//         C@name@ m_model;                                   // with the other members
//     };
//     HRESULT CModule1::SetObjStatePS(PTComInitDataHdr pInitData)
//         ...
//         m_model.Reset();                                   // before the cyclic caller is added
//     HRESULT CModule1::CycleUpdate(ITcTask* ipTask, ITcUnknown* ipCaller, ULONG_PTR context)
//     {
//         return m_model.Cycle(m_Inputs, m_Outputs);         // the data areas, see below
//     }
#pragma once

#include "TcDef.h"
#include "@name@_plc.h"

class C@name@
{
public:
    // Forgets everything; the next cycle with `run` starts anew.
    void Reset()
    {
        m_self.state = @NAME@_PLC_IDLE;
        m_self.fed = 0;
        @name@_init(&m_self.model);
    }

    // One cycle. In and Out are the data areas of the module, with the members of ST_@NAME@_IN and ST_@NAME@_OUT.
    template <typename In, typename Out>
    HRESULT Cycle(const In &in, Out &out)
    {
        static_assert(sizeof(In) == sizeof(@name@_plc_in_t), "the data area of the inputs is not ST_@NAME@_IN");
        static_assert(sizeof(Out) == sizeof(@name@_plc_out_t), "the data area of the outputs is not ST_@NAME@_OUT");
        @name@_plc_cycle(&m_self, reinterpret_cast<const @name@_plc_in_t *>(&in), reinterpret_cast<@name@_plc_out_t *>(&out));
        return S_OK;
    }

private:
    @name@_plc_t m_self;
};
