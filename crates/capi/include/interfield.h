/* Interfield for C and whatever calls C. Printed from crates/capi/src/abi.rs by its tests; do not edit.
 *
 * A handle is a run of a model, one step at a time. It may be used from any thread; calls of several threads at once are
 * done one after the other. A handle that is closed is refused. Functions that return int32_t return INTERFIELD_OK,
 * INTERFIELD_OVER at the end of the analysis, or INTERFIELD_FAILED: the sentence is in interfield_last_error. Texts are
 * UTF-8. Names and units live until the handle is closed, other texts until the next call of the same function.
 */
#ifndef INTERFIELD_H
#define INTERFIELD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INTERFIELD_OK 0
#define INTERFIELD_OVER 1
#define INTERFIELD_FAILED (-1)

typedef struct interfield_handle interfield_handle;

#define INTERFIELD_ABI 1

/* Version of the library. The ABI is INTERFIELD_ABI; functions are added to it and never changed. */
const char *interfield_version(void);

/* Opens a model file. `choices` may be null, or a JSON object that replaces what the file says:
 * {"dt": "1 ms", "until": "2 s", "scheme": "lsrt2", "coupling": "pmc", "substeps": 4, "set": [["k", "4 kN/mm"]]}.
 * Null if it failed; interfield_last_error(NULL) says why. */
interfield_handle *interfield_open(const char *path, const char *choices);

/* The same from the text of a model, which sees other files from `folder`. */
interfield_handle *interfield_open_text(const char *text, const char *folder, const char *choices);

/* Ends the run and frees the handle; null is ignored. */
void interfield_close(interfield_handle *handle);

/* Takes `count` steps. INTERFIELD_OVER once the analysis is at its end. After a failure the state is the one before the step. */
int32_t interfield_step(interfield_handle *handle, uint64_t count);

/* Time of the model, s; NaN if it failed. */
double interfield_time(interfield_handle *handle);

/* Length of a step, s; NaN if it failed. */
double interfield_dt(interfield_handle *handle);

/* Steps to the end of the analysis; 0 if it failed. */
uint64_t interfield_steps(interfield_handle *handle);

/* Number of recorded channels. */
int32_t interfield_channels(interfield_handle *handle);

/* Name of a channel, from 0; null if there is none. */
const char *interfield_channel_name(interfield_handle *handle, int32_t index);

/* Unit of a channel, from 0; null if there is none. */
const char *interfield_channel_unit(interfield_handle *handle, int32_t index);

/* Value of a channel after the last step, in its unit. */
int32_t interfield_get(interfield_handle *handle, const char *name, double *value);

/* All channels after the last step, in their order; `capacity` is the number of places. */
int32_t interfield_get_all(interfield_handle *handle, double *values, uint64_t capacity);

/* Sets a number before the next step: NAME or NAME.2 is the (second) resisting force of an external with program = "callable",
 * held until it is set again; the name of a displacement or velocity channel sets that unknown, in its unit. */
int32_t interfield_set(interfield_handle *handle, const char *name, double value);

/* Writes the complete state into `buffer` and returns its size in bytes; with a null pointer or too little `capacity` it
 * only returns the size. -1 if the model cannot be saved. */
int64_t interfield_save(interfield_handle *handle, uint8_t *buffer, uint64_t capacity);

/* Goes on from a state of the same model and choices, of this or another process. */
int32_t interfield_restore(interfield_handle *handle, const uint8_t *buffer, uint64_t size);

/* Ends the run (specimens return to their start) and says what is thought of it, in one line; null if it failed. */
const char *interfield_verdict(interfield_handle *handle);

/* Why the last call with this handle failed; with null, why interfield_open failed in this thread. Never null. The text lives
 * until this thread asks again. */
const char *interfield_last_error(interfield_handle *handle);

#ifdef __cplusplus
}
#endif

#endif
