/* What FMI and Simulink need of the generated model, the same for all of them: numbers by reference, the motion from the model
   file or from outside, and time in steps of the model. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When what may be set. */
enum { HOST_MADE, HOST_INITIALISING, HOST_STEPPING, HOST_OVER };

/* References of numbers: the time, parameters, the switch of the motion, inputs, outputs. */
enum {
    REF_TIME = 0,
    REF_PARAMETER = 1,
    REF_SWITCH = REF_PARAMETER + @NAME@_PARAMETERS,
    REF_INPUT = REF_SWITCH + 1,
    REF_OUTPUT = REF_INPUT + HOST_INPUTS,
    REF_END = REF_OUTPUT + HOST_OUTPUTS
};

/* No pointer in it: a copy is a snapshot. */
typedef struct {
    @name@_t model;
    double start_time;                  /* where the time of the host stood when the model started, s */
    long calls;                         /* of @name@_step */
    double now[HOST_INPUTS + 1];        /* inputs at the end of the coming step, as the host set them */
    double before[HOST_INPUTS + 1];     /* inputs at its beginning */
    int fed;                            /* the motion comes from outside */
    int phase;
    char text[160];                     /* what was the matter last */
} host_t;

static void host_reset(host_t *host)
{
    memset(host, 0, sizeof *host);
    @name@_init(&host->model);
}

static double host_time(const host_t *host)
{
    return host->start_time + (double)host->calls * HOST_DT;
}

static int host_set(host_t *host, unsigned reference, double value)
{
    const int r = reference < (unsigned)REF_END ? (int)reference : REF_END;
    if (!isfinite(value)) {
        snprintf(host->text, sizeof host->text, "the value for the reference %u is not finite", reference);
        return 1;
    }
    if (r >= REF_PARAMETER && r < REF_SWITCH && host->phase <= HOST_INITIALISING) {
        host->model.parameters[r - REF_PARAMETER] = value;
        return 0;
    }
    if (r >= REF_INPUT && r < REF_OUTPUT && host->phase != HOST_OVER) {
        host->now[r - REF_INPUT] = value;
        return 0;
    }
    const char *why = r < REF_SWITCH && r >= REF_PARAMETER ? "is a parameter, and it is too late to set it" : "cannot be set";
    snprintf(host->text, sizeof host->text, "the number with the reference %u %s", reference, why);
    return 1;
}

static int host_fault(host_t *host, int fault)
{
    if (fault) {
        host->phase = HOST_OVER;
        snprintf(host->text, sizeof host->text, "fault %d at %d in the step from %g s, see @name@.h", fault, host->model.fault_index,
                 host_time(host));
    }
    return fault;
}

static int host_start(host_t *host)
{
    host->phase = HOST_STEPPING;
    return host_fault(host, host_begin(&host->model, host->fed, host->before, host->now));
}

static int host_step(host_t *host)
{
    const int fault = host_fault(host, host_call(&host->model, host->fed, host->before, host->now));
    host->calls += fault ? 0 : 1;
    return fault;
}

static void host_end(host_t *host)
{
    @name@_terminate(&host->model);
    host->phase = HOST_OVER;
}
