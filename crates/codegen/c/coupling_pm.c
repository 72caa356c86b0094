/* PM, mirrors crates/coupling/src/pm.rs. State x = [A B L next]. One event per substep of the fine side. */

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 2 : SUBSTEPS;
}

static int coupling_aim(coupling_t *c, int e)
{
    double *l = c->x + X_L, *next = c->x + X_NEXT;
    const double t = (double)c->k * MACRO;
    const int stepping = c->k > 0;
    int fault = 0;
    if (e == 0) {
        if (c->k == 0) {
            copy(next, c->x, LEN_A);
            fault = side_free(c, COARSE, 0, SITE_FIRST, next, t, l);
        }
        fill(c->w, 2 * ROWS, 0.0);
        side_port_rates(COARSE, stepping, c->x, c->w);
        rows_mul_add(FLEXIBILITIES + FINES[stepping].coarse, l, c->w, 1.0);
        side_port_rates(COARSE, stepping, next, c->w + ROWS);
        copy(c->free, c->x, LEN_A);
        fault = fault ? fault : side_free(c, COARSE, 1, SITE_COARSE, c->free, t, l);
    }
    ask_stride(c, 0, SITE_FINE + e, X_B, t + (double)e * MACRO / (double)SUBSTEPS, l, l);
    return fault;
}

static int coupling_take(coupling_t *c, int e)
{
    const int stepping = c->k > 0;
    fine_exchange(c, &FINES[stepping], c->x + X_B, c->x + X_L, e + 1);
    if (e + 1 == SUBSTEPS) {
        copy(c->x, c->x + X_NEXT, LEN_A);
        side_link(COARSE, stepping, c->x, c->x + X_L, 1.0);
        copy(c->x + X_NEXT, c->free, LEN_A);
    }
    return 0;
}
