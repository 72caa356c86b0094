/* The generated model as a co-simulation unit of FMI 2.0, by declarations of our own after the standard.
   An instance is one block of memory without pointers into itself, so that its state is a copy of it. */

typedef void *fmi2Component;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
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
typedef void *fmi2FMUstate;

typedef struct {
    host_t host;
    fmi2CallbackLogger logger;
    void *environment;
    char name[128];
} unit_t;

/* Texts hold no percent sign, so that they pass through the formatting of a logger as they are. */
static fmi2Status say(unit_t *unit, fmi2Status status, const char *text)
{
    const char *category = status == fmi2Discard ? "logStatusDiscard" : "logStatusError";
    if (unit->logger) {
        unit->logger(unit->environment, unit->name, status, category, text);
    }
    return status;
}

HOST_EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

HOST_EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

HOST_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return fmi2OK;
}

HOST_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                          const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    unit_t scratch = {.logger = functions ? functions->logger : NULL};
    scratch.environment = functions ? functions->componentEnvironment : NULL;
    snprintf(scratch.name, sizeof scratch.name, "%s", name ? name : "");
    if (type != fmi2CoSimulation) {
        say(&scratch, fmi2Error, "this unit is for co-simulation only");
        return NULL;
    }
    if (!guid || strcmp(guid, HOST_TOKEN) != 0) {
        say(&scratch, fmi2Error, "the guid is not that of this binary: modelDescription.xml belongs to another export");
        return NULL;
    }
    unit_t *unit = calloc(1, sizeof *unit);
    if (!unit) {
        say(&scratch, fmi2Error, "there is not enough memory");
        return NULL;
    }
    *unit = scratch;
    host_reset(&unit->host);
    return unit;
}

HOST_EXPORT void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

HOST_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_given, fmi2Real tolerance, fmi2Real start,
                                           fmi2Boolean stop_given, fmi2Real stop)
{
    unit_t *unit = c;
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    unit->host.start_time = start;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    unit_t *unit = c;
    unit->host.phase = HOST_INITIALISING;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    unit_t *unit = c;
    return host_start(&unit->host) ? say(unit, fmi2Error, host_text(&unit->host)) : fmi2OK;
}

HOST_EXPORT fmi2Status fmi2Terminate(fmi2Component c)
{
    unit_t *unit = c;
    host_end(&unit->host);
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2Reset(fmi2Component c)
{
    unit_t *unit = c;
    host_reset(&unit->host);
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Real values[])
{
    unit_t *unit = c;
    for (size_t i = 0; i < n; i++) {
        if (host_get(&unit->host, references[i], &values[i])) {
            return say(unit, fmi2Error, host_text(&unit->host));
        }
    }
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Real values[])
{
    unit_t *unit = c;
    for (size_t i = 0; i < n; i++) {
        if (host_set(&unit->host, references[i], values[i])) {
            return say(unit, fmi2Error, host_text(&unit->host));
        }
    }
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Boolean values[])
{
    unit_t *unit = c;
    for (size_t i = 0; i < n; i++) {
        if (references[i] != REF_SWITCH) {
            return say(unit, fmi2Error, "there is no such Boolean");
        }
        values[i] = unit->host.fed;
    }
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Boolean values[])
{
    unit_t *unit = c;
    for (size_t i = 0; i < n; i++) {
        if (references[i] != REF_SWITCH || unit->host.phase != HOST_MADE) {
            return say(unit, fmi2Error, "there is no such Boolean, or it is too late to set it");
        }
        unit->host.fed = values[i] ? 1 : 0;
    }
    return fmi2OK;
}

/* Types that no variable has. */
#define NONE(type, name)                                                                                                        \
    HOST_EXPORT fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference references[], size_t n, type values[])       \
    {                                                                                                                           \
        (void)references, (void)values;                                                                                         \
        return n ? say(c, fmi2Error, "there is no variable of type " #name) : fmi2OK;                                           \
    }                                                                                                                           \
    HOST_EXPORT fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference references[], size_t n, const type values[]) \
    {                                                                                                                           \
        (void)references, (void)values;                                                                                         \
        return n ? say(c, fmi2Error, "there is no variable of type " #name) : fmi2OK;                                           \
    }
NONE(fmi2Integer, Integer)
NONE(fmi2String, String)

HOST_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    unit_t *unit = c;
    if (!*state) {
        *state = malloc(sizeof(host_t));
    }
    if (!*state) {
        return say(unit, fmi2Error, "there is not enough memory for a state");
    }
    memcpy(*state, &unit->host, sizeof(host_t));
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    unit_t *unit = c;
    memcpy(&unit->host, state, sizeof(host_t));
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c, (void)state;
    *size = HOST_SERIALISED;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return host_serialise(state, bytes, size) ? say(c, fmi2Error, "the state needs more bytes") : fmi2OK;
}

HOST_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (!*state) {
        *state = malloc(sizeof(host_t));
    }
    if (!*state || host_deserialise(*state, bytes, size)) {
        return say(c, fmi2Error, "these bytes are no state of this unit");
    }
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n,
                                                    const fmi2ValueReference knowns[], size_t m, const fmi2Real dk[], fmi2Real du[])
{
    (void)unknowns, (void)n, (void)knowns, (void)m, (void)dk, (void)du;
    return say(c, fmi2Error, "there are no directional derivatives");
}

HOST_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t n,
                                                   const fmi2Integer order[], const fmi2Real values[])
{
    (void)references, (void)order, (void)values;
    return n ? say(c, fmi2Error, "inputs have no derivatives") : fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t n,
                                                    const fmi2Integer order[], fmi2Real values[])
{
    (void)references, (void)order, (void)values;
    return n ? say(c, fmi2Error, "outputs have no derivatives") : fmi2OK;
}

HOST_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real size, fmi2Boolean forward)
{
    unit_t *unit = c;
    (void)forward;
    switch (host_advance(&unit->host, now, size)) {
    case HOST_FINE: return fmi2OK;
    case HOST_REFUSED: return say(unit, fmi2Discard, host_text(&unit->host));
    default: return say(unit, fmi2Error, host_text(&unit->host));
    }
}

HOST_EXPORT fmi2Status fmi2CancelStep(fmi2Component c)
{
    return say(c, fmi2Error, "a step is never pending");
}

HOST_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind, (void)value;
    return say(c, fmi2Discard, "a step is never pending");
}

HOST_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    unit_t *unit = c;
    if (kind != fmi2LastSuccessfulTime) {
        return say(unit, fmi2Discard, "there is no such status");
    }
    *value = host_time(&unit->host);
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind, (void)value;
    return say(c, fmi2Discard, "there is no such status");
}

HOST_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated) {
        return say(c, fmi2Discard, "there is no such status");
    }
    *value = 0;
    return fmi2OK;
}

HOST_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind, (void)value;
    return say(c, fmi2Discard, "there is no such status");
}
