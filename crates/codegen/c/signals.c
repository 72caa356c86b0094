/* Functions of time, as in crates/model/src/signal.rs. */

/* Equally spaced samples, linear in between, zero outside. */
static double signal_samples(const double *values, int count, double start, double dt, double t)
{
    const double x = (t - start) / dt;
    const int last = count - 1;
    if (!(x >= -1e-9 && x <= (double)last + 1e-9)) {
        return 0.0;
    }
    int i = x > 0.0 ? (int)x : 0;
    i = i < last ? i : last;
    return i == last ? values[last] : values[i] + (x - (double)i) * (values[i + 1] - values[i]);
}

/* How many of the increasing times are not after t. */
static int times_before(const double *times, int count, double t)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (times[middle] <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Points, linear in between, zero outside. */
static double signal_points(const double *times, const double *values, int count, double t)
{
    const int i = times_before(times, count, t);
    if (i > 0 && i < count) {
        return values[i - 1] + (t - times[i - 1]) / (times[i] - times[i - 1]) * (values[i] - values[i - 1]);
    }
    return i == count && count > 0 && t - times[count - 1] <= 1e-9 * (times[count - 1] - times[0]) ? values[count - 1] : 0.0;
}

/* Piecewise cubic: per interval displacement, velocity, acceleration at its start and the third derivative. */
static void motion_cubic(const double *times, int count, const double *pieces, int intervals, double t, double *x)
{
    x[0] = x[1] = x[2] = 0.0;
    if (intervals < 1) {
        return;
    }
    int i = times_before(times, count, t) - 1;
    i = i < 0 ? 0 : i > intervals - 1 ? intervals - 1 : i;
    const double *p = pieces + 4 * i, end = times[count - 1], slack = 1e-9 * (end - times[0]);
    const double d = (t < times[0] ? times[0] : t > end ? end : t) - times[i];
    x[0] = p[0] + d * (p[1] + d * (p[2] / 2.0 + d * p[3] / 6.0));
    if (t <= end + slack && t >= times[0] - slack) {
        x[1] = p[1] + d * (p[2] + d * p[3] / 2.0);
        x[2] = p[2] + d * p[3];
    }
}
