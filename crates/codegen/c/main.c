/* Runs the whole analysis and prints all channels as CSV. */
#include <stdio.h>

#include "@name@.h"

static @name@_t model;

static void row(void)
{
    if (!model.fresh || model.fault) {
        return;
    }
    printf("%.17g", (double)model.step * @NAME@_DT);
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf(",%.17g", model.outputs[i]);
    }
    printf("\n");
}

@SPECIMEN@int main(void)
{
    printf("t [s]");
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf(",%s [%s]", @NAME@_OUTPUT_NAMES[i], @NAME@_OUTPUT_UNITS[i]);
    }
    printf("\n");
    @name@_init(&model);
    int fault = @name@_start(&model);
    row();
    while (model.step < @NAME@_STEPS && !fault) {
@MEASURE@        if (model.wanted >= 0) {
            @name@_motion(&model, model.wanted);
        }
        fault = @name@_step(&model);
        row();
    }
    @name@_terminate(&model);
    if (fault) {
        fprintf(stderr, "step %ld: fault %d at %d, see @name@.h\n", model.step, fault, model.fault_index);
    }
    return fault ? 1 : 0;
}
