/* Runs the whole analysis and prints all channels as CSV. */
#include <stdio.h>

#include "@name@.h"

static @name@_t model;

static void row(void)
{
    printf("%.17g", (double)model.step * @NAME@_DT);
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf(",%.17g", model.outputs[i]);
    }
    printf("\n");
}

int main(void)
{
    printf("t");
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf(",%s", @NAME@_OUTPUT_NAMES[i]);
    }
    printf("\n");
    @name@_init(&model);
    int fault = @name@_start(&model);
    if (!fault) {
        row();
    }
    for (long k = 0; k < @NAME@_STEPS && !fault; k++) {
        @name@_motion(&model, k);
        fault = @name@_step(&model);
        if (!fault) {
            row();
        }
    }
    @name@_terminate(&model);
    if (fault) {
        fprintf(stderr, "step %ld: fault %d at %d, see @name@.h\n", model.step, fault, model.fault_index);
    }
    return fault ? 1 : 0;
}
