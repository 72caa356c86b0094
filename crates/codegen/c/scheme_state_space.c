/* Trapezoidal rule and generalized-alpha on the state-space form: crates/kernel/src/scheme/state_space.rs. h = [u' v' s']. */

static int state_space_start_begin(const system_t *S, double *W, const double *in, double t, const double *y, double *h)
{
    copy(h, y + S->n, S->n);
    return sys_rates_begin(S, W, in, t, y, h + S->n, h + 2 * S->n);
}

static int state_space_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, const double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, tau = G->alpha_f * G->gamma * dt;
    const double reach = G->full ? G->alpha_f * dt : G->alpha_f * (1.0 - G->gamma) * dt;
    double *x = W + S->at_scheme, *shift = x + ny, *bu = shift + ny + n + ns;
    for (int i = 0; i < ny; i++) {
        const double x_p = y[i] + (1.0 - G->gamma) * dt * h[i];
        const double x_a = (1.0 - G->alpha_f) * y[i] + G->alpha_f * x_p;
        x[i] = y[i] + reach * h[i];
        shift[i] = x_a - x[i];
        y[i] = x_p;
    }
    for (int i = 0; i < n; i++) {
        bu[i] = (x[n + i] + shift[n + i] - (1.0 - G->alpha_m) * h[i]) / G->alpha_m;
        shift[i] += tau * bu[i];
    }
    return sys_linearise(S, W, in + G->row[0] * INPUTS, t + G->time[0] * dt, x, x + n, x + 2 * n);
}

static void state_space_settle(const system_t *S, double *W, const gait_t *G, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, tau = G->alpha_f * G->gamma * dt;
    double *a1 = W + S->at_scheme + 2 * ny, *sd1 = a1 + n, *bu = sd1 + ns, *ma = bu + n;
    if (G->alpha_m != 1.0) {
        sys_mul_mass(S, W, h + n, ma);
    } else {
        fill(ma, n, 0.0);
    }
    for (int i = 0; i < n; i++) {
        a1[i] = -a1[i] - (1.0 - G->alpha_m) * ma[i];
    }
    for (int i = 0; i < ns; i++) {
        sd1[i] -= (1.0 - G->alpha_m) * h[2 * n + i];
    }
    sys_solve(S, W, G->slot + 1, a1, sd1);
    for (int i = 0; i < n; i++) {
        h[i] = bu[i] + tau / G->alpha_m * a1[i];
    }
    copy(h + n, a1, n);
    copy(h + 2 * n, sd1, ns);
    for (int i = 0; i < ny; i++) {
        y[i] += G->gamma * dt * h[i];
    }
}
