/* STUB. Only what our glue uses, so that it can be compiled without TwinCAT. Nothing of this is Beckhoff's header. */
#ifndef TCDEF_STUB_H
#define TCDEF_STUB_H

typedef int HRESULT;
#define S_OK 0

#endif
