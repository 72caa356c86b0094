/* Substep j of the fine loop, after the free stride of the fine side: a small interface problem against the interpolated
   free velocity of the coarse side, and the link. Mirrors crates/coupling/src/fine.rs. */

static void fine_exchange(coupling_t *c, const fine_t *f, double *b, double *l, int j)
{
    const double x = (double)j / (double)SUBSTEPS;
    double weights[4] = {1.0 - x, x, 0.0, 0.0};
    if (f->nodes == 4) {
        weights[0] = -x * (x - 1.0) * (x - 2.0) / 6.0;
        weights[1] = (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0;
        weights[2] = -(x + 1.0) * x * (x - 2.0) / 2.0;
        weights[3] = (x + 1.0) * x * (x - 1.0) / 6.0;
    }
    fill(c->d, ROWS, 0.0);
    for (int k = 0; k < f->nodes; k++) {
        add_scaled(c->d, c->w + k * ROWS, weights[k], ROWS);
    }
    rows_mul_add(FLEXIBILITIES + f->coarse, l, c->d, -1.0);
    side_port_rates(FINE, 0, b, c->d);
    interface_solve(c, f->both, c->d);
    side_link(FINE, 0, b, c->d, 1.0);
    for (int i = 0; i < ROWS; i++) {
        l[i] += c->d[i];
    }
}
