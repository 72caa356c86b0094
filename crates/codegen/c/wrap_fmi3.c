/* The generated model as a co-simulation unit of FMI 3.0, by declarations of our own after the standard.
   An instance is one block of memory without pointers into itself, so that its state is a copy of it. */

#include <stdbool.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef uint32_t fmi3ValueReference;
typedef const char *fmi3String;
typedef const uint8_t *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3IntermediateUpdateCallback)(void *, double, bool, bool, bool, bool, bool, bool *, double *);
typedef void *fmi3FMUState;

typedef struct {
    host_t host;
    fmi3LogMessageCallback logger;
    void *environment;
} unit_t;

static fmi3Status say(unit_t *unit, fmi3Status status, const char *text)
{
    if (unit->logger) {
        unit->logger(unit->environment, status, status == fmi3Discard ? "logStatusDiscard" : "logStatusError", text);
    }
    return status;
}

HOST_EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

HOST_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, bool on, size_t n, const fmi3String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return fmi3OK;
}

HOST_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
                                                     bool event_mode, bool early_return, const fmi3ValueReference intermediate[], size_t n,
                                                     void *environment, fmi3LogMessageCallback logger,
                                                     fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return, (void)intermediate, (void)update;
    unit_t scratch = {.logger = logger, .environment = environment};
    if (n > 0) {
        say(&scratch, fmi3Error, "there are no intermediate variables");
        return NULL;
    }
    if (!token || strcmp(token, HOST_TOKEN) != 0) {
        say(&scratch, fmi3Error, "the token is not that of this binary: modelDescription.xml belongs to another export");
        return NULL;
    }
    unit_t *unit = calloc(1, sizeof *unit);
    if (!unit) {
        say(&scratch, fmi3Error, "there is not enough memory");
        return NULL;
    }
    *unit = scratch;
    host_reset(&unit->host);
    return unit;
}

HOST_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
                                                      void *environment, fmi3LogMessageCallback logger)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    unit_t scratch = {.logger = logger, .environment = environment};
    say(&scratch, fmi3Error, "this unit is for co-simulation only");
    return NULL;
}

HOST_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, bool visible,
                                                           bool logging, void *environment, fmi3LogMessageCallback logger,
                                                           void (*clock)(void *), void (*lock)(void), void (*unlock)(void))
{
    (void)clock, (void)lock, (void)unlock;
    return fmi3InstantiateModelExchange(name, token, resources, visible, logging, environment, logger);
}

HOST_EXPORT void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

HOST_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, bool tolerance_given, double tolerance, double start, bool stop_given,
                                                   double stop)
{
    unit_t *unit = c;
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    unit->host.start_time = start;
    unit->host.phase = HOST_INITIALISING;
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    unit_t *unit = c;
    return host_start(&unit->host) ? say(unit, fmi3Error, host_text(&unit->host)) : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3Terminate(fmi3Instance c)
{
    unit_t *unit = c;
    host_end(&unit->host);
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3Reset(fmi3Instance c)
{
    unit_t *unit = c;
    host_reset(&unit->host);
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t n, double values[], size_t m)
{
    unit_t *unit = c;
    for (size_t i = 0; i < n && i < m; i++) {
        if (host_get(&unit->host, references[i], &values[i])) {
            return say(unit, fmi3Error, host_text(&unit->host));
        }
    }
    return n == m ? fmi3OK : say(unit, fmi3Error, "every variable has one value");
}

HOST_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t n, const double values[], size_t m)
{
    unit_t *unit = c;
    for (size_t i = 0; i < n && i < m; i++) {
        if (host_set(&unit->host, references[i], values[i])) {
            return say(unit, fmi3Error, host_text(&unit->host));
        }
    }
    return n == m ? fmi3OK : say(unit, fmi3Error, "every variable has one value");
}

HOST_EXPORT fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference references[], size_t n, bool values[], size_t m)
{
    unit_t *unit = c;
    for (size_t i = 0; i < n && i < m; i++) {
        if (references[i] != REF_SWITCH) {
            return say(unit, fmi3Error, "there is no such Boolean");
        }
        values[i] = unit->host.fed != 0;
    }
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference references[], size_t n, const bool values[], size_t m)
{
    unit_t *unit = c;
    for (size_t i = 0; i < n && i < m; i++) {
        if (references[i] != REF_SWITCH || unit->host.phase != HOST_MADE) {
            return say(unit, fmi3Error, "there is no such Boolean, or it is too late to set it");
        }
        unit->host.fed = values[i] ? 1 : 0;
    }
    return fmi3OK;
}

/* Types that no variable has. */
#define NONE(type, name)                                                                                                         \
    HOST_EXPORT fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference references[], size_t n, type values[], size_t m) \
    {                                                                                                                            \
        (void)references, (void)values, (void)m;                                                                                 \
        return n ? say(c, fmi3Error, "there is no variable of type " #name) : fmi3OK;                                            \
    }                                                                                                                            \
    HOST_EXPORT fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference references[], size_t n, const type values[],   \
                                         size_t m)                                                                               \
    {                                                                                                                            \
        (void)references, (void)values, (void)m;                                                                                 \
        return n ? say(c, fmi3Error, "there is no variable of type " #name) : fmi3OK;                                            \
    }
NONE(float, Float32)
NONE(int8_t, Int8)
NONE(uint8_t, UInt8)
NONE(int16_t, Int16)
NONE(uint16_t, UInt16)
NONE(int32_t, Int32)
NONE(uint32_t, UInt32)
NONE(int64_t, Int64)
NONE(uint64_t, UInt64)
NONE(fmi3String, String)

HOST_EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t n, size_t sizes[], fmi3Binary values[],
                                     size_t m)
{
    (void)references, (void)sizes, (void)values, (void)m;
    return n ? say(c, fmi3Error, "there is no variable of type Binary") : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t n, const size_t sizes[],
                                     const fmi3Binary values[], size_t m)
{
    (void)references, (void)sizes, (void)values, (void)m;
    return n ? say(c, fmi3Error, "there is no variable of type Binary") : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference references[], size_t n, bool values[])
{
    (void)references, (void)values;
    return n ? say(c, fmi3Error, "there are no clocks") : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference references[], size_t n, const bool values[])
{
    (void)references, (void)values;
    return n ? say(c, fmi3Error, "there are no clocks") : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference reference, size_t *n)
{
    (void)reference;
    *n = 0;
    return say(c, fmi3Error, "dependencies do not change and stand in modelDescription.xml");
}

HOST_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t indices[],
                                                   fmi3ValueReference independents[], size_t independent_indices[],
                                                   fmi3DependencyKind kinds[], size_t n)
{
    (void)dependent, (void)indices, (void)independents, (void)independent_indices, (void)kinds, (void)n;
    return say(c, fmi3Error, "dependencies do not change and stand in modelDescription.xml");
}

HOST_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    unit_t *unit = c;
    if (!*state) {
        *state = malloc(sizeof(host_t));
    }
    if (!*state) {
        return say(unit, fmi3Error, "there is not enough memory for a state");
    }
    memcpy(*state, &unit->host, sizeof(host_t));
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    unit_t *unit = c;
    memcpy(&unit->host, state, sizeof(host_t));
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c, (void)state;
    *size = HOST_SERIALISED;
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, uint8_t bytes[], size_t size)
{
    return host_serialise(state, (char *)bytes, size) ? say(c, fmi3Error, "the state needs more bytes") : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const uint8_t bytes[], size_t size, fmi3FMUState *state)
{
    if (!*state) {
        *state = malloc(sizeof(host_t));
    }
    if (!*state || host_deserialise(*state, (const char *)bytes, size)) {
        return say(c, fmi3Error, "these bytes are no state of this unit");
    }
    return fmi3OK;
}

HOST_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n,
                                                    const fmi3ValueReference knowns[], size_t m, const double seed[], size_t seeds,
                                                    double sensitivity[], size_t sensitivities)
{
    (void)unknowns, (void)n, (void)knowns, (void)m, (void)seed, (void)seeds, (void)sensitivity, (void)sensitivities;
    return say(c, fmi3Error, "there are no directional derivatives");
}

HOST_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n,
                                                const fmi3ValueReference knowns[], size_t m, const double seed[], size_t seeds,
                                                double sensitivity[], size_t sensitivities)
{
    return fmi3GetDirectionalDerivative(c, unknowns, n, knowns, m, seed, seeds, sensitivity, sensitivities);
}

/* Modes, clocks, and what belongs to model exchange and scheduled execution: importers look for all functions of the standard,
   and call these for no unit of ours. */
#define NOT_HERE(name, parameters, ...)                                  \
    HOST_EXPORT fmi3Status fmi3##name parameters                         \
    {                                                                    \
        (void)(c), __VA_ARGS__;                                          \
        return say(c, fmi3Error, "fmi3" #name " is not for this unit");  \
    }
#define REFERENCES fmi3Instance c, const fmi3ValueReference references[], size_t n
NOT_HERE(EnterEventMode, (fmi3Instance c), (void)0)
NOT_HERE(EnterStepMode, (fmi3Instance c), (void)0)
NOT_HERE(EnterConfigurationMode, (fmi3Instance c), (void)0)
NOT_HERE(ExitConfigurationMode, (fmi3Instance c), (void)0)
NOT_HERE(EnterContinuousTimeMode, (fmi3Instance c), (void)0)
NOT_HERE(EvaluateDiscreteStates, (fmi3Instance c), (void)0)
NOT_HERE(UpdateDiscreteStates, (fmi3Instance c, bool *again, bool *end, bool *nominals, bool *values, bool *defined, double *next),
         (void)again, (void)end, (void)nominals, (void)values, (void)defined, (void)next)
NOT_HERE(ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, double time), (void)clock, (void)time)
NOT_HERE(SetTime, (fmi3Instance c, double time), (void)time)
NOT_HERE(CompletedIntegratorStep, (fmi3Instance c, bool forward, bool *event, bool *end), (void)forward, (void)event, (void)end)
NOT_HERE(SetContinuousStates, (fmi3Instance c, const double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetContinuousStates, (fmi3Instance c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetContinuousStateDerivatives, (fmi3Instance c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetNominalsOfContinuousStates, (fmi3Instance c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetEventIndicators, (fmi3Instance c, double x[], size_t n), (void)x, (void)n)
NOT_HERE(GetNumberOfContinuousStates, (fmi3Instance c, size_t *n), (void)n)
NOT_HERE(GetNumberOfEventIndicators, (fmi3Instance c, size_t *n), (void)n)
NOT_HERE(GetIntervalDecimal, (REFERENCES, double x[], int kinds[]), (void)references, (void)n, (void)x, (void)kinds)
NOT_HERE(GetIntervalFraction, (REFERENCES, uint64_t x[], uint64_t y[], int kinds[]), (void)references, (void)n, (void)x, (void)y,
         (void)kinds)
NOT_HERE(GetShiftDecimal, (REFERENCES, double x[]), (void)references, (void)n, (void)x)
NOT_HERE(GetShiftFraction, (REFERENCES, uint64_t x[], uint64_t y[]), (void)references, (void)n, (void)x, (void)y)
NOT_HERE(SetIntervalDecimal, (REFERENCES, const double x[]), (void)references, (void)n, (void)x)
NOT_HERE(SetIntervalFraction, (REFERENCES, const uint64_t x[], const uint64_t y[]), (void)references, (void)n, (void)x, (void)y)
NOT_HERE(SetShiftDecimal, (REFERENCES, const double x[]), (void)references, (void)n, (void)x)
NOT_HERE(SetShiftFraction, (REFERENCES, const uint64_t x[], const uint64_t y[]), (void)references, (void)n, (void)x, (void)y)

HOST_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference references[], size_t n, const int32_t orders[],
                                                double values[], size_t m)
{
    (void)references, (void)orders, (void)values, (void)m;
    return n ? say(c, fmi3Error, "outputs have no derivatives") : fmi3OK;
}

HOST_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, double now, double size, bool forward, bool *event, bool *end, bool *early, double *last)
{
    unit_t *unit = c;
    (void)forward;
    *event = *end = *early = false;
    const int outcome = host_advance(&unit->host, now, size);
    *last = host_time(&unit->host);
    switch (outcome) {
    case HOST_FINE: return fmi3OK;
    case HOST_REFUSED: return say(unit, fmi3Discard, host_text(&unit->host));
    default: return say(unit, fmi3Error, host_text(&unit->host));
    }
}
