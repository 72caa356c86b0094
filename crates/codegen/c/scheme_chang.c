/* Chang's explicit algorithm: crates/kernel/src/scheme/chang.rs. h = [a s']. */

static int chang_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, const double *y, const double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt;
    double *x = W + S->at_scheme, *shift = x + ny, *b = shift + ny, *bs = b + n, *mv = bs + ns, *cv = mv + n, *zero = cv + n, *gc = zero + ns;
    const int fault = sys_linearise(S, W, in + G->row_linear * INPUTS, t, y, y + n, y + 2 * n);
    if (fault) {
        return fault;
    }
    for (int i = 0; i < n; i++) {
        x[i] = dt * y[n + i] + 0.5 * dt * dt * h[i];
        shift[n + i] = 0.5 * dt * dt * y[n + i];
    }
    sys_mul_mass(S, W, x, mv);
    fill(shift, n, 0.0);
    fill(zero, ns, 0.0);
    sys_mul_tangent(S, W, shift, shift + n, zero, cv, gc);
    for (int i = 0; i < n; i++) {
        b[i] = mv[i] + cv[i];
    }
    fill(bs, ns, 0.0);
    sys_solve(S, W, G->slot + 1, b, bs);
    for (int i = 0; i < n; i++) {
        x[i] = y[i] + b[i];
        x[n + i] = y[n + i] + dt * h[i];
        shift[n + i] = -0.5 * dt * h[i];
    }
    for (int i = 2 * n; i < ny; i++) {
        x[i] = y[i] + dt * h[i - n];
        shift[i] = -0.5 * dt * h[i - n];
    }
    return 0;
}

static void chang_settle(const system_t *S, double *W, const gait_t *G, double *y, double *h)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, *x = W + S->at_scheme;
    double *b = W + S->at_scheme + 2 * ny, *bs = b + n;
    for (int i = 0; i < n; i++) {
        b[i] = -b[i];
    }
    sys_solve(S, W, G->slot + 2, b, bs);
    copy(y, x, n);
    for (int i = 0; i < n; i++) {
        y[n + i] += 0.5 * dt * (h[i] + b[i]);
    }
    for (int i = 0; i < ns; i++) {
        y[2 * n + i] += 0.5 * dt * (h[n + i] + bs[i]);
    }
    copy(h, b, n);
    copy(h + n, bs, ns);
}
