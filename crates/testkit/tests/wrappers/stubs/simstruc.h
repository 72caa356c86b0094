/* STUB. Declarations only, written by us after the public description of S-functions, so that the wrapper can be compiled
   without MATLAB. Nothing of this is The MathWorks' header; where both differ, theirs is right. */
#ifndef SIMSTRUC_STUB_H
#define SIMSTRUC_STUB_H

#include <stddef.h>

typedef double real_T;
typedef int int_T;
typedef struct mxArray mxArray;
typedef struct SimStruct SimStruct;

enum { SS_DOUBLE };
enum { SS_OPTION_EXCEPTION_FREE_CODE = 1, SS_OPTION_WORKS_WITH_CODE_REUSE = 2 };

void ssSetNumSFcnParams(SimStruct *S, int_T n);
int_T ssGetNumSFcnParams(SimStruct *S);
int_T ssGetSFcnParamsCount(SimStruct *S);
const mxArray *ssGetSFcnParam(SimStruct *S, int_T i);
void ssSetSFcnParamTunable(SimStruct *S, int_T i, int_T tunable);
void ssSetNumContStates(SimStruct *S, int_T n);
void ssSetNumDiscStates(SimStruct *S, int_T n);
int_T ssSetNumInputPorts(SimStruct *S, int_T n);
void ssSetInputPortWidth(SimStruct *S, int_T port, int_T width);
void ssSetInputPortRequiredContiguous(SimStruct *S, int_T port, int_T required);
void ssSetInputPortDirectFeedThrough(SimStruct *S, int_T port, int_T through);
int_T ssSetNumOutputPorts(SimStruct *S, int_T n);
void ssSetOutputPortWidth(SimStruct *S, int_T port, int_T width);
void ssSetNumSampleTimes(SimStruct *S, int_T n);
void ssSetSampleTime(SimStruct *S, int_T i, real_T time);
void ssSetOffsetTime(SimStruct *S, int_T i, real_T time);
int_T ssSetNumDWork(SimStruct *S, int_T n);
void ssSetDWorkWidth(SimStruct *S, int_T i, int_T width);
void ssSetDWorkDataType(SimStruct *S, int_T i, int_T type);
void *ssGetDWork(SimStruct *S, int_T i);
void ssSetOptions(SimStruct *S, int_T options);
void ssSetErrorStatus(SimStruct *S, const char *text);
const char *ssGetErrorStatus(SimStruct *S);
const real_T *ssGetInputPortRealSignal(SimStruct *S, int_T port);
real_T *ssGetOutputPortRealSignal(SimStruct *S, int_T port);

size_t mxGetNumberOfElements(const mxArray *array);
int mxIsDouble(const mxArray *array);
int mxIsComplex(const mxArray *array);
double *mxGetPr(const mxArray *array);
double mxGetScalar(const mxArray *array);

#endif
