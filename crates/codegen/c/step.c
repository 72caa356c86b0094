int @name@_start(@name@_t *self)
{
    double *x = self->state, *W = self->work;
    fill(x, @NAME@_STATE, 0.0);
    copy(x, self->parameters, @NY@);
    sys_init(&party_0, W);
    set_constants(self);
    sys_settle(&party_0, W, self->inputs + @NAME@_END * INPUTS, x);
    self->step = 0;
    self->wanted = 0;
    self->started = 1;
    const int fault = scheme_start(&party_0, W, &stepping_0, self->inputs + @NAME@_END * INPUTS, 0.0, x, x + @NY@);
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
    int fault = scheme_step(&party_0, W, &stepping_0, self->inputs, (double)self->step * @DT@, x, x + @NY@);
    fault = fault ? fault : sys_check(&party_0, W, x);
    if (fault) {
        copy(x, before, @NAME@_STATE);
        return report(self, fault);
    }
    copy(x + @MEMORY0@, W + party_0.at_memory, party_0.nmemory);
    self->step++;
    self->wanted = self->step;
    return report(self, read_outputs(self));
}
