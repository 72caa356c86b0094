/* The generated model as a co-simulation unit of FMI 2.0, by declarations of our own after the standard.
   An instance is one block of memory without pointers into itself, so that its state is a copy of it. */

#include <float.h>

typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2CallbackLogger logger;
    void *environment;
    char name[128];
} callback_t;

/* Texts hold no percent sign, so that they pass through the formatting of a logger as they are. */
static fmi2Status tell(const callback_t *callback, fmi2Status status, const char *text)
{
    if (callback->logger) {
        callback->logger(callback->environment, callback->name, status, "logStatusError", text);
    }
    return status;
}

@SHARED@
HOST_EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

HOST_EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

HOST_EXPORT void *fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                  const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    callback_t callback = {.logger = functions ? functions->logger : NULL};
    callback.environment = functions ? functions->componentEnvironment : NULL;
    snprintf(callback.name, sizeof callback.name, "%s", name ? name : "");
    if (type != fmi2CoSimulation) {
        tell(&callback, fmi2Error, "this unit is for co-simulation only");
        return NULL;
    }
    return instantiate(&callback, guid);
}

HOST_EXPORT fmi2Status fmi2SetupExperiment(void *c, fmi2Boolean tolerance_given, double tolerance, double start, fmi2Boolean stop_given,
                                           double stop)
{
    unit_t *unit = c;
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    unit->state.host.start_time = start;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2EnterInitializationMode(void *c)
{
    unit_t *unit = c;
    return initialise(unit, unit->state.host.start_time);
}

#define REFERENCES void *c, const unsigned references[], size_t n

HOST_EXPORT fmi2Status fmi2GetReal(REFERENCES, double values[])
{
    return get_numbers(c, references, n, values);
}

HOST_EXPORT fmi2Status fmi2SetReal(REFERENCES, const double values[])
{
    return set_numbers(c, references, n, values);
}

HOST_EXPORT fmi2Status fmi2GetBoolean(REFERENCES, fmi2Boolean values[])
{
    return get_switch(c, references, n, values);
}

HOST_EXPORT fmi2Status fmi2SetBoolean(REFERENCES, const fmi2Boolean values[])
{
    return set_switch(c, references, n, values);
}

/* What no variable has, and what is never asked of this unit. */
#define NONE(name, text, parameters, ...)                   \
    HOST_EXPORT fmi2Status fmi2##name parameters            \
    {                                                       \
        (void)references, __VA_ARGS__;                      \
        return n ? say(c, fmi2Error, text) : fmi2OK;        \
    }
NONE(GetInteger, "there are no integers", (REFERENCES, fmi2Integer values[]), (void)values)
NONE(SetInteger, "there are no integers", (REFERENCES, const fmi2Integer values[]), (void)values)
NONE(GetString, "there are no strings", (REFERENCES, fmi2String values[]), (void)values)
NONE(SetString, "there are no strings", (REFERENCES, const fmi2String values[]), (void)values)
NONE(SetRealInputDerivatives, "inputs have no derivatives", (REFERENCES, const fmi2Integer orders[], const double values[]), (void)orders,
     (void)values)
NONE(GetRealOutputDerivatives, "outputs have no derivatives", (REFERENCES, const fmi2Integer orders[], double values[]), (void)orders,
     (void)values)
NONE(GetDirectionalDerivative, "there are no directional derivatives",
     (REFERENCES, const unsigned knowns[], size_t m, const double dk[], double du[]), (void)knowns, (void)m, (void)dk, (void)du)

HOST_EXPORT fmi2Status fmi2DoStep(void *c, double now, double size, fmi2Boolean forward)
{
    (void)forward;
    return advance(c, now, size);
}

HOST_EXPORT fmi2Status fmi2CancelStep(void *c)
{
    return say(c, fmi2Error, "a step is never pending");
}

HOST_EXPORT fmi2Status fmi2GetRealStatus(void *c, const fmi2StatusKind kind, double *value)
{
    const unit_t *unit = c;
    if (kind != fmi2LastSuccessfulTime) {
        return say(unit, fmi2Discard, "there is no such status");
    }
    *value = unit->state.time;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetBooleanStatus(void *c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated) {
        return say(c, fmi2Discard, "there is no such status");
    }
    *value = 0;
    return fmi2OK;
}

#define NO_STATUS(name, type)                                                                  \
    HOST_EXPORT fmi2Status fmi2Get##name(void *c, const fmi2StatusKind kind, type *value)      \
    {                                                                                          \
        (void)kind, (void)value;                                                               \
        return say(c, fmi2Discard, "there is no such status: a step is never pending");        \
    }
NO_STATUS(Status, fmi2Status)
NO_STATUS(IntegerStatus, fmi2Integer)
NO_STATUS(StringStatus, fmi2String)
