/* PMC and PMC2, mirrors crates/coupling/src/pmc.rs. State x = [A B L | L_last A_last f1 f2 | past]. Events: the stride of
   the fine side in the start-up, each of its substeps afterwards. Steppings of the coarse side: 0 its windows, 1 the start-up. */

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 2 : c->k < STARTS ? 1 : SUBSTEPS;
}

static void keep_node(coupling_t *c)
{
    double *past = c->x + X_PAST;
    const int k = (int)c->k;
    copy(past + k * LEN_A, c->x, LEN_A);
    copy(past + STARTS * LEN_A + k * LEN_B, c->x + X_B, LEN_B);
    copy(past + STARTS * (LEN_A + LEN_B) + k * ROWS, c->x + X_L, ROWS);
}

/* Entry i of a vector of n at a node of the start-up. */
static double at_node(const double *past, const double *now, int n, int node, int i)
{
    return node == STARTS ? now[i] : past[node * n + i];
}

static double node_slope(const double *past, const double *now, int n, int node, int i)
{
#if SHORT_START
    (void)node;
    return (at_node(past, now, n, 1, i) - at_node(past, now, n, 0, i)) / MACRO;
#else
    const int before = node > 0 ? node - 1 : 0, first = before < STARTS - 2 ? before : STARTS - 2;
    return slope3(at_node(past, now, n, first, i), at_node(past, now, n, first + 1, i), at_node(past, now, n, first + 2, i),
                  node - first, MACRO);
#endif
}

/* After the last step of the start-up: moves the rates to their time and computes the free states that the first regular
   step needs. */
static int open_windows(coupling_t *c)
{
    double *pa = c->x + X_PAST, *pb = pa + STARTS * LEN_A, *pl = pb + STARTS * LEN_B;
    double *xa = c->x, *xb = c->x + X_B, *l = c->x + X_L, *last = c->slopes + (STARTS + 1) * LEN_A;
    int fault = 0;
    for (int node = 0; node <= STARTS; node++) {
        for (int i = 0; i < LEN_A; i++) {
            c->slopes[node * LEN_A + i] = node_slope(pa, xa, LEN_A, node, i);
        }
    }
    for (int i = 0; i < LEN_B; i++) {
        last[i] = node_slope(pb, xb, LEN_B, STARTS, i);
    }
    for (int node = 0; node < STARTS; node++) {
        side_shift_rates(COARSE, 0, pa + node * LEN_A, c->slopes + node * LEN_A);
    }
    side_shift_rates(COARSE, 0, xa, c->slopes + STARTS * LEN_A);
    side_shift_rates(FINE, 0, xb, last);
    for (int ahead = 0; ahead < 2 && !fault; ahead++) {
        double *f = c->x + (ahead == 0 ? X_F1 : X_F2);
        const int from = STARTS + 1 + ahead - WINDOWS;
        for (int i = 0; i < LEN_A; i++) {
            f[i] = at_node(pa, xa, LEN_A, from, i);
#if TIED
            f[i] += MIX * (at_node(pa, xa, LEN_A, from - 1, i) - at_node(pa, xa, LEN_A, from, i));
#endif
        }
        for (int i = 0; i < ROWS; i++) {
            c->l0[i] = at_node(pl, l, ROWS, from, i);
#if TIED
            c->l0[i] += MIX * (at_node(pl, l, ROWS, from - 1, i) - at_node(pl, l, ROWS, from, i));
#endif
        }
        fault = side_free(c, COARSE, 0, SITE_OPENING + ahead, f, ((double)from - MIX) * MACRO, c->l0);
    }
    copy(c->x + X_A_LAST, pa + (STARTS - 1) * LEN_A, LEN_A);
    return fault;
}

/* The free velocities of the coarse side at t_n-1 .. t_n+2; and its window, two nodes further than the fine side will look in
   this step. */
static int advance_window(coupling_t *c, double t)
{
    const double *xa = c->x, *l = c->x + X_L, *l_last = c->x + X_LAST, *ha = FLEXIBILITIES + FINES[0].coarse;
    fill(c->w, 4 * ROWS, 0.0);
    side_port_rates(COARSE, 0, c->x + X_A_LAST, c->w);
    rows_mul_add(ha, l_last, c->w, 1.0);
    side_port_rates(COARSE, 0, xa, c->w + ROWS);
    rows_mul_add(ha, l, c->w + ROWS, 1.0);
    side_port_rates(COARSE, 0, c->x + X_F1, c->w + 2 * ROWS);
    side_port_rates(COARSE, 0, c->x + X_F2, c->w + 3 * ROWS);
#if SHORT_WINDOWS
    for (int i = 0; i < ROWS; i++) {
        c->l0[i] = 2.0 * l[i] - l_last[i];
    }
    copy(c->window, c->x + X_F1, LEN_A);
    side_link(COARSE, 0, c->window, c->l0, 1.0);
    return side_free(c, COARSE, 0, SITE_COARSE, c->window, t + MACRO, c->l0);
#else
    for (int i = 0; i < LEN_A; i++) {
        c->window[i] = xa[i] + MIX * (c->x[X_A_LAST + i] - xa[i]);
    }
    for (int i = 0; i < ROWS; i++) {
        c->l0[i] = l[i] + MIX * (l_last[i] - l[i]);
    }
    return side_free(c, COARSE, 0, SITE_COARSE, c->window, t - MIX * MACRO, c->l0);
#endif
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
        fill(c->x + X_PAST, LEN_PAST, 0.0);
        fault = advance_window(c, t);
        copy(c->x + X_LAST, l, ROWS);
    }
    ask_stride(c, 0, SITE_FINE + e, X_B, t + (double)e * MACRO / (double)SUBSTEPS, l, l);
    return fault;
}

static int coupling_take(coupling_t *c, int e)
{
    double *l = c->x + X_L;
    if (c->k < STARTS) {
        macro_take(c, 1, MACRO_CALM, c->d);
        return c->k + 1 == STARTS ? open_windows(c) : 0;
    }
    fine_exchange(c, &FINES[0], c->x + X_B, l, e + 1);
    if (e + 1 < SUBSTEPS) {
        return 0;
    }
    copy(c->x + X_A_LAST, c->x, LEN_A);
    copy(c->x, c->x + X_F1, LEN_A);
    side_link(COARSE, 0, c->x, l, 1.0);
    copy(c->x + X_F1, c->x + X_F2, LEN_A);
    copy(c->x + X_F2, c->window, LEN_A);
#if SHORT_WINDOWS
    for (int i = 0; i < ROWS; i++) {
        c->l0[i] = l[i] - c->l0[i];
    }
    for (int p = COARSE.first; p < COARSE.end; p++) {
        add_columns(&SUBDOMAINS[p], AHEAD + AHEAD_OF[p], c->x + X_F2 + SUBDOMAINS[p].offset, c->l0, 1.0);
    }
#endif
#if GAP
    const int a[4] = {0, X_A_LAST, X_F1, X_F2};
    close_gap(c, a, 2, 4);
#endif
    return 0;
}
