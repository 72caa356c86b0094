/* Events of PLSRT2: see coupling_parallel.c. */

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 1 : c->k == 0 ? 2 : c->k < STARTS ? 4 : 2 * SUBSTEPS;
}

/* Events 2 and 3 of the last start-up step look ahead. */
static run_t this_run(const coupling_t *c, int e)
{
    if (c->k >= STARTS) {
        return (run_t){0, SUBSTEPS, 0, SITE_RUN, X_A, X_B, (double)c->k * MACRO};
    }
    if (e < 2) {
        return (run_t){1, 1, 1, SITE_CALM, X_A, X_B, (double)c->k * MACRO};
    }
    return (run_t){1, 1, 1, SITE_LOOK, X_AHEAD, X_DROPPED, (double)(c->k + 1) * MACRO};
}

/* What is past becomes one step older. */
static void shift_past(coupling_t *c)
{
    copy(c->x, c->x + X_A1, LEN_A);
    copy(c->x + X_F2, c->x + X_F1, LEN_B);
    copy(c->x + X_A1, c->x + X_A, LEN_A);
}

/* Saves what was measured of the fine side and the multipliers, or gives them back. */
static void keep_measured(coupling_t *c, int back)
{
    double *kept = c->kept;
    for (int p = FINE.first; p < FINE.end; p++) {
        const system_t *S = SYSTEMS[p];
        double *measured = subdomain_work(c, p) + S->at_measured;
        const int readings = S->specimens > 0 ? 3 * S->specimen_ptr[S->specimens] : 0;
        copy(back ? measured : kept, back ? kept : measured, readings);
        kept += readings;
    }
    copy(back ? c->node_l : kept, back ? kept : c->node_l, ROWS);
}

static int coupling_aim(coupling_t *c, int e)
{
    const run_t r = this_run(c, e);
    if (c->k < STARTS && e == 0) {
        shift_past(c);
    }
    if (c->k < STARTS && e == 2) {
        copy(c->x + X_AHEAD, c->x + X_A, LEN_A);
        copy(c->x + X_DROPPED, c->x + X_B, LEN_B);
        keep_measured(c, 0);
    }
    return run_aim(c, &r, e >= 2 && c->k < STARTS ? e - 2 : e);
}

static int coupling_take(coupling_t *c, int e)
{
    const run_t r = this_run(c, e);
    const int fault = run_take(c, &r, e >= 2 && c->k < STARTS ? e - 2 : e);
    if (fault) {
        return fault;
    }
    if (c->k < STARTS) {
        if (e == 1) {
            copy(c->x + X_F1, c->node_rates, LEN_B);
        } else if (e == 3) {
            keep_measured(c, 1);
        }
    } else if (e + 1 == 2 * SUBSTEPS) {
        shift_past(c);
        copy(c->x + X_F1, c->node_rates, LEN_B);
        copy(c->x + X_A, c->x + X_AHEAD, LEN_A);
        copy(c->x + X_AHEAD, c->window, LEN_A);
    }
    return 0;
}
