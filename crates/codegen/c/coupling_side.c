/* Sides of a coupling: subdomains that stride under given multipliers, and the linear answer of their states to a change of
   them. Mirrors crates/coupling/src/side.rs, ported.rs and flexibility.rs, operation by operation. */

static double *subdomain_work(coupling_t *c, int p)
{
    return c->W + SUBDOMAINS[p].work;
}

/* A subdomain goes on from what its laws remember in a state x of it. */
static void subdomain_recall(coupling_t *c, int p, const double *x)
{
    copy(subdomain_work(c, p) + SYSTEMS[p]->at_memory, x + SUBDOMAINS[p].moved, SYSTEMS[p]->nmemory);
}

/* The state x at which it has arrived gets what they remember now. */
static void subdomain_keep(coupling_t *c, int p, double *x)
{
    copy(x + SUBDOMAINS[p].moved, subdomain_work(c, p) + SYSTEMS[p]->at_memory, SYSTEMS[p]->nmemory);
}

/* The inputs that subdomain p looks at, at a site of the schedule. */
static const double *site_inputs(const coupling_t *c, int site, int p)
{
    return c->in + SITES[site * SUBDOMAIN_COUNT + p] * INPUTS;
}

static void add_scaled(double *x, const double *d, double factor, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] += factor * d[i];
    }
}

/* Loads the ports of a subdomain with (1 - x) l0 + x l1 at the fractions x0, x1 of a stride at both ends of a step. */
static void load_ports(coupling_t *c, int p, double t, double tau, double x0, double x1, const double *l0, const double *l1)
{
    const subdomain_t *P = &SUBDOMAINS[p];
    double *span = subdomain_work(c, p) + SYSTEMS[p]->at_ports, *start = span + 2, *end = start + P->ports;
    if (P->ports == 0) {
        return;
    }
    span[0] = t;
    span[1] = tau;
    for (int i = 0; i < P->ports; i++) {
        const int row = PORTS[P->port0 + i].row;
        start[i] = (1.0 - x0) * l0[row] + x0 * l1[row];
        end[i] = (1.0 - x1) * l0[row] + x1 * l1[row];
    }
}

/* Loads the ports for step j of a stride; the start of the step. */
static double load_step(coupling_t *c, int p, int stepping, int j, double t, const double *l0, const double *l1)
{
    const stride_t *g = &STRIDES[SUBDOMAINS[p].stride0 + stepping];
    const double dt = STEPPINGS[SUBDOMAINS[p].stride0 + stepping]->dt, n = (double)g->steps;
    const double end = (double)(j + 1) / n, start = g->held ? end : (double)j / n, tj = t + (double)j * dt;
    load_ports(c, p, tj, dt, start, end, l0, l1);
    return tj;
}

static int subdomain_stride(coupling_t *c, int p, int stepping, int site, double *x, double t, const double *l0, const double *l1)
{
    const subdomain_t *P = &SUBDOMAINS[p];
    const stride_t *g = &STRIDES[P->stride0 + stepping];
    const double *in = site_inputs(c, site, p);
    int fault = 0;
    subdomain_recall(c, p, x);
    for (int j = 0; j < g->steps && !fault; j++) {
        const double tj = load_step(c, p, stepping, j, t, l0, l1);
        fault = scheme_step(SYSTEMS[p], subdomain_work(c, p), STEPPINGS[P->stride0 + stepping], in + j * g->rows * INPUTS, tj, x, x + P->state);
        fault = fault ? fault : sys_check(SYSTEMS[p], subdomain_work(c, p), x);
    }
    subdomain_keep(c, p, x);
    return fault;
}

/* Advances x from t by one stride under multipliers going linearly from l0 to l1. */
static int side_stride(coupling_t *c, side_t s, int stepping, int site, double *x, double t, const double *l0, const double *l1)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        fault = subdomain_stride(c, p, stepping, site, x + SUBDOMAINS[p].offset, t, l0, l1);
    }
    return fault;
}

/* x += factor * columns d, one column per port. */
static void add_columns(const subdomain_t *P, const double *columns, double *x, const double *d, double factor)
{
    for (int i = 0; i < P->ports; i++) {
        add_scaled(x, columns + i * P->moved, factor * d[PORTS[P->port0 + i].row], P->moved);
    }
}

/* x += factor * link(d): what adding d to the multipliers at the end of the stride just made would have changed. */
static void side_link(side_t s, int stepping, double *x, const double *d, double factor)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        add_columns(P, LINKS + STRIDES[P->stride0 + stepping].link, x + P->offset, d, factor);
    }
}

/* The free stride: the multipliers l0 act at its start, none at its end. With several evaluations l0 acts to its end, and the link takes
   it away, so that it is evaluated near where it will end. */
static int side_free(coupling_t *c, side_t s, int stepping, int site, double *x, double t, const double *l0)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        const stride_t *g = &STRIDES[P->stride0 + stepping];
        fault = subdomain_stride(c, p, stepping, site, x + P->offset, t, l0, g->once ? NO_MULTIPLIERS : l0);
        if (!fault && !g->once) {
            add_columns(P, LINKS + g->link, x + P->offset, l0, -1.0);
        }
    }
    return fault;
}

/* w += L v. */
static void side_port_rates(side_t s, int stepping, const double *x, double *w)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        const double *rates = x + P->offset + STRIDES[P->stride0 + stepping].rate;
        for (int i = P->port0; i < P->port0 + P->ports; i++) {
            w[PORTS[i].row] += PORTS[i].sign * rates[PORTS[i].dof];
        }
    }
}

/* gap += L u. */
static void side_port_displacements(side_t s, const double *x, double *gap)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        for (int i = P->port0; i < P->port0 + P->ports; i++) {
            gap[PORTS[i].row] += PORTS[i].sign * x[P->offset + PORTS[i].dof];
        }
    }
}

/* w += L F, the external loads on the ports. */
static void side_port_loads(coupling_t *c, side_t s, int site, double *w)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        double *load = subdomain_work(c, p) + SYSTEMS[p]->at_a;
        sys_load(SYSTEMS[p], site_inputs(c, site, p), load);
        for (int i = P->port0; i < P->port0 + P->ports; i++) {
            w[PORTS[i].row] += PORTS[i].sign * load[PORTS[i].dof];
        }
    }
}

/* Where the rates of a subdomain stand in its state that the scheme of a stepping assigns to another time than the state. */
static int lagging(const subdomain_t *P, int stepping)
{
    const stride_t *stride = &STRIDES[P->stride0 + stepping];
    return stride->lag != 0.0 ? stride->rates : 0;
}

/* These rates of a side in the state x, one after the other. */
static void side_lagging_rates(side_t s, int stepping, const double *x, double *out)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        copy(out, x + P->offset + P->state, lagging(P, stepping));
        out += lagging(P, stepping);
    }
}

/* Moves them to their times, along their slopes. */
static void side_shift_rates(side_t s, int stepping, double *x, const double *slopes)
{
    for (int p = s.first; p < s.end; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        add_scaled(x + P->offset + P->state, slopes, STRIDES[P->stride0 + stepping].lag, lagging(P, stepping));
        slopes += lagging(P, stepping);
    }
}

/* w += L a with the accelerations that the forces at (x, t) cause without multipliers. */
static int subdomain_free_accelerations(coupling_t *c, int p, int site, double *x, double t, double *w)
{
    const subdomain_t *P = &SUBDOMAINS[p];
    const system_t *S = SYSTEMS[p];
    double *W = subdomain_work(c, p), *a = c->a, *span = W + S->at_ports;
    if (P->ports > 0) {
        span[0] = t;
        span[1] = 1.0;
        fill(span + 2, 2 * P->ports, 0.0);
    }
    subdomain_recall(c, p, x);
    int fault = sys_rates_begin(S, W, site_inputs(c, site, p), t, x, a, a + S->n);
    fault = fault ? fault : sys_rates_end(S, W, 0, site_inputs(c, site, p), t, x, a, a + S->n);
    subdomain_keep(c, p, x);
    for (int i = P->port0; i < P->port0 + P->ports && !fault; i++) {
        w[PORTS[i].row] += PORTS[i].sign * a[PORTS[i].dof];
    }
    return fault;
}

static int side_free_accelerations(coupling_t *c, side_t s, int site, double *x, double t, double *w)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        fault = subdomain_free_accelerations(c, p, site, x + SUBDOMAINS[p].offset, t, w);
    }
    return fault;
}

/* a -= M^-1 L^T l; `outside` is work. */
static void add_accelerations(int p, const double *l, double *a, double *outside)
{
    const subdomain_t *P = &SUBDOMAINS[p];
    const int n = SYSTEMS[p]->n;
    fill(outside, n, 0.0);
    for (int j = 0; j < P->ports; j++) {
        const double *column = INERTANCE + P->inertance + j * n, lambda = l[PORTS[P->port0 + j].row];
        for (int i = 0; i < n; i++) {
            outside[i] -= column[i] * lambda;
        }
    }
    for (int i = 0; i < n; i++) {
        a[i] += outside[i];
    }
}

/* Fills the histories of a stepping from [u v s] at t under constant multipliers. */
static int side_restart(coupling_t *c, side_t s, int stepping, int site, double *x, double t, const double *l)
{
    int fault = 0;
    for (int p = s.first; p < s.end && !fault; p++) {
        const subdomain_t *P = &SUBDOMAINS[p];
        const stepping_t *G = STEPPINGS[P->stride0 + stepping];
        double *y = x + P->offset;
        load_ports(c, p, t, G->dt, 0.0, 0.0, l, l);
        subdomain_recall(c, p, y);
        fault = scheme_start(SYSTEMS[p], subdomain_work(c, p), G, site_inputs(c, site, p), t, y, y + P->state);
        subdomain_keep(c, p, y);
    }
    return fault;
}

/* Initial states [u v s 0 z], to which the laws have come from rest. */
static void side_initial(coupling_t *c, side_t s, double *x)
{
    for (int p = s.first; p < s.end; p++) {
        fill(x + SUBDOMAINS[p].offset, SUBDOMAINS[p].len, 0.0);
        for (int i = 0; i < SUBDOMAINS[p].state; i++) {
            x[SUBDOMAINS[p].offset + i] = c->parameters[INITIALS[SUBDOMAINS[p].initial + i]];
        }
        sys_settle(SYSTEMS[p], subdomain_work(c, p), c->in + @NAME@_END * INPUTS, x + SUBDOMAINS[p].offset);
        subdomain_keep(c, p, x + SUBDOMAINS[p].offset);
    }
}

/* y += factor * H x of a full matrix over the multipliers. */
static void rows_mul_add(const double *h, const double *x, double *y, double factor)
{
    for (int i = 0; i < ROWS; i++) {
        y[i] += factor * dot(h + i * ROWS, x, ROWS);
    }
}

/* Solves a problem of the interface in place. */
static void interface_solve(coupling_t *c, int problem, double *w)
{
    const interface_t *F = &INTERFACES[problem];
    if (F->kind == 0) {
        for (int i = 0; i < F->n; i++) {
            w[i] *= F->values[i];
        }
    } else if (F->kind == 1) {
        inverse_solve(F->n, F->values, w, c->solution);
    } else {
        sparse_solve(F->symbolic, F->values, w, c->solution);
    }
}

/* Derivative at node `at` of the parabola through three values that are h apart. */
static double slope3(double a, double b, double c, int at, double h)
{
    if (at == 0) {
        return (-3.0 * a + 4.0 * b - c) / (2.0 * h);
    }
    return at == 1 ? (c - a) / (2.0 * h) : (a - 4.0 * b + 3.0 * c) / (2.0 * h);
}
