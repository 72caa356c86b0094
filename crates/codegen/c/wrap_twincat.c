
/* Below: the cycle. */

static void start(@name@_plc_t *self, const @name@_plc_in_t *in)
{
    @name@_init(&self->model);
    if (in->use_parameters) {
        for (int i = 0; i < @NAME@_PARAMETERS; i++) {
            self->model.parameters[i] = in->parameters[i];
        }
    }
    self->fed = in->motion_from_inputs ? 1 : 0;
    self->state = host_begin(&self->model, self->fed, self->before, in->inputs) ? @NAME@_PLC_FAULT : @NAME@_PLC_RUNNING;
}

/* What is not finite would stay in the model for ever. */
static int sound(const @name@_plc_in_t *in)
{
    int sound = 1;
    for (int i = 0; i < HOST_INPUTS; i++) {
        sound &= in->inputs[i] - in->inputs[i] == 0.0;
    }
    return sound;
}

void @name@_plc_cycle(@name@_plc_t *self, const @name@_plc_in_t *in, @name@_plc_out_t *out)
{
    if (!in->run) {
        self->state = @NAME@_PLC_IDLE;
    } else if (self->state == @NAME@_PLC_IDLE) {
        start(self, in);
    } else if (self->state == @NAME@_PLC_RUNNING) {
        if (!sound(in) || host_call(&self->model, self->fed, self->before, in->inputs)) {
            self->state = @NAME@_PLC_FAULT;
        }
    }
    out->state = self->state;
    out->fault = self->model.fault;
    out->fault_index = self->model.fault_index;
    out->step = (unsigned int)self->model.step;
    for (int i = 0; i < HOST_OUTPUTS; i++) {
        out->outputs[i] = host_output(&self->model, i);
    }
}
