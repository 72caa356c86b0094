/* The substeps of the fine side between states of the coarse one, and the staggered coupling made of them. Mirrors
   crates/coupling/src/staged_pair.rs and staggered.rs. State x = [.. A B ..]; one event per half substep q. */

static void ask_evaluation(coupling_t *c, int site, int at, double t)
{
    c->ask = (ask_t){4, 0, at, site, t};
}

static int fine_run(coupling_t *c)
{
    const ask_t *k = &c->ask;
    return k->kind ? staged_evaluate(c, FINE, k->site, c->x + k->at, k->t) : 0;
}

static void find_multipliers(coupling_t *c)
{
    fill(c->l, ROWS, 0.0);
    staged_port_accelerations(c, COARSE, c->l);
    staged_port_accelerations(c, FINE, c->l);
    interface_solve(c, MOBILITY, c->l);
}

static int start_aim(coupling_t *c, int e)
{
    (void)e;
    side_initial(c, COARSE, c->x + X_A);
    side_initial(c, FINE, c->x + X_B);
    ask_evaluation(c, SITE_START, X_B, 0.0);
    int fault = staged_linearise(c, COARSE, SITE_START, c->x + X_A, 0.0);
    fault = fault ? fault : staged_linearise(c, FINE, SITE_START, c->x + X_B, 0.0);
    return fault ? fault : staged_evaluate(c, COARSE, SITE_START, c->x + X_A, 0.0);
}

static int start_take(coupling_t *c, int e)
{
    (void)e;
    staged_keep(c, COARSE, c->x + X_A);
    staged_keep(c, FINE, c->x + X_B);
    find_multipliers(c);
    copy(c->node_l, c->l, ROWS);
    return 0;
}

/* Whether half substep q of a run is evaluated. */
static int run_meets(const run_t *r, int q)
{
    return q % 2 == 0 || FINE_STAGES > 1 || (r->moving && COARSE_STAGES > 1 && q == r->count);
}

static double run_time(const run_t *r, int q)
{
    return r->t + (double)q * (MACRO / (double)(2 * r->count));
}

static int run_aim(coupling_t *c, const run_t *r, int q)
{
    int fault = 0;
    if (q == 0) {
        staged_recall(c, COARSE, c->x + r->a);
        staged_recall(c, FINE, c->x + r->b);
    }
    if (q == 0 && r->moving) {
        fault = staged_linearise(c, COARSE, r->site, c->x + r->a, r->t);
    }
    if (q % 2 == 0) {
        fault = fault ? fault : staged_linearise(c, FINE, r->site + q, c->x + r->b, run_time(r, q));
        ask_evaluation(c, r->site + q, r->b, run_time(r, q));
    } else if (run_meets(r, q)) {
        staged_middle(c, FINE, c->x + r->b, c->x + X_AT_B);
        ask_evaluation(c, r->site + q, X_AT_B, run_time(r, q));
    } else {
        c->ask.kind = 0;
    }
    return fault;
}

/* The coarse side at half substep q of a staggered step. */
static void moving_at(coupling_t *c, const run_t *r, int q)
{
    double *start = c->x + r->a;
    if (q == 0) {
        copy(c->at_a, start, LEN_A);
    } else if (q <= r->count) {
        mix(start, c->middle, (double)q / (double)r->count, c->at_a, LEN_A);
    } else {
        mix(c->middle, c->end, (double)(q - r->count) / (double)r->count, c->at_a, LEN_A);
    }
}

/* What the multipliers at half substep q do to the coarse side. */
static int moving_met(coupling_t *c, const run_t *r, int q)
{
    double *start = c->x + r->a;
    if (q == 0) {
        staged_stage(c, COARSE, 0, 0, SITE_SHIFT_A, start, c->l);
        staged_middle(c, COARSE, start, c->middle);
    }
    if (q == (COARSE_STAGES > 1 ? r->count : 0)) {
        staged_stage(c, COARSE, 1, 0, SITE_SHIFT_A, start, c->l);
        copy(c->end, start, LEN_A);
        return staged_finish(c, COARSE, 0, c->end);
    }
    return 0;
}

static int run_take(coupling_t *c, const run_t *r, int q)
{
    int fault = 0;
    if (run_meets(r, q)) {
#if AHEAD
        if (!r->moving) {
            mix(c->x + X_A, c->x + X_AHEAD, (double)q / (double)(2 * r->count), c->at_a, LEN_A);
        } else {
            moving_at(c, r, q);
        }
#else
        moving_at(c, r, q);
#endif
        fault = staged_evaluate(c, COARSE, r->site + q, c->at_a, run_time(r, q));
        if (fault) {
            return fault;
        }
        find_multipliers(c);
#if AHEAD
        for (int p = FINE.first; p < FINE.end && q == 0; p++) {
            copy(c->node_rates + SUBDOMAINS[p].offset, staged_rates(c, p), SUBDOMAINS[p].state);
        }
#endif
        for (int i = 0; i < ROWS; i++) {
            c->node_l[i] = q % 2 == 0 ? c->l[i] : 2.0 * c->l[i] - c->node_l[i];
        }
#if AHEAD
        fault = r->moving ? moving_met(c, r, q) : ahead_met(c, q);
#else
        fault = moving_met(c, r, q);
#endif
        staged_stage(c, FINE, q % 2, r->stepping, SITE_SHIFT_B + q - q % 2, c->x + r->b, c->l);
    }
    if (q % 2 == 1 && !fault) {
        fault = staged_finish(c, FINE, r->stepping, c->x + r->b);
    }
    if (q + 1 == 2 * r->count && !fault) {
        staged_keep(c, FINE, c->x + r->b);
        if (r->moving) {
            copy(c->x + r->a, c->end, LEN_A);
            staged_keep(c, COARSE, c->x + r->a);
        }
    }
    return fault;
}

#if STAGGERED
static run_t this_run(const coupling_t *c)
{
    return (run_t){1, SUBSTEPS, 0, SITE_RUN, X_A, X_B, (double)c->k * MACRO};
}

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 1 : 2 * SUBSTEPS;
}

static int coupling_aim(coupling_t *c, int e)
{
    const run_t r = this_run(c);
    return run_aim(c, &r, e);
}

static int coupling_take(coupling_t *c, int e)
{
    const run_t r = this_run(c);
    return run_take(c, &r, e);
}
#endif
