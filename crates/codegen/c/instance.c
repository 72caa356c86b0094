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
