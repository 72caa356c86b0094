/* One macro-step under a linear multiplier, mirrors MacroStep of crates/coupling/src/foh.rs. */

/* Guesses the multiplier at the end and strides with the coarse side; the fine side is to follow. */
static int macro_aim(coupling_t *c, int stepping, int site, double t)
{
    const double *l = c->x + X_L, *past = c->x + X_LAST;
    for (int i = 0; i < ROWS; i++) {
        c->guessed[i] = GUESS == 0 ? 0.0 : GUESS == 1 ? l[i] : 2.0 * l[i] - past[i];
    }
    return side_stride(c, COARSE, stepping, site, c->x, t, l, c->guessed);
}

/* Makes the velocities agree once both sides have moved, by the link of a change of the multipliers. */
static void macro_take(coupling_t *c, int stepping, int problem, double *link)
{
    double *l = c->x + X_L;
    fill(link, ROWS, 0.0);
    side_port_rates(COARSE, stepping, c->x, link);
    side_port_rates(FINE, stepping, c->x + X_B, link);
    interface_solve(c, problem, link);
    side_link(COARSE, stepping, c->x, link, 1.0);
    side_link(FINE, stepping, c->x + X_B, link, 1.0);
    copy(c->x + X_LAST, l, ROWS);
    for (int i = 0; i < ROWS; i++) {
        l[i] = c->guessed[i] + link[i];
    }
}
