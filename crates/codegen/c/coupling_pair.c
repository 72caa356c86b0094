/* The consistent start of two sides. Mirrors crates/coupling/src/pair.rs. */

/* The multipliers at which the accelerations agree, then the histories under them. */
static int start_aim(coupling_t *c, int e)
{
    if (e == 0) {
        side_initial(c, COARSE, c->x);
        side_initial(c, FINE, c->x + X_B);
        fill(c->asked, ROWS, 0.0);
        ask_accelerations(c, SITE_START, X_B, 0.0);
        return side_free_accelerations(c, COARSE, SITE_START, c->x, 0.0, c->asked);
    }
    ask_restart(c, STEPPING_START, SITE_START, X_B, 0.0, c->x + X_L);
    return side_restart(c, COARSE, STEPPING_START, SITE_START, c->x, 0.0, c->x + X_L);
}

static int start_take(coupling_t *c, int e)
{
    if (e == 0) {
        copy(c->x + X_L, c->asked, ROWS);
        interface_solve(c, MOBILITY, c->x + X_L);
#if REMEMBERS
        copy(c->x + X_LAST, c->x + X_L, ROWS);
#endif
    }
    return 0;
}
