/* A substructure: forces, tangents, dynamic matrices and solves, in the order of operations of crates/model/src/assembled. */

static int sys_fault(const system_t *S, double *W, int fault, int index)
{
    W[S->at_fault] = (double)index;
    return fault;
}

/* What is in W before the start. */
static void sys_init(const system_t *S, double *W)
{
    copy(W + S->at_constants, S->constants, S->constants_len);
    if (S->follows) {
        copy(W + S->at_tangents, S->tangents, S->tangents_len);
    }
    if (S->massive) {
        copy(W + S->at_mass, S->mass_linear, S->nnz);
    }
}

static const double *sys_tangents(const system_t *S, const double *W)
{
    return S->follows ? W + S->at_tangents : S->tangents;
}

/* The value of row k: of free unknowns x, and of derivative 0, 1 or 2 of imposed ones if there are inputs. */
static double sys_gather(const system_t *S, int k, const double *x, const double *in, int derivative)
{
    double sum = 0.0;
    for (int i = S->row_ptr[k]; i < S->row_ptr[k + 1]; i++) {
        const int j = S->row_at[i];
        if (j < S->n) {
            sum += S->row_factor[i] * x[j];
        } else if (in) {
            sum += S->row_factor[i] * in[S->imposed_in[j - S->n] + derivative];
        }
    }
    return sum;
}

/* r += Bᵀ p of row k. */
static void sys_scatter(const system_t *S, int k, double p, double *r)
{
    for (int i = S->row_ptr[k]; i < S->row_ptr[k + 1]; i++) {
        if (S->row_at[i] < S->n) {
            r[S->row_at[i]] += S->row_factor[i] * p;
        }
    }
}

static double line_gather(const element_t *E, const double *x)
{
    return E->factor[0] * x[E->at[0]] + E->factor[1] * x[E->at[1]];
}

static void line_scatter(const element_t *E, double p, double *r)
{
    r[E->at[0]] += E->factor[0] * p;
    r[E->at[1]] += E->factor[1] * p;
}

/* Adds factor times the external load. */
static void sys_add_load(const system_t *S, const double *in, double factor, double *out)
{
    for (int i = 0; i < S->supports; i++) {
        const double *x = in + S->support_in[i];
        out[S->support_row[i]] -= factor * (S->support_k[i] * x[0] + S->support_c[i] * x[1] + S->support_m[i] * x[2]);
    }
#if HELD
    for (int i = 0; S->held && i < S->n; i++) {
        out[i] += factor * S->held[i];
    }
#endif
    for (int i = 0; i < S->forces; i++) {
        out[S->force_dof[i]] += factor * in[S->force_in[i]];
    }
    for (int i = 0; i < S->grounds; i++) {
        const double a = in[S->ground_in[i]];
        for (int j = 0; j < S->n; j++) {
            out[j] -= factor * S->ground_load[i * S->n + j] * a;
        }
    }
}

/* The part of -r that depends on time alone. */
static void sys_load(const system_t *S, const double *in, double *out)
{
    fill(out, S->n, 0.0);
    sys_add_load(S, in, 1.0, out);
}

/* r = K u + C v of the constant matrices. */
static void sys_linear_force(const system_t *S, const double *u, const double *v, double *r)
{
    if (S->damping) {
        pattern_mul2(S, S->stiffness, u, S->damping, v, r);
    } else {
        pattern_mul(S, S->stiffness, u, r);
    }
    for (int i = 0; i < S->nm; i++) {
        const double *w = S->modal_w + i * S->n, f = S->modal_c[i] * dot(w, v, S->n);
        for (int j = 0; j < S->n; j++) {
            r[j] += f * w[j];
        }
    }
}

/* Acceleration of coordinate i of an element by the ground and by imposed motions. */
static double sys_base_acceleration(const system_t *S, const element_t *E, int i, const double *in)
{
    double ground = 0.0, imposed = 0.0;
    for (int g = 0; g < S->grounds; g++) {
        ground += in[S->ground_in[g]] * S->element_ground[E->ground0 + g * E->d + i];
    }
    for (int j = S->row_ptr[E->row0 + i]; j < S->row_ptr[E->row0 + i + 1]; j++) {
        if (S->row_at[j] >= S->n) {
            imposed += S->row_factor[j] * in[S->imposed_in[S->row_at[j] - S->n] + 2];
        }
    }
    return ground + imposed;
}

static int element_force(const system_t *S, double *W, const element_t *E, const double *in, double t, const double *u, const double *v,
                         const double *s, const double *du, const double *dv, const double *ds, double *r, double *g)
{
    const int d = E->d, ns = E->s;
    double *q = W + S->at_q, *w = W + S->at_v, *p = W + S->at_p, *rate = g + E->state0;
    for (int i = 0; i < d; i++) {
        q[i] = sys_gather(S, E->row0 + i, u, in, 0);
        w[i] = sys_gather(S, E->row0 + i, v, in, 1);
    }
    law_force(E->law, W + S->at_constants + E->constant0, t, q, w, s + E->state0, p, rate);
    if (E->massive) {
        double *acc = W + S->at_acc, *m = W + S->at_local;
        for (int i = 0; i < d; i++) {
            acc[i] = sys_base_acceleration(S, E, i, in);
        }
        law_mass(E->law, W + S->at_constants + E->constant0, q, m);
        mul_add(m, acc, d, p, d, 1.0);
    }
    const int bad = !all_finite(p, d) ? FAULT_FORCE : !all_finite(rate, ns) ? FAULT_RATE : 0;
    if (du) {
        const double *k = sys_tangents(S, W) + E->tangent0, *c = k + d * d, *rs = c + d * d, *a = rs + d * ns, *b = a + ns * d;
        for (int i = 0; i < d; i++) {
            q[i] = sys_gather(S, E->row0 + i, du, 0, 0);
            w[i] = sys_gather(S, E->row0 + i, dv, 0, 0);
        }
        mul_add(k, q, d, p, d, 1.0);
        mul_add(c, w, d, p, d, 1.0);
        mul_add(rs, ds + E->state0, ns, p, d, 1.0);
        mul_add(a, q, d, rate, ns, 1.0);
        mul_add(b, w, d, rate, ns, 1.0);
        mul_add(b + ns * d, ds + E->state0, ns, rate, ns, 1.0);
    }
    for (int i = 0; i < d; i++) {
        sys_scatter(S, E->row0 + i, p[i], r);
    }
    return bad;
}

/* An element of one coordinate between free unknowns, with at most one state. */
static int line_force(const system_t *S, double *W, const element_t *E, double t, const double *u, const double *v, const double *s,
                      const double *du, const double *dv, const double *ds, double *r, double *g)
{
    const double *k = sys_tangents(S, W) + E->tangent0;
    W[S->at_q] = line_gather(E, u);
    W[S->at_v] = line_gather(E, v);
    law_force(E->law, W + S->at_constants + E->constant0, t, W + S->at_q, W + S->at_v, s + E->state0, W + S->at_p, g + E->state0);
    double p = W[S->at_p];
    int bad = isfinite(p) ? 0 : FAULT_FORCE;
    if (E->s == 1) {
        double *rate = g + E->state0;
        bad = bad ? bad : isfinite(*rate) ? 0 : FAULT_RATE;
        if (du) {
            const double dq = line_gather(E, du), dw = line_gather(E, dv), z = ds[E->state0];
            p = p + k[0] * dq + k[1] * dw + k[2] * z;
            *rate = *rate + k[3] * dq + k[4] * dw + k[5] * z;
        }
    } else if (du) {
        p = p + k[0] * line_gather(E, du) + k[1] * line_gather(E, dv);
    }
    line_scatter(E, p, r);
    return bad;
}

/* Moves a law to the deformation at u and adds its force there. */
static int path_force(const system_t *S, double *W, const element_t *E, const double *in, const double *u, const double *du,
                      const double *dv, double *r)
{
    double *m = W + S->at_memory + E->memory0, *x = W + S->at_q, *z = W + S->at_local;
    *x = sys_gather(S, E->row0, u, in, 0);
    law_force(E->law, W + S->at_constants + E->constant0, 0.0, x, x, m, W + S->at_p, z);
    double p = W[S->at_p];
    if (!isfinite(m[0]) || !isfinite(m[1])) {
        *z = NAN;
        p = NAN;
    }
    m[0] = *x;
    m[1] = *z;
    const int bad = isfinite(p) ? 0 : FAULT_FORCE;
    if (du) {
        const double *k = sys_tangents(S, W) + E->tangent0;
        p += k[0] * sys_gather(S, E->row0, du, 0, 0) + k[1] * sys_gather(S, E->row0, dv, 0, 0);
    }
    sys_scatter(S, E->row0, p, r);
    return bad;
}

#if FRAMES
/* Coordinates of a part of a frame, and their rates. */
static void frame_motion(const system_t *S, double *W, const element_t *E, const double *in, const double *u, const double *v)
{
    for (int i = 0; i < E->d; i++) {
        W[S->at_q + i] = sys_gather(S, E->row0 + i, u, in, 0);
        W[S->at_v + i] = sys_gather(S, E->row0 + i, v, in, 1);
    }
}

/* Moves a part of a frame to a point and adds its forces there. It remembers its history, unless this is a trial, and behind it its
   coordinates and forces. */
static int frame_force(const system_t *S, double *W, const element_t *E, const double *in, double t, const double *u, const double *v,
                       const double *du, const double *dv, double *r)
{
    const int d = E->d, history = E->memory - 2 * d;
    double *q = W + S->at_q, *p = W + S->at_p, *m = W + S->at_memory + E->memory0, *ahead = W + S->at_ahead;
    frame_motion(S, W, E, in, u, v);
    part_force(E->law, W + S->at_constants + E->constant0, S->fibres + E->fibre0, t, q, W + S->at_v, m, ahead, p);
    copy(m, ahead, W[S->at_moving] > 0.0 ? 0 : history);
    copy(m + history, q, d);
    copy(m + history + d, p, d);
    const int bad = all_finite(p, d) ? 0 : FAULT_FORCE;
    if (du) {
        const double *k = sys_tangents(S, W) + E->tangent0;
        for (int i = 0; i < d; i++) {
            q[i] = sys_gather(S, E->row0 + i, du, 0, 0);
        }
        mul_add(k, q, d, p, d, 1.0);
        for (int i = 0; i < d; i++) {
            q[i] = sys_gather(S, E->row0 + i, dv, 0, 0);
        }
        mul_add(k + d * d, q, d, p, d, 1.0);
    }
    for (int i = 0; i < d; i++) {
        sys_scatter(S, E->row0 + i, p[i], r);
    }
    return bad;
}

/* What a part of a frame remembers at the beginning; without gravity it comes from rest to its initial displacements at once. */
static void frame_settle(const system_t *S, double *W, const element_t *E, const double *in, const double *u)
{
    const int d = E->d, history = E->memory - 2 * d;
    double *q = W + S->at_q, *v = W + S->at_v, *p = W + S->at_p, *m = W + S->at_memory + E->memory0, *ahead = W + S->at_ahead;
    int away = 0;
    copy(m, S->rest + E->rest0, E->memory);
    for (int i = 0; i < d; i++) {
        q[i] = sys_gather(S, E->row0 + i, u, in, 0);
        v[i] = 0.0;
        away |= q[i] != 0.0;
    }
    if (!E->settled && away) {
        part_force(E->law, W + S->at_constants + E->constant0, S->fibres + E->fibre0, 0.0, q, v, m, ahead, p);
        copy(m, ahead, history);
        copy(m + history, q, d);
        copy(m + history + d, p, d);
    }
}

/* A step that iterates begins: what parts of frames remember now is where every iteration starts. */
static void sys_commit(const system_t *S, double *W)
{
    copy(W + S->at_committed, W + S->at_memory, S->nmemory);
}

static void sys_rewind(const system_t *S, double *W)
{
    copy(W + S->at_memory, W + S->at_committed, S->nmemory);
}
#endif

/* Lets the laws that evaluations move come to the point u from rest. */
static void sys_settle(const system_t *S, double *W, const double *in, const double *u)
{
    double *x = W + S->at_q, *z = W + S->at_local;
    fill(W + S->at_memory, S->nmemory, 0.0);
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = &S->element[e];
#if FRAMES
        if (E->kind == 3) {
            frame_settle(S, W, E, in, u);
        }
#endif
        if (E->kind != 2) {
            continue;
        }
        double *m = W + S->at_memory + E->memory0;
        const double q = sys_gather(S, E->row0, u, in, 0);
        for (int i = 1; i <= WAY; i++) {
            *x = q * ((double)i / (double)WAY);
            law_force(E->law, W + S->at_constants + E->constant0, 0.0, x, x, m, W + S->at_p, z);
            m[0] = *x;
            m[1] = *z;
        }
    }
#if FRAMES
    sys_commit(S, W);
#endif
}

/* Forces of elements and loads in the true masses, without specimens and multipliers. du = 0: no shift. */
static int sys_raw_force(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *s,
                         const double *du, const double *dv, const double *ds, double *r, double *g)
{
    int fault = 0;
    if (du) {
        double *x = W + S->at_x, *y = W + S->at_y;
        for (int i = 0; i < S->n; i++) {
            x[i] = u[i] + du[i];
            y[i] = v[i] + dv[i];
        }
        sys_linear_force(S, x, y, r);
    } else {
        sys_linear_force(S, u, v, r);
    }
    sys_add_load(S, in, -1.0, r);
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        int bad = 0;
        if (E->kind == 2) {
            bad = path_force(S, W, E, in, u, du, dv, r);
        } else if (E->kind == 1) {
            bad = line_force(S, W, E, t, u, v, s, du, dv, ds, r, g);
#if FRAMES
        } else if (E->kind == 3) {
            bad = W[S->at_moving] > 1.0 ? 0 : frame_force(S, W, E, in, t, u, v, du, dv, r);
#endif
        } else {
            bad = element_force(S, W, E, in, t, u, v, s, du, dv, ds, r, g);
        }
        if (bad && !fault) {
            fault = sys_fault(S, W, bad, e);
        }
    }
    return fault;
}

/* Sends the specimens to u. */
static void sys_aim(const system_t *S, double *W, const double *u)
{
    for (int i = 0; S->specimens > 0 && i < S->specimen_ptr[S->specimens]; i++) {
        W[S->at_measured + i] = u[S->specimen_dof[i]];
    }
}

/* Puts the measured forces in place of those of the stand-ins. W[at_measured] is [target | reached | force] of all commanded
   unknowns; what was measured at the target is carried to u by the stiffness. */
static void sys_add_measured(const system_t *S, const double *W, const double *u, const double *v, double *r)
{
    const int all = S->specimens > 0 ? S->specimen_ptr[S->specimens] : 0;
    const double *target = W + S->at_measured, *reached = target + all, *force = reached + all;
    for (int b = 0, k0 = 0; b < S->specimens; b++) {
        const int first = S->specimen_ptr[b], n = S->specimen_ptr[b + 1] - first;
        for (int i = 0; i < n; i++) {
            double f = force[first + i];
            for (int j = 0; j < n; j++) {
                const int at = S->specimen_dof[first + j];
                double way = u[at] - target[first + j];
                if (S->specimen_correct[b]) {
                    way += target[first + j] - reached[first + j];
                }
                f += S->specimen_k[k0 + i * n + j] * (way - u[at]) - S->specimen_c[k0 + i * n + j] * v[at];
            }
            r[S->specimen_dof[first + i]] += f;
        }
        k0 += n * n;
    }
}

/* The mass matrix at a configuration. */
static void sys_assemble_mass(const system_t *S, double *W, const double *in, const double *u, double *values)
{
    double *q = W + S->at_q, *m = W + S->at_local;
    copy(values, S->mass, S->nnz);
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        if (E->massive) {
            for (int i = 0; i < E->d; i++) {
                q[i] = sys_gather(S, E->row0 + i, u, in, 0);
            }
            law_mass(E->law, W + S->at_constants + E->constant0, q, m);
            for (int i = E->scatter0; i < E->scatter1; i++) {
                values[S->scatter_at[i]] += S->scatter_factor[i] * m[S->scatter_index[i]];
            }
        }
    }
}

/* b = M(u)⁻¹ b. */
static int sys_solve_mass_at(const system_t *S, double *W, const double *in, const double *u, double *b)
{
    double *values = W + S->at_mass_values;
    sys_assemble_mass(S, W, in, u, values);
    const int bad = factor_make(&S->mass_factor, S, W, values);
    if (bad >= 0) {
        return sys_fault(S, W, FAULT_SINGULAR, bad);
    }
    factor_solve(&S->mass_factor, S, W, b);
    return 0;
}

/* y = M x with the mass matrix of the linearisation. */
static void sys_mul_mass(const system_t *S, const double *W, const double *x, double *y)
{
    if (S->lumped) {
        for (int i = 0; i < S->n; i++) {
            y[i] = S->lumped[i] * x[i];
        }
    } else {
        pattern_mul(S, S->massive ? W + S->at_mass : S->mass, x, y);
    }
}

/* r = K du + C dv + R ds, g = A du + B dv + E ds. */
static void sys_mul_tangent(const system_t *S, const double *W, const double *du, const double *dv, const double *ds, double *r, double *g)
{
    sys_linear_force(S, du, dv, r);
    fill(g, S->ns, 0.0);
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        const int d = E->d, ns = E->s;
        const double *k = sys_tangents(S, W) + E->tangent0, *c = k + d * d, *rs = c + d * d, *a = rs + d * ns, *b = a + ns * d;
        const double *s = ds + E->state0;
        for (int j = 0; j < d; j++) {
            const double q = sys_gather(S, E->row0 + j, du, 0, 0), v = sys_gather(S, E->row0 + j, dv, 0, 0);
            for (int i = 0; i < ns; i++) {
                g[E->state0 + i] += a[i * d + j] * q + b[i * d + j] * v;
            }
            for (int i = 0; i < d; i++) {
                sys_scatter(S, E->row0 + i, k[i * d + j] * q + c[i * d + j] * v, r);
            }
        }
        mul_add(b + ns * d, s, ns, g + E->state0, ns, 1.0);
        for (int i = 0; i < d; i++) {
            sys_scatter(S, E->row0 + i, dot(rs + i * ns, s, ns), r);
        }
    }
}

/* What comes after the elements and the specimens: the masses of elements, and the multipliers of the ports. W[at_ports] is
   [start and length of the step | multipliers at its start | at its end]. */
static int sys_finish_force(const system_t *S, double *W, const double *in, double t, const double *u, const double *du, const double *dv,
                            const double *ds, double *r, double *g)
{
    if (S->massive) {
        double *a = W + S->at_a, *gs = W + S->at_g;
        const int fault = sys_solve_mass_at(S, W, in, u, r);
        if (fault) {
            return fault;
        }
        copy(a, r, S->n);
        pattern_mul(S, W + S->at_mass, a, r);
        if (du) {
            sys_mul_tangent(S, W, du, dv, ds, a, gs);
            for (int i = 0; i < S->n; i++) {
                r[i] += a[i];
            }
            for (int i = 0; i < S->ns; i++) {
                g[i] += gs[i];
            }
        }
    }
    if (S->ports > 0) {
        const double *span = W + S->at_ports, *l0 = span + 2, *l1 = l0 + S->ports;
        double x = (t - span[0]) / span[1];
        x = fabs(x - 1.0) < 1e-6 ? 1.0 : x;
        for (int i = 0; i < S->ports; i++) {
            r[S->port_dof[i]] += S->port_sign[i] * ((1.0 - x) * l0[i] + x * l1[i]);
        }
    }
    return 0;
}

/* r = r(u, v, s, t) + K du + C dv + R ds, and the same for the rates g of the states; du = 0: no shift. */
static int sys_force(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *s,
                     const double *du, const double *dv, const double *ds, double *r, double *g)
{
    const int fault = sys_raw_force(S, W, in, t, u, v, s, S->massive ? 0 : du, dv, ds, r, g);
    if (fault) {
        return fault;
    }
    sys_add_measured(S, W, u, v, r);
    return sys_finish_force(S, W, in, t, u, du, dv, ds, r, g);
}

/* D a + c R s' = b, (m I - c E) s' = bs + (c B + k A) a, in place. */
static void sys_solve(const system_t *S, double *W, int slot, double *b, double *bs)
{
    const operator_t *O = S->op + slot;
    const double c = O->c, *tangents = sys_tangents(S, W);
    const double *eliminated = O->follows ? W + O->at_eliminated : O->eliminated;
    double *lu = W + S->at_lu, *p = W + S->at_p, *q = W + S->at_q;
    for (int e = 0; e < S->elements && c != 0.0; e++) {
        const element_t *E = S->element + e;
        const int d = E->d, s = E->s;
        const double *rs = tangents + E->tangent0 + 2 * d * d;
        if (s == 0) {
            continue;
        }
        if (E->kind == 1) {
            line_scatter(E, -c * (rs[0] * (eliminated[E->eliminated0] * bs[E->state0])), b);
            continue;
        }
        fill(lu, s, 0.0);
        mul_add(eliminated + E->eliminated0, bs + E->state0, s, lu, s, 1.0);
        fill(p, d, 0.0);
        mul_add(rs, lu, s, p, d, c);
        for (int i = 0; i < d; i++) {
            sys_scatter(S, E->row0 + i, -p[i], b);
        }
    }
    factor_solve(&O->factor, S, W, b);
    if (c != 0.0 && S->nm > 0) {
        const double *z = O->follows ? W + O->at_modal_z : O->modal_z, *small = O->follows ? W + O->at_modal_small : O->modal_small;
        double *x = W + S->at_modal;
        for (int i = 0; i < S->nm; i++) {
            x[i] = dot(S->modal_w + i * S->n, b, S->n);
        }
        for (int i = 0; i < S->nm; i++) {
            const double f = dot(small + i * S->nm, x, S->nm);
            for (int j = 0; j < S->n; j++) {
                b[j] -= f * z[i * S->n + j];
            }
        }
    }
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        const int d = E->d, s = E->s;
        const double *inv = eliminated + E->eliminated0;
        double *mine = bs + E->state0;
        if (s == 0) {
            continue;
        }
        if (E->kind == 1) {
            mine[0] = inv[0] * (mine[0] + inv[1] * line_gather(E, b));
            continue;
        }
        for (int i = 0; i < d; i++) {
            q[i] = sys_gather(S, E->row0 + i, b, 0, 0);
        }
        mul_add(inv + s * s, q, d, mine, s, 1.0);
        fill(lu, s, 0.0);
        mul_add(inv, mine, s, lu, s, 1.0);
        copy(mine, lu, s);
    }
}

/* Accelerations that balance the forces at a point; nothing is moved by it. */
static int sys_accelerations(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *s,
                             double *a)
{
    double *g = W + S->at_gs;
    copy(W + S->at_saved, W + S->at_memory, S->nmemory);
    const int fault = sys_raw_force(S, W, in, t, u, v, s, 0, 0, 0, a, g);
    copy(W + S->at_memory, W + S->at_saved, S->nmemory);
    if (fault) {
        return fault;
    }
    sys_add_measured(S, W, u, v, a);
    for (int i = 0; i < S->n; i++) {
        a[i] = -a[i];
    }
    if (S->massive) {
        return sys_solve_mass_at(S, W, in, u, a);
    }
    if (S->lumped && S->massless == 0.0) {
        for (int i = 0; i < S->n; i++) {
            a[i] /= S->lumped[i];
        }
    } else {
        sys_solve(S, W, S->mass_slot, a, g);
    }
    return 0;
}

/* Takes the tangents of all elements. */
static int sys_take_tangents(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *s)
{
    double *q = W + S->at_q, *w = W + S->at_v, *acc = W + S->at_acc, *a = W + S->at_a;
    if (S->massive) {
        const int fault = sys_accelerations(S, W, in, t, u, v, s, a);
        if (fault) {
            return fault;
        }
    }
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        const double *c = W + S->at_constants + E->constant0;
        double *out = W + S->at_tangents + E->tangent0;
        if (E->frozen) {
            continue;
        }
#if FRAMES
        if (E->kind == 3) {
            /* A scheme that does not iterate keeps the stiffness with which it began; slopes by the rate depend on no path. */
            const double *m = W + (S->iterated ? S->at_committed : S->at_memory) + E->memory0;
            double *both = S->iterated ? out : W + S->at_both;
            if (S->iterated || E->rated) {
                frame_motion(S, W, E, in, u, v);
                part_stiffness(E->law, c, S->fibres + E->fibre0, t, q, w, m, W + S->at_ahead, both);
                copy(out + E->d * E->d, both + E->d * E->d, E->d * E->d);
            }
            continue;
        }
#endif
        if (E->kind == 1) {
            q[0] = line_gather(E, u);
            w[0] = line_gather(E, v);
            acc[0] = 0.0;
        } else {
            for (int i = 0; i < E->d; i++) {
                q[i] = sys_gather(S, E->row0 + i, u, in, 0);
                w[i] = sys_gather(S, E->row0 + i, v, in, 1);
                acc[i] = E->massive ? sys_gather(S, E->row0 + i, a, 0, 0) + sys_base_acceleration(S, E, i, in) : 0.0;
            }
        }
        law_tangent(E->law, c, t, q, w, s + E->state0, acc, out);
        if (E->massive) {
            law_mass(E->law, c, q, out + 2 * E->d * E->d + 3 * E->d * E->s + E->s * E->s);
        }
    }
    if (S->massive) {
        sys_assemble_mass(S, W, in, u, W + S->at_mass);
    }
    return 0;
}

/* D plus what the elements add to it, their states eliminated; then its factor. */
static int sys_factorize(const system_t *S, double *W, const operator_t *O)
{
    double *values = W + O->at_values, *eliminated = W + O->at_eliminated, *local = W + S->at_local;
    const double m = O->m, c = O->c, k = O->k;
    const int stands_in = c == 0.0 && k != 0.0;
    copy(values, O->base, S->nnz);
    for (int e = 0; e < S->elements; e++) {
        const element_t *E = S->element + e;
        const int d = E->d, s = E->s;
        const double *bk = sys_tangents(S, W) + E->tangent0, *bc = bk + d * d, *br = bc + d * d, *ba = br + d * s, *bb = ba + s * d,
                     *be = bb + s * d, *bm = be + s * s;
        if (E->kind == 1) {
            local[0] = c * bc[0] + k * bk[0];
            if (s == 1) {
                const double pivot = m - c * be[0];
                if (!isfinite(pivot) || pivot == 0.0) {
                    return sys_fault(S, W, FAULT_ELEMENT, e);
                }
                const double inv = 1.0 / pivot, h = c * bb[0] + k * ba[0];
                eliminated[E->eliminated0] = inv;
                eliminated[E->eliminated0 + 1] = h;
                local[0] += br[0] * inv * c * h + (stands_in ? k * br[0] * bb[0] : 0.0);
            }
        } else {
            for (int i = 0; i < d * d; i++) {
                local[i] = c * bc[i] + k * bk[i] + (E->massive ? m * bm[i] : 0.0);
            }
            if (s > 0) {
                double *inv = eliminated + E->eliminated0, *h = inv + s * s;
                for (int i = 0; i < s; i++) {
                    for (int j = 0; j < s; j++) {
                        inv[i * s + j] = (i == j ? m : 0.0) - c * be[i * s + j];
                    }
                }
                for (int i = 0; i < s * d; i++) {
                    h[i] = c * bb[i] + k * ba[i];
                }
                if (!invert(inv, W + S->at_lu, s)) {
                    return sys_fault(S, W, FAULT_ELEMENT, e);
                }
                for (int i = 0; i < d; i++) {
                    for (int l = 0; l < s; l++) {
                        double ri = 0.0;
                        for (int j = 0; j < s; j++) {
                            ri += br[i * s + j] * inv[j * s + l];
                        }
                        ri *= c;
                        const double rb = stands_in ? k * br[i * s + l] : 0.0;
                        for (int j = 0; j < d; j++) {
                            local[i * d + j] += ri * h[l * d + j] + rb * bb[l * d + j];
                        }
                    }
                }
            }
        }
        for (int i = E->scatter0; i < E->scatter1; i++) {
            values[S->scatter_at[i]] += S->scatter_factor[i] * local[S->scatter_index[i]];
        }
    }
    const int bad = factor_make(&O->factor, S, W, values);
    if (bad >= 0) {
        return sys_fault(S, W, FAULT_SINGULAR, bad);
    }
    if (S->nm > 0 && c != 0.0) {
        double *z = W + O->at_modal_z, *small = W + O->at_modal_small;
        for (int i = 0; i < S->nm; i++) {
            copy(z + i * S->n, S->modal_w + i * S->n, S->n);
            factor_solve(&O->factor, S, W, z + i * S->n);
        }
        for (int i = 0; i < S->nm; i++) {
            for (int j = 0; j < S->nm; j++) {
                small[i * S->nm + j] =
                    dot(S->modal_w + i * S->n, z + j * S->n, S->n) + (i == j ? 1.0 / (c * S->modal_c[i]) : 0.0);
            }
        }
        if (!invert(small, W + S->at_lu, S->nm)) {
            return sys_fault(S, W, FAULT_SINGULAR, 0);
        }
    }
    return 0;
}

/* Takes the tangents at a point and factorises again, if the tangents follow the state. */
static int sys_linearise(const system_t *S, double *W, const double *in, double t, const double *u, const double *v, const double *s)
{
    if (!S->follows) {
        return 0;
    }
    int fault = sys_take_tangents(S, W, in, t, u, v, s);
    for (int i = 0; i < S->operators && !fault; i++) {
        if (S->op[i].follows) {
            fault = sys_factorize(S, W, S->op + i);
        }
    }
    return fault;
}

/* Accelerations and state rates that satisfy the equations at (t, y), M a = -r, s' = g: everything but the measured forces, ... */
static int sys_rates_begin(const system_t *S, double *W, const double *in, double t, const double *y, double *a, double *sd)
{
    const double *v = y + S->n, *s = v + S->n;
    const int fault = sys_linearise(S, W, in, t, y, v, s);
    return fault ? fault : sys_raw_force(S, W, in, t, y, v, s, 0, 0, 0, a, sd);
}

/* ... and what follows from them; `mass` is the slot of the mass matrix. */
static int sys_rates_end(const system_t *S, double *W, int mass, const double *in, double t, const double *y, double *a, double *sd)
{
    sys_add_measured(S, W, y, y + S->n, a);
    const int fault = sys_finish_force(S, W, in, t, y, 0, 0, 0, a, sd);
    if (fault) {
        return fault;
    }
    for (int i = 0; i < S->n; i++) {
        a[i] = -a[i];
    }
    sys_solve(S, W, mass, a, sd);
    return 0;
}

/* Names the first number of y = [u v s] that is not finite. */
static int sys_check(const system_t *S, double *W, const double *y)
{
    const int ny = 2 * S->n + S->ns;
    if (all_finite(y, ny)) {
        return 0;
    }
    for (int i = 0; i < ny; i++) {
        if (!isfinite(y[i])) {
            const int place = i < S->n ? FAULT_DISPLACEMENT : i < 2 * S->n ? FAULT_VELOCITY : FAULT_STATE;
            return sys_fault(S, W, place, i < S->n ? i : i < 2 * S->n ? i - S->n : i - 2 * S->n);
        }
    }
    return 0;
}
