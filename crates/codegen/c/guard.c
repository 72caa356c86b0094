/* The last line between everything else and the wire: what an actuator is sent has passed here before it leaves. The contract is that of
   crates/lab/src/guard.rs, of which this is the part without a jerk, operation by operation: for any sequence of inputs the outputs keep
   position, velocity and acceleration; an input that is not followed brakes the actuator. */
struct envelope {
    double low, high, velocity, acceleration, braking; /* infinite: any; narrower than told by what rounding can do */
};

struct guard {
    double x, v, a; /* where the actuator was sent, how fast, and how much faster than before */
};

enum bound { FOLLOWED, NO_NUMBER, BEYOND_POSITION, BEYOND_VELOCITY, BEYOND_ACCELERATION };

static int guard_rests(const struct guard *g)
{
    return g->v == 0.0 && g->a == 0.0;
}

/* Whether a place is inside of the envelope. */
static int guard_inside(const struct envelope *e, double x)
{
    return e->low <= x && x <= e->high;
}

/* Brakes; what leaves. */
static double guard_brake(struct guard *g, const struct envelope *e, double period)
{
    const double before = g->v;
    if (isinf(e->braking)) {
        g->v = 0.0;
        g->a = 0.0;
    } else {
        g->v = copysign(1.0, before) * fmax(fabs(before) - e->braking * period, 0.0);
        g->a = (g->v - before) / period;
    }
    g->x = g->x + g->v * period;
    return g->x;
}

/* Whether braking from there, sample by sample v - bT, v - 2bT, ... > 0, ends inside of the envelope. */
static int guard_can_rest(const struct guard *from, const struct envelope *e, double period)
{
    if (isinf(e->braking) || from->v == 0.0) {
        return 1;
    }
    const double step = e->braking * period, speed = fabs(from->v);
    const double n = floor(speed / step);
    return guard_inside(e, from->x + copysign(1.0, from->v) * period * (n * speed - 0.5 * step * n * (n + 1.0)));
}

static double guard_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Moves to the nearest place that the envelope allows in this sample, if it is near and the guard could brake from there; whether it did. */
static int guard_trim(struct guard *g, const struct envelope *e, double period, double input)
{
    if (isinf(e->acceleration)) {
        return 0;
    }
    const double wanted = (guard_clamp((input - g->x) / period, -e->velocity, e->velocity) - g->v) / period;
    const double a = guard_clamp(wanted, -e->acceleration, e->acceleration);
    const double v = g->v + a * period;
    const struct guard next = {g->x + v * period, v, a};
    const int fits = guard_inside(e, next.x) && fabs(v) <= e->velocity;
    const int near = fabs(input - next.x) <= e->acceleration * period * period;
    if (!(near && fits && guard_can_rest(&next, e, period))) {
        return 0;
    }
    *g = next;
    return 1;
}

/* Lets an input through, trimmed a little where that is enough, or brakes; `*out` is what leaves. Why it is not the input. */
static enum bound guard_pass(struct guard *g, const struct envelope *e, double period, double input, double *out, int *braked)
{
    *braked = 0;
    const double v = (input - g->x) / period;
    const double a = (v - g->v) / period;
    const struct guard next = {input, v, a};
    enum bound why = FOLLOWED;
    if (!isfinite(input)) {
        why = NO_NUMBER;
    } else if (!guard_inside(e, input) && input != g->x) {
        why = BEYOND_POSITION; /* what stands still may stay even where rounding put it on the edge */
    } else if (fabs(v) > e->velocity) {
        why = BEYOND_VELOCITY;
    } else if (fabs(a) > e->acceleration) {
        why = BEYOND_ACCELERATION;
    } else if (!guard_can_rest(&next, e, period)) {
        why = BEYOND_POSITION;
    }
    if (why == FOLLOWED) {
        *g = next;
        *out = input;
    } else if ((why == BEYOND_VELOCITY || why == BEYOND_ACCELERATION) && guard_trim(g, e, period, input)) {
        *out = g->x;
    } else {
        *out = guard_brake(g, e, period);
        *braked = 1;
    }
    return why;
}
