/* Calls the kernel from C and compares with the same two schemes written out here. */
#include <stdint.h>
#include <stdio.h>

uint32_t oscillator(uint32_t scheme, const double p[5], double dt, uint64_t steps, double y[2]);

/* m a + c v + k u + k3 u^3 = f t */
static double acceleration(const double *p, double u, double v, double t)
{
    return (p[4] * t - p[1] * v - p[2] * u - p[3] * u * u * u) / p[0];
}

/* [I - g h J] x = b with J = [0 1; -K/m -c/m], by Cramer's rule. */
static void solve(const double *p, double tangent, double gh, const double b[2], double x[2])
{
    double a10 = gh * tangent / p[0], a11 = 1 + gh * p[1] / p[0], det = a11 + gh * a10;
    x[0] = (a11 * b[0] + gh * b[1]) / det;
    x[1] = (b[1] - a10 * b[0]) / det;
}

/* k1 = [..]^-1 h f(y, t), k2 = [..]^-1 (h f(y + k1/2, t + h/2) - g h J k1), y += k2; g = 1 - sqrt(2)/2 */
static void lsrt2(const double *p, double h, uint64_t steps, double y[2])
{
    const double g = 0.29289321881345247560;
    for (uint64_t n = 0; n < steps; n++) {
        double t = (double)n * h, tangent = p[2] + 3 * p[3] * y[0] * y[0];
        double b[2] = {h * y[1], h * acceleration(p, y[0], y[1], t)}, k1[2], k2[2];
        solve(p, tangent, g * h, b, k1);
        double u = y[0] + k1[0] / 2, v = y[1] + k1[1] / 2;
        b[0] = h * v - g * h * k1[1];
        b[1] = h * acceleration(p, u, v, t + h / 2) + g * h * (tangent * k1[0] + p[1] * k1[1]) / p[0];
        solve(p, tangent, g * h, b, k2);
        y[0] += k2[0];
        y[1] += k2[1];
    }
}

/* Constant average acceleration for a linear oscillator. */
static void newmark(const double *p, double h, uint64_t steps, double y[2])
{
    double a = acceleration(p, y[0], y[1], 0);
    for (uint64_t n = 0; n < steps; n++) {
        double u = y[0] + h * y[1] + h * h / 4 * a, v = y[1] + h / 2 * a;
        a = (p[4] * ((double)(n + 1) * h) - p[1] * v - p[2] * u) / (p[0] + h / 2 * p[1] + h * h / 4 * p[2]);
        y[0] = u + h * h / 4 * a;
        y[1] = v + h / 2 * a;
    }
}

static int compare(const char *name, uint32_t scheme, const double *p, void (*here)(const double *, double, uint64_t, double *))
{
    double kernel[2] = {0.01, 0.2}, expected[2] = {0.01, 0.2}, worst = 0;
    uint32_t code = oscillator(scheme, p, 0.01, 100, kernel);
    here(p, 0.01, 100, expected);
    for (int i = 0; i < 2; i++) {
        double d = kernel[i] - expected[i];
        worst = d > worst ? d : -d > worst ? -d : worst;
    }
    int good = code == 0 && kernel[0] == kernel[0] && kernel[1] == kernel[1] && worst < 1e-13;
    printf("%s: code %u, u = %.17g, v = %.17g, differs by %.1e%s\n", name, (unsigned)code, kernel[0], kernel[1], worst,
           good ? "" : " WRONG");
    return good;
}

int main(void)
{
    const double linear[5] = {7.2, 20, 100, 0, 10}, cubic[5] = {7.2, 20, 100, 3e4, 10};
    double y[2] = {0, 0};
    int good = compare("lsrt2, linear", 0, linear, lsrt2);
    good &= compare("lsrt2, cubic", 0, cubic, lsrt2);
    good &= compare("newmark, linear", 1, linear, newmark);
    good &= oscillator(99, linear, 0.01, 1, y) == 1;
    puts(good ? "3 comparisons without the standard library" : "the kernel without the standard library is WRONG");
    return !good;
}
