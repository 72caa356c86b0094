/* The interface: subdomains under a coupling. */

static int read_outputs(@name@_t *self)
{
    const double *in = @IN@ + @NAME@_END * INPUTS, *state = self->state, t = (double)self->step * @DT@;
    self->fresh = 1;
    (void)in, (void)state, (void)t;
    /* What laws remember at the present node. */
    for (int p = 0; p < NODES; p++) {
        copy(self->work + SUBDOMAINS[p].work + SYSTEMS[p]->at_memory, state + NODE_OF[p] + SUBDOMAINS[p].moved, SYSTEMS[p]->nmemory);
    }
@OUTPUTS@    return 0;
}

/* Inputs in SI. What the motion of the model gave is not rounded by its unit: it stands already where it is the same. */
static void take_inputs(@name@_t *self)
{
    for (int row = 0; row < @NAME@_ROWS; row++) {
        for (int i = 0; i < INPUTS; i++) {
            const double given = self->inputs[row * INPUTS + i];
            double *si = self->si_inputs + row * INPUTS + i;
            /* By place instead of by branch: every step has the same instructions. */
            const double either[2] = {given * @NAME@_INPUT_SI[i], *si};
            *si = either[given == *si / @NAME@_INPUT_SI[i]];
        }
    }
}

/* Parameters in SI; a default is the number of the model to the last bit. */
static void take_parameters(@name@_t *self)
{
    for (int i = 0; i < @NAME@_PARAMETERS; i++) {
        const double given = self->parameters[i];
        const double either[2] = {given * @NAME@_PARAMETER_SI[i], PARAMETER_EXACT[i]};
        self->si_parameters[i] = either[given == PARAMETER_DEFAULTS[i]];
    }
}

/* Where things are; `k`: the macro-step, -1 at the start. */
static coupling_t coupling_of(@name@_t *self, long k)
{
    coupling_t c = {.k = k, .x = self->state, .W = self->work, .in = @IN@, .parameters = self->si_parameters};
@VIEW@    return c;
}

/* Nothing has gone wrong yet. */
static void clear_faults(@name@_t *self)
{
    for (int p = 0; p < SUBDOMAIN_COUNT; p++) {
        self->work[SUBDOMAINS[p].work + SYSTEMS[p]->at_fault] = -1.0;
    }
}

/* The subdomain that has noted a fault is the one where it happened. */
static int report(@name@_t *self, int fault)
{
    self->fault = fault;
    self->fault_index = 0;
    self->fault_part = 0;
    for (int p = 0; p < SUBDOMAIN_COUNT && fault; p++) {
        const double index = self->work[SUBDOMAINS[p].work + SYSTEMS[p]->at_fault];
        if (index >= 0.0) {
            self->fault_index = (int)index;
            self->fault_part = SUBDOMAINS[p].part;
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
            motions(((base + later[0]) + later[1]) + later[2], self->parameters + @SCALES@, self->si_inputs + row * INPUTS);
        }
    }
    motions((double)(step + 1) * @DT@, self->parameters + @SCALES@, self->si_inputs + @NAME@_END * INPUTS);
    for (int row = 0; row < @NAME@_ROWS; row++) {
        for (int i = 0; i < INPUTS; i++) {
            self->inputs[row * INPUTS + i] = self->si_inputs[row * INPUTS + i] / @NAME@_INPUT_SI[i];
        }
    }
}
