/* Localized multipliers, mirrors crates/coupling/src/llm.rs and condensed.rs. State x = [subdomains, L, Lc]. One event: the
   stride of all subdomains. */

/* z = W^-1 (rates + w), subdomain by subdomain. */
static void ties_multipliers(coupling_t *c, int problem)
{
    for (int j = 0; j < ROWS; j++) {
        c->z[j] = c->rates[TIE_DOF[j]] + c->w[j];
    }
    for (int p = 0; p < SUBDOMAIN_COUNT; p++) {
        interface_solve(c, problem + p, c->z + TIE_FIRST[p]);
    }
}

/* The change of the multipliers under which the ties have the rates -w becomes w. The blocks of the subdomains and the condensed
   matrix are the interface problems from `problem` on. Imposed rates are component `derivative` of the inputs. */
static void ties_solve(coupling_t *c, int problem, int site, int derivative)
{
    double *l = c->x + X_L, *reactions = c->x + X_REACTIONS;
    const double *in = site_inputs(c, site, 0);
    for (int j = 0; j < ROWS; j++) {
        const int role = DOF_ROLE[TIE_DOF[j]];
        c->rates[TIE_DOF[j]] = role < 0 ? in[IMPOSED_IN[-1 - role] + derivative] : -c->w[j];
    }
    ties_multipliers(c, problem);
    fill(c->balance, FREE_DOFS, 0.0);
    for (int j = 0; j < ROWS; j++) {
        const int role = DOF_ROLE[TIE_DOF[j]];
        if (role >= 0) {
            c->balance[role] -= l[j] + c->z[j];
        }
    }
#if FREE
    interface_solve(c, problem + SUBDOMAIN_COUNT, c->balance);
#endif
    for (int i = 0; i < DOFS; i++) {
        if (DOF_ROLE[i] >= 0) {
            c->rates[i] += c->balance[DOF_ROLE[i]];
        }
    }
    ties_multipliers(c, problem);
    copy(c->w, c->z, ROWS);
    fill(reactions, IMPOSED_DOFS, 0.0);
    for (int j = 0; j < ROWS; j++) {
        const int role = DOF_ROLE[TIE_DOF[j]];
        l[j] += c->w[j];
        if (role < 0) {
            reactions[-1 - role] += l[j];
        }
    }
}

/* The multipliers at which the accelerations agree, then the histories under them. */
static int start_aim(coupling_t *c, int e)
{
    if (e == 0) {
        side_initial(c, FINE, c->x);
        fill(c->x + X_L, ROWS + IMPOSED_DOFS, 0.0);
        fill(c->asked, ROWS, 0.0);
        ask_accelerations(c, SITE_START, 0, 0.0);
    } else {
        ask_restart(c, 0, SITE_START, 0, 0.0, c->x + X_L);
    }
    return 0;
}

static int start_take(coupling_t *c, int e)
{
    if (e == 0) {
        copy(c->w, c->asked, ROWS);
        ties_solve(c, TIES_START, SITE_START, 2);
    }
    return 0;
}

static int coupling_events(const coupling_t *c)
{
    return c->k < 0 ? 2 : 1;
}

static int coupling_aim(coupling_t *c, int e)
{
    ask_stride(c, 0, SITE_FINE + e, 0, (double)c->k * MACRO, c->x + X_L, c->x + X_L);
    return 0;
}

static int coupling_take(coupling_t *c, int e)
{
    int fault = 0;
    fill(c->w, ROWS, 0.0);
    side_port_rates(FINE, 0, c->x, c->w);
    ties_solve(c, TIES_STEP, SITE_IMPOSED + e, 1);
    side_link(FINE, 0, c->x, c->w, 1.0);
    for (int p = FINE.first; p < FINE.end && !fault; p++) {
        fault = sys_check(SYSTEMS[p], subdomain_work(c, p), c->x + SUBDOMAINS[p].offset);
    }
    return fault;
}
