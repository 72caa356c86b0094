/* The test unit for FMI 2.0, by declarations of our own. */
#include "unit.h"

typedef void (*logger_t)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    logger_t logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks_t;
typedef struct {
    unit_t unit;
    const callbacks_t *callbacks;
    int stepping;
} slave_t;

static void say(slave_t *s, int status, const char *text) {
    s->callbacks->logger(s->callbacks->environment, "unit", status, "logStatusError", text, 1, 2.0);
}

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources, const callbacks_t *callbacks, int visible,
                      int logging) {
    (void)name, (void)visible, (void)logging;
    if (type != 1 || strcmp(guid, TOKEN) != 0 || strncmp(resources, "file:///", 8) != 0) {
        callbacks->logger(callbacks->environment, "unit", 3, "logStatusError", "wrong guid");
        return NULL;
    }
    slave_t *s = callbacks->allocate(1, sizeof *s);
    unit_init(&s->unit);
    s->callbacks = callbacks;
    return s;
}
void fmi2FreeInstance(void *c) {
    slave_t *s = c;
    s->callbacks->release(s);
}
int fmi2SetupExperiment(void *c, int tolerance_given, double tolerance, double start, int stop_given, double stop) {
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    ((slave_t *)c)->unit.value[T] = start;
    return 0;
}
int fmi2EnterInitializationMode(void *c) { return (void)c, 0; }
int fmi2ExitInitializationMode(void *c) {
    ((slave_t *)c)->stepping = 1;
    return 0;
}
int fmi2Terminate(void *c) { return (void)c, 0; }
int fmi2SetReal(void *c, const unsigned *reference, size_t n, const double *value) {
    slave_t *s = c;
    for (size_t i = 0; i < n; ++i) {
        if (reference[i] == K && value[i] < 0.0) {
            say(s, 3, "k is negative");
            return 3;
        }
        s->unit.value[reference[i]] = value[i];
    }
    return 0;
}
int fmi2SetInteger(void *c, const unsigned *reference, size_t n, const int *value) {
    (void)reference, (void)n;
    ((slave_t *)c)->unit.fault = value[0];
    return 0;
}
int fmi2SetBoolean(void *c, const unsigned *reference, size_t n, const int *value) {
    return (void)c, (void)reference, (void)n, (void)value, 3;
}
int fmi2SetString(void *c, const unsigned *reference, size_t n, const char *const *value) {
    (void)reference, (void)n;
    snprintf(((slave_t *)c)->unit.name, sizeof ((slave_t *)c)->unit.name, "%s", value[0]);
    return 0;
}
int fmi2GetReal(void *c, const unsigned *reference, size_t n, double *value) {
    for (size_t i = 0; i < n; ++i) {
        value[i] = unit_get(&((slave_t *)c)->unit, reference[i]);
    }
    return 0;
}
int fmi2GetInteger(void *c, const unsigned *reference, size_t n, int *value) {
    (void)reference, (void)n;
    *value = ((slave_t *)c)->unit.fault;
    return 0;
}
int fmi2GetBoolean(void *c, const unsigned *reference, size_t n, int *value) {
    return (void)c, (void)reference, (void)n, (void)value, 3;
}
int fmi2DoStep(void *c, double t, double h, int forward) {
    slave_t *s = c;
    (void)forward;
    if (!s->stepping || t != s->unit.value[T]) {
        say(s, 3, "not there");
        return 3;
    }
    switch (s->unit.fault) {
    case DISCARD:
    case END: say(s, 2, "too far"); return 2;
    case ERROR: say(s, 3, "it broke at %d %g"); return 3;
    case FATAL: say(s, 4, "it is all over"); return 4;
    case PENDING: return 5;
    default: break;
    }
    unit_step(&s->unit, h);
    return 0;
}
int fmi2GetRealStatus(void *c, int kind, double *value) {
    *value = ((slave_t *)c)->unit.value[T] + 0.001;
    return kind == 2 ? 0 : 3;
}
int fmi2GetBooleanStatus(void *c, int kind, int *value) {
    *value = ((slave_t *)c)->unit.fault == END;
    return kind == 3 ? 0 : 3;
}
