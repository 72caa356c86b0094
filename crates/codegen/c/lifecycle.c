/* The beginning and the end of an instance. */

void @name@_init(@name@_t *self)
{
    fill(self->inputs, @NAME@_ROWS * INPUTS, 0.0);
    fill(self->outputs, @NAME@_OUTPUTS, 0.0);
    fill(self->state, @NAME@_STATE, 0.0);
    fill(self->work, @NAME@_WORK, 0.0);
    copy(self->parameters, PARAMETER_DEFAULTS, @NAME@_PARAMETERS);
    fill(self->commands, @NAME@_COMMANDS, 0.0);
    fill(self->si_commands, @NAME@_COMMANDS, 0.0);
    fill(self->si_inputs, @NAME@_ROWS * INPUTS, 0.0);
    fill(self->measured, @NAME@_MEASUREDS, 0.0);
    self->step = 0;
    self->wanted = 0;
    self->pending = -1;
    self->started = 0;
    self->fresh = 0;
    self->fault = 0;
    self->fault_index = 0;
    self->fault_part = 0;
    take_parameters(self);
    @name@_motion(self, -1);
}

void @name@_terminate(@name@_t *self)
{
    self->started = 0;
}
