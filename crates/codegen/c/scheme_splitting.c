/* Generalized-alpha by operator splitting: crates/kernel/src/scheme/splitting.rs. h = [a s' p pg ap mp]. */

static int splitting_start_end(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)
{
    const int n = S->n, ns = S->ns;
    double *a = h, *sd = a + n, *p = sd + ns, *pg = p + n, *a_p = pg + ns, *m_p = a_p + n;
    const int fault = sys_rates_end(S, W, G->slot, in, t, y, a, sd);
    if (fault) {
        return fault;
    }
    sys_mul_mass(S, W, a, m_p);
    for (int i = 0; i < n; i++) {
        p[i] = -m_p[i];
    }
    copy(pg, sd, ns);
    copy(a_p, a, n);
    return 0;
}

static int splitting_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt;
    double *x = W + S->at_scheme, *shift = x + ny, *u = y, *v = y + n, *s = v + n, *a = h, *sd = h + n;
    fill(shift, n, 0.0);
    for (int i = 0; i < n; i++) {
        u[i] += dt * v[i] + (0.5 - G->beta) * dt * dt * a[i];
        x[i] = u[i];
        x[n + i] = v[i] + dt * a[i];
        v[i] += (1.0 - G->gamma) * dt * a[i];
        shift[n + i] = v[i] - x[n + i];
    }
    for (int i = 0; i < ns; i++) {
        x[2 * n + i] = s[i] + dt * sd[i];
        s[i] += (1.0 - G->gamma) * dt * sd[i];
        shift[2 * n + i] = s[i] - x[2 * n + i];
    }
    return sys_linearise(S, W, in + G->row[0] * INPUTS, t + G->time[0] * dt, x, x + n, x + 2 * n);
}

static void splitting_settle(const system_t *S, double *W, const gait_t *G, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, f = 1.0 - G->alpha_f;
    double *shift = W + S->at_scheme + ny, *q = shift + ny, *qg = q + n, *a1 = qg + ns, *ma = a1 + n, *mp = ma + n, *sd1 = mp + n;
    double *u = y, *v = y + n, *s = v + n;
    double *a = h, *sd = a + n, *p = sd + ns, *pg = p + n, *a_p = pg + ns, *m_p = a_p + n;
    sys_mul_mass(S, W, a, ma);
    sys_mul_mass(S, W, a_p, mp);
    for (int i = 0; i < n; i++) {
        const double carried = p[i] + (m_p[i] - mp[i]);
        a1[i] = -G->alpha_m * ma[i] - G->alpha_f * carried - f * q[i];
    }
    for (int i = 0; i < ns; i++) {
        sd1[i] = -G->alpha_m * sd[i] + G->alpha_f * pg[i] + f * qg[i];
    }
    sys_solve(S, W, G->slot + 1, a1, sd1);
    for (int i = 0; i < n; i++) {
        shift[i] = G->beta * dt * dt * a1[i];
        shift[n + i] = G->gamma * dt * a1[i];
        u[i] += shift[i];
        v[i] += shift[n + i];
    }
    for (int i = 0; i < ns; i++) {
        shift[2 * n + i] = G->gamma * dt * sd1[i];
        s[i] += shift[2 * n + i];
    }
    sys_mul_tangent(S, W, shift, shift + n, shift + 2 * n, p, pg);
    for (int i = 0; i < n; i++) {
        p[i] += q[i];
    }
    for (int i = 0; i < ns; i++) {
        pg[i] += qg[i];
    }
    sys_mul_mass(S, W, a1, m_p);
    copy(a, a1, n);
    copy(a_p, a1, n);
    copy(sd, sd1, ns);
}
