/* The energy balance: crates/model/src/energy.rs. E = [kinetic internal damping input error | kinetic energy at the start | what is
   remembered of the last end of a step: u v force load damping, deformations and rates of elements | room for the next]. */

static double sys_kinetic(const system_t *S, double *W, const double *in, const double *u, const double *v)
{
    double *x = W + S->at_x, *q = W + S->at_q, *w = W + S->at_v, *p = W + S->at_p, *m = W + S->at_local;
    pattern_mul(S, S->mass, v, x);
    double twice = dot(x, v, S->n);
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        if (E->massive) {
            for (int i = 0; i < E->d; i++) {
                q[i] = sys_gather(S, E->row0 + i, u, in, 0);
                w[i] = sys_gather(S, E->row0 + i, v, 0, 0);
            }
            law_mass(E->law, W + S->at_constants + E->constant0, q, m);
            fill(p, E->d, 0.0);
            mul_add(m, w, E->d, p, E->d, 1.0);
            twice += dot(p, w, E->d);
        }
    }
    return twice / 2.0;
}

/* Loads by themselves: forces, and the inertia forces of the ground and of imposed motions. */
static void sys_loads(const system_t *S, double *W, const double *in, const double *u, double *loads)
{
    double *q = W + S->at_q, *acc = W + S->at_acc, *p = W + S->at_p, *m = W + S->at_local;
    fill(loads, S->n, 0.0);
#if HELD
    for (int i = 0; S->held && i < S->n; i++) {
        loads[i] += S->held[i];
    }
#endif
    for (int i = 0; i < S->forces; i++) {
        loads[S->force_dof[i]] += in[S->force_in[i]];
    }
    for (int i = 0; i < S->grounds; i++) {
        for (int j = 0; j < S->n; j++) {
            loads[j] -= S->ground_load[i * S->n + j] * in[S->ground_in[i]];
        }
    }
    for (int i = 0; i < S->supports; i++) {
        loads[S->support_row[i]] -= S->support_m[i] * in[S->support_in[i] + 2];
    }
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        if (E->massive) {
            for (int i = 0; i < E->d; i++) {
                q[i] = sys_gather(S, E->row0 + i, u, in, 0);
                acc[i] = sys_base_acceleration(S, E, i, in);
            }
            law_mass(E->law, W + S->at_constants + E->constant0, q, m);
            fill(p, E->d, 0.0);
            mul_add(m, acc, E->d, p, E->d, 1.0);
            for (int i = 0; i < E->d; i++) {
                sys_scatter(S, E->row0 + i, -p[i], loads);
            }
        }
    }
}

/* Forces of the damping matrix. */
static void sys_damping_forces(const system_t *S, const double *in, const double *v, double *out)
{
    fill(out, S->n, 0.0);
    if (S->damping) {
        pattern_mul(S, S->damping, v, out);
    }
    for (int i = 0; i < S->nm; i++) {
        const double *w = S->modal_w + i * S->n, f = S->modal_c[i] * dot(w, v, S->n);
        for (int j = 0; j < S->n; j++) {
            out[j] += f * w[j];
        }
    }
    for (int i = 0; i < S->supports; i++) {
        out[S->support_row[i]] += S->support_c[i] * in[S->support_in[i] + 1];
    }
    for (int b = 0, k0 = 0; b < S->specimens; b++) {
        const int first = S->specimen_ptr[b], n = S->specimen_ptr[b + 1] - first;
        for (int i = 0; i < n; i++) {
            double f = 0.0;
            for (int j = 0; j < n; j++) {
                f += S->specimen_c[k0 + i * n + j] * v[S->specimen_dof[first + j]];
            }
            out[S->specimen_dof[first + i]] -= f;
        }
        k0 += n * n;
    }
}

/* Force of a law at x of the way from (q0, v0) to (q1, v1). */
static double energy_force(const system_t *S, double *W, const element_t *E, double t, const double *q, double x)
{
    W[S->at_q] = q[0] + x * (q[2] - q[0]);
    W[S->at_v] = q[1] + x * (q[3] - q[1]);
    law_force(E->law, W + S->at_constants + E->constant0, t, W + S->at_q, W + S->at_v, W, W + S->at_p, W);
    return W[S->at_p];
}

/* Laws that are followed along their way: functions of one deformation and its rate. */
static int energy_follows(const element_t *E)
{
    return E->d == 1 && E->s == 0 && !E->massive && E->kind < 2;
}

/* Their work on the way from the end a of a step to the end b beyond the mean of their forces there. */
static double energy_between(const system_t *S, double *W, double t, const double *a, const double *b)
{
    double *way = W + S->at_x;
    for (int i = 0; i < S->n; i++) {
        way[i] = b[i] - a[i];
    }
    double sum = 0.0;
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        if (!energy_follows(E)) {
            continue;
        }
        const double *qa = a + 5 * S->n + 2 * e, *qb = b + 5 * S->n + 2 * e, q[4] = {qa[0], qa[1], qb[0], qb[1]};
        const double first = energy_force(S, W, E, t, q, 0.0), last = energy_force(S, W, E, t, q, 1.0), ends = 0.5 * (first + last);
        double largest = fmax(fabs(first), fabs(last)), trapezoid = ends, mean = ends;
        for (int n = 1; n < 512;) {
            double more = 0.0;
            for (int i = 0; i < n; i++) {
                const double p = energy_force(S, W, E, t, q, (i + 0.5) / n);
                largest = fmax(largest, fabs(p));
                more += p;
            }
            n *= 2;
            const double finer = 0.5 * trapezoid + more / n, simpson = (4.0 * finer - trapezoid) / 3.0, before = mean;
            trapezoid = finer;
            mean = simpson;
            if (fabs(mean - before) <= 1e-10 * largest) {
                break;
            }
        }
        sum += (mean - ends) * sys_gather(S, E->row0, way, 0, 0);
    }
    return sum;
}

#if FRAMES
/* Coordinates and forces of parts of frames at their last evaluation. */
static void energy_members(const system_t *S, const double *W, double *out)
{
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        for (int i = 0; E->kind == 3 && i < E->d; i++) {
            const double *q = W + S->at_memory + E->memory0 + E->memory - 2 * E->d;
            *out++ = q[i];
            *out++ = q[E->d + i];
        }
    }
}

/* Their work from there to the displacements u. */
static double energy_rest(const system_t *S, const double *W, const double *in, const double *u)
{
    double sum = 0.0;
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        double own = 0.0;
        for (int i = 0; E->kind == 3 && i < E->d; i++) {
            const double *q = W + S->at_memory + E->memory0 + E->memory - 2 * E->d;
            own += q[E->d + i] * (sys_gather(S, E->row0 + i, u, in, 0) - q[i]);
        }
        sum += own;
    }
    return sum;
}

#endif
static int energy_read(const system_t *S, double *W, const double *in, double t, const double *y, double *end)
{
    const int n = S->n;
    double *force = end + 2 * n, *load = force + n;
    copy(end, y, 2 * n);
    copy(W + S->at_saved, W + S->at_memory, S->nmemory);
#if FRAMES
    W[S->at_moving] = 2.0;
#endif
    const int fault = sys_raw_force(S, W, in, t, y, y + n, y + 2 * n, 0, 0, 0, force, W + S->at_gs);
#if FRAMES
    W[S->at_moving] = 0.0;
    energy_members(S, W, end + 5 * n + 2 * S->elements);
#endif
    copy(W + S->at_memory, W + S->at_saved, S->nmemory);
    sys_add_measured(S, W, y, y + n, force);
    sys_loads(S, W, in, y, load);
    for (int i = 0; i < n; i++) {
        force[i] += load[i];
    }
    fill(load + n, n, 0.0);
    if (S->damping || S->nm > 0) {
        sys_damping_forces(S, in, y + n, load + n);
    }
    for (int e = 0; e < S->elements; e++) {
        if (energy_follows(S->element + e)) {
            double *q = end + 5 * n + 2 * e;
            q[0] = sys_gather(S, S->element[e].row0, y, in, 0);
            q[1] = sys_gather(S, S->element[e].row0, y + n, in, 1);
        }
    }
    return fault;
}

/* Half of (a + b) . (to - from). */
static double energy_work(const double *a, const double *b, const double *from, const double *to, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (a[i] + b[i]) * (to[i] - from[i]);
    }
    return sum / 2.0;
}

/* Starts the sums, or adds the step that ended at y. */
static int energy_add(const system_t *S, double *W, const double *in, double t, const double *y, double *E, int start)
{
#if FRAMES
    const int n = S->n, len = 5 * n + 2 * S->elements + 2 * S->frame_coordinates;
    double *a = E + 6, *b = a + len, *internal = b + len, rest = 0.0;
#else
    const int n = S->n, len = 5 * n + 2 * S->elements;
    double *a = E + 6, *b = a + len;
#endif
    const int fault = energy_read(S, W, in, t, y, b);
    if (fault) {
        return fault;
    }
    E[0] = sys_kinetic(S, W, in, y, y + n);
    if (start) {
        fill(E + 1, 4, 0.0);
        E[5] = E[0];
#if FRAMES
        *internal = 0.0;
#endif
    } else {
#if FRAMES
        E[1] = *internal;
#endif
        E[1] += energy_work(a + 2 * n, b + 2 * n, a, b, n);
        E[2] += energy_work(a + 4 * n, b + 4 * n, a, b, n);
        E[3] += energy_work(a + 3 * n, b + 3 * n, a, b, n);
        E[1] += energy_between(S, W, t, a, b);
#if FRAMES
        const double *x = a + 5 * n + 2 * S->elements, *y1 = b + 5 * n + 2 * S->elements;
        double members = 0.0;
        for (int i = 0; i < S->frame_coordinates; i++) {
            members += 0.5 * (x[2 * i + 1] + y1[2 * i + 1]) * (y1[2 * i] - x[2 * i]);
        }
        E[1] += members;
        rest = energy_rest(S, W, in, y);
#endif
        if (S->massive) {
            const double before = sys_kinetic(S, W, in, b, a + n) - sys_kinetic(S, W, in, a, a + n);
            const double after = sys_kinetic(S, W, in, b, b + n) - sys_kinetic(S, W, in, a, b + n);
            E[1] -= (before + after) / 2.0;
        }
    }
#if FRAMES
    *internal = E[1];
    E[4] = E[3] - E[1] - rest - (E[0] - E[5]);
    E[1] += rest;
#else
    E[4] = E[3] - E[1] - (E[0] - E[5]);
#endif
    copy(a, b, len);
    return 0;
}
