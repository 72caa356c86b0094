/* @TITLE@
 *
 * Scheme @SCHEME@, step @DT@ s. Self-contained C99; no memory is allocated, all global data are
 * constant, and an instance may be copied: the copy is a snapshot.
 *
 *     @name@_t m;
 *     @name@_init(&m);                 defaults; then set m.parameters[...] if needed
 *     @name@_start(&m);                t = 0: outputs are available
 *     @name@_motion(&m, m.wanted);     inputs of the next step from the motions of the model, or set m.inputs[...]
 *     @name@_step(&m);                 0, or a fault code (see below); outputs at the end of the step
 *     @name@_terminate(&m);
 *
@USE@ * A step needs at most @FLOPS@ additions, multiplications and comparisons, @DIVISIONS@ divisions and square roots and @CALLS@ calls of
 * math.h. An instance has @INSTANCE@ bytes (64-bit), constant tables have @TABLES@; the stack holds no array of the model, about 1 kB with
 * gcc -O2.
 */
#ifndef @NAME@_H
#define @NAME@_H

#ifdef __cplusplus
extern "C" {
#endif

@GROUPS@/* Inputs are needed at several times of a step: component i of row j is inputs[j * @NAME@_INPUTS + i], at the time
 * (k + @NAME@_TIMES[j]) * dt in step k. The last row, @NAME@_END, is for the outputs at the end of the step; before the start it
 * is t = 0. */
enum {
    @NAME@_ROWS = @ROWS@,
    @NAME@_END = @END@,
    @NAME@_STATE = @STATE@,
    @NAME@_WORK = @WORK@,
    @NAME@_STEPS = @STEPS@ /* of the analysis */
};
extern const double @NAME@_TIMES[];

/* What this was made by and from, to be found in a program too. */
extern const char @NAME@_GENERATOR[];    /* "@GENERATOR@" */
extern const char @NAME@_MODEL_SHA256[]; /* "@SHA256@", SHA-256 of the model file */

#define @NAME@_DT @DT@

/* Fault codes; after a fault the state is the one before the step. */
enum {
    @NAME@_FAULT_FORCE = 1,        /* the force of element fault_index is not finite */
    @NAME@_FAULT_RATE = 2,         /* a state rate of element fault_index is not finite */
    @NAME@_FAULT_DISPLACEMENT = 3, /* displacement fault_index is not finite */
    @NAME@_FAULT_VELOCITY = 4,     /* velocity fault_index is not finite */
    @NAME@_FAULT_STATE = 5,        /* state fault_index is not finite */
    @NAME@_FAULT_SINGULAR = 6,     /* unknown fault_index can move without resistance */
    @NAME@_FAULT_ELEMENT = 7,      /* the states of element fault_index cannot be eliminated */
    @NAME@_FAULT_CONVERGENCE = 8   /* Newton's iteration did not converge in fault_index iterations */
};

typedef struct {
    double inputs[@INPUTS_LEN@];       /* units of all that goes in and out: those of the model, see the tables above */
    double outputs[@OUTPUTS_LEN@];
    double parameters[@PARAMETERS_LEN@];
    double state[@STATE@]; /* the complete state: [u v s | history of the scheme | memory of path-moved laws] */
    double work[@WORK@];
    double commands[@COMMANDS_LEN@]; /* displacements of commanded degrees of freedom */
    double measured[@MEASUREDS_LEN@]; /* [displacements reached | forces measured] there */
    double si_inputs[@INPUTS_LEN@], si_parameters[@PARAMETERS_LEN@], si_commands[@COMMANDS_LEN@]; /* the same in SI, as a step reads and leaves them */
    long step;             /* completed steps */
    long wanted;           /* the step whose inputs the next call reads; -1: none */
    int fresh;             /* whether the last call gave new outputs */
    int pending, started, fault, fault_index;
    int fault_part;        /* the substructure where it happened, counted from 0 */
} @name@_t;

void @name@_init(@name@_t *self);
int @name@_start(@name@_t *self);
void @name@_motion(@name@_t *self, long step);
int @name@_step(@name@_t *self);
void @name@_terminate(@name@_t *self);

#ifdef __cplusplus
}
#endif

#endif
