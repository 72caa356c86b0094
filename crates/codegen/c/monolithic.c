/* The interface: one party, one gait. */

static int read_outputs(@name@_t *self)
{
    const double *x = self->state, *in = self->inputs + @NAME@_END * INPUTS, t = (double)self->step * @DT@;
    double *W = self->work, *out = self->outputs;
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
    static const double times[@NAME@_ROWS] = {@TIMES@};
    for (int row = 0; row < @NAME@_END; row++) {
        motions((double)step * @DT@ + times[row] * @DT@, self->parameters + @SCALES@, self->inputs + row * INPUTS);
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
    self->step = 0;
    self->started = 0;
    self->fault = 0;
    self->fault_index = 0;
    @name@_motion(self, -1);
}

int @name@_start(@name@_t *self)
{
    double *x = self->state, *W = self->work;
    fill(x, @NAME@_STATE, 0.0);
    copy(x, self->parameters, @NY@);
    sys_init(&party_0, W);
    set_constants(self);
    self->step = 0;
    self->started = 1;
    const int fault = scheme_start(&party_0, W, &gait_0, self->inputs + @NAME@_END * INPUTS, 0.0, x, x + @NY@);
    if (fault) {
        return report(self, fault);
    }
    copy(x + @MEMORY0@, W + party_0.at_memory, party_0.nmemory);
    return report(self, read_outputs(self));
}

int @name@_step(@name@_t *self)
{
    double *x = self->state, *W = self->work, *before = W + @BEFORE@;
    if (!self->started) {
        const int fault = @name@_start(self);
        if (fault) {
            return fault;
        }
    }
    copy(before, x, @NAME@_STATE);
    copy(W + party_0.at_memory, x + @MEMORY0@, party_0.nmemory);
    int fault = scheme_step(&party_0, W, &gait_0, self->inputs, (double)self->step * @DT@, x, x + @NY@);
    fault = fault ? fault : sys_check(&party_0, W, x);
    if (fault) {
        copy(x, before, @NAME@_STATE);
        return report(self, fault);
    }
    copy(x + @MEMORY0@, W + party_0.at_memory, party_0.nmemory);
    self->step++;
    return report(self, read_outputs(self));
}

void @name@_terminate(@name@_t *self)
{
    self->started = 0;
}
