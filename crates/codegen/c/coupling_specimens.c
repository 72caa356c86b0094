/* A fine side with specimens: what it is asked for, cut at every evaluation. The library moves rig after rig; here all
   commands of an evaluation are given at once, which makes no difference to subdomains that do not see each other. */

static int has_specimens(int p)
{
    return SYSTEMS[p]->specimens > 0;
}

/* Number of evaluations of what was asked. All subdomains with specimens have the same, see the exporter. */
static int fine_evaluations(const coupling_t *c)
{
    int count = 0;
    for (int p = FINE.first; p < FINE.end; p++) {
        const int way = SUBDOMAINS[p].stride0 + c->ask.stepping;
        if (has_specimens(p) && c->ask.kind == 1) {
            count = STRIDES[way].steps * STEPPINGS[way]->step_cuts;
        } else if (has_specimens(p) && (c->ask.kind == 2 || c->ask.kind == 4 || (c->ask.kind == 3 && STEPPINGS[way]->start_cuts > 0))) {
            count = 1;
        }
    }
    return count;
}

/* The commands that move the specimens of a subdomain to their targets. */
static void subdomain_command(coupling_t *c, int p)
{
    const double *target = subdomain_work(c, p) + SYSTEMS[p]->at_measured;
    for (int i = 0; i < SYSTEMS[p]->specimen_ptr[SYSTEMS[p]->specimens]; i++) {
        const int k = COMMAND_OF[SUBDOMAINS[p].command + i];
        c->si_commands[k] = target[i];
        c->commands[k] = target[i] / @NAME@_COMMAND_SI[k];
    }
}

/* What was measured there. Where it was commanded to be it is to the last bit. */
static void subdomain_measure(coupling_t *c, int p)
{
    const system_t *S = SYSTEMS[p];
    const int n = S->specimen_ptr[S->specimens];
    double *reached = subdomain_work(c, p) + S->at_measured + n;
    for (int i = 0; i < n; i++) {
        const int k = COMMAND_OF[SUBDOMAINS[p].command + i], f = COMMANDS + k;
        const double either[2] = {c->measured[k] * @NAME@_MEASURED_SI[k], c->si_commands[k]};
        reached[i] = either[c->measured[k] == c->commands[k]];
        reached[n + i] = c->measured[f] * @NAME@_MEASURED_SI[f];
    }
}

/* Evaluation i of a stride of a subdomain: up to the forces, or on from them. */
static int subdomain_evaluation(coupling_t *c, int p, int i, int on)
{
    const system_t *S = SYSTEMS[p];
    const subdomain_t *P = &SUBDOMAINS[p];
    const int way = P->stride0 + c->ask.stepping;
    const stepping_t *G = STEPPINGS[way];
    const int j = i / G->step_cuts, stage = i % G->step_cuts;
    const double *in = site_inputs(c, c->ask.site, p) + j * STRIDES[way].rows * INPUTS;
    double *W = subdomain_work(c, p), *x = c->x + c->ask.at + P->offset, t = c->ask.t + (double)j * G->dt;
    int fault = 0;
    if (!on) {
        if (i == 0) {
            subdomain_recall(c, p, x);
        }
        if (stage == 0) {
            t = load_step(c, p, c->ask.stepping, j, c->ask.t, c->ask_l0, c->ask_l1);
        }
        fault = scheme_step_part(S, W, G, in, t, x, x + P->state, stage);
        subdomain_command(c, p);
        return fault;
    }
    if (stage + 1 < G->step_cuts) {
        return 0;
    }
    fault = scheme_step_part(S, W, G, in, t, x, x + P->state, stage + 1);
    subdomain_keep(c, p, x);
    return fault ? fault : sys_check(S, W, x);
}

/* Goes to evaluation i of what was asked and leaves its commands. */
static int fine_reach(coupling_t *c, int i)
{
    int fault = 0;
    for (int p = FINE.first; p < FINE.end && !fault; p++) {
        const double *x = c->x + c->ask.at + SUBDOMAINS[p].offset;
        if (!has_specimens(p)) {
            continue;
        }
        if (c->ask.kind == 1) {
            fault = subdomain_evaluation(c, p, i, 0);
        } else {
            sys_aim(SYSTEMS[p], subdomain_work(c, p), x);
            subdomain_command(c, p);
        }
    }
    return fault;
}

/* Goes on with what was measured at evaluation i. */
static int fine_answer(coupling_t *c, int i)
{
    int fault = 0;
    for (int p = FINE.first; p < FINE.end; p++) {
        if (has_specimens(p)) {
            subdomain_measure(c, p);
        }
    }
    if (c->ask.kind != 1) {
        return fine_run(c);
    }
    for (int p = FINE.first; p < FINE.end && !fault; p++) {
        if (has_specimens(p)) {
            fault = subdomain_evaluation(c, p, i, 1);
        } else if (i == 0) {
            fault = subdomain_stride(c, p, c->ask.stepping, c->ask.site, c->x + c->ask.at + SUBDOMAINS[p].offset, c->ask.t, c->ask_l0, c->ask_l1);
        }
    }
    return fault;
}

/* The last event of a macro-step with an evaluation. */
static int coupling_last(const coupling_t *c)
{
#if STAGGERED
    return coupling_events(c) - (FINE_STAGES > 1 || (COARSE_STAGES > 1 && SUBSTEPS == 1) ? 1 : 2);
#else
#if AHEAD
    return coupling_events(c) - (FINE_STAGES > 1 || (COARSE_STAGES > 1 && c->k < STARTS) ? 1 : 2);
#else
    return coupling_events(c) - 1;
#endif
#endif
}
