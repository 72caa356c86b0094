/* Simulink, as far as our S-function sees it: sizes, sample time, start, then outputs and update in every sample. It prints the output
   port of every sample; the first argument is the second dialog parameter, the second a factor on the first parameter. */
#include <stdarg.h>

struct mxArray {
    double *values;
    size_t count;
};

enum { DRIVER_WORK = 1 << 16, DRIVER_PORT = 64 };

struct SimStruct {
    mxArray dialog[2];
    int_T wanted, inputs, outputs, width[2], work, through;
    real_T sample;
    double memory[DRIVER_WORK], in[DRIVER_PORT], out[DRIVER_PORT];
    const char *error;
};

void ssSetNumSFcnParams(SimStruct *S, int_T n) { S->wanted = n; }
int_T ssGetNumSFcnParams(SimStruct *S) { return S->wanted; }
int_T ssGetSFcnParamsCount(SimStruct *S) { return (void)S, 2; }
const mxArray *ssGetSFcnParam(SimStruct *S, int_T i) { return &S->dialog[i]; }
void ssSetSFcnParamTunable(SimStruct *S, int_T i, int_T tunable) { (void)S, (void)i, (void)tunable; }
void ssSetNumContStates(SimStruct *S, int_T n) { (void)S, (void)n; }
void ssSetNumDiscStates(SimStruct *S, int_T n) { (void)S, (void)n; }
int_T ssSetNumInputPorts(SimStruct *S, int_T n) { return S->inputs = n, 1; }
void ssSetInputPortWidth(SimStruct *S, int_T port, int_T width) { (void)port, S->width[0] = width; }
void ssSetInputPortRequiredContiguous(SimStruct *S, int_T port, int_T required) { (void)S, (void)port, (void)required; }
void ssSetInputPortDirectFeedThrough(SimStruct *S, int_T port, int_T through) { (void)port, S->through = through; }
int_T ssSetNumOutputPorts(SimStruct *S, int_T n) { return S->outputs = n, 1; }
void ssSetOutputPortWidth(SimStruct *S, int_T port, int_T width) { (void)port, S->width[1] = width; }
void ssSetNumSampleTimes(SimStruct *S, int_T n) { (void)S, (void)n; }
void ssSetSampleTime(SimStruct *S, int_T i, real_T time) { (void)i, S->sample = time; }
void ssSetOffsetTime(SimStruct *S, int_T i, real_T time) { (void)S, (void)i, (void)time; }
int_T ssSetNumDWork(SimStruct *S, int_T n) { return (void)S, n == 1; }
void ssSetDWorkWidth(SimStruct *S, int_T i, int_T width) { (void)i, S->work = width; }
void ssSetDWorkDataType(SimStruct *S, int_T i, int_T type) { (void)S, (void)i, (void)type; }
void *ssGetDWork(SimStruct *S, int_T i) { return (void)i, S->memory; }
void ssSetOptions(SimStruct *S, int_T options) { (void)S, (void)options; }
void ssSetErrorStatus(SimStruct *S, const char *text) { S->error = text; }
const char *ssGetErrorStatus(SimStruct *S) { return S->error; }
const real_T *ssGetInputPortRealSignal(SimStruct *S, int_T port) { return (void)port, S->in; }
real_T *ssGetOutputPortRealSignal(SimStruct *S, int_T port) { return (void)port, S->out; }
size_t mxGetNumberOfElements(const mxArray *array) { return array->count; }
int mxIsDouble(const mxArray *array) { return (void)array, 1; }
int mxIsComplex(const mxArray *array) { return (void)array, 0; }
double *mxGetPr(const mxArray *array) { return array->values; }
double mxGetScalar(const mxArray *array) { return array->values[0]; }

static SimStruct driven;

static void stop(void)
{
    if (driven.error) {
        fprintf(stderr, "%s\n", driven.error);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    SimStruct *S = &driven;
    double fed = argc > 1 ? atof(argv[1]) : 0.0, given[ISOLATED_PARAMETERS];
    isolated_t defaults;
    isolated_init(&defaults);
    for (int i = 0; i < ISOLATED_PARAMETERS; i++) {
        given[i] = defaults.parameters[i];
    }
    S->dialog[0].values = given;
    S->dialog[0].count = argc > 2 ? (size_t)atoi(argv[2]) : 0;
    S->dialog[1].values = &fed;
    S->dialog[1].count = 1;
    mdlInitializeSizes(S);
    stop();
    mdlInitializeSampleTimes(S);
    if (S->work > DRIVER_WORK || S->width[0] > DRIVER_PORT || S->width[1] > DRIVER_PORT || S->through || S->sample != 0.01) {
        fprintf(stderr, "work %d, ports %d %d, feedthrough %d, sample time %g\n", S->work, S->width[0], S->width[1], S->through,
                S->sample);
        return 1;
    }
    mdlStart(S);
    stop();
    for (int k = 0; k <= ISOLATED_STEPS; k++) {
        mdlOutputs(S, 0);
        for (int i = 0; i < S->width[1]; i++) {
            printf("%s%.17g", i ? " " : "", S->out[i]);
        }
        printf("\n");
        /* What comes in at a sample is taken as the value at the end of the coming step. */
        S->in[0] = 3000.0 * sin(2.0 * 3.14159265358979323846 * 1.3 * 0.01 * (k + 1));
        mdlUpdate(S, 0);
        stop();
    }
    mdlTerminate(S);
    return 0;
}
