/* The forces at the point of a stage. */
static int scheme_force(const system_t *S, double *W, const gait_t *G, const double *in, double t, int stage)
{
    const int n = S->n, ny = 2 * n + S->ns;
    double *x = W + S->at_scheme, *shift = x + ny, *r = shift + ny;
    return sys_force(S, W, in + G->row[stage] * INPUTS, t + G->time[stage] * G->dt, x, x + n, x + 2 * n, shift, shift + n, shift + 2 * n, r,
                     r + n);
}

/* The same in two halves, for a specimen: everything but the measured forces, ... */
static int scheme_force_begin(const system_t *S, double *W, const gait_t *G, const double *in, double t, int stage)
{
    const int n = S->n, ny = 2 * n + S->ns;
    double *x = W + S->at_scheme, *shift = x + ny, *r = shift + ny;
    return sys_raw_force(S, W, in + G->row[stage] * INPUTS, t + G->time[stage] * G->dt, x, x + n, x + 2 * n, S->massive ? 0 : shift, shift + n,
                         shift + 2 * n, r, r + n);
}

/* ... and what follows from them. */
static int scheme_force_end(const system_t *S, double *W, const gait_t *G, const double *in, double t, int stage)
{
    const int n = S->n, ny = 2 * n + S->ns;
    double *x = W + S->at_scheme, *shift = x + ny, *r = shift + ny;
    sys_add_measured(S, W, x, x + n, r);
    return sys_finish_force(S, W, in + G->row[stage] * INPUTS, t + G->time[stage] * G->dt, x, shift, shift + n, shift + 2 * n, r, r + n);
}

static int scheme_stages(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)
{
    for (int stage = 0; stage < G->stages; stage++) {
        int fault = scheme_aim(S, W, G, in, t, y, h, stage);
        fault = fault ? fault : scheme_force(S, W, G, in, t, stage);
        if (fault) {
            return fault;
        }
        scheme_settle(S, W, G, y, h, stage);
    }
    return 0;
}
