/* The interface: parties under a coupling. */

static int read_outputs(@name@_t *self)
{
    const double *in = self->inputs + @NAME@_END * INPUTS, *state = self->state, t = (double)self->step * @DT@;
    double *out = self->outputs;
    (void)in, (void)state, (void)t, (void)out;
@OUTPUTS@    return 0;
}

/* Where things are; `k`: the macro-step, -1 at the start. */
static coupling_t coupling_of(@name@_t *self, long k)
{
    coupling_t c = {.k = k, .x = self->state, .W = self->work, .in = self->inputs, .parameters = self->parameters};
@VIEW@    return c;
}

/* What the laws remember of their evaluations: from the state to the parties, or back. */
static void keep_memories(@name@_t *self, int back)
{
    double *kept = self->state + X_MEMORY;
    for (int p = 0; p < PARTY_COUNT; p++) {
        double *own = self->work + PARTIES[p].work + SYSTEMS[p]->at_memory;
        copy(back ? kept : own, back ? own : kept, SYSTEMS[p]->nmemory);
        kept += SYSTEMS[p]->nmemory;
    }
}

/* The party that has noted a fault is the one where it happened. */
static int report(@name@_t *self, int fault)
{
    self->fault = fault;
    self->fault_index = 0;
    self->fault_part = 0;
    for (int p = 0; p < PARTY_COUNT && fault; p++) {
        const double index = self->work[PARTIES[p].work + SYSTEMS[p]->at_fault];
        if (index >= 0.0) {
            self->fault_index = (int)index;
            self->fault_part = PARTIES[p].part;
        }
    }
    return fault;
}

void @name@_motion(@name@_t *self, long step)
{
    for (int row = 0; row < @NAME@_END; row++) {
        if (ROW_WHEN[row] & (step < STARTS ? 1 : 2)) {
            const double base = ROW_FIXED[row] ? 0.0 : (double)(step + ROW_NODE[row]) * @DT@;
            const double *later = ROW_LATER + 3 * row;
            motions(((base + later[0]) + later[1]) + later[2], self->parameters + @SCALES@, self->inputs + row * INPUTS);
        }
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
    self->fault_part = 0;
    @name@_motion(self, -1);
}

/* One macro-step, or the start. */
static int run(@name@_t *self, long k)
{
    coupling_t c = coupling_of(self, k);
    int fault = 0;
    for (int p = 0; p < PARTY_COUNT; p++) {
        self->work[PARTIES[p].work + SYSTEMS[p]->at_fault] = -1.0;
    }
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
    for (int p = 0; p < PARTY_COUNT; p++) {
        sys_init(SYSTEMS[p], self->work + PARTIES[p].work);
    }
    set_constants(self);
    self->step = 0;
    self->started = 1;
    const int fault = run(self, -1);
    if (fault) {
        return report(self, fault);
    }
    keep_memories(self, 1);
    return report(self, read_outputs(self));
}

int @name@_step(@name@_t *self)
{
    double *before = self->work + AT_BEFORE;
    if (!self->started) {
        const int fault = @name@_start(self);
        if (fault) {
            return fault;
        }
    }
    copy(before, self->state, @NAME@_STATE);
    keep_memories(self, 0);
    const int fault = run(self, self->step);
    if (fault) {
        copy(self->state, before, @NAME@_STATE);
        return report(self, fault);
    }
    keep_memories(self, 1);
    self->step++;
    return report(self, read_outputs(self));
}

void @name@_terminate(@name@_t *self)
{
    self->started = 0;
}
