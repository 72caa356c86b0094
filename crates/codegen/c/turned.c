/* Deformations of a corotational member in space, their first and second derivatives by nine displacements, and the quaternions of its
   ends: a = [displacements | what it remembers | numbers]. The derivatives along two directions at a time. */
static void frame_turned(const double *a, double *out)
{
    const double *x = a, *m = a + 9, *c = m + 14;
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            double d[9] = {0.0}, b[9] = {0.0}, v[18];
            d[j] = 1.0;
            b[i] = 1.0;
            corotated(c, x, m, d, b, v);
            for (int k = 0; k < 6; k++) {
                out[k] = v[k];
                out[6 + 9 * k + j] = v[6 + k];
                out[60 + 81 * k + 9 * i + j] = v[12 + k];
            }
        }
    }
    corotated_ends(c, x, m, out + 546);
}
