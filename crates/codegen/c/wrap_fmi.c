#if defined(_WIN32)
#define HOST_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define HOST_EXPORT __attribute__((visibility("default")))
#else
#define HOST_EXPORT
#endif

#define HOST_TOKEN "@TOKEN@"

/* All that a state of the unit is. No pointer in it: a copy is a snapshot. */
typedef struct {
    host_t host;
    double time;                    /* the last communication point, s */
    double place;                   /* the same, in calls of the model since its start */
    double points;                  /* communication points so far */
    double given[HOST_INPUTS + 1];  /* inputs at the last communication point */
    double shown[HOST_OUTPUTS + 1]; /* outputs there */
} state_t;

typedef struct {
    state_t state;
    @name@_t ahead; /* scratch: a copy of the model that looks beyond the communication point */
    callback_t callback;
} unit_t;

static @FMI@Status say(const unit_t *unit, @FMI@Status status, const char *text)
{
    return tell(&unit->callback, status, text);
}

static @FMI@Status refuse(const unit_t *unit)
{
    return say(unit, @FMI@Error, unit->state.host.text);
}

static unit_t *instantiate(const callback_t *callback, const char *token)
{
    if (!token || strcmp(token, HOST_TOKEN) != 0) {
        tell(callback, @FMI@Error, "the token is not that of this binary: modelDescription.xml belongs to another export");
        return NULL;
    }
    unit_t *unit = calloc(1, sizeof *unit);
    if (!unit) {
        tell(callback, @FMI@Error, "there is not enough memory");
        return NULL;
    }
    unit->callback = *callback;
    host_reset(&unit->state.host);
    return unit;
}

HOST_EXPORT void @FMI@FreeInstance(void *c)
{
    free(c);
}

static void show(state_t *state, const @name@_t *model)
{
    for (int i = 0; i < HOST_OUTPUTS; i++) {
        state->shown[i] = host_output(model, i);
    }
}

static @FMI@Status initialise(unit_t *unit, double start)
{
    unit->state.host.start_time = unit->state.time = start;
    unit->state.host.phase = HOST_INITIALISING;
    return @FMI@OK;
}

/* The outputs at the start, with what has been set so far. */
static int foresee_start(unit_t *unit)
{
    host_t *host = &unit->state.host;
    double before[HOST_INPUTS + 1];
    unit->ahead = host->model;
    const int fault = host_begin(&unit->ahead, host->fed, before, host->now);
    if (fault) {
        snprintf(host->text, sizeof host->text, "fault %d at %d at the start, see @name@.h", fault, unit->ahead.fault_index);
    } else {
        show(&unit->state, &unit->ahead);
    }
    return fault;
}

HOST_EXPORT @FMI@Status @FMI@ExitInitializationMode(void *c)
{
    unit_t *unit = c;
    state_t *state = &unit->state;
    if (state->host.phase != HOST_INITIALISING) {
        return say(unit, @FMI@Error, "it is not in its initialization mode");
    }
    if (host_start(&state->host)) {
        return refuse(unit);
    }
    memcpy(state->given, state->host.now, sizeof state->given);
    show(state, &state->host.model);
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@Terminate(void *c)
{
    unit_t *unit = c;
    host_end(&unit->state.host);
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@Reset(void *c)
{
    unit_t *unit = c;
    memset(&unit->state, 0, sizeof unit->state);
    host_reset(&unit->state.host);
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@SetDebugLogging(void *c, @FMI@Boolean on, size_t n, const char *const categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return @FMI@OK;
}

static @FMI@Status get_numbers(unit_t *unit, const unsigned references[], size_t n, double values[])
{
    const state_t *state = &unit->state;
    int foreseen = state->host.phase != HOST_INITIALISING;
    for (size_t i = 0; i < n; i++) {
        const int r = references[i] < (unsigned)REF_END ? (int)references[i] : REF_SWITCH;
        if (r >= REF_OUTPUT && !foreseen) {
            if (foresee_start(unit)) {
                return refuse(unit);
            }
            foreseen = 1;
        }
        if (r == REF_SWITCH) {
            snprintf(unit->state.host.text, sizeof state->host.text, "there is no number with the reference %u", references[i]);
            return refuse(unit);
        }
        values[i] = r == REF_TIME    ? state->time
                    : r < REF_SWITCH ? state->host.model.parameters[r - REF_PARAMETER]
                    : r < REF_OUTPUT ? state->host.now[r - REF_INPUT]
                                     : state->shown[r - REF_OUTPUT];
    }
    return @FMI@OK;
}

static @FMI@Status set_numbers(unit_t *unit, const unsigned references[], size_t n, const double values[])
{
    for (size_t i = 0; i < n; i++) {
        if (host_set(&unit->state.host, references[i], values[i])) {
            return refuse(unit);
        }
    }
    return @FMI@OK;
}

static @FMI@Status get_switch(const unit_t *unit, const unsigned references[], size_t n, @FMI@Boolean values[])
{
    for (size_t i = 0; i < n; i++) {
        if (references[i] != REF_SWITCH) {
            return say(unit, @FMI@Error, "there is no such Boolean");
        }
        values[i] = unit->state.host.fed != 0;
    }
    return @FMI@OK;
}

static @FMI@Status set_switch(unit_t *unit, const unsigned references[], size_t n, const @FMI@Boolean values[])
{
    for (size_t i = 0; i < n; i++) {
        if (references[i] != REF_SWITCH || unit->state.host.phase > HOST_INITIALISING) {
            return say(unit, @FMI@Error, "there is no such Boolean, or it is too late to set it");
        }
        unit->state.host.fed = values[i] ? 1 : 0;
    }
    return @FMI@OK;
}

/* Memory for a state where there is none yet. */
static state_t *room(void **state)
{
    if (!*state) {
        *state = malloc(sizeof(state_t));
    }
    return *state;
}

HOST_EXPORT @FMI@Status @FMI@Get@FMUState@(void *c, void **state)
{
    unit_t *unit = c;
    if (!room(state)) {
        return say(unit, @FMI@Error, "there is not enough memory for a state");
    }
    memcpy(*state, &unit->state, sizeof unit->state);
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@Set@FMUState@(void *c, void *state)
{
    unit_t *unit = c;
    if (!state) {
        return say(unit, @FMI@Error, "there is no state to go back to");
    }
    memcpy(&unit->state, state, sizeof unit->state);
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@Free@FMUState@(void *c, void **state)
{
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return @FMI@OK;
}

/* The token before the state tells it from that of another model. */
#define HOST_SERIALISED (sizeof(HOST_TOKEN) + sizeof(state_t))

HOST_EXPORT @FMI@Status @FMI@Serialized@FMUState@Size(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = HOST_SERIALISED;
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@Serialize@FMUState@(void *c, void *state, @FMI@Byte bytes[], size_t size)
{
    if (!state || size < HOST_SERIALISED) {
        return say(c, @FMI@Error, "there is no state, or it needs more bytes");
    }
    memcpy(bytes, HOST_TOKEN, sizeof(HOST_TOKEN));
    memcpy(bytes + sizeof(HOST_TOKEN), state, sizeof(state_t));
    return @FMI@OK;
}

HOST_EXPORT @FMI@Status @FMI@@Deserialize@@FMUState@(void *c, const @FMI@Byte bytes[], size_t size, void **state)
{
    if (size < HOST_SERIALISED || memcmp(bytes, HOST_TOKEN, sizeof(HOST_TOKEN)) != 0) {
        return say(c, @FMI@Error, "these bytes are not a state of this unit");
    }
    if (!room(state)) {
        return say(c, @FMI@Error, "there is not enough memory for a state");
    }
    memcpy(*state, bytes + sizeof(HOST_TOKEN), sizeof(state_t));
    return @FMI@OK;
}

/* The whole number of calls that is meant, if one is: a host that adds up its steps rounds at each of them, so that its time is off by
   up to half a unit in the last place per communication point. */
static double settled(double place, double points)
{
    const double whole = floor(place + 0.5);
    return fabs(place - whole) <= fmin(1e-6 + DBL_EPSILON * points * whole, 1e-3) ? whole : place;
}

/* Outputs at a communication point that lies the share `part` of a step beyond the model: on the straight line to where the model will be.
   Its inputs there are on the line from the beginning of the step through those of the communication point. The model itself
   waits: it takes the step when all inputs of it are known. If it cannot look ahead, the outputs are those of its last step. */
static void look_ahead(unit_t *unit, double part)
{
    state_t *state = &unit->state;
    const host_t *host = &state->host;
    double before[HOST_INPUTS + 1], end[HOST_INPUTS + 1];
    memcpy(before, host->before, sizeof before);
    for (int i = 0; i < HOST_INPUTS; i++) {
        end[i] = before[i] + (host->now[i] - before[i]) / part;
    }
    unit->ahead = host->model;
    if (host_call(&unit->ahead, host->fed, before, end)) {
        return;
    }
    for (int i = 0; i < HOST_OUTPUTS; i++) {
        state->shown[i] += part * (host_output(&unit->ahead, i) - state->shown[i]);
    }
}

/* Why a step from `now` to `place` cannot be taken; 0 if it can. */
static int misled(state_t *state, double now, double size, double place)
{
    host_t *host = &state->host;
    const double slack = 1e-3 * HOST_DT + 4.0 * DBL_EPSILON * fabs(now);
    if (host->phase != HOST_STEPPING) {
        return snprintf(host->text, sizeof host->text, "it is not ready for a step");
    }
    if (!(fabs(now - state->time) <= slack)) {
        return snprintf(host->text, sizeof host->text, "a step from %.9g s is asked for, but it stands at %.9g s", now, state->time);
    }
    if (!(size > 0.0 && place - state->place < 1e9)) {
        return snprintf(host->text, sizeof host->text, "a communication step of %.9g s: it must be longer than 0 s and shorter than %.3g s",
                        size, 1e9 * HOST_DT);
    }
    if (@NAME@_COMMANDS > 0 && place != state->place + 1.0) {
        return snprintf(host->text, sizeof host->text,
                        "a communication step of %.9g s: its specimen must answer every command, so each step is %.9g s", size, HOST_DT);
    }
    return 0;
}

/* To the communication point `now + size`, by the clock of the host: nothing adds up. */
static @FMI@Status advance(unit_t *unit, double now, double size)
{
    state_t *state = &unit->state;
    host_t *host = &state->host;
    const double place = settled((now + size - host->start_time) / HOST_DT, state->points);
    if (misled(state, now, size, place)) {
        return refuse(unit);
    }
    /* Inputs go in a straight line from one communication point to the next. */
    double to[HOST_INPUTS + 1];
    memcpy(to, host->now, sizeof to);
    int fault = 0;
    while (!fault && (double)(host->calls + 1) <= place) {
        const double way = ((double)(host->calls + 1) - state->place) / (place - state->place);
        for (int i = 0; i < HOST_INPUTS; i++) {
            host->now[i] = way == 1.0 ? to[i] : state->given[i] + way * (to[i] - state->given[i]);
        }
        fault = host_step(host);
    }
    memcpy(host->now, to, sizeof to);
    if (fault) {
        return refuse(unit);
    }
    memcpy(state->given, to, sizeof to);
    state->time = now + size;
    state->place = place;
    state->points += 1.0;
    show(state, &host->model);
    if (place > (double)host->calls) {
        look_ahead(unit, place - (double)host->calls);
    }
    return @FMI@OK;
}
