/* What both versions of the test unit share: a spring with a damper, and faults on demand.
   f = k u + c v, x' = u integrated by one Euler step per communication step; with `fault` = n it does, in a step, what its
   name below says. */
#ifndef UNIT_H
#define UNIT_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN "{interfield-test-unit}"

enum { U = 1, V = 2, TIME = 3, F = 4, X = 5, K = 6, C = 7, FAULT = 8, NAME = 9, T = 10, SMALL = 11 };
enum { NO_FAULT, DISCARD, ERROR, FATAL, PENDING, END, NOT_A_NUMBER, EARLY, GARBAGE };

typedef struct {
    double value[12];
    int fault;
    char name[32];
} unit_t;

static void unit_init(unit_t *unit) {
    memset(unit, 0, sizeof *unit);
    unit->value[K] = 2.0;
}

static void unit_step(unit_t *unit, double h) {
    unit->value[T] += h;
    unit->value[X] += h * unit->value[U];
}

/* The force answers at once. */
static double unit_get(const unit_t *unit, unsigned reference) {
    if (reference == F && unit->fault == NOT_A_NUMBER && unit->value[T] > 0.0) {
        return unit->value[F] / unit->value[F];
    }
    return reference == F ? unit->value[K] * unit->value[U] + unit->value[C] * unit->value[V] : unit->value[reference];
}

#endif
