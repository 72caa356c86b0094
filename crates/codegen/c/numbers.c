/* Corners of the laws, without a branch: the time of a step does not depend on its numbers. */

static double num_sign(double x)
{
    return (double)((x > 0.0) - (x < 0.0)) + 0.0 * x;
}

static double num_greater(double a, double b, double yes, double no)
{
    const double pick[2] = {no, yes};
    return pick[a > b];
}

static double num_select(double a, double yes, double no)
{
    const double pick[2] = {no, yes};
    return pick[a >= 0.0];
}

/* a * b, and zero where a is zero even if b is infinite. */
static double num_scaled(double a, double b)
{
    const double pick[2] = {0.0, b * a};
    return pick[a != 0.0];
}
