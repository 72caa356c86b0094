/* The generated model as a co-simulation unit of FMI 3.0, by declarations of our own after the standard.
   An instance is one block of memory without pointers into itself, so that its state is a copy of it. */

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const uint8_t *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3IntermediateUpdateCallback)(void *, double, bool, bool, bool, bool, bool, bool *, double *);

typedef struct {
    fmi3LogMessageCallback logger;
    void *environment;
} callback_t;

static fmi3Status tell(const callback_t *callback, fmi3Status status, const char *text)
{
    if (callback->logger) {
        callback->logger(callback->environment, status, "logStatusError", text);
    }
    return status;
}

@SHARED@
HOST_EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

HOST_EXPORT void *fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
                                              bool event_mode, bool early_return, const unsigned intermediate[], size_t n,
                                              void *environment, fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return, (void)intermediate, (void)update;
    const callback_t callback = {.logger = logger, .environment = environment};
    if (n > 0) {
        tell(&callback, fmi3Error, "there are no intermediate variables");
        return NULL;
    }
    return instantiate(&callback, token);
}

HOST_EXPORT void *fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
                                               void *environment, fmi3LogMessageCallback logger)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    const callback_t callback = {.logger = logger, .environment = environment};
    tell(&callback, fmi3Error, "this unit is for co-simulation only");
    return NULL;
}

HOST_EXPORT void *fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
                                                    void *environment, fmi3LogMessageCallback logger, void (*clock)(void *),
                                                    void (*lock)(void), void (*unlock)(void))
{
    (void)clock, (void)lock, (void)unlock;
    return fmi3InstantiateModelExchange(name, token, resources, visible, logging, environment, logger);
}

HOST_EXPORT fmi3Status fmi3EnterInitializationMode(void *c, bool tolerance_given, double tolerance, double start, bool stop_given, double stop)
{
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    return initialise(c, start);
}

#define REFERENCES void *c, const unsigned references[], size_t n

/* Every variable has one value. */
#define ACCESS(name, type, call)                                                                                     \
    HOST_EXPORT fmi3Status fmi3##name(REFERENCES, type values[], size_t m)                                           \
    {                                                                                                                \
        return n == m ? call(c, references, n, values) : say(c, fmi3Error, "fmi3" #name ": one value per variable"); \
    }
ACCESS(GetFloat64, double, get_numbers)
ACCESS(SetFloat64, const double, set_numbers)
ACCESS(GetBoolean, bool, get_switch)
ACCESS(SetBoolean, const bool, set_switch)

/* What no variable has, and what is never asked of this unit. */
#define NONE(name, text, parameters, ...)            \
    HOST_EXPORT fmi3Status fmi3##name parameters     \
    {                                                \
        (void)references, __VA_ARGS__;               \
        return n ? say(c, fmi3Error, text) : fmi3OK; \
    }
#define NO_TYPE(name, type)                                                                                           \
    NONE(Get##name, "there is no variable of type " #name, (REFERENCES, type values[], size_t m), (void)values, (void)m) \
    NONE(Set##name, "there is no variable of type " #name, (REFERENCES, const type values[], size_t m), (void)values, (void)m)
NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(Int32, int32_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)
NO_TYPE(UInt64, uint64_t)
NO_TYPE(String, fmi3String)
NONE(GetBinary, "there is no variable of type Binary", (REFERENCES, size_t sizes[], fmi3Binary values[], size_t m), (void)sizes, (void)values,
     (void)m)
NONE(SetBinary, "there is no variable of type Binary", (REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t m), (void)sizes,
     (void)values, (void)m)
NONE(GetClock, "there are no clocks", (REFERENCES, bool values[]), (void)values)
NONE(SetClock, "there are no clocks", (REFERENCES, const bool values[]), (void)values)
NONE(GetOutputDerivatives, "outputs have no derivatives", (REFERENCES, const int32_t orders[], double values[], size_t m), (void)orders,
     (void)values, (void)m)
#define DERIVATIVE(name)                                                                                                       \
    NONE(name, "there are no derivatives", (REFERENCES, const unsigned knowns[], size_t m, const double seed[], size_t seeds,  \
         double sensitivity[], size_t sensitivities), (void)knowns, (void)m, (void)seed, (void)seeds, (void)sensitivity,       \
         (void)sensitivities)
DERIVATIVE(GetDirectionalDerivative)
DERIVATIVE(GetAdjointDerivative)

/* Modes, clocks, and what belongs to model exchange and scheduled execution: importers look for all functions of the standard,
   and call these for no unit of ours. */
#define NOT_HERE(name, parameters, ...)                                  \
    HOST_EXPORT fmi3Status fmi3##name parameters                         \
    {                                                                    \
        (void)(c), __VA_ARGS__;                                          \
        return say(c, fmi3Error, "fmi3" #name " is not for this unit");  \
    }
NOT_HERE(EnterEventMode, (void *c), (void)0)
NOT_HERE(EnterStepMode, (void *c), (void)0)
NOT_HERE(EnterConfigurationMode, (void *c), (void)0)
NOT_HERE(ExitConfigurationMode, (void *c), (void)0)
NOT_HERE(EnterContinuousTimeMode, (void *c), (void)0)
NOT_HERE(EvaluateDiscreteStates, (void *c), (void)0)
NOT_HERE(UpdateDiscreteStates, (void *c, bool *again, bool *end, bool *nominals, bool *values, bool *defined, double *next),
         (void)again, (void)end, (void)nominals, (void)values, (void)defined, (void)next)
NOT_HERE(ActivateModelPartition, (void *c, unsigned clock, double time), (void)clock, (void)time)
NOT_HERE(SetTime, (void *c, double time), (void)time)
NOT_HERE(CompletedIntegratorStep, (void *c, bool forward, bool *event, bool *end), (void)forward, (void)event, (void)end)
NOT_HERE(SetContinuousStates, (void *c, const double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetContinuousStates, (void *c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetContinuousStateDerivatives, (void *c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetNominalsOfContinuousStates, (void *c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetEventIndicators, (void *c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetNumberOfContinuousStates, (void *c, size_t *n), (void)n)
NOT_HERE(GetNumberOfEventIndicators, (void *c, size_t *n), (void)n)
NOT_HERE(GetIntervalDecimal, (REFERENCES, double x[], int kinds[]), (void)references, (void)n, (void)x, (void)kinds)
NOT_HERE(GetIntervalFraction, (REFERENCES, uint64_t x[], uint64_t y[], int kinds[]), (void)references, (void)n, (void)x, (void)y,
         (void)kinds)
NOT_HERE(GetShiftDecimal, (REFERENCES, double x[]), (void)references, (void)n, (void)x)
NOT_HERE(GetShiftFraction, (REFERENCES, uint64_t x[], uint64_t y[]), (void)references, (void)n, (void)x, (void)y)
NOT_HERE(SetIntervalDecimal, (REFERENCES, const double x[]), (void)references, (void)n, (void)x)
NOT_HERE(SetIntervalFraction, (REFERENCES, const uint64_t x[], const uint64_t y[]), (void)references, (void)n, (void)x, (void)y)
NOT_HERE(SetShiftDecimal, (REFERENCES, const double x[]), (void)references, (void)n, (void)x)
NOT_HERE(SetShiftFraction, (REFERENCES, const uint64_t x[], const uint64_t y[]), (void)references, (void)n, (void)x, (void)y)
NOT_HERE(GetNumberOfVariableDependencies, (void *c, unsigned reference, size_t *count), (void)reference, (void)count)
NOT_HERE(GetVariableDependencies,
         (void *c, unsigned dependent, size_t indices[], unsigned independents[], size_t places[], int kinds[], size_t n), (void)dependent,
         (void)indices, (void)independents, (void)places, (void)kinds, (void)n)

HOST_EXPORT fmi3Status fmi3DoStep(void *c, double now, double size, bool forward, bool *event, bool *end, bool *early, double *last)
{
    const unit_t *unit = c;
    (void)forward;
    *event = *end = *early = false;
    const fmi3Status status = advance(c, now, size);
    *last = unit->state.time;
    return status;
}
