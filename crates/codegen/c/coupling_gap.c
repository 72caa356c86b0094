/* Closes a share of the displacement gap by self-equilibrated static modes, mirrors crates/coupling/src/gap.rs. The states of the
   coarse side stand at the head of x: first those that are coupled, then the free ones, which have no multiplier at their end. */

static void close_gap(coupling_t *c, int coupled, int free, int multipliers)
{
    double *b = c->x + X_B;
    fill(c->gap, ROWS, 0.0);
    side_port_displacements(COARSE, c->x, c->gap);
    side_port_displacements(FINE, b, c->gap);
    fill(c->d, ROWS, 0.0);
    for (int r = 0; r < ROWS; r++) {
        const double g = -KAPPA * c->gap[r];
        for (int i = 0; i < coupled + free; i++) {
            add_scaled(c->x + i * LEN_A, GAP_A + r * LEN_A, g, LEN_A);
        }
        add_scaled(b, GAP_B + r * LEN_B, g, LEN_B);
        add_scaled(c->d, GAP_L + r * ROWS, g, ROWS);
    }
    for (int i = 0; i < multipliers; i++) {
        add_scaled(c->x + X_L + i * ROWS, c->d, 1.0, ROWS);
    }
    for (int i = coupled; i < coupled + free; i++) {
        side_link(COARSE, 0, c->x + i * LEN_A, c->d, -1.0);
    }
}
