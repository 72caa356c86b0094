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

/* Lets an input through, or brakes; `*out` is what leaves. Why it is not the input. */
static enum bound guard_pass(struct guard *g, const struct envelope *e, double period, double input, double *out)
{
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
    } else {
        *out = guard_brake(g, e, period);
    }
    return why;
}
