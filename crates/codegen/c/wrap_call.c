/* One call of @name@_step with all that goes in: the motion from the model file or from outside, and the forces that answer the
   commands. Inputs are those of the model, then one force for each command. */

enum { HOST_INPUTS = @NAME@_INPUTS + @NAME@_COMMANDS, HOST_OUTPUTS = @NAME@_OUTPUTS + @NAME@_COMMANDS };

/* A call is a step, or with a specimen the way from one evaluation to the next. */
#define HOST_DT (@NAME@_DT / @CALLS@)

/* From outside, inputs go in a straight line from what they were to what they are at the end of the step. */
static void host_feed(@name@_t *model, int fed, double *before, const double *now, long step)
{
    if (!fed) {
        @name@_motion(model, step);
        return;
    }
    for (int i = 0; i < @NAME@_INPUTS; i++) {
        for (int row = 0; row < @NAME@_ROWS; row++) {
            const double way = now[i] - before[i];
            model->inputs[row * @NAME@_INPUTS + i] = row == @NAME@_END ? now[i] : before[i] + @NAME@_TIMES[row] * way;
        }
        before[i] = now[i];
    }
}

static int host_begin(@name@_t *model, int fed, double *before, const double *now)
{
    for (int i = 0; i < @NAME@_INPUTS; i++) {
        before[i] = now[i];
    }
    /* The end of the step before the first, with the scales that were set. */
    host_feed(model, fed, before, now, -1);
    return @name@_start(model);
}

static int host_call(@name@_t *model, int fed, double *before, const double *now)
{
    if (model->wanted >= 0) {
        host_feed(model, fed, before, now, model->wanted);
    }
    /* A specimen is taken to be where it was commanded to. */
    for (int i = 0; i < @NAME@_COMMANDS; i++) {
        model->measured[i] = model->commands[i];
        model->measured[@NAME@_COMMANDS + i] = now[@NAME@_INPUTS + i];
    }
    return @name@_step(model);
}

static double host_output(const @name@_t *model, int i)
{
    return i < @NAME@_OUTPUTS ? model->outputs[i] : model->commands[i - @NAME@_OUTPUTS];
}
