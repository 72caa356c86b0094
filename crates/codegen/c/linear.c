/* Products and solutions, in the order of operations of crates/linalg (pattern.rs, dense.rs, kernels.rs). */

/* Eight partial sums. */
static double run_dot(const double *a, const double *x, int n)
{
    double s[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, rest = 0.0;
    int i = 0;
    for (; i + 7 < n; i += 8) {
        for (int j = 0; j < 8; j++) {
            s[j] += a[i + j] * x[i + j];
        }
    }
    for (; i < n; i++) {
        rest += a[i] * x[i];
    }
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) + rest;
}

/* Whether a row is long and has no gap. */
static int is_run(const int *idx, int start, int end)
{
    return end - start >= 32 && idx[end - 1] - idx[start] == end - start - 1;
}

static void pattern_mul(const system_t *S, const double *a, const double *x, double *y)
{
    const int n = S->n, *ptr = S->ptr, *idx = S->idx;
    for (int i = 0; i < n; i++) {
        const int end = ptr[i + 1];
        double s = 0.0, t = 0.0;
        int p = ptr[i];
        if (is_run(idx, p, end)) {
            y[i] = run_dot(a + p, x + idx[p], end - p);
            continue;
        }
        for (; p + 1 < end; p += 2) {
            s += a[p] * x[idx[p]];
            t += a[p + 1] * x[idx[p + 1]];
        }
        if (p < end) {
            s += a[p] * x[idx[p]];
        }
        y[i] = s + t;
    }
}

static void pattern_mul2(const system_t *S, const double *a, const double *x, const double *b, const double *w, double *y)
{
    const int n = S->n, *ptr = S->ptr, *idx = S->idx;
    for (int i = 0; i < n; i++) {
        const int start = ptr[i], end = ptr[i + 1];
        double s = 0.0, t = 0.0;
        if (is_run(idx, start, end)) {
            y[i] = run_dot(a + start, x + idx[start], end - start) + run_dot(b + start, w + idx[start], end - start);
            continue;
        }
        for (int p = start; p < end; p++) {
            s += a[p] * x[idx[p]];
            t += b[p] * w[idx[p]];
        }
        y[i] = s + t;
    }
}

static double dot(const double *a, const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * x[i];
    }
    return sum;
}

/* Four partial sums. */
static double row_dot(const double *a, const double *x, int n)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, rest = 0.0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += a[i] * x[i];
        s1 += a[i + 1] * x[i + 1];
        s2 += a[i + 2] * x[i + 2];
        s3 += a[i + 3] * x[i + 3];
    }
    for (; i < n; i++) {
        rest += a[i] * x[i];
    }
    return (s0 + s2) + (s1 + s3) + rest;
}

/* y += factor A x, A by rows with `columns` columns. */
static void mul_add(const double *a, const double *x, int columns, double *y, int rows, double factor)
{
    for (int i = 0; i < rows && columns > 0; i++) {
        y[i] += factor * dot(a + i * columns, x, columns);
    }
}

/* Inverts a small matrix in place, with row pivoting; work: n * n numbers. 0 if it is singular. */
static int invert(double *a, double *work, int n)
{
    fill(work, n * n, 0.0);
    for (int i = 0; i < n; i++) {
        work[i * n + i] = 1.0;
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            p = fabs(a[i * n + k]) > fabs(a[p * n + k]) ? i : p;
        }
        const double pivot = a[p * n + k];
        if (!isfinite(pivot) || pivot == 0.0) {
            return 0;
        }
        for (int j = 0; j < n; j++) {
            const double x = a[k * n + j], y = work[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = x;
            work[k * n + j] = work[p * n + j];
            work[p * n + j] = y;
        }
        for (int j = 0; j < n; j++) {
            a[k * n + j] /= pivot;
            work[k * n + j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double f = a[i * n + k];
            if (i != k) {
                for (int j = 0; j < n; j++) {
                    a[i * n + j] -= f * a[k * n + j];
                    work[i * n + j] -= f * work[k * n + j];
                }
            }
        }
    }
    copy(a, work, n * n);
    return 1;
}

static double pivot_tolerance(int n)
{
    return 16.0 * 2.220446049250313e-16 * sqrt((double)n);
}

/* A dense factor in memory is [U of UᵀDU, or LU | inverse pivots | order of the rows | scale | column | whether it is LU]. */
static int dense_ldlt(int n, double *a, double *inverse)
{
    const double tolerance = pivot_tolerance(n);
    for (int k = 0; k < n; k++) {
        inverse[k] = a[k * n + k];
    }
    for (int k = 0; k < n; k++) {
        double *row = a + k * n;
        const double pivot = row[k], original = inverse[k], inv = 1.0 / pivot;
        if (!(pivot > tolerance * original && isfinite(original) && isfinite(inv))) {
            return 0;
        }
        inverse[k] = inv;
        for (int i = k + 1; i < n; i++) {
            const double l = row[i] * inv;
            for (int j = i; j < n; j++) {
                a[i * n + j] -= l * row[j];
            }
        }
        for (int j = k + 1; j < n; j++) {
            row[j] *= inv;
        }
    }
    return 1;
}

/* LU with partial pivoting of equilibrated rows. -1, or the row that was left without a pivot. */
static int dense_lu(int n, double *a, double *inverse, double *order, double *scale, double *column)
{
    const double tolerance = pivot_tolerance(n);
    fill(column, n, 0.0);
    for (int i = 0; i < n; i++) {
        double largest = 0.0;
        for (int j = 0; j < n; j++) {
            largest = fabs(a[i * n + j]) > largest ? fabs(a[i * n + j]) : largest;
        }
        if (largest == 0.0 || !all_finite(a + i * n, n)) {
            return i;
        }
        scale[i] = 1.0 / largest;
        order[i] = (double)i;
        for (int j = 0; j < n; j++) {
            const double size = fabs(a[i * n + j]) * scale[i];
            column[j] = size > column[j] ? size : column[j];
        }
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        double size = -1.0;
        for (int i = k; i < n; i++) {
            const double candidate = fabs(a[i * n + k]) * scale[i];
            best = candidate > size ? i : best;
            size = candidate > size ? candidate : size;
        }
        if (size <= tolerance * column[k] || !isfinite(size)) {
            return (int)order[best];
        }
        const double o = order[k], s = scale[k];
        order[k] = order[best];
        order[best] = o;
        scale[k] = scale[best];
        scale[best] = s;
        for (int j = 0; j < n; j++) {
            const double x = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = x;
        }
        const double inv = 1.0 / a[k * n + k];
        inverse[k] = inv;
        for (int i = k + 1; i < n; i++) {
            const double l = a[i * n + k] * inv;
            a[i * n + k] = l;
            for (int j = k + 1; j < n; j++) {
                a[i * n + j] -= l * a[k * n + j];
            }
        }
    }
    return -1;
}

static int dense_factorize(const factor_t *F, const system_t *S, const double *values, double *f)
{
    const int n = S->n;
    double *inverse = f + n * n, *order = inverse + n, *scale = order + n, *column = scale + n, *used_lu = column + n;
    for (int pass = F->symmetric ? 0 : 1; pass < 2; pass++) {
        fill(f, n * n, 0.0);
        for (int p = 0; p < S->nnz; p++) {
            f[F->target[p]] = values[p];
        }
        *used_lu = (double)pass;
        if (pass == 0 && dense_ldlt(n, f, inverse)) {
            return -1;
        }
    }
    return dense_lu(n, f, inverse, order, scale, column);
}

static void dense_solve(int n, const double *f, double *b, double *x)
{
    const double *inverse = f + n * n, *order = inverse + n;
    if (f[n * n + 4 * n] != 0.0) {
        for (int k = 0; k < n; k++) {
            x[k] = b[(int)order[k]] - row_dot(f + k * n, x, k);
        }
        for (int k = n - 1; k >= 0; k--) {
            b[k] = (x[k] - row_dot(f + k * n + k + 1, b + k + 1, n - k - 1)) * inverse[k];
        }
        return;
    }
    for (int k = 0; k < n; k++) {
        const double y = b[k];
        for (int j = k + 1; j < n; j++) {
            b[j] -= f[k * n + j] * y;
        }
        b[k] = y * inverse[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        b[k] -= row_dot(f + k * n + k + 1, b + k + 1, n - k - 1);
    }
}

/* Product with a stored inverse (by columns), four columns at a time. */
static void inverse_solve(int n, const double *columns, double *b, double *out)
{
    const int whole = n / 4 * 4;
    fill(out, n, 0.0);
    for (int j = 0; j < whole; j += 4) {
        const double *c0 = columns + j * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
        const double x0 = b[j], x1 = b[j + 1], x2 = b[j + 2], x3 = b[j + 3];
        for (int i = 0; i < n; i++) {
            out[i] += (c0[i] * x0 + c1[i] * x1) + (c2[i] * x2 + c3[i] * x3);
        }
    }
    for (int j = whole; j < n; j++) {
        for (int i = 0; i < n; i++) {
            out[i] += columns[j * n + i] * b[j];
        }
    }
    copy(b, out, n);
}

/* x[rows] -= V top, V with `width` numbers per row. Panels are at most four columns wide; a width that is known when this is compiled
   keeps them in registers, where loops over so few numbers would become calls. */
static inline void panel_subtract(const int *rows, int count, const double *v, int width, const double *top, double *x)
{
    switch (width) {
    case 1:
        for (int r = 0; r < count; r++) {
            x[rows[r]] -= v[r] * top[0];
        }
        break;
    case 2:
        for (int r = 0; r < count; r++, v += 2) {
            x[rows[r]] -= v[0] * top[0] + v[1] * top[1];
        }
        break;
    case 3:
        for (int r = 0; r < count; r++, v += 3) {
            x[rows[r]] -= v[0] * top[0] + v[1] * top[1] + v[2] * top[2];
        }
        break;
    default:
        for (int r = 0; r < count; r++, v += 4) {
            x[rows[r]] -= (v[0] * top[0] + v[1] * top[1]) + (v[2] * top[2] + v[3] * top[3]);
        }
        break;
    }
}

/* The columns of a panel, from x, solved with its unit lower triangle, and subtracted from the rows below. */
static inline void panel_forward(const double *triangle, const int *rows, int count, int width, const double *x, double *top, double *below)
{
    double y[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < width; i++) {
        y[i] = x[i];
        for (int j = 0; j < i; j++) {
            y[i] -= triangle[i * (i - 1) / 2 + j] * y[j];
        }
    }
    for (int i = 0; i < width; i++) {
        top[i] = y[i];
    }
    panel_subtract(rows, count, triangle + width * (width - 1) / 2, width, y, below);
}

/* The same with a panel whose width is known only now. */
static void panel_down(const double *triangle, const int *rows, int count, int width, const double *x, double *top, double *below)
{
    switch (width) {
    case 1:
        panel_forward(triangle, rows, count, 1, x, top, below);
        break;
    case 2:
        panel_forward(triangle, rows, count, 2, x, top, below);
        break;
    case 3:
        panel_forward(triangle, rows, count, 3, x, top, below);
        break;
    default:
        panel_forward(triangle, rows, count, 4, x, top, below);
        break;
    }
}

/* And back: the columns from the rows below, with the inverse pivots, of which `last` is the last. */
static inline void panel_backward(const double *triangle, const int *rows, int count, int width, const double *last, double *x, double *top)
{
    const double *v = triangle + width * (width - 1) / 2;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int r = 0; r < count; r++, v += width) {
        const double xi = x[rows[r]];
        for (int j = 0; j < width; j++) {
            sum[j] += v[j] * xi;
        }
    }
    for (int j = width - 1; j >= 0; j--) {
        double y = top[j] * last[j - width + 1] - sum[j];
        for (int i = j + 1; i < width; i++) {
            y -= triangle[i * (i - 1) / 2 + j] * top[i];
        }
        top[j] = y;
    }
}

/* x = (L D U)⁻¹ x in the numbering of the factor; the factor is [L | Uᵀ if general | inverse pivots]. */
static void sparse_solve_ordered(const symbolic_t *Y, const double *f, double *x)
{
    const double *upper = Y->general ? f + Y->values_len : f;
    const double *inverse = upper + Y->values_len;
    for (int p = 0; p < Y->panels; p++) {
        const panel_t *P = Y->panel + p;
        panel_down(f + P->values, Y->rows + P->rows, P->rows_len, P->width, x + P->first, x + P->first, x);
    }
    for (int p = Y->panels - 1; p >= 0; p--) {
        const panel_t *P = Y->panel + p;
        const double *triangle = upper + P->values, *last = inverse + P->first + P->width - 1;
        const int *rows = Y->rows + P->rows, count = P->rows_len;
        double *top = x + P->first;
        switch (P->width) {
        case 1:
            panel_backward(triangle, rows, count, 1, last, x, top);
            break;
        case 2:
            panel_backward(triangle, rows, count, 2, last, x, top);
            break;
        case 3:
            panel_backward(triangle, rows, count, 3, last, x, top);
            break;
        default:
            panel_backward(triangle, rows, count, 4, last, x, top);
            break;
        }
    }
}

static void sparse_solve(const symbolic_t *Y, const double *f, double *b, double *permuted)
{
    if (!Y->order) {
        sparse_solve_ordered(Y, f, b);
        return;
    }
    for (int i = 0; i < Y->n; i++) {
        permuted[i] = b[Y->order[i]];
    }
    sparse_solve_ordered(Y, f, permuted);
    for (int i = 0; i < Y->n; i++) {
        b[Y->order[i]] = permuted[i];
    }
}

/* One row of the factorisation against one panel left of it: y for the columns of the panel, cleared in the work vector. */
static void panel_eliminate(const panel_t *P, const int *rows, int filled, const double *values, double *work, double *y)
{
    panel_down(values + P->values, rows, filled, P->width, work + P->first, y, work);
    for (int j = 0; j < 4; j++) {
        if (j < P->width) {
            work[P->first + j] = 0.0;
        }
    }
}

/* The part of row k inside its own panel. */
static void panel_own(int first, int k, const double *triangle, double *work)
{
    for (int i = first + 1; i < k; i++) {
        const double *row = triangle + (i - first) * (i - first - 1) / 2;
        double sum = work[i];
        for (int j = 0; j < i - first; j++) {
            sum -= row[j] * work[first + j];
        }
        work[i] = sum;
    }
}

/* L D U without pivoting; row and column: work vectors of n numbers. -1, or the row of the first bad pivot. */
static int sparse_factorize(const symbolic_t *Y, const double *a, double *f, double *row, double *column)
{
    double *lower = f, *upper = Y->general ? f + Y->values_len : f, *inverse = upper + Y->values_len;
    fill(row, Y->n, 0.0);
    fill(column, Y->n, 0.0);
    for (int k = 0; k < Y->n; k++) {
        const double diagonal = a[Y->diagonal[k]];
        double value = diagonal, scale = fabs(diagonal);
        for (int e = Y->lower_ptr[k]; e < Y->lower_ptr[k + 1]; e++) {
            row[Y->lower_column[e]] = a[Y->lower_source[e]];
            if (Y->general) {
                column[Y->lower_column[e]] = a[Y->lower_mirror[e]];
            }
        }
        for (int e = Y->row_panels_ptr[k]; e < Y->row_panels_ptr[k + 1]; e++) {
            const panel_t *P = Y->panel + Y->row_panels[e];
            const int filled = Y->row_panels_filled[e], *rows = Y->rows + P->rows;
            const int to = P->values + P->width * (P->width - 1) / 2 + P->width * filled;
            double y[4] = {0.0, 0.0, 0.0, 0.0}, z[4] = {0.0, 0.0, 0.0, 0.0};
            if (Y->general) {
                panel_eliminate(P, rows, filled, lower, column, y);
                panel_eliminate(P, rows, filled, upper, row, z);
            } else {
                panel_eliminate(P, rows, filled, lower, row, y);
                copy(z, y, P->width);
            }
            for (int j = 0; j < P->width; j++) {
                const double pivot = inverse[P->first + j], l = z[j] * pivot, product = l * y[j];
                value -= product;
                scale += fabs(product);
                if (Y->general) {
                    upper[to + j] = y[j] * pivot;
                }
                lower[to + j] = l;
            }
        }
        const panel_t *own = Y->panel + Y->panel_of[k];
        const int first = own->first, to = own->values + (k - first) * (k - first - 1) / 2;
        if (Y->general) {
            panel_own(first, k, lower + own->values, column);
            panel_own(first, k, upper + own->values, row);
        } else {
            panel_own(first, k, lower + own->values, row);
        }
        for (int j = first; j < k; j++) {
            const double l = row[j] * inverse[j], y = Y->general ? column[j] : row[j], product = l * y;
            value -= product;
            scale += fabs(product);
            if (Y->general) {
                upper[to + j - first] = y * inverse[j];
            }
            lower[to + j - first] = l;
            row[j] = 0.0;
            column[j] = 0.0;
        }
        inverse[k] = 1.0 / value;
        if (!(fabs(value) > Y->tolerance * scale && isfinite(inverse[k]) && isfinite(scale))) {
            return Y->order ? Y->order[k] : k;
        }
    }
    return -1;
}

static void diagonal_solve(int n, const double *inverse, double *b)
{
    for (int i = 0; i < n; i++) {
        b[i] *= inverse[i];
    }
}
