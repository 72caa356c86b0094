/* Couplings: what their tables describe. A side is a range of subdomains, whose states are stacked. */
typedef struct {
    int first, end;
} side_t;

/* An entry of L: multiplier `row` acts on unknown `dof` with this sign. */
typedef struct {
    int row, dof;
    double sign;
} port_t;

/* A subdomain of a coupling. */
typedef struct {
    int state, moved, len; /* numbers of [u v s], of [u v s h], where multipliers act, and of [u v s h z], z what its laws remember */
    int offset;        /* of its part in the state of its side */
    int port0, ports;  /* its entries of L */
    int stride0;       /* the first of its ways to stride */
    int staged;        /* where the coupling keeps what its stages need */
    int work;          /* where its numbers start in W */
    int inertance;     /* where the accelerations by its multipliers start, one column per port */
    int initial;       /* where the parameters stand that its [u v s] start from */
    int command;       /* where the numbers of its commands start */
    int part;          /* its number in the model */
} subdomain_t;

/* A way to stride. */
typedef struct {
    int steps;         /* in a stride */
    int rows;          /* of the inputs that a step looks at */
    int link;          /* where the columns of its link start, one per port */
    int rate;          /* where in [u v s h] the rates stand that are compared */
    int held;          /* takes the multiplier as constant over a step */
    int once;          /* asks for forces once */
    int rates;         /* that begin its history, how many numbers */
    double lag;        /* how much later than the state they are, s */
} stride_t;

/* The interface problem of a fine loop. */
typedef struct {
    int nodes;         /* of the kernel: 2 linear, 4 cubic */
    int coarse;        /* where the flexibility of the coarse side starts */
    int both;          /* number of the factor of the flexibility of both sides */
} fine_t;

/* What the fine side was asked for last: 0 nothing, 1 a stride, 2 its accelerations, 3 to fill its histories. */
typedef struct {
    int kind, stepping, at, site;
    double t;
} ask_t;

/* How a problem of the interface is solved: 0 diagonal, 1 stored inverse, 3 sparse. */
typedef struct {
    int kind, n;
    const symbolic_t *symbolic;
    const double *values;
} interface_t;

/* Substeps of the fine side: whether the coarse one moves along with them, their number, stepping and first site, where both sides
   stand in the state, and the start. */
typedef struct {
    int moving, count, stepping, site, a, b;
    double t;
} run_t;
