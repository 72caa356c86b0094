/* FOH, PH and modified PH, mirrors crates/coupling/src/foh.rs. State x = [A B L L_last | rates of the start-up]. Events of a step: the
   accelerations at its start, where they are mixed in; then the stride of the fine side, or each of its substeps (PH). */

static int coupling_events(const coupling_t *c)
{
#if START_UP
    if (c->k >= 0 && c->k < STARTS) {
        return 1;
    }
#endif
    return c->k < 0 ? 2 : EVENTS;
}

#if START_UP
/* Keeps the rates of this node, to move them once those of all nodes are known. */
static void keep_node(coupling_t *c)
{
    double *past = c->x + X_RATES;
    side_lagging_rates(COARSE, 0, c->x, past + (int)c->k * RATES_A);
    side_lagging_rates(FINE, 0, c->x + X_B, past + STARTS * RATES_A + (int)c->k * RATES_B);
}

static void move_side(side_t s, double *x, const double *past, int n, double *slopes)
{
    side_lagging_rates(s, 0, x, slopes);
    for (int i = 0; i < n; i++) {
        slopes[i] = slope3(past[i], past[n + i], slopes[i], 2, MACRO);
    }
    side_shift_rates(s, 0, x, slopes);
}

static void move_rates(coupling_t *c)
{
    const double *past = c->x + X_RATES;
    move_side(COARSE, c->x, past, RATES_A, c->slopes);
    move_side(FINE, c->x + X_B, past + STARTS * RATES_A, RATES_B, c->slopes);
}
#endif

#if UNBALANCED
/* Multiplier of the fine side at the end of substep j = 1.., with the unbalanced load of the coarse side. */
static void next_unbalanced(coupling_t *c, int j)
{
    const double *l = c->x + X_L;
    const double x = (double)j / (double)SUBSTEPS;
    copy(c->l0, c->l1, ROWS);
    fill(c->l1, ROWS, 0.0);
    if (j < SUBSTEPS) {
        side_port_loads(c, COARSE, SITE_LOADS + j, c->l1);
        for (int i = 0; i < ROWS; i++) {
            c->l1[i] -= (1.0 - x) * c->first[i] + x * c->last[i];
        }
        interface_solve(c, BALANCE, c->l1);
    }
    for (int i = 0; i < ROWS; i++) {
        c->l1[i] += (1.0 - x) * l[i] + x * c->guessed[i];
    }
}
#endif

static int coupling_aim(coupling_t *c, int e)
{
    const double t = (double)c->k * MACRO;
    int fault = 0;
#if START_UP
    if (c->k < STARTS) {
        keep_node(c);
        fault = macro_aim(c, 1, SITE_CALM, t);
        ask_stride(c, 1, SITE_CALM, X_B, t, c->x + X_L, c->guessed);
        return fault;
    }
    if (e == 0) {
        fill(c->x + X_RATES, STARTS * (RATES_A + RATES_B), 0.0);
    }
#endif
#if MIXED
    if (e == 0) {
        fill(c->asked, ROWS, 0.0);
        ask_accelerations(c, SITE_NODE, X_B, t);
        return side_free_accelerations(c, COARSE, SITE_NODE, c->x, t, c->asked);
    }
#endif
    if (e == FIRST) {
        fault = macro_aim(c, 0, SITE_COARSE, t);
#if UNBALANCED
        fill(c->first, ROWS, 0.0);
        fill(c->last, ROWS, 0.0);
        side_port_loads(c, COARSE, SITE_LOADS, c->first);
        side_port_loads(c, COARSE, SITE_LOADS + SUBSTEPS, c->last);
        copy(c->l1, c->x + X_L, ROWS);
#endif
    }
#if UNBALANCED
    next_unbalanced(c, e - FIRST + 1);
    ask_stride(c, 2, SITE_FINE + e - FIRST, X_B, t + (double)(e - FIRST) * MACRO / (double)SUBSTEPS, c->l0, c->l1);
#else
    ask_stride(c, 0, SITE_FINE, X_B, t, c->x + X_L, c->guessed);
#endif
    return fault;
}

static int coupling_take(coupling_t *c, int e)
{
#if START_UP
    if (c->k < STARTS) {
        macro_take(c, 1, MACRO_CALM, c->d);
        if (c->k + 1 == STARTS) {
            move_rates(c);
        }
        return 0;
    }
#endif
#if MIXED
    if (e == 0) {
        double *l = c->x + X_L;
        interface_solve(c, MOBILITY, c->asked);
        for (int i = 0; i < ROWS; i++) {
            l[i] += CHI * (c->asked[i] - l[i]);
        }
        return 0;
    }
#endif
    if (e + 1 == EVENTS) {
        macro_take(c, 0, MACRO_STEP, c->linked);
#if GAP
        close_gap(c, 1, 0, 2);
#endif
    }
    return 0;
}
