/* What the fine side is asked for: the coarse one has gone ahead, or waits. */

static void ask_stride(coupling_t *c, int stepping, int site, int at, double t, const double *l0, const double *l1)
{
    c->ask = (ask_t){1, stepping, at, site, t};
    copy(c->ask_l0, l0, ROWS);
    copy(c->ask_l1, l1, ROWS);
}

static void ask_accelerations(coupling_t *c, int site, int at, double t)
{
    c->ask = (ask_t){2, 0, at, site, t};
}

static void ask_restart(coupling_t *c, int stepping, int site, int at, double t, const double *l)
{
    c->ask = (ask_t){3, stepping, at, site, t};
    copy(c->ask_l0, l, ROWS);
}

/* Does all that the fine side was asked for; accelerations of its ports are added to `asked`. */
static int fine_run(coupling_t *c)
{
    const ask_t *k = &c->ask;
    double *x = c->x + k->at;
    switch (k->kind) {
    case 1:
        return side_stride(c, FINE, k->stepping, k->site, x, k->t, c->ask_l0, c->ask_l1);
    case 2:
        return side_free_accelerations(c, FINE, k->site, x, k->t, c->asked);
    default:
        return side_restart(c, FINE, k->stepping, k->site, x, k->t, c->ask_l0);
    }
}
