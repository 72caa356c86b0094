/* @TITLE@, called once per cycle of a PLC.
 *
 * The two structures are those of ST_@NAME@_IN and ST_@NAME@_OUT in structured text: the same members in the same order, which with
 * TwinCAT's pack mode 8 is the same layout. One call of @name@_plc_cycle is one cycle; the task must have the cycle
 * time @DT@ s. Neither memory is allocated nor the C library called, but for functions of math.h. */
#ifndef @NAME@_PLC_H
#define @NAME@_PLC_H

#ifdef __cplusplus
extern "C" {
#endif

#include "@name@.h"

enum { @NAME@_PLC_IDLE = 0, @NAME@_PLC_RUNNING = 1, @NAME@_PLC_FAULT = 2 };

typedef struct {
    unsigned int run;               /* 1: run; a change from 0 to 1 restarts it */
    unsigned int motion_from_inputs; /* 1: the motion is that of `inputs`, 0: that of the model file */
    unsigned int use_parameters;    /* 1: `parameters` are taken at the start, 0: the defaults */
    unsigned int reserved;
    double parameters[@PARAMETERS@];
    double inputs[@INPUTS@];         /* motions and loads at the end of the coming step, then forces that answer the commands */
} @name@_plc_in_t;

typedef struct {
    unsigned int state;             /* see above */
    int fault, fault_index;         /* see @name@.h */
    unsigned int step;              /* completed steps */
    double outputs[@OUTPUTS@];       /* channels, then commands */
} @name@_plc_out_t;

/* All that lives between two cycles; no pointer in it. All zeros is a good beginning. */
typedef struct {
    @name@_t model;
    double before[@INPUTS@];
    unsigned int state;
    int fed;
} @name@_plc_t;

void @name@_plc_cycle(@name@_plc_t *self, const @name@_plc_in_t *in, @name@_plc_out_t *out);

#ifdef __cplusplus
}
#endif

#endif
