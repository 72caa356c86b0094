/* The energy balance: crates/model/src/energy.rs. E = [kinetic internal damping input error | kinetic energy at the start | what is
   remembered of the last end of a step: u v force load damping | room for the next]. */

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
}

static int energy_read(const system_t *S, double *W, const double *in, double t, const double *y, double *end)
{
    const int n = S->n;
    double *force = end + 2 * n, *load = force + n;
    copy(end, y, 2 * n);
    copy(W + S->at_saved, W + S->at_memory, S->nmemory);
    const int fault = sys_raw_force(S, W, in, t, y, y + n, y + 2 * n, 0, 0, 0, force, W + S->at_gs);
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
    const int n = S->n;
    double *a = E + 6, *b = a + 5 * n;
    const int fault = energy_read(S, W, in, t, y, b);
    if (fault) {
        return fault;
    }
    E[0] = sys_kinetic(S, W, in, y, y + n);
    if (start) {
        fill(E + 1, 4, 0.0);
        E[5] = E[0];
    } else {
        E[1] += energy_work(a + 2 * n, b + 2 * n, a, b, n);
        E[2] += energy_work(a + 4 * n, b + 4 * n, a, b, n);
        E[3] += energy_work(a + 3 * n, b + 3 * n, a, b, n);
        if (S->massive) {
            const double before = sys_kinetic(S, W, in, b, a + n) - sys_kinetic(S, W, in, a, a + n);
            const double after = sys_kinetic(S, W, in, b, b + n) - sys_kinetic(S, W, in, a, b + n);
            E[1] -= (before + after) / 2.0;
        }
    }
    E[4] = E[3] - E[1] - (E[0] - E[5]);
    copy(a, b, 5 * n);
    return 0;
}
