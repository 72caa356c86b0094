/* What both versions of FMI share: steps of a host made of steps of the model, and states as bytes. */

#if defined(_WIN32)
#define HOST_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define HOST_EXPORT __attribute__((visibility("default")))
#else
#define HOST_EXPORT
#endif

static const char *host_text(const host_t *host)
{
    return host->text;
}

static int host_get(host_t *host, unsigned reference, double *value)
{
    const int r = reference < (unsigned)REF_END ? (int)reference : REF_SWITCH;
    if (r == REF_TIME) {
        *value = host_time(host);
    } else if (r < REF_SWITCH) {
        *value = host->model.parameters[r - REF_PARAMETER];
    } else if (r == REF_SWITCH) {
        snprintf(host->text, sizeof host->text, "there is no number with the reference %u", reference);
        return 1;
    } else if (r < REF_OUTPUT) {
        *value = host->now[r - REF_INPUT];
    } else {
        *value = host_output(&host->model, r - REF_OUTPUT);
    }
    return 0;
}

#define HOST_TOKEN "@TOKEN@"

/* The token before the state tells it from that of another model. */
#define HOST_SERIALISED (sizeof(HOST_TOKEN) + sizeof(host_t))

static int host_serialise(const host_t *host, char *bytes, size_t size)
{
    if (size < HOST_SERIALISED) {
        return 1;
    }
    memcpy(bytes, HOST_TOKEN, sizeof(HOST_TOKEN));
    memcpy(bytes + sizeof(HOST_TOKEN), host, sizeof *host);
    return 0;
}

static int host_deserialise(host_t *host, const char *bytes, size_t size)
{
    if (size < HOST_SERIALISED || memcmp(bytes, HOST_TOKEN, sizeof(HOST_TOKEN)) != 0) {
        return 1;
    }
    memcpy(host, bytes + sizeof(HOST_TOKEN), sizeof *host);
    return 0;
}

/* Times of a host are sums of steps, not equal to ours to the last bit. */
static int host_advance(host_t *host, double now, double size)
{
    const double steps = size / HOST_DT, whole = floor(steps + 0.5), near = 1e-6;
    if (host->phase != HOST_STEPPING) {
        snprintf(host->text, sizeof host->text, "it is not ready for a step");
        return HOST_FAULT;
    }
    if (!(fabs(now - host_time(host)) <= near * HOST_DT)) {
        snprintf(host->text, sizeof host->text, "a step from %.9g s is asked for, but it stands at %.9g s", now, host_time(host));
        return HOST_REFUSED;
    }
    if (!(whole >= 1.0 && whole < 1e9 && fabs(steps - whole) <= near * whole)) {
        snprintf(host->text, sizeof host->text, "a communication step of %.9g s is no multiple of its step of %.9g s", size, HOST_DT);
        return HOST_REFUSED;
    }
    if (@NAME@_COMMANDS > 0 && whole > 1.0) {
        snprintf(host->text, sizeof host->text, "its specimen must answer every command: communication steps are %.9g s", HOST_DT);
        return HOST_REFUSED;
    }
    /* Inputs go in a straight line over all steps. */
    double from[HOST_INPUTS + 1], to[HOST_INPUTS + 1];
    memcpy(from, host->before, sizeof from);
    memcpy(to, host->now, sizeof to);
    const long count = (long)whole;
    for (long k = 1; k <= count; k++) {
        for (int i = 0; i < HOST_INPUTS; i++) {
            host->now[i] = k == count ? to[i] : from[i] + (double)k / whole * (to[i] - from[i]);
        }
        if (host_step(host)) {
            return HOST_FAULT;
        }
    }
    return HOST_FINE;
}
