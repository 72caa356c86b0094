/* The interface: one party, one gait. */

static int read_outputs(@name@_t *self)
{
    const double *x = self->state, *in = @IN@ + @NAME@_END * INPUTS, t = (double)self->step * @DT@;
    double *W = self->work, *out = self->outputs;
    self->fresh = 1;
    (void)x, (void)in, (void)t, (void)W, (void)out;
@OUTPUTS@    return 0;
}

static int report(@name@_t *self, int fault)
{
    self->fault = fault;
    self->fault_index = (int)self->work[@FAULT@];
    return fault;
}

void @name@_motion(@name@_t *self, long step)
{
    for (int row = 0; row < @NAME@_END; row++) {
        motions((double)step * @DT@ + @NAME@_TIMES[row] * @DT@, self->parameters + @SCALES@, self->inputs + row * INPUTS);
    }
    motions((double)(step + 1) * @DT@, self->parameters + @SCALES@, self->inputs + @NAME@_END * INPUTS);
}

void @name@_init(@name@_t *self)
{
    static const double parameters[] = {
@PARAMETERS@
    };
    fill(self->inputs, @NAME@_ROWS * INPUTS, 0.0);
    fill(self->outputs, @NAME@_OUTPUTS, 0.0);
    fill(self->state, @NAME@_STATE, 0.0);
    fill(self->work, @NAME@_WORK, 0.0);
    copy(self->parameters, parameters, @NAME@_PARAMETERS);
    fill(self->commands, @NAME@_COMMANDS, 0.0);
    fill(self->measured, @NAME@_MEASUREDS, 0.0);
    self->step = 0;
    self->wanted = 0;
    self->pending = -1;
    self->started = 0;
    self->fresh = 0;
    self->fault = 0;
    self->fault_index = 0;
    self->fault_part = 0;
    @name@_motion(self, -1);
}

void @name@_terminate(@name@_t *self)
{
    self->started = 0;
}
