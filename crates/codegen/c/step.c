/* One macro-step, or the start. */
static int run(@name@_t *self, long k)
{
    coupling_t c = coupling_of(self, k);
    int fault = 0;
    take_inputs(self);
    clear_faults(self);
    for (int e = 0; e < coupling_events(&c) && !fault; e++) {
        fault = k < 0 ? start_aim(&c, e) : coupling_aim(&c, e);
        fault = fault ? fault : fine_run(&c);
        fault = fault ? fault : k < 0 ? start_take(&c, e) : coupling_take(&c, e);
    }
    return fault;
}

int @name@_start(@name@_t *self)
{
    fill(self->state, @NAME@_STATE, 0.0);
    for (int p = 0; p < SUBDOMAIN_COUNT; p++) {
        sys_init(SYSTEMS[p], self->work + SUBDOMAINS[p].work);
    }
    take_parameters(self);
    set_constants(self);
    self->step = 0;
    self->wanted = 0;
    self->started = 1;
    const int fault = run(self, -1);
    if (fault) {
        return report(self, fault);
    }
    return report(self, read_outputs(self));
}

int @name@_step(@name@_t *self)
{
    double *before = self->work + AT_BEFORE;
    self->fresh = 0;
    if (!self->started) {
        const int fault = @name@_start(self);
        if (fault) {
            return fault;
        }
    }
    copy(before, self->state, @NAME@_STATE);
    const int fault = run(self, self->step);
    if (fault) {
        copy(self->state, before, @NAME@_STATE);
        return report(self, fault);
    }
    self->step++;
    self->wanted = self->step;
    return report(self, read_outputs(self));
}
