/* The test unit for FMI 3.0, by declarations of our own. */
#include "unit.h"
#include <stdbool.h>
#include <stdint.h>

typedef void (*logger_t)(void *, int, const char *, const char *);
typedef struct {
    unit_t unit;
    logger_t logger;
    void *environment;
} slave_t;

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging, bool event_mode,
                                  bool early_return, const uint32_t *intermediate, size_t n, void *environment, logger_t logger,
                                  void *update) {
    (void)name, (void)visible, (void)logging, (void)intermediate, (void)n, (void)update;
    if (strcmp(token, TOKEN) != 0 || event_mode || early_return || resources[strlen(resources) - 1] != '/') {
        logger(environment, 3, "logStatusError", "wrong token");
        return NULL;
    }
    slave_t *s = calloc(1, sizeof *s);
    unit_init(&s->unit);
    s->logger = logger;
    s->environment = environment;
    return s;
}
void fmi3FreeInstance(void *c) { free(c); }
int fmi3EnterInitializationMode(void *c, bool tolerance_given, double tolerance, double start, bool stop_given, double stop) {
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    ((slave_t *)c)->unit.value[T] = start;
    return 0;
}
int fmi3ExitInitializationMode(void *c) { return (void)c, 0; }
int fmi3Terminate(void *c) { return (void)c, 0; }
int fmi3SetFloat64(void *c, const uint32_t *reference, size_t n, const double *value, size_t m) {
    if (n != m) {
        return 3;
    }
    for (size_t i = 0; i < n; ++i) {
        ((slave_t *)c)->unit.value[reference[i]] = value[i];
    }
    return 0;
}
int fmi3GetFloat64(void *c, const uint32_t *reference, size_t n, double *value, size_t m) {
    for (size_t i = 0; i < n && i < m; ++i) {
        value[i] = unit_get(&((slave_t *)c)->unit, reference[i]);
    }
    return 0;
}
int fmi3SetFloat32(void *c, const uint32_t *reference, size_t n, const float *value, size_t m) {
    (void)n, (void)m;
    ((slave_t *)c)->unit.value[*reference] = (double)*value;
    return 0;
}
int fmi3GetFloat32(void *c, const uint32_t *reference, size_t n, float *value, size_t m) {
    (void)n, (void)m;
    *value = (float)((slave_t *)c)->unit.value[*reference];
    return 0;
}
int fmi3SetInt32(void *c, const uint32_t *reference, size_t n, const int32_t *value, size_t m) {
    (void)reference, (void)n, (void)m;
    ((slave_t *)c)->unit.fault = *value;
    return 0;
}
int fmi3GetInt32(void *c, const uint32_t *reference, size_t n, int32_t *value, size_t m) {
    (void)reference, (void)n, (void)m;
    *value = ((slave_t *)c)->unit.fault;
    return 0;
}
/* Types that the unit does not have. */
#define NONE(name, type)                                                                       \
    int fmi3Set##name(void *c, const uint32_t *r, size_t n, const type *v, size_t m) {         \
        return (void)c, (void)r, (void)n, (void)v, (void)m, 3;                                 \
    }                                                                                          \
    int fmi3Get##name(void *c, const uint32_t *r, size_t n, type *v, size_t m) {               \
        return (void)c, (void)r, (void)n, (void)v, (void)m, 3;                                 \
    }
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
int fmi3SetString(void *c, const uint32_t *reference, size_t n, const char *const *value, size_t m) {
    (void)reference, (void)n, (void)m;
    snprintf(((slave_t *)c)->unit.name, sizeof ((slave_t *)c)->unit.name, "%s", value[0]);
    return 0;
}
int fmi3DoStep(void *c, double t, double h, bool forward, bool *event, bool *end, bool *early, double *last) {
    slave_t *s = c;
    (void)forward;
    *event = *end = *early = false;
    if (t != s->unit.value[T]) {
        return 3;
    }
    *last = t;
    switch (s->unit.fault) {
    case DISCARD: s->logger(s->environment, 2, "logStatusDiscard", "too far"); return 2;
    case ERROR: s->logger(s->environment, 3, "logStatusError", "it broke"); return 3;
    case FATAL: s->logger(s->environment, 4, "logStatusFatal", "it is all over"); return 4;
    case END: *end = true; return 0;
    case EARLY:
        *early = true;
        *last = t + 0.5 * h;
        return 0;
    case GARBAGE: return 77;
    default: break;
    }
    unit_step(&s->unit, h);
    *last = t + h;
    return 0;
}
