/* A program in C on interfield.h: steps, reads, sets, saves, restores, and does everything wrong once.
 * Prints the last row of the model in hexadecimal numbers, to be compared bit by bit. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfield.h"

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void expect(int ok, const char *what)
{
    if (!ok) {
        fail("failed", what);
    }
}

static const char *OSCILLATOR =
    "dofs = [\"x\"]\n"
    "node = [{ name = \"mass\", mass = \"1 t\", initial = { x = \"1 mm\" } }]\n"
    "element = [{ type = \"spring\", nodes = [\"ground\", \"mass\"], dof = \"x\", k = \"40 kN/m\" }]\n"
    "external = [{ name = \"push\", program = \"callable\", dofs = [\"mass.x\"], stiffness = [[0]] }]\n"
    "analysis = { scheme = \"alpha-os\", dt = \"10 ms\", duration = \"10 s\" }\n"
    "record = { channels = [\"mass.x\", \"mass.x.v\"] }\n"
    "units = { length = \"mm\" }\n";

static void *steps(void *handle)
{
    int i, failed = 0;
    double x;
    for (i = 0; i < 200; i++) {
        failed += interfield_step(handle, 1) == INTERFIELD_FAILED;
        failed += interfield_get(handle, "mass.x", &x) != INTERFIELD_OK;
        failed += interfield_get(handle, "nothing", &x) != INTERFIELD_FAILED;
        failed += interfield_last_error(handle) == NULL;
    }
    return failed == 0 ? handle : NULL;
}

int main(int count, char **words)
{
    double x = 0.0, row[2];
    uint8_t *state;
    int64_t size;
    interfield_handle *h, *other;
    pthread_t threads[2];
    void *told;
    int i, n;

    expect(count == 3, "usage: steps MODEL CHOICES");
    expect(strlen(interfield_version()) > 0, "a version");

    /* What is wrong is a null pointer or a number, and a sentence. */
    expect(interfield_open("nowhere.toml", NULL) == NULL, "a model that is not there");
    expect(strstr(interfield_last_error(NULL), "nowhere.toml") != NULL, "its name");
    expect(interfield_open(NULL, NULL) == NULL, "no path");
    expect(interfield_open_text("analysis = {", NULL, NULL) == NULL, "a text that is no model");
    expect(interfield_open_text(OSCILLATOR, NULL, "{") == NULL, "choices that are no JSON");
    expect(interfield_open_text(OSCILLATOR, NULL, "{\"until\": 2}") == NULL, "a choice of another kind");
    expect(interfield_step(NULL, 1) == INTERFIELD_FAILED, "no handle");
    expect(isnan(interfield_time(NULL)), "no time");
    interfield_close(NULL);

    h = interfield_open_text(OSCILLATOR, NULL, NULL);
    if (h == NULL) {
        fail("the oscillator", interfield_last_error(NULL));
    }
    expect(interfield_channels(h) == 2, "two channels");
    expect(strcmp(interfield_channel_name(h, 1), "mass.x.v") == 0, "a name");
    expect(strcmp(interfield_channel_unit(h, 0), "mm") == 0, "a unit");
    expect(interfield_channel_name(h, 2) == NULL && interfield_channel_name(h, -1) == NULL, "no third channel");
    expect(interfield_get(h, "mass.x", &x) == INTERFIELD_OK && x == 1.0, "the initial displacement");
    expect(interfield_get(h, "mass.y", &x) == INTERFIELD_FAILED, "a channel that is not there");
    expect(strstr(interfield_last_error(h), "mass.y") != NULL, "its name");
    expect(interfield_get(h, "mass.x", NULL) == INTERFIELD_FAILED, "no place");
    expect(interfield_get_all(h, row, 1) == INTERFIELD_FAILED, "too few places");

    /* A state comes back, here and in another handle. */
    expect(interfield_step(h, 10) == INTERFIELD_OK, "ten steps");
    size = interfield_save(h, NULL, 0);
    expect(size > 0, "a size");
    state = malloc((size_t)size);
    expect(interfield_save(h, state, (uint64_t)size) == size, "a state");
    expect(interfield_step(h, 10) == INTERFIELD_OK && interfield_get_all(h, row, 2) == INTERFIELD_OK, "ten more");
    other = interfield_open_text(OSCILLATOR, ".", "");
    expect(interfield_restore(other, state, (uint64_t)size) == INTERFIELD_OK, "a state of another handle");
    expect(interfield_step(other, 10) == INTERFIELD_OK && interfield_get(other, "mass.x", &x) == INTERFIELD_OK, "go on");
    expect(x == row[0] && interfield_time(other) == interfield_time(h), "the same bits");
    state[size / 2] ^= 1;
    expect(interfield_restore(other, state, (uint64_t)size) == INTERFIELD_FAILED, "a damaged state");
    expect(interfield_restore(other, state, 3) == INTERFIELD_FAILED, "a cut state");
    free(state);
    interfield_close(other);

    /* Inputs: a force, and an unknown in the unit of its channel. */
    expect(interfield_set(h, "mass.x", 2.0) == INTERFIELD_OK, "a displacement");
    expect(interfield_get(h, "mass.x", &x) == INTERFIELD_OK && x == 2.0, "as it was set");
    expect(interfield_set(h, "mass.x", NAN) == INTERFIELD_FAILED, "not a number");
    expect(interfield_set(h, "nothing", 1.0) == INTERFIELD_FAILED, "nothing to set");
    expect(interfield_set(h, "push.2", 1.0) == INTERFIELD_FAILED, "a second force");
    expect(interfield_set(h, "push", -40.0) == INTERFIELD_OK, "a force");
    expect(interfield_step(h, 100000) == INTERFIELD_OVER, "the end");
    expect(interfield_step(h, 1) == INTERFIELD_OVER, "still the end");
    expect(fabs(interfield_time(h) - 10.0) < 1e-9, "its time");
    expect(interfield_verdict(h) != NULL, "a verdict");
    interfield_close(h);

    /* What is closed is found out, by every function. */
    expect(interfield_step(h, 1) == INTERFIELD_FAILED, "a closed handle");
    expect(strstr(interfield_last_error(h), "closed") != NULL, "is told");
    expect(interfield_steps(h) == 0 && isnan(interfield_dt(h)) && interfield_channels(h) == INTERFIELD_FAILED, "no numbers");
    expect(interfield_channel_name(h, 0) == NULL && interfield_channel_unit(h, 0) == NULL, "no texts");
    expect(interfield_get(h, "mass.x", &x) == INTERFIELD_FAILED && interfield_get_all(h, row, 2) == INTERFIELD_FAILED, "no values");
    expect(interfield_set(h, "mass.x", 0.0) == INTERFIELD_FAILED && interfield_verdict(h) == NULL, "nothing to set");
    expect(interfield_save(h, NULL, 0) == -1 && interfield_restore(h, (uint8_t *)"", 0) == INTERFIELD_FAILED, "no state");
    interfield_close(h);
    expect(interfield_step((interfield_handle *)&x, 1) == INTERFIELD_FAILED, "a pointer that is no handle");
    expect(interfield_get(NULL, "mass.x", &x) == INTERFIELD_FAILED && interfield_save(NULL, NULL, 0) == -1, "no handle");
    interfield_close((interfield_handle *)&x);

    /* Two threads at once: one after the other, as if it were one. */
    h = interfield_open_text(OSCILLATOR, NULL, NULL);
    expect(h != NULL && interfield_get(h, NULL, &x) == INTERFIELD_FAILED, "no name");
    expect(interfield_set(h, NULL, 1.0) == INTERFIELD_FAILED && interfield_get(h, "\xff", &x) == INTERFIELD_FAILED, "no text");
    expect(interfield_restore(h, NULL, 8) == INTERFIELD_FAILED, "a null state");
    expect(interfield_restore(h, (uint8_t *)"", UINT64_MAX) == INTERFIELD_FAILED, "a state of any size");
    for (i = 0; i < 2; i++) {
        expect(pthread_create(&threads[i], NULL, steps, h) == 0, "a thread");
    }
    for (i = 0; i < 2; i++) {
        expect(pthread_join(threads[i], &told) == 0 && told != NULL, "its steps");
    }
    expect(interfield_get(h, "mass.x", row) == INTERFIELD_OK, "their sum");
    other = interfield_open_text(OSCILLATOR, NULL, NULL);
    expect(interfield_step(other, 400) == INTERFIELD_OK && interfield_get(other, "mass.x", &x) == INTERFIELD_OK, "alone");
    expect(x == row[0] && interfield_time(h) == interfield_time(other), "the same bits from two threads");
    interfield_close(other);
    interfield_close(h);

    /* The model of the arguments, to its end. */
    h = interfield_open(words[1], words[2]);
    if (h == NULL) {
        fail(words[1], interfield_last_error(NULL));
    }
    if (interfield_step(h, interfield_steps(h)) != INTERFIELD_OVER) {
        fail(words[1], interfield_last_error(h));
    }
    n = interfield_channels(h);
    for (i = 0; i < n; i++) {
        expect(interfield_get(h, interfield_channel_name(h, i), &x) == INTERFIELD_OK, "a channel");
        printf("%a\n", x);
    }
    interfield_close(h);
    return 0;
}
