/* Two sides: what the fine side is asked for, and the consistent start of both. Mirrors crates/coupling/src/pair.rs. */

static void ask_stride(coupling_t *c, int gait, int site, int at, double t, const double *l0, const double *l1)
{
    c->ask = (ask_t){1, gait, at, site, t};
    copy(c->ask_l0, l0, ROWS);
    copy(c->ask_l1, l1, ROWS);
}

static void ask_accelerations(coupling_t *c, int site, int at, double t)
{
    c->ask = (ask_t){2, 0, at, site, t};
}

static void ask_restart(coupling_t *c, int gait, int site, int at, double t, const double *l)
{
    c->ask = (ask_t){3, gait, at, site, t};
    copy(c->ask_l0, l, ROWS);
}

/* Does all that the fine side was asked for; accelerations of its ports are added to `asked`. */
static int fine_run(instance_t *m)
{
    coupling_t *c = &m->c;
    const ask_t *k = &c->ask;
    double *x = c->x + k->at;
    switch (k->kind) {
    case 1:
        return side_stride(m, FINE, k->gait, k->site, x, k->t, c->ask_l0, c->ask_l1);
    case 2:
        return side_free_accelerations(m, FINE, k->site, x, k->t, c->asked);
    default:
        return side_restart(m, FINE, k->gait, k->site, x, k->t, c->ask_l0);
    }
}

/* The multipliers at which the accelerations agree, then the histories under them. */
static int start_aim(instance_t *m, int e)
{
    coupling_t *c = &m->c;
    if (e == 0) {
        side_initial(m, COARSE, c->x);
        side_initial(m, FINE, c->x + X_B);
        fill(c->asked, ROWS, 0.0);
        ask_accelerations(c, SITE_START, X_B, 0.0);
        return side_free_accelerations(m, COARSE, SITE_START, c->x, 0.0, c->asked);
    }
    ask_restart(c, GAIT_START, SITE_START, X_B, 0.0, c->x + X_L);
    return side_restart(m, COARSE, GAIT_START, SITE_START, c->x, 0.0, c->x + X_L);
}

static int start_take(instance_t *m, int e)
{
    coupling_t *c = &m->c;
    if (e == 0) {
        copy(c->x + X_L, c->asked, ROWS);
        interface_solve(c, MOBILITY, c->x + X_L);
#if REMEMBERS
        copy(c->x + X_LAST, c->x + X_L, ROWS);
#endif
    }
    return 0;
}
