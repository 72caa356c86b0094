/* With a specimen a step is cut at its evaluations: each call ends the one that was commanded last with what was measured, and goes
   on to the next. `pending` is its stage, @STAGES@ the start of the scheme, -1 none. */

/* Commands the specimens to the point of the evaluation. */
static void command(@name@_t *self)
{
    copy(self->commands, self->work + @MEASURED@, @NAME@_COMMANDS);
}

static int undo(@name@_t *self, int fault)
{
    copy(self->state, self->work + @BEFORE@, @NAME@_STATE);
    self->pending = -1;
    self->wanted = self->step;
    return report(self, fault);
}

/* Begins evaluation `stage` of the present step. */
static int begin(@name@_t *self, int stage)
{
    double *x = self->state, *W = self->work, *in = W + @NOW@, t = (double)self->step * @DT@;
    if (stage == 0) {
        copy(W + @BEFORE@, x, @NAME@_STATE);
        copy(W + party_0.at_memory, x + @MEMORY0@, party_0.nmemory);
        copy(in, self->inputs, @NAME@_ROWS * INPUTS);
    }
    const int fault = scheme_step_part(&party_0, W, &stepping_0, in, t, x, x + @NY@, stage);
    if (fault) {
        return undo(self, fault);
    }
    command(self);
    self->pending = stage;
    self->wanted = stage + 1 < @STAGES@ ? -1 : self->step + 1;
    return 0;
}

/* Ends the pending evaluation with what was measured. */
static int end(@name@_t *self)
{
    double *x = self->state, *W = self->work, *in = W + @NOW@, t = (double)self->step * @DT@;
    const int stage = self->pending;
    int fault = 0;
    copy(W + @MEASURED@ + @NAME@_COMMANDS, self->measured, 2 * @NAME@_COMMANDS);
    if (stage == @STAGES@) {
        fault = scheme_start_part(&party_0, W, &stepping_0, in + @NAME@_END * INPUTS, 0.0, x, x + @NY@, 1);
    } else if (stage + 1 < @STAGES@) {
        return 0;
    } else {
        fault = scheme_step_part(&party_0, W, &stepping_0, in, t, x, x + @NY@, @STAGES@);
        fault = fault ? fault : sys_check(&party_0, W, x);
        self->step += fault ? 0 : 1;
    }
    if (fault) {
        return undo(self, fault);
    }
    copy(x + @MEMORY0@, W + party_0.at_memory, party_0.nmemory);
    self->pending = -1;
    return report(self, read_outputs(self));
}

int @name@_start(@name@_t *self)
{
    double *x = self->state, *W = self->work;
    fill(x, @NAME@_STATE, 0.0);
    copy(x, self->parameters, @NY@);
    sys_init(&party_0, W);
    set_constants(self);
    sys_settle(&party_0, W, self->inputs + @NAME@_END * INPUTS, x);
    copy(x + @MEMORY0@, W + party_0.at_memory, party_0.nmemory);
    copy(W + @BEFORE@, x, @NAME@_STATE);
    copy(W + @NOW@, self->inputs, @NAME@_ROWS * INPUTS);
    self->step = 0;
    self->wanted = 0;
    self->started = 1;
    self->pending = -1;
    if (!@STARTS@) {
        return report(self, read_outputs(self));
    }
    const int fault = scheme_start_part(&party_0, W, &stepping_0, self->inputs + @NAME@_END * INPUTS, 0.0, x, x + @NY@, 0);
    if (fault) {
        return undo(self, fault);
    }
    command(self);
    self->pending = @STAGES@;
    return report(self, 0);
}

int @name@_step(@name@_t *self)
{
    const int stage = self->pending;
    self->fresh = 0;
    if (!self->started) {
        const int fault = @name@_start(self);
        if (fault || self->pending >= 0) {
            return fault;
        }
    }
    if (stage >= 0) {
        const int fault = end(self);
        if (fault) {
            return fault;
        }
    }
    return report(self, begin(self, stage >= 0 && stage + 1 < @STAGES@ ? stage + 1 : 0));
}
