/* Staged sides: subdomains that are advanced stage by stage, because the multipliers are computed anew at every stage from the
   accelerations of all. Mirrors crates/coupling/src/staged.rs. Of the last evaluation of a subdomain the coupling keeps the rates
   without multipliers [v a g] and the forces; the increments of its stages stand where its stepping has them. */

static double *staged_rates(coupling_t *c, int p)
{
    return c->staged + SUBDOMAINS[p].staged;
}

/* The increment of stage i of a subdomain. */
static double *staged_increment(coupling_t *c, int p, int i)
{
    return subdomain_work(c, p) + SYSTEMS[p]->at_scheme + i * SUBDOMAINS[p].state;
}

/* Takes the Jacobians at (x, t), where a step starts. */
static int staged_linearise(coupling_t *c, side_t s, int site, const double *x, double t)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        const double *u = x + SUBDOMAINS[p].offset, *v = u + SYSTEMS[p]->n;
        fault = sys_linearise(SYSTEMS[p], subdomain_work(c, p), site_inputs(c, site, p), t, u, v, v + SYSTEMS[p]->n);
    }
    return fault;
}

/* Evaluations go on from what laws remember in the state x; x gets what they remember of them. */
static void staged_recall(coupling_t *c, side_t s, const double *x)
{
    for (int p = s.first; p < s.end; p++) {
        subdomain_recall(c, p, x + SUBDOMAINS[p].offset);
    }
}

static void staged_keep(coupling_t *c, side_t s, double *x)
{
    for (int p = s.first; p < s.end; p++) {
        subdomain_keep(c, p, x + SUBDOMAINS[p].offset);
    }
}

/* The rates that the forces at x cause. */
static int staged_balance(coupling_t *c, int p, const double *x)
{
    const int n = SYSTEMS[p]->n;
    double *v = staged_rates(c, p), *a = v + n, *g = a + n;
    const double *force = v + SUBDOMAINS[p].state;
    copy(v, x + n, n);
    for (int i = 0; i < n; i++) {
        a[i] = -force[i];
    }
    sys_solve(SYSTEMS[p], subdomain_work(c, p), 0, a, g);
    return sys_check(SYSTEMS[p], subdomain_work(c, p), v);
}

/* Moves to (x, t) and keeps the forces. */
static int staged_evaluate(coupling_t *c, side_t s, int site, const double *x, double t)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        const int n = SYSTEMS[p]->n;
        const double *u = x + SUBDOMAINS[p].offset;
        double *rates = staged_rates(c, p), *force = rates + SUBDOMAINS[p].state;
        fault = sys_force(SYSTEMS[p], subdomain_work(c, p), site_inputs(c, site, p), t, u, u + n, u + 2 * n, 0, 0, 0, force, rates + 2 * n);
        fault = fault ? fault : staged_balance(c, p, u);
    }
    return fault;
}

/* w += L a of rates [v a g]. */
static void add_port_accelerations(int p, const double *rates, double *w)
{
    const subdomain_t *P = &SUBDOMAINS[p];
    for (int i = P->port0; i < P->port0 + P->ports; i++) {
        w[PORTS[i].row] += PORTS[i].sign * rates[SYSTEMS[p]->n + PORTS[i].dof];
    }
}

/* w += L a at the last evaluated point. */
static void staged_port_accelerations(coupling_t *c, side_t s, double *w)
{
    for (int p = s.first; p < s.end; p++) {
        add_port_accelerations(p, staged_rates(c, p), w);
    }
}

#if SHIFTED
/* The forces were asked for at the time of the point; the load is that of the stage. */
static void staged_shift_load(coupling_t *c, int p, int site, double *f)
{
    double *load = subdomain_work(c, p) + SYSTEMS[p]->at_a;
    sys_load(SYSTEMS[p], site_inputs(c, site, p), load);
    add_scaled(f, load, -1.0, SYSTEMS[p]->n);
    sys_load(SYSTEMS[p], site_inputs(c, site + 1, p), load);
    add_scaled(f, load, 1.0, SYSTEMS[p]->n);
}
#endif

/* Stage i of a step of a stepping from y under the multipliers l, on the forces of the last evaluation. */
static void staged_stage(coupling_t *c, side_t s, int i, int stepping, int site, double *y, const double *l)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        const system_t *S = SYSTEMS[p];
        const stepping_t *G = STEPPINGS[P->stride0 + stepping];
        const double *rates = staged_rates(c, p), *force = rates + P->state;
        double *W = subdomain_work(c, p), *f = staged_increment(c, p, i) + S->n;
        if (2 * i >= G->step_cuts) {
            continue;
        }
        scheme_step_part(S, W, G, 0, 0.0, y + P->offset, 0, 2 * i); /* f: the tangent's answer to the shift */
        add_scaled(f, force, -1.0, S->n);
        add_scaled(f + S->n, rates + 2 * S->n, 1.0, S->ns);
#if SHIFTED
        staged_shift_load(c, p, site, f);
#endif
        for (int j = P->port0; j < P->port0 + P->ports; j++) {
            f[PORTS[j].dof] -= PORTS[j].sign * l[PORTS[j].row];
        }
        scheme_step_part(S, W, G, 0, 0.0, y + P->offset, 0, 2 * i + 1);
    }
    (void)site;
}

/* The middle of the step from y, after its first stage. */
static void staged_middle(coupling_t *c, side_t s, const double *y, double *out)
{
    for (int p = s.first; p < s.end; p++) {
        const double *k = staged_increment(c, p, 0);
        for (int i = 0; i < SUBDOMAINS[p].state; i++) {
            out[SUBDOMAINS[p].offset + i] = y[SUBDOMAINS[p].offset + i] + 0.5 * k[i];
        }
    }
}

/* The end of the step from y, after all its stages, in place. */
static int staged_finish(coupling_t *c, side_t s, int stepping, double *y)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        const stepping_t *G = STEPPINGS[SUBDOMAINS[p].stride0 + stepping];
        double *W = subdomain_work(c, p), *end = y + SUBDOMAINS[p].offset;
        scheme_step_part(SYSTEMS[p], W, G, 0, 0.0, end, 0, G->step_cuts);
        fault = sys_check(SYSTEMS[p], W, end);
    }
    return fault;
}

/* x = (1 - s) from + s to. */
static void mix(const double *from, const double *to, double s, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = (1.0 - s) * from[i] + s * to[i];
    }
}
