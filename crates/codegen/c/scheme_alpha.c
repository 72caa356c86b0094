/* Newmark, HHT and generalized-alpha in one pass: crates/kernel/src/scheme/alpha.rs. h = [a s']. */

static int alpha_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, f = 1.0 - G->alpha_f, reach = G->full ? f * dt : f * (1.0 - G->gamma) * dt;
    double *x = W + S->at_scheme, *shift = x + ny, *u = y, *v = y + n, *s = v + n, *a = h, *sd = h + n;
    fill(shift, n, 0.0);
    for (int i = 0; i < n; i++) {
        const double u_p = u[i] + dt * v[i] + (0.5 - G->beta) * dt * dt * a[i];
        const double v_p = v[i] + (1.0 - G->gamma) * dt * a[i];
        x[i] = G->alpha_f * u[i] + f * u_p;
        x[n + i] = v[i] + reach * a[i];
        shift[n + i] = G->alpha_f * v[i] + f * v_p - x[n + i];
        u[i] = u_p;
        v[i] = v_p;
    }
    for (int i = 0; i < ns; i++) {
        const double s_p = s[i] + (1.0 - G->gamma) * dt * sd[i];
        x[2 * n + i] = s[i] + reach * sd[i];
        shift[2 * n + i] = G->alpha_f * s[i] + f * s_p - x[2 * n + i];
        s[i] = s_p;
    }
    return sys_linearise(S, W, in + G->row[0] * INPUTS, t + G->time[0] * dt, x, x + n, x + 2 * n);
}

static void alpha_settle(const system_t *S, double *W, const gait_t *G, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt;
    double *a1 = W + S->at_scheme + 2 * ny, *sd1 = a1 + n, *ma = sd1 + ns, *u = y, *v = y + n, *s = v + n, *a = h, *sd = h + n;
    if (G->alpha_m != 0.0) {
        sys_mul_mass(S, W, a, ma);
    } else {
        fill(ma, n, 0.0);
    }
    for (int i = 0; i < n; i++) {
        a1[i] = -a1[i] - G->alpha_m * ma[i];
    }
    for (int i = 0; i < ns; i++) {
        sd1[i] -= G->alpha_m * sd[i];
    }
    sys_solve(S, W, G->slot + 1, a1, sd1);
    for (int i = 0; i < n; i++) {
        u[i] += G->beta * dt * dt * a1[i];
        v[i] += G->gamma * dt * a1[i];
    }
    for (int i = 0; i < ns; i++) {
        s[i] += G->gamma * dt * sd1[i];
    }
    copy(a, a1, n);
    copy(sd, sd1, ns);
}
