/* What the steps of schemes are made of, besides their updates: crates/kernel/src/scheme/phases.rs. A vector v is [v s], velocities with
   the element states behind them; f = [-r g]. */

static const double *states_of(const double *v, int n)
{
    return v ? v + n : 0;
}

static void negate(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = -x[i];
    }
}

/* Forces at a point with the tangent's answer to a shift (du = 0: none), in two halves: all but the measured ones, for which the
   specimens are sent to the point, ... */
static int scheme_force_begin(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *du,
                              const double *dv, double *f)
{
    const int n = S->n;
    sys_aim(S, W, u);
    return sys_raw_force(S, W, in, t, u, v, v + n, S->massive ? 0 : du, dv, states_of(dv, n), f, f + n);
}

/* ... and what follows from them. */
static int scheme_force_end(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *du,
                            const double *dv, double *f)
{
    const int n = S->n;
    sys_add_measured(S, W, u, v, f);
    const int fault = sys_finish_force(S, W, in, t, u, du, dv, states_of(dv, n), f, f + n);
    negate(f, n);
    return fault;
}

static void scheme_mul_tangent(const system_t *S, const double *W, const double *du, const double *dv, double *f)
{
    sys_mul_tangent(S, W, du, dv, dv + S->n, f, f + S->n);
    negate(f, S->n);
}

static double max_abs(const double *x, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) {
        m = fabs(x[i]) > m || isnan(x[i]) ? fabs(x[i]) : m;
    }
    return m;
}

/* Whether a correction b of the rates is small against the motion, or small and does not shrink any more. */
static int scheme_measure(const system_t *S, double *W, double dt, double tolerance, const double *b, const double *u, const double *v,
                          const double *rate, double *before, int *done)
{
    const int n = S->n, ns = S->ns;
    const double least = 2.2250738585072014e-308;
    for (int i = 0; i < n + ns; i++) {
        if (!isfinite(b[i])) {
            return sys_fault(S, W, i < n ? FAULT_DISPLACEMENT : FAULT_STATE, i < n ? i : i - n);
        }
    }
    const double da = dt * dt * max_abs(b, n), ds = dt * max_abs(b + n, ns);
    const double u_size = max_abs(u, n) + dt * max_abs(v, n) + dt * dt * max_abs(rate, n);
    const double s_size = max_abs(v + n, ns) + dt * max_abs(rate + n, ns);
    const double size = fmax(da / fmax(u_size, least), ds / fmax(s_size, least));
    *done = (da <= tolerance * u_size && ds <= tolerance * s_size) || (size <= 1e-6 && size >= *before);
    *before = size;
    return 0;
}
