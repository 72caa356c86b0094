/* With specimens a macro-step is cut at every evaluation of the fine side: each call ends the one that was commanded last with
   what was measured, and goes on to the next. `pending` counts the evaluations of a macro-step; -1: none is under way. Where
   the schedule stands meanwhile is kept in the work: the event, the evaluation of what was asked, and the ask itself. */

static coupling_t resume(@name@_t *self)
{
    const double *kept = self->work + AT_KEPT;
    coupling_t c = coupling_of(self, self->started == 1 ? -1 : self->step);
    c.commands = self->commands;
    c.si_commands = self->si_commands;
    c.measured = self->measured;
    c.event = (int)kept[0];
    c.evaluation = (int)kept[1];
    c.ask = (ask_t){(int)kept[2], (int)kept[3], (int)kept[4], (int)kept[5], kept[6]};
    return c;
}

static int suspend(@name@_t *self, const coupling_t *c)
{
    double *kept = self->work + AT_KEPT;
    kept[0] = (double)c->event;
    kept[1] = (double)c->evaluation;
    kept[2] = (double)c->ask.kind;
    kept[3] = (double)c->ask.stepping;
    kept[4] = (double)c->ask.at;
    kept[5] = (double)c->ask.site;
    kept[6] = c->ask.t;
    self->pending++;
    if (c->k < 0) {
        self->wanted = 0;
    } else {
        self->wanted = c->event == coupling_last(c) && c->evaluation + 1 == fine_evaluations(c) ? self->step + 1 : -1;
    }
    return report(self, 0);
}

static int undo(@name@_t *self, int fault)
{
    copy(self->state, self->work + AT_BEFORE, @NAME@_STATE);
    self->pending = -1;
    self->wanted = self->step;
    return report(self, fault);
}

/* Goes on to the next evaluation: 1 if there is one in this macro-step (or start), 0 at its end, else minus the fault. */
static int advance(coupling_t *c)
{
    while (c->event < coupling_events(c)) {
        int fault = 0;
        if (c->evaluation < 0) {
            fault = c->k < 0 ? start_aim(c, c->event) : coupling_aim(c, c->event);
            c->evaluation = 0;
            if (!fault && fine_evaluations(c) == 0) {
                fault = fine_run(c);
            }
        }
        if (!fault && c->evaluation < fine_evaluations(c)) {
            fault = fine_reach(c, c->evaluation);
            return fault ? -fault : 1;
        }
        fault = fault ? fault : c->k < 0 ? start_take(c, c->event) : coupling_take(c, c->event);
        if (fault) {
            return -fault;
        }
        c->event++;
        c->evaluation = -1;
    }
    return 0;
}

/* Begins the start or the next macro-step. */
static void begin(@name@_t *self)
{
    double *kept = self->work + AT_KEPT;
    copy(self->work + AT_BEFORE, self->state, @NAME@_STATE);
    take_inputs(self);
    copy(self->work + AT_NOW, self->si_inputs, @NAME@_ROWS * INPUTS);
    clear_faults(self);
    kept[0] = 0.0;
    kept[1] = -1.0;
    self->pending = -1;
}

/* Goes on until specimens are to be moved, from the end of a macro-step into the next. */
static int go_on(@name@_t *self, coupling_t c)
{
    const int unasked = self->started == 1 && self->pending < 0;
    int reached = advance(&c);
    if (reached == 0) {
        self->step += self->started == 2;
        self->started = 2;
        const int fault = read_outputs(self);
        begin(self);
        self->wanted = self->step;
        if (fault || unasked) {
            return report(self, fault); /* a start without evaluations has no inputs of a step yet */
        }
        c = resume(self);
        reached = advance(&c);
    }
    return reached > 0 ? suspend(self, &c) : undo(self, -reached);
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
    begin(self);
    return go_on(self, resume(self));
}

int @name@_step(@name@_t *self)
{
    self->fresh = 0;
    if (!self->started) {
        return @name@_start(self);
    }
    if (self->pending < 0) {
        begin(self);
        return go_on(self, resume(self));
    }
    coupling_t c = resume(self);
    const int fault = fine_answer(&c, c.evaluation);
    c.evaluation++;
    return fault ? undo(self, fault) : go_on(self, c);
}
