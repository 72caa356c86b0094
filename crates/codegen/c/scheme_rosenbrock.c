/* Rosenbrock methods: crates/kernel/src/scheme/rosenbrock.rs. No history. Stage i keeps its increment at k + i ny. */

static double *rosenbrock_stages(const system_t *S, double *W)
{
    /* behind the point, the shift, the forces and the rates */
    return W + S->at_scheme + 3 * (2 * S->n + S->ns);
}

static int rosenbrock_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, int stage)
{
    const int n = S->n, ny = 2 * n + S->ns;
    const double dt = G->dt, *k = rosenbrock_stages(S, W);
    double *x = W + S->at_scheme, *shift = x + ny, *bu = rosenbrock_stages(S, W) + G->stages * ny;
    if (stage == 0) {
        const int fault = sys_linearise(S, W, in + G->row_linear * INPUTS, t, y, y + n, y + 2 * n);
        if (fault) {
            return fault;
        }
    }
    copy(x, y, ny);
    fill(shift, ny, 0.0);
    for (int j = 0; j < stage; j++) {
        for (int l = 0; l < ny; l++) {
            x[l] += G->alpha[stage][j] * k[j * ny + l];
            shift[l] += G->gammas[stage][j] * k[j * ny + l];
        }
    }
    for (int l = 0; l < n; l++) {
        bu[l] = dt * (x[n + l] + shift[n + l]);
        shift[l] += G->gamma * bu[l];
    }
    return 0;
}

static void rosenbrock_settle(const system_t *S, double *W, const gait_t *G, double *y, int stage)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, *r = W + S->at_scheme + 2 * ny, *g = r + n, *bu = rosenbrock_stages(S, W) + G->stages * ny;
    double *k = rosenbrock_stages(S, W), *ku = k + stage * ny, *kv = ku + n, *ks = kv + n;
    for (int l = 0; l < n; l++) {
        kv[l] = r[l] * -dt;
    }
    for (int l = 0; l < ns; l++) {
        ks[l] = g[l] * dt;
    }
    sys_solve(S, W, G->slot, kv, ks);
    for (int l = 0; l < n; l++) {
        ku[l] = bu[l] + G->gamma * dt * kv[l];
    }
    if (stage + 1 == G->stages) {
        for (int i = 0; i < G->stages; i++) {
            for (int l = 0; l < ny; l++) {
                y[l] += G->b[i] * k[i * ny + l];
            }
        }
    }
}
