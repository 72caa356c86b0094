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

/* A motion from rest with the acceleration f: time, displacement and velocity at the start of each panel, then a Gauss rule (node,
   weight) over the rest of the way. */
static void motion_integral(double (*f)(double), const double *starts, int count, const double *gauss, int points, double t, double *x)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (starts[3 * middle] <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const double *s = starts + 3 * (low > 0 ? low - 1 : 0);
    const double mid = 0.5 * (s[0] + t), half = 0.5 * (t - s[0]);
    double u = 0.0, v = 0.0;
    for (int i = 0; i < 2 * points; i++) {
        const double node = i % 2 == 0 ? -gauss[i] : gauss[i - 1], w = gauss[i % 2 == 0 ? i + 1 : i];
        const double a = f(mid + half * node);
        v += w * a;
        u += w * (1.0 - node) * a;
    }
    x[0] = s[1] + s[2] * (t - s[0]) + half * half * u;
    x[1] = s[2] + half * v;
    x[2] = f(t);
}
