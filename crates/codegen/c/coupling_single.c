/* A structure in one piece: crates/coupling/src/single.rs. One event: the step. */

static int start_aim(coupling_t *c, int e)
{
    side_initial(c, FINE, c->x);
    ask_restart(c, 0, SITE_START + e, 0, 0.0, c->ask_l1);
    return 0;
}

static int start_take(coupling_t *c, int e)
{
    (void)c, (void)e;
    return 0;
}

static int coupling_events(const coupling_t *c)
{
    (void)c;
    return 1;
}

static int coupling_aim(coupling_t *c, int e)
{
    ask_stride(c, 0, SITE_FINE + e, 0, (double)c->k * MACRO, c->ask_l0, c->ask_l1);
    return 0;
}

static int coupling_take(coupling_t *c, int e)
{
    (void)c, (void)e;
    return 0;
}
