/* The connection of Interfield to the MPI of a machine: what its processes say to each other, in six functions.
 *
 * Implementations of MPI differ in their binary interface; this file is compiled with the `mpicc` of the one in use
 * (`interfield mpi`), and only a program that was started by `mpirun` loads it. */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION < 3
#error "MPI 3 or later is needed"
#endif

/* Of the first channel. */
#define TAG 24

/* Messages under way: each has its copy until it has left. */
struct letter {
    MPI_Request request;
    double *numbers;
    int room;
    struct letter *next;
};

static struct letter *sent, *empty;
static MPI_Comm ours = MPI_COMM_NULL;

static int start(int *rank, int *count) {
    int level, ready = 0;
    if (MPI_Initialized(&ready) != MPI_SUCCESS) return 1;
    if (!ready && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return 1;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &ours) != MPI_SUCCESS) return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN);
    if (MPI_Comm_rank(ours, rank) != MPI_SUCCESS) return 1;
    return MPI_Comm_size(ours, count) != MPI_SUCCESS;
}

static void sort_out(void) {
    struct letter **at = &sent;
    while (*at) {
        struct letter *letter = *at;
        int done = 0;
        if (MPI_Test(&letter->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
        if (done) {
            *at = letter->next;
            letter->next = empty;
            empty = letter;
        } else {
            at = &letter->next;
        }
    }
}

static int post(int to, int channel, const double *numbers, int count) {
    sort_out();
    struct letter *letter = empty;
    if (letter) {
        empty = letter->next;
    } else {
        letter = calloc(1, sizeof *letter);
        if (!letter) return 1;
    }
    if (letter->room < count) {
        double *more = realloc(letter->numbers, sizeof(double) * (size_t)count);
        if (!more) {
            letter->next = empty;
            empty = letter;
            return 1;
        }
        letter->numbers = more;
        letter->room = count;
    }
    memcpy(letter->numbers, numbers, sizeof(double) * (size_t)count);
    if (MPI_Isend(letter->numbers, count, MPI_DOUBLE, to, TAG + channel, ours, &letter->request) != MPI_SUCCESS) {
        letter->next = empty;
        empty = letter;
        return 1;
    }
    letter->next = sent;
    sent = letter;
    return 0;
}

/* Length of the next message from a rank on a channel, -1 if there is none yet, -2 if it cannot be asked for. */
static int look(int from, int channel) {
    int there = 0, count = 0;
    MPI_Status status;
    if (MPI_Iprobe(from, TAG + channel, ours, &there, &status) != MPI_SUCCESS) return -2;
    if (!there) return -1;
    if (MPI_Get_count(&status, MPI_DOUBLE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED) return -2;
    return count;
}

static int take(int from, int channel, double *numbers, int count) {
    return MPI_Recv(numbers, count, MPI_DOUBLE, from, TAG + channel, ours, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static void name(char *text, int room) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    strncpy(text, version, (size_t)room - 1);
    text[room - 1] = 0;
}

/* All messages leave before the processes part; `lost`: other processes are gone, and nothing is waited for. */
static void end(int lost) {
    if (lost) return;
    while (sent) {
        MPI_Wait(&sent->request, MPI_STATUS_IGNORE);
        sent = sent->next;
    }
    MPI_Finalize();
}

struct interfield_mpi {
    int (*start)(int *, int *);
    int (*post)(int, int, const double *, int);
    int (*look)(int, int);
    int (*take)(int, int, double *, int);
    void (*name)(char *, int);
    void (*end)(int);
};

const struct interfield_mpi interfield_mpi_1 = {start, post, look, take, name, end};
