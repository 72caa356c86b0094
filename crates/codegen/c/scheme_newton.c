/* The generalized-alpha family with Newton iterations: crates/kernel/src/scheme/newton.rs. h = [a s']. */

static double largest(const double *x, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) {
        m = fabs(x[i]) > m || isnan(x[i]) ? fabs(x[i]) : m;
    }
    return m;
}

static int newton_step(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, f = 1.0 - G->alpha_f, beta = G->beta, gamma = G->gamma;
    const double *at = in + G->row[0] * INPUTS;
    double *x1 = W + S->at_scheme, *x = x1 + ny, *rate = x + ny, *b = rate + n + ns, *bs = b + n, *inertia = bs + ns;
    const double least = 2.2250738585072014e-308;
    double before = INFINITY;
    copy(rate, h, n + ns);
    for (int iteration = 1; iteration <= G->max_iterations; iteration++) {
        for (int i = 0; i < n; i++) {
            x1[i] = y[i] + dt * y[n + i] + dt * dt * ((0.5 - beta) * h[i] + beta * rate[i]);
            x1[n + i] = y[n + i] + dt * ((1.0 - gamma) * h[i] + gamma * rate[i]);
        }
        for (int i = 2 * n; i < ny; i++) {
            x1[i] = y[i] + dt * ((1.0 - gamma) * h[i - n] + gamma * rate[i - n]);
        }
        for (int i = 0; i < ny; i++) {
            x[i] = G->alpha_f * y[i] + f * x1[i];
        }
        int fault = sys_linearise(S, W, at, t + G->time[0] * dt, x, x + n, x + 2 * n);
        fault = fault ? fault : sys_force(S, W, at, t + G->time[0] * dt, x, x + n, x + 2 * n, 0, 0, 0, b, bs);
        if (fault) {
            return fault;
        }
        for (int i = 0; i < n; i++) {
            x[i] = (1.0 - G->alpha_m) * rate[i] + G->alpha_m * h[i];
        }
        sys_mul_mass(S, W, x, inertia);
        for (int i = 0; i < n; i++) {
            b[i] = -b[i] - inertia[i];
        }
        for (int i = 0; i < ns; i++) {
            bs[i] -= (1.0 - G->alpha_m) * rate[n + i] + G->alpha_m * h[n + i];
        }
        sys_solve(S, W, G->slot + 1, b, bs);
        for (int i = 0; i < n + ns; i++) {
            if (!isfinite(b[i])) {
                return sys_fault(S, W, i < n ? FAULT_DISPLACEMENT : FAULT_STATE, i < n ? i : i - n);
            }
        }
        for (int i = 0; i < n + ns; i++) {
            rate[i] += b[i];
        }
        const double da = dt * dt * largest(b, n), ds = dt * largest(bs, ns);
        const double u_size = largest(x1, n) + dt * largest(x1 + n, n) + dt * dt * largest(rate, n);
        const double s_size = largest(x1 + 2 * n, ns) + dt * largest(rate + n, ns);
        const double size = fmax(da / fmax(u_size, least), ds / fmax(s_size, least));
        const int settled = size <= 1e-6 && size >= before;
        before = size;
        if ((da <= G->tolerance * u_size && ds <= G->tolerance * s_size) || settled) {
            for (int i = 0; i < n; i++) {
                y[i] += dt * y[n + i] + dt * dt * ((0.5 - beta) * h[i] + beta * rate[i]);
                y[n + i] += dt * ((1.0 - gamma) * h[i] + gamma * rate[i]);
            }
            for (int i = 2 * n; i < ny; i++) {
                y[i] += dt * ((1.0 - gamma) * h[i - n] + gamma * rate[i - n]);
            }
            copy(h, rate, n + ns);
            return 0;
        }
    }
    return sys_fault(S, W, FAULT_CONVERGENCE, G->max_iterations);
}
