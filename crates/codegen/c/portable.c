/* Elementary functions with the same bits everywhere: crates/kernel/src/portable.rs, line by line. */

static double portable_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t portable_word(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* c[0] + c[1] x + c[2] x^2 ... in four chains of every fourth term. */
static double portable_polynomial(double x, const double *c, int n)
{
    const double square = x * x, fourth = square * square;
    double chain[4] = {0.0};
    for (int i = n - 1; i >= 0; i--) {
        chain[i % 4] = i + 4 < n ? chain[i % 4] * fourth + c[i] : c[i];
    }
    return (chain[0] + chain[1] * x) + (chain[2] + chain[3] * x) * square;
}

static double portable_exp(double x)
{
    static const double TERMS[] = {
        1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0,
        1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0,
    };
    const double whole = 6755399441055744.0;
    x = num_greater(x, 710.0, 710.0, x);
    x = num_greater(-746.0, x, -746.0, x);
    const double shifted = x * 1.4426950408889634 + whole;
    const double k = shifted - whole;
    const double r = (x - k * 6.931471803691238e-1) - k * 1.9082149292705877e-10;
    const uint64_t both = portable_word(shifted) - portable_word(whole) + 2048u, half = both >> 1;
    return portable_polynomial(r, TERMS, 14) * portable_bits((half - 1u) << 52) * portable_bits((both - half - 1u) << 52);
}

static double portable_ln(double x)
{
    static const double TERMS[] = {
        2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0, 2.0 / 11.0, 2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0, 2.0 / 23.0,
    };
    const uint64_t least = 0x3FE6A09E667F3BCDu, one = 0x3FF0000000000000u;
    const double bias = 4503599627370496.0;
    const uint64_t biased = (portable_word(x) + (one - least)) >> 52;
    const double m = portable_bits(portable_word(x) - (biased << 52) + one);
    const double k = portable_bits(portable_word(bias) | biased) - bias - 1023.0;
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    const double sum = k * 6.931471803691238e-1 + (s * 2.0 + (s * z * portable_polynomial(z, TERMS, 11) + k * 1.9082149292705877e-10));
    const double value = num_greater(x, 1.7976931348623157e308, x, num_greater(x, 0.0, sum, NAN));
    return num_greater(2.2250738585072014e-308, x, num_greater(0.0, x, NAN, -INFINITY), value);
}
