/* PMC, PMC2 and PMC2s, mirrors crates/coupling/src/pmc.rs. State x = [A_n A_n-1 (A_n-2) f_n+1 (f_n+2) | B | L_n L_n-1 .. | rates of B
   in the start-up]; node k of the start-up stands in place STARTS - k. Events: the stride of the fine side in the start-up, each of its
   substeps afterwards. Steppings of the coarse side: 0 its windows, 1 the start-up. */

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 2 : c->k < STARTS ? 1 : SUBSTEPS;
}

/* State of the coarse side, or multipliers, in place i. */
static double *state_at(const coupling_t *c, int i)
{
    return c->x + i * LEN_A;
}

static double *multipliers_at(const coupling_t *c, int i)
{
    return c->x + X_L + i * ROWS;
}

/* All but the last of the vectors of length n one place further. */
static void older(double *x, int count, int n)
{
    for (int i = count - 1; i > 0; i--) {
        copy(x + i * n, x + (i - 1) * n, n);
    }
}

static double tied(double x, double x1, double x2)
{
    return x + TIE_1 * (x1 - x) + TIE_2 * (x2 - x);
}

/* The mean of the last three states, or multipliers, the newest first; what laws remember as a whole is that of the newest. */
static void mean_state(const double *x, const double *x1, const double *x2, double *out)
{
    copy(out, x, LEN_A);
    for (int r = 0; r < MIXED_RANGES; r++) {
        for (int i = MIXED[2 * r]; i < MIXED[2 * r + 1]; i++) {
            out[i] = tied(x[i], x1[i], x2[i]);
        }
    }
}

static void mean_multipliers(const double *x, const double *x1, const double *x2, double *out)
{
    for (int i = 0; i < ROWS; i++) {
        out[i] = tied(x[i], x1[i], x2[i]);
    }
}

static void keep_node(coupling_t *c)
{
    double *rates = c->x + X_RATES;
    older(c->x, COUPLED + FREES, LEN_A);
    older(multipliers_at(c, 1), MULTIPLIERS - 1, ROWS);
    for (int i = 1; i < KEPT; i++) {
        copy(rates + (i - 1) * RATES_B, rates + i * RATES_B, RATES_B);
    }
    side_lagging_rates(FINE, 0, c->x + X_B, rates + (KEPT - 1) * RATES_B);
}

/* Derivative at node `at` of the parabola through three values that follow each other at the distance n; of the line through two. */
static double node_slope(const double *values, int n, int count, int at)
{
    if (count == 2) {
        return (values[n] - values[0]) / MACRO;
    }
    return slope3(values[0], values[n], values[2 * n], at, MACRO);
}

/* Moves the rates to their time. */
static void move_rates(coupling_t *c)
{
    const int count = STARTS < 2 ? 2 : 3;
    double *past = c->x + X_RATES, *slopes = c->slopes;
    for (int k = 0; k <= STARTS; k++) {
        side_lagging_rates(COARSE, 0, state_at(c, STARTS - k), c->rates + k * RATES_A);
    }
    for (int k = 0; k <= STARTS; k++) {
        const int before = k > 0 ? k - 1 : 0, last = STARTS < 2 ? 0 : STARTS - 2, first = before < last ? before : last;
        for (int i = 0; i < RATES_A; i++) {
            slopes[k * RATES_A + i] = node_slope(c->rates + first * RATES_A + i, RATES_A, count, k - first);
        }
    }
    for (int k = 0; k <= STARTS; k++) {
        side_shift_rates(COARSE, 0, state_at(c, STARTS - k), slopes + k * RATES_A);
    }
    double *fine = c->fine_rates;
    copy(fine, past, KEPT * RATES_B);
    side_lagging_rates(FINE, 0, c->x + X_B, fine + KEPT * RATES_B);
    for (int i = 0; i < RATES_B; i++) {
        past[i] = node_slope(fine + i, RATES_B, KEPT + 1, KEPT);
    }
    side_shift_rates(FINE, 0, c->x + X_B, past);
}

/* At the last node of the start-up: moves the rates to their time and computes the free states that the first regular step needs. */
static int open_windows(coupling_t *c)
{
    double *window[2] = {c->window, c->window_2};
    int fault = 0;
    move_rates(c);
    for (int ahead = 0; ahead < FREES && !fault; ahead++) {
        const int from = STARTS + 1 + ahead - WINDOWS;
        const int at = STARTS - from, at1 = from > 0 ? at + 1 : STARTS, at2 = from > 1 ? at + 2 : STARTS;
        mean_state(state_at(c, at), state_at(c, at1), state_at(c, at2), window[ahead]);
        mean_multipliers(multipliers_at(c, at), multipliers_at(c, at1), multipliers_at(c, at2), c->l0);
        fault = side_free(c, COARSE, 0, SITE_OPENING + ahead, window[ahead], ((double)from - TIE_DELAY) * MACRO, c->l0);
    }
    for (int ahead = 0; ahead < FREES; ahead++) {
        copy(state_at(c, COUPLED + ahead), window[ahead], LEN_A);
    }
    return fault;
}

/* The free velocities of the coarse side at t_n-1 .. t_n+2. */
static void free_velocities(coupling_t *c)
{
    const double *ha = FLEXIBILITIES + FINES[0].coarse;
#if PARALLEL
    const double *last = state_at(c, COUPLED + 1);
#else
    const double *last = c->window;
#endif
    fill(c->w, 4 * ROWS, 0.0);
    side_port_rates(COARSE, 0, state_at(c, 1), c->w);
    rows_mul_add(ha, multipliers_at(c, 1), c->w, 1.0);
    side_port_rates(COARSE, 0, state_at(c, 0), c->w + ROWS);
    rows_mul_add(ha, multipliers_at(c, 0), c->w + ROWS, 1.0);
    side_port_rates(COARSE, 0, state_at(c, COUPLED), c->w + 2 * ROWS);
    side_port_rates(COARSE, 0, last, c->w + 3 * ROWS);
}

/* The window of the coarse side. */
static int advance_window(coupling_t *c, double t)
{
    const double d = TIE_DELAY * MACRO;
#if PREDICTS
    const double *l = multipliers_at(c, 0), *l1 = multipliers_at(c, 1);
    for (int i = 0; i < ROWS; i++) {
        c->predicted[i] = 2.0 * l[i] - l1[i];
    }
    copy(c->window_2, state_at(c, COUPLED), LEN_A);
    side_link(COARSE, 0, c->window_2, c->predicted, 1.0);
    mean_state(c->window_2, state_at(c, 0), state_at(c, 1), c->window);
    mean_multipliers(c->predicted, l, l1, c->l0);
    const double start = t + (MACRO - d);
#else
    mean_state(state_at(c, 0), state_at(c, 1), state_at(c, COUPLED - 1), c->window);
    mean_multipliers(multipliers_at(c, 0), multipliers_at(c, 1), multipliers_at(c, COUPLED - 1), c->l0);
    const double start = t - d;
#endif
    return side_free(c, COARSE, 0, SITE_COARSE, c->window, start, c->l0);
}

static int coupling_aim(coupling_t *c, int e)
{
    double *l = c->x + X_L;
    const double t = (double)c->k * MACRO;
    int fault = 0;
    if (c->k < STARTS) {
        keep_node(c);
        fault = macro_aim(c, 1, SITE_CALM, t);
        ask_stride(c, 1, SITE_CALM, X_B, t, l, c->guessed);
        return fault;
    }
    if (e == 0) {
        fill(multipliers_at(c, COUPLED), (MULTIPLIERS - COUPLED) * ROWS, 0.0);
        fill(c->x + X_RATES, KEPT * RATES_B, 0.0);
#if PARALLEL
        free_velocities(c);
        fault = advance_window(c, t);
#else
        fault = advance_window(c, t);
        free_velocities(c);
#endif
        older(l, COUPLED, ROWS);
    }
    ask_stride(c, 0, SITE_FINE + e, X_B, t + (double)e * MACRO / (double)SUBSTEPS, l, l);
    return fault;
}

static int coupling_take(coupling_t *c, int e)
{
    double *l = c->x + X_L, *free = state_at(c, COUPLED), *newest = state_at(c, COUPLED + FREES - 1);
    if (c->k < STARTS) {
        macro_take(c, 1, MACRO_CALM, c->d);
        return c->k + 1 == STARTS ? open_windows(c) : 0;
    }
    fine_exchange(c, &FINES[0], c->x + X_B, l, e + 1);
    if (e + 1 < SUBSTEPS) {
        return 0;
    }
    older(c->x, COUPLED, LEN_A);
    copy(c->x, free, LEN_A);
    side_link(COARSE, 0, c->x, l, 1.0);
    for (int i = 1; i < FREES; i++) {
        copy(free + (i - 1) * LEN_A, free + i * LEN_A, LEN_A);
    }
    copy(newest, c->window, LEN_A);
#if PREDICTS
    for (int i = 0; i < ROWS; i++) {
        c->predicted[i] = l[i] - c->predicted[i];
    }
    for (int p = COARSE.first; p < COARSE.end; p++) {
        add_columns(&SUBDOMAINS[p], AHEAD + AHEAD_OF[p], newest + SUBDOMAINS[p].offset, c->predicted, tied(1.0, 0.0, 0.0));
    }
#endif
#if GAP
    close_gap(c, COUPLED, FREES, COUPLED);
#endif
    return 0;
}
