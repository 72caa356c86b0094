/* GC and CLM, mirrors crates/coupling/src/gc.rs. State x = [A B L]. One event per substep of the fine side. */

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 2 : SUBSTEPS;
}

static int coupling_aim(coupling_t *c, int e)
{
    double *l = c->x + X_L;
    const double t = (double)c->k * MACRO;
    int fault = 0;
    if (e == 0) {
        fill(c->w, 2 * ROWS, 0.0);
        side_port_rates(COARSE, 0, c->x, c->w);
        rows_mul_add(FLEXIBILITIES + FINES[0].coarse, l, c->w, 1.0);
        copy(c->free, c->x, LEN_A);
        fault = side_free(c, COARSE, 0, SITE_COARSE, c->free, t, l);
        side_port_rates(COARSE, 0, c->free, c->w + ROWS);
    }
    ask_stride(c, 0, SITE_FINE + e, X_B, t + (double)e * MACRO / (double)SUBSTEPS, l, l);
    return fault;
}

static int coupling_take(coupling_t *c, int e)
{
    fine_exchange(c, &FINES[0], c->x + X_B, c->x + X_L, e + 1);
    if (e + 1 == SUBSTEPS) {
        copy(c->x, c->free, LEN_A);
        side_link(COARSE, 0, c->x, c->x + X_L, 1.0);
    }
    return 0;
}
