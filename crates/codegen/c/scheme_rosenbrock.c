/* Rosenbrock methods: crates/kernel/src/scheme/rosenbrock.rs. No history. Stage i keeps its increment at k + i ny. */

static double *rosenbrock_stages(const system_t *S, double *W)
{
    /* behind the point, the shift, the forces and the rates */
    return W + S->at_scheme + 3 * (2 * S->n + S->ns);
}

/* Point and shift of a stage, given the increments of those before it. */
static void rosenbrock_point(const system_t *S, double *W, const gait_t *G, const double *y, int stage)
{
    const int n = S->n, ny = 2 * n + S->ns;
    const double dt = G->dt, *k = rosenbrock_stages(S, W);
    double *x = W + S->at_scheme, *shift = x + ny, *bu = rosenbrock_stages(S, W) + G->stages * ny;
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
}

/* The increment of a stage from its forces. */
static void rosenbrock_increment(const system_t *S, double *W, const gait_t *G, int stage)
{
    const int n = S->n, ns = S->ns, ny = 2 * n + ns;
    const double dt = G->dt, *r = W + S->at_scheme + 2 * ny, *g = r + n, *bu = rosenbrock_stages(S, W) + G->stages * ny;
    double *ku = rosenbrock_stages(S, W) + stage * ny, *kv = ku + n, *ks = kv + n;
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
}

/* The end of the step, from the increments of all stages. */
static void rosenbrock_finish(const system_t *S, double *W, const gait_t *G, double *y)
{
    const int ny = 2 * S->n + S->ns;
    const double *k = rosenbrock_stages(S, W);
    for (int i = 0; i < G->stages; i++) {
        for (int l = 0; l < ny; l++) {
            y[l] += G->b[i] * k[i * ny + l];
        }
    }
}

static int rosenbrock_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, const double *y, int stage)
{
    const double *v = y + S->n;
    const int fault = stage == 0 ? sys_linearise(S, W, in + G->row_linear * INPUTS, t, y, v, v + S->n) : 0;
    if (!fault) {
        rosenbrock_point(S, W, G, y, stage);
    }
    return fault;
}

static void rosenbrock_settle(const system_t *S, double *W, const gait_t *G, double *y, int stage)
{
    rosenbrock_increment(S, W, G, stage);
    if (stage + 1 == G->stages) {
        rosenbrock_finish(S, W, G, y);
    }
}
