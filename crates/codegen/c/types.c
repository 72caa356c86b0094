/* What the tables describe. Everything that changes lies in one array of numbers per subdomain, W; the fields `at_...` say where. */

/* A local coordinate is a row: the sum of factor * unknown. Unknowns from n on are imposed; theirs are components of the inputs. */
typedef struct {
    int d, s;        /* coordinates, states */
    int kind;        /* 0: any, 1: one coordinate between two free unknowns ("line"), 2: moved by its evaluations ("path"), 3: of a frame */
    int massive;     /* carries mass */
    int frozen;      /* its tangent is constant */
    int law;         /* number of its recorded law */
    int constant0;   /* first of its constants */
    int row0, state0, memory0, tangent0, eliminated0, scatter0, scatter1, ground0;
    int at[2];       /* line: its unknowns */
    double factor[2];
#if FRAMES
    int memory, fibre0, rest0; /* of a frame: numbers that it remembers, first of its fibres, first of what it remembers at the beginning */
    int settled;               /* ... after gravity: it is not moved to its initial displacements */
    int rated;                 /* ... its damping depends on the rate */
#endif
} element_t;

/* Columns first .. first + width - 1 of a sparse factor, which share one list of rows. */
typedef struct {
    int first, width, rows, rows_len, values;
} panel_t;

/* What of a sparse factor does not depend on values. */
typedef struct {
    int n, panels, values_len, general;
    double tolerance;
    const int *order;         /* order[new] = old, or 0 */
    const panel_t *panel;
    const int *rows;
    const int *row_panels_ptr, *row_panels, *row_panels_filled;
    const int *panel_of;
    const int *lower_ptr, *lower_column, *lower_source, *lower_mirror;
    const int *diagonal;
} symbolic_t;

/* How a matrix is solved with: 0 diagonal, 1 stored inverse, 2 dense, 3 sparse. */
typedef struct {
    int kind;
    int symmetric;
    const int *target;          /* dense: where the entries of the pattern go */
    const symbolic_t *symbolic; /* sparse */
    const double *values;       /* the factor, if it is constant */
    int at;                     /* else where it is in W */
} factor_t;

/* A dynamic matrix m M + c C + k K. */
typedef struct {
    double m, c, k;
    int follows;                /* factorised again when the tangents are taken */
    const double *base;         /* m M + c C + k K of the constant matrices, if it follows */
    factor_t factor;
    const double *eliminated;   /* constants, if it does not follow */
    const double *modal_z, *modal_small;
    int at_values, at_eliminated, at_modal_z, at_modal_small;
} operator_t;

/* A substructure. */
typedef struct {
    int n, ns, nm, nmemory;     /* unknowns, states, modes of modal damping, memory of path-moved laws */
    int follows;                /* tangents follow the state */
    int massive;                /* some element carries mass */
    double massless;            /* share of the stiffness that stands in for missing masses */
    const int *ptr, *idx;       /* pattern of all matrices, by rows */
    int nnz;
    const double *mass, *damping, *stiffness, *lumped;
    const double *modal_c, *modal_w;
    int supports;               /* constant matrices between free and imposed unknowns */
    const int *support_row, *support_in;
    const double *support_m, *support_c, *support_k;
    int forces;
    const int *force_dof, *force_in;
    int grounds;
    const int *ground_in;
    const double *ground_load;  /* per ground motion, n loads of a unit acceleration */
#if HELD
    const double *held;         /* loads that are there from the beginning, or 0 */
#endif
    const int *imposed_in;      /* per imposed unknown: first of its three components of the inputs */
    int elements;
    const element_t *element;
    const int *row_ptr, *row_at;
    const double *row_factor;
    const int *scatter_index, *scatter_at;
    const double *scatter_factor;
    const double *element_ground;
    const double *tangents;     /* at the initial state */
    int tangents_len;
    const double *mass_linear;  /* mass matrix there, if elements carry mass */
    const double *constants;    /* of the laws */
    int constants_len;
    factor_t mass_factor;
    int operators, mass_slot;
    const operator_t *op;
    int specimens;              /* blocks of commanded unknowns */
    const int *specimen_ptr, *specimen_dof, *specimen_correct;
    const double *specimen_k, *specimen_c;
    int ports;
    const int *port_dof, *port_row;
    const double *port_sign;
    int at_x, at_y, at_q, at_v, at_acc, at_p, at_local, at_lu, at_modal, at_a, at_g, at_gs, at_solve;
#if FRAMES
    const double *rest;         /* what parts of frames remember at the beginning */
    const int *fibres;          /* of parts of frames: first group, number of groups, place of their histories */
    int frame_coordinates;      /* of all parts of frames */
    int iterated;               /* the scheme iterates: tangents of parts of frames are taken from where the step began */
    int at_ahead, at_committed, at_both;
    int at_moving;              /* 0: evaluations move all, 1: they are trials, 2: parts of frames are left out */
#endif
    int at_memory, at_saved, at_tangents, at_mass, at_mass_values, at_constants, at_measured, at_ports, at_row, at_fault, at_scheme;
} system_t;

/* A scheme with its step: how a subdomain strides. */
typedef struct {
    int scheme;                 /* number of its functions */
    int slot;                   /* its first operator */
    int start_cuts, step_cuts;  /* how often its start and its step are cut: at every evaluation */
    int history;                /* numbers it remembers */
    double dt;
    const int *row;             /* of the inputs, at every time at which it looks at them */
    const double *numbers;      /* of its functions */
} stepping_t;

/* What can go wrong in a step, as a positive number; where it did is in W[at_fault]. */
enum {
    FAULT_FORCE = 1,      /* the force of an element is not finite */
    FAULT_RATE = 2,       /* the rate of a state of an element is not finite */
    FAULT_DISPLACEMENT = 3,
    FAULT_VELOCITY = 4,
    FAULT_STATE = 5,
    FAULT_SINGULAR = 6,   /* a dynamic matrix has no usable pivot at this unknown */
    FAULT_ELEMENT = 7,    /* the states of an element cannot be eliminated */
    FAULT_CONVERGENCE = 8
};

static void fill(double *x, int n, double value)
{
    for (int i = 0; i < n; i++) {
        x[i] = value;
    }
}

static void copy(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static int all_finite(const double *x, int n)
{
    int sound = 1;
    for (int i = 0; i < n; i++) {
        sound &= isfinite(x[i]) ? 1 : 0;
    }
    return sound;
}
