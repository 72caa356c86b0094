/* CHOLMOD (SuiteSparse of Debian, with METIS and OpenBLAS) on a symmetric positive definite matrix: times of the analysis,
 * the factorisation and the solution. A program of its own, for `cargo xtask bench large`.
 *
 * usage: cholmod-peer FILE amd|metis REPEATS
 * FILE, little endian: n and the number of entries as 64-bit integers, n + 1 column pointers as 64-bit integers, rows of the
 * lower triangle as 64-bit integers, values as doubles. Prints one JSON line; times are medians in seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include <cholmod.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, int count) {
    qsort(list, count, sizeof *list, by_value);
    return list[count / 2];
}

static void take(void *to, size_t size, size_t count, FILE *file) {
    if (fread(to, size, count, file) != count) {
        fprintf(stderr, "the file is too short\n");
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s FILE amd|metis REPEATS\n", argv[0]);
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    int repeats = atoi(argv[3]) > 0 ? atoi(argv[3]) : 1;
    int64_t head[2];
    take(head, sizeof *head, 2, file);
    cholmod_common c;
    cholmod_l_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    c.nmethods = 1;
    c.method[0].ordering = strcmp(argv[2], "amd") == 0 ? CHOLMOD_AMD : CHOLMOD_METIS;
    c.postorder = 1;
    cholmod_sparse *a = cholmod_l_allocate_sparse(head[0], head[0], head[1], 1, 1, -1, CHOLMOD_REAL, &c);
    take(a->p, sizeof(int64_t), head[0] + 1, file);
    take(a->i, sizeof(int64_t), head[1], file);
    take(a->x, sizeof(double), head[1], file);
    fclose(file);

    double *times = calloc(repeats, sizeof *times);
    double begin = now();
    cholmod_factor *l = cholmod_l_analyze(a, &c);
    double analyse = now() - begin;
    int factorisations = repeats < 5 ? repeats : 5;
    for (int k = 0; k < factorisations; k++) {
        begin = now();
        cholmod_l_factorize(a, l, &c);
        times[k] = now() - begin;
    }
    double first = times[0];
    double factorise = median(times, factorisations);
    if (c.status < CHOLMOD_OK || l->minor < l->n) {
        fprintf(stderr, "not positive definite\n");
        return 1;
    }
    double entries = c.lnz;
    cholmod_dense *b = cholmod_l_ones(head[0], 1, CHOLMOD_REAL, &c);
    cholmod_dense *x = NULL, *y = NULL, *e = NULL;
    for (int k = 0; k < repeats; k++) {
        begin = now();
        cholmod_l_solve2(CHOLMOD_A, l, b, NULL, &x, NULL, &y, &e, &c);
        times[k] = now() - begin;
    }
    double solve = median(times, repeats), sum = 0.0;
    for (int64_t k = 0; k < head[0]; k++)
        sum += ((double *)x->x)[k];
    printf("{\"ok\": 0, \"analyse\": %.9g, \"first\": %.9g, \"factorise\": %.9g, \"solve\": %.9g, \"entries\": %.0f, \"sum\": %.17g}\n",
           analyse, first, factorise, solve, entries, sum);
    return 0;
}
