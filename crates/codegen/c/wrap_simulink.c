/* The generated model as a level-2 S-function of Simulink, after the public description of that interface.

   One input port (inputs, in the order of @NAME@_INPUT_NAMES, then the forces that answer the commands; none if there are none), one
   output port (channels, in the order of @NAME@_OUTPUT_NAMES, then commands), sample time HOST_DT, no direct feedthrough: at a sample the outputs are those of that time, and
   the inputs of that time are taken as those at the end of the coming step.
   Two dialog parameters: the vector of parameters in the order of @NAME@_PARAMETER_NAMES or [] for the defaults, and 1 if the
   motion comes from the input port, 0 if it is that of the model file.
   The instance is a work vector without pointers, so that Simulink saves and restores it with the operating point. */

#define S_FUNCTION_NAME @name@_sfun
#define S_FUNCTION_LEVEL 2

#include "simstruc.h"

enum { DIALOG_PARAMETERS, DIALOG_SWITCH, DIALOGS };

/* The instance in doubles, as which it is aligned. */
#define INSTANCE_DOUBLES ((int)((sizeof(host_t) + sizeof(double) - 1) / sizeof(double)))

static host_t *instance(SimStruct *S)
{
    return (host_t *)ssGetDWork(S, 0);
}

#define MDL_CHECK_PARAMETERS
static void mdlCheckParameters(SimStruct *S)
{
    const mxArray *values = ssGetSFcnParam(S, DIALOG_PARAMETERS);
    const size_t count = (size_t)mxGetNumberOfElements(values);
    if (count != 0 && (!mxIsDouble(values) || mxIsComplex(values) || count != (size_t)@NAME@_PARAMETERS)) {
        ssSetErrorStatus(S, "@name@: the first parameter is [], or a real vector with one number for each of @NAME@_PARAMETER_NAMES");
        return;
    }
    if (mxGetNumberOfElements(ssGetSFcnParam(S, DIALOG_SWITCH)) != 1) {
        ssSetErrorStatus(S, "@name@: the second parameter is 0 (motion of the model file) or 1 (motion from the input port)");
    }
}

static void mdlInitializeSizes(SimStruct *S)
{
    ssSetNumSFcnParams(S, DIALOGS);
    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) {
        return; /* Simulink says that their number is wrong. */
    }
    mdlCheckParameters(S);
    if (ssGetErrorStatus(S) != NULL) {
        return;
    }
    ssSetSFcnParamTunable(S, DIALOG_PARAMETERS, 0);
    ssSetSFcnParamTunable(S, DIALOG_SWITCH, 0);
    ssSetNumContStates(S, 0);
    ssSetNumDiscStates(S, 0);
    if (!ssSetNumInputPorts(S, HOST_INPUTS > 0 ? 1 : 0)) {
        return;
    }
    if (HOST_INPUTS > 0) {
        ssSetInputPortWidth(S, 0, HOST_INPUTS);
        ssSetInputPortRequiredContiguous(S, 0, 1);
        ssSetInputPortDirectFeedThrough(S, 0, 0);
    }
    if (!ssSetNumOutputPorts(S, 1)) {
        return;
    }
    ssSetOutputPortWidth(S, 0, HOST_OUTPUTS);
    ssSetNumSampleTimes(S, 1);
    if (!ssSetNumDWork(S, 1)) {
        return;
    }
    ssSetDWorkWidth(S, 0, INSTANCE_DOUBLES);
    ssSetDWorkDataType(S, 0, SS_DOUBLE);
    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE | SS_OPTION_WORKS_WITH_CODE_REUSE);
}

static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, HOST_DT);
    ssSetOffsetTime(S, 0, 0.0);
}

#define MDL_START
static void mdlStart(SimStruct *S)
{
    host_t *host = instance(S);
    const mxArray *values = ssGetSFcnParam(S, DIALOG_PARAMETERS);
    host_reset(host);
    if (mxGetNumberOfElements(values) > 0) {
        const double *given = mxGetPr(values);
        for (int i = 0; i < @NAME@_PARAMETERS; i++) {
            if (host_set(host, (unsigned)(REF_PARAMETER + i), given[i])) {
                ssSetErrorStatus(S, host->text);
                return;
            }
        }
    }
    host->fed = mxGetScalar(ssGetSFcnParam(S, DIALOG_SWITCH)) != 0.0;
    if (host_start(host)) {
        ssSetErrorStatus(S, host->text);
    }
}

static void mdlOutputs(SimStruct *S, int_T tid)
{
    real_T *out = ssGetOutputPortRealSignal(S, 0);
    const host_t *host = instance(S);
    (void)tid;
    for (int i = 0; i < HOST_OUTPUTS; i++) {
        out[i] = host_output(&host->model, i);
    }
}

#define MDL_UPDATE
static void mdlUpdate(SimStruct *S, int_T tid)
{
    host_t *host = instance(S);
    (void)tid;
    if (HOST_INPUTS > 0) {
        const real_T *in = ssGetInputPortRealSignal(S, 0);
        for (int i = 0; i < HOST_INPUTS; i++) {
            if (host_set(host, (unsigned)(REF_INPUT + i), in[i])) {
                ssSetErrorStatus(S, host->text);
                return;
            }
        }
    }
    if (host_step(host)) {
        ssSetErrorStatus(S, host->text);
    }
}

static void mdlTerminate(SimStruct *S)
{
    if (ssGetDWork(S, 0) != NULL) {
        host_end(instance(S));
    }
}

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif
