/* PLSRT2, mirrors crates/coupling/src/parallel.rs. State x = [A_i-2 F_i-2 A_i-1 F_i-1 A B A_i+1]. The first two macro-steps are
   staggered with one substep; behind the second, a third one gives A_i+1 alone. */

/* The window of the coarse side over 4 h, by its twins, under the accelerations of the fine side at its start and middle. */
static int window_stage(coupling_t *c, int i, double *l)
{
    staged_port_accelerations(c, TWINS, l);
    interface_solve(c, WINDOW_MOBILITY, l);
    staged_stage(c, TWINS, i, 0, 0, c->window, l);
    return 0;
}

static int window_advance(coupling_t *c, double t)
{
    staged_recall(c, TWINS, c->window);
    int fault = staged_linearise(c, TWINS, SITE_WINDOW, c->window, t);
    fault = fault ? fault : staged_evaluate(c, TWINS, SITE_WINDOW, c->window, t);
    fault = fault ? fault : window_stage(c, 0, c->l0);
    if (COARSE_STAGES > 1 && !fault) {
        staged_middle(c, TWINS, c->window, c->at_a);
        fault = staged_evaluate(c, TWINS, SITE_WINDOW + 1, c->at_a, t + 2.0 * MACRO);
        fault = fault ? fault : window_stage(c, 1, c->l1);
    }
    fault = fault ? fault : staged_finish(c, TWINS, 0, c->window);
    staged_keep(c, TWINS, c->window);
    return fault;
}

/* The answer of the fine side at t_i is known: the window can be advanced. */
static int ahead_met(coupling_t *c, int q)
{
    if (q > 0) {
        return 0;
    }
    copy(c->window, c->x, LEN_A);
    fill(c->l0, ROWS, 0.0);
    fill(c->l1, ROWS, 0.0);
    for (int p = FINE.first; p < FINE.end; p++) {
        add_port_accelerations(p, c->x + X_F2 + SUBDOMAINS[p].offset, c->l0);
    }
    staged_port_accelerations(c, FINE, c->l1);
    return window_advance(c, (double)(c->k - STARTS) * MACRO);
}
