/* Closes a share of the displacement gap by self-equilibrated static modes, mirrors crates/coupling/src/gap.rs. The first
   `coupled` of the states of the coarse side at a[] are coupled, the others have no multiplier at their end. */

static void close_gap(coupling_t *c, const int *a, int coupled, int states)
{
    double *b = c->x + X_B;
    fill(c->gap, ROWS, 0.0);
    side_port_displacements(COARSE, c->x + a[0], c->gap);
    side_port_displacements(FINE, b, c->gap);
    fill(c->d, ROWS, 0.0);
    for (int r = 0; r < ROWS; r++) {
        const double g = -KAPPA * c->gap[r];
        for (int i = 0; i < states; i++) {
            add_scaled(c->x + a[i], GAP_A + r * LEN_A, g, LEN_A);
        }
        add_scaled(b, GAP_B + r * LEN_B, g, LEN_B);
        add_scaled(c->d, GAP_L + r * ROWS, g, ROWS);
    }
    add_scaled(c->x + X_L, c->d, 1.0, ROWS);
    add_scaled(c->x + X_LAST, c->d, 1.0, ROWS);
    for (int i = coupled; i < states; i++) {
        side_link(COARSE, 0, c->x + a[i], c->d, -1.0);
    }
}
