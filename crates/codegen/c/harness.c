/* Runs the analysis with the specimen of the model at the other end of the wire: `interfield lab`, or a controller. POSIX.1-2008.
 *
 *     ./harness [--lockstep] [HOST:PORT]      default @ADDRESS@
 *
 * One command per sample of the controller, by the clock; with --lockstep as fast as answers come. Between two commands of the model the
 * actuators go on a straight line. All channels go to standard output as CSV, what was counted to standard error. Ctrl-C: home, and out.
 * Nothing is allocated in the loop. There are no limits here: those of the controller guard the specimen. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "@name@.h"
#include "interfield_wire.h"

enum { N = @NAME@_COMMANDS, START = @EVALUATIONS@ };
#define SPECIMEN @SPECIMEN@
#define PERIOD @PERIOD@       /* of the controller, s */
#define TIME_SCALE @TIMESCALE@ /* seconds here per second of the model */
#define RAMP_SAMPLES @RAMP@   /* of the way to the start and home */
#define COAST_SAMPLES @COAST@ /* in which the motion of the test runs out on the way home */
static const double EVALUATION[] = {@TIMES@}; /* times of the commands within a step, in steps */

#define MS 1000000ull
#define PERIOD_NS ((uint64_t)(1e9 * PERIOD + 0.5))
#define GREETING_NS (3000 * MS) /* a laboratory has so long to answer at all */
#define PATIENCE_NS (5000 * MS) /* in lock-step one without a sign of life for so long is gone, */
#define MOST_MISSES 20          /* by the clock one that left so many samples in a row without an answer */
#define AGAIN_NS (50 * MS)      /* until the same message is sent again, where there is time */

static @name@_t model;

static int wire = -1, lockstep, gone;
static volatile sig_atomic_t interrupted;
static struct ifw_message out, in;
static uint64_t session, sequence, answered;
static uint64_t samples, stale, late, misses;

static double aim[N], goal[N], increment[N]; /* where the actuators are sent, where the line ends, its last piece */
static double reached[N], force[N];          /* newest readings */
static int under_way;                        /* whether there was a target */
static double last_time;                     /* time of the model at the last target, */
static long last_samples;                    /* and how long the line to it was */

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
    struct timespec t;
    t.tv_sec = (time_t)(ns / 1000000000ull);
    t.tv_nsec = (long)(ns % 1000000000ull);
    return t;
}

/* Lateness of wake-ups in classes a sixteenth of their value wide. */
static uint64_t class_of[64 * 16], most_late;

static void note(uint64_t ns)
{
    unsigned shift = 0;
    while ((ns >> shift) >= 32) {
        shift++;
    }
    class_of[16 * shift + (ns >> shift)]++; /* below 16 only without a shift */
    most_late = ns > most_late ? ns : most_late;
}

/* Upper end of the class that this share of all is not beyond, us. */
static double percentile(double share)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < 64 * 16; i++) {
        const unsigned shift = i < 32 ? 0 : i / 16 - 1;
        seen += class_of[i];
        if (seen > 0 && (double)seen >= share * (double)samples) {
            const double end = ldexp((double)(i - 16 * shift + 1), (int)shift) - 1.0;
            return 1e-3 * fmin(end, (double)most_late);
        }
    }
    return 0.0;
}

static void put(size_t length)
{
    (void)send(wire, &out, length, 0); /* what the network refuses is lost, and sent again */
}

/* Waits for a message of this session until then; whether one is in `in`. */
static int hear(uint64_t until)
{
    for (uint64_t now = now_ns(); now < until; now = now_ns()) {
        const struct timespec left = timespec_of(until - now);
        fd_set ready;
        FD_ZERO(&ready);
        FD_SET(wire, &ready);
        const int some = pselect(wire + 1, &ready, NULL, NULL, &left, NULL);
        const ssize_t n = some > 0 ? recv(wire, &in, sizeof in, 0) : 0;
        if (n > 0 && ifw_is_message(&in, (size_t)n) && in.header.session == session) {
            return 1;
        }
    }
    return 0;
}

static int dial(const char *address)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    const size_t length = colon ? (size_t)(colon - address) : 0;
    struct addrinfo wanted, *found = NULL;
    if (!colon || length >= sizeof host) {
        fprintf(stderr, "harness: `%s` is no address; write HOST:PORT, as in 127.0.0.1:7700\n", address);
        return 0;
    }
    memcpy(host, address, length);
    host[length] = 0;
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_DGRAM;
    const int problem = getaddrinfo(host, colon + 1, &wanted, &found);
    if (problem) {
        fprintf(stderr, "harness: %s: %s\n", address, gai_strerror(problem));
        return 0;
    }
    wire = socket(found->ai_family, SOCK_DGRAM, 0);
    const int open = wire >= 0 && wire < FD_SETSIZE && connect(wire, found->ai_addr, found->ai_addrlen) == 0 &&
                     fcntl(wire, F_SETFL, O_NONBLOCK) == 0;
    freeaddrinfo(found);
    if (!open) {
        perror("harness");
    }
    return open;
}

/* Opens the session. */
static int greet(const char *address)
{
    static const char *const why[] = {
        "another reason",
        "another test has the specimen",
        "it speaks another version of the wire",
        "it has another number of actuators",
        "it works with another sampling interval",
        "its instruments have other units",
        "it has another specimen",
        "it wants every message sealed with its key",
    };
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    session = ((uint64_t)t.tv_sec << 32 ^ (uint64_t)t.tv_nsec ^ (uint64_t)getpid() << 30) | 1;
    const uint64_t end = now_ns() + GREETING_NS;
    while (now_ns() < end && !interrupted) {
        const uint64_t now = now_ns();
        put(ifw_say_hello(&out, session, now, SPECIMEN, PERIOD_NS, N));
        if (!hear(now + AGAIN_NS)) {
            continue;
        }
        if (in.header.kind == IFW_WELCOME) {
            return 1;
        }
        if (in.header.kind == IFW_REFUSAL) {
            fprintf(stderr, "harness: %s refuses: %s\n", address, why[in.header.status < 8 ? in.header.status : 0]);
            return 0;
        }
    }
    fprintf(stderr, "harness: %s: nobody answers; start `interfield lab MODEL` first\n", address);
    return 0;
}

/* Sends the command of this sample and takes what comes: 1 if there are newer readings. */
static int ask(void)
{
    const uint64_t start = now_ns(), patience = lockstep ? PATIENCE_NS : PERIOD_NS / 2;
    const uint64_t again = lockstep ? AGAIN_NS : patience / 3 + 1;
    uint64_t until = start + patience, next = start + again;
    int newer = 0;
    const size_t length = ifw_say_command(&out, session, start, ++sequence, PERIOD_NS, aim, N);
    put(length);
    while (!gone) {
        const int heard = hear(until < next ? until : next);
        const uint64_t now = now_ns();
        if (heard && in.header.kind == IFW_STOP) {
            gone = 1;
        } else if (heard && in.header.kind == IFW_HEARTBEAT && lockstep) {
            until = now + patience;
        } else if (heard && in.header.kind == IFW_MEASUREMENT && in.header.count == N && in.header.sequence > answered &&
                   in.header.sequence <= sequence) {
            answered = in.header.sequence;
            newer = (in.header.status & IFW_FRESH) != 0;
            misses = 0;
            if (newer) {
                memcpy(reached, in.body.measurement.value, sizeof reached);
                memcpy(force, in.body.measurement.value + N, sizeof force);
            }
        }
        if (answered == sequence) {
            return newer;
        }
        if (now >= until) {
            misses++;
            gone = gone || lockstep || misses >= MOST_MISSES;
            return newer;
        }
        if (now >= next) {
            put(length);
            next = now + again;
        }
    }
    return newer;
}

/* One sample of the controller, at its time. Whoever wakes a whole period late does not hurry after: the clock goes on from there. */
static void sample(void)
{
    static uint64_t next;
    if (!lockstep) {
        next = (next ? next : now_ns()) + PERIOD_NS;
        const struct timespec at = timespec_of(next);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
        }
        const uint64_t now = now_ns(), lateness = now > next ? now - next : 0;
        note(lateness);
        late += lateness > PERIOD_NS / 2;
        next = lateness >= PERIOD_NS ? now : next;
    }
    samples++;
    stale += !ask();
}

/* From 0 to 1 as x does, at rest and without acceleration at both ends. */
static double ease(double x)
{
    return x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

/* From 0 with slope 1 back to 0, without acceleration at both ends and at rest at the second. */
static double coast(double x)
{
    return x + x * x * x * (x * (8.0 - 3.0 * x) - 6.0);
}

/* Samples from the last target to the one at time t: the first is reached by a ramp, if there is a way to go at all. Time that stands still
   or goes back is that of a scheme that starts: it takes as long as the last time. */
static long samples_until(double t)
{
    int there = 1;
    for (int i = 0; i < N; i++) {
        there = there && model.commands[i] == goal[i];
    }
    if (!under_way) {
        return there ? 0 : RAMP_SAMPLES;
    }
    if (t <= last_time) {
        return last_samples == 0 && there ? 0 : last_samples > 0 ? last_samples : 1;
    }
    const double count = round((t - last_time) * TIME_SCALE / PERIOD);
    return count > 1.0 ? (long)count : 1;
}

/* Leads the specimen to the commands of the model and hands over what is measured there; whether it came so far. */
static int lead(void)
{
    const int starts = model.pending == START;
    const double t = starts ? 0.0 : (double)model.step * @NAME@_DT + EVALUATION[model.pending] * @NAME@_DT;
    const long count = samples_until(t);
    const int ramp = !under_way;
    double origin[N];
    last_samples = ramp || (last_samples == 0 && t <= last_time) ? 0 : count;
    last_time = t;
    under_way = 1;
    memcpy(origin, aim, sizeof origin);
    memcpy(goal, model.commands, sizeof goal);
    for (long left = count; left > 0; left--) {
        const double done = ease(1.0 - (double)(left - 1) / (double)count);
        for (int i = 0; i < N; i++) {
            if (ramp) {
                aim[i] = goal[i] - (1.0 - done) * (goal[i] - origin[i]);
            } else {
                increment[i] = (goal[i] - aim[i]) / (double)left;
                aim[i] = left == 1 ? goal[i] : aim[i] + increment[i];
            }
        }
        sample();
        if (gone || interrupted) {
            return 0;
        }
    }
    memcpy(model.measured, reached, sizeof reached);
    memcpy(model.measured + N, force, sizeof force);
    return 1;
}

/* Back to where the specimen stood before the test. The motion runs out first. */
static void go_home(void)
{
    double origin[N];
    memcpy(origin, aim, sizeof origin);
    for (long k = 1; k <= RAMP_SAMPLES && under_way && !gone; k++) {
        const double left = 1.0 - ease((double)k / RAMP_SAMPLES);
        const double coasted = COAST_SAMPLES * coast(fmin((double)k / COAST_SAMPLES, 1.0));
        for (int i = 0; i < N; i++) {
            aim[i] = left * origin[i] + coasted * increment[i];
        }
        sample();
    }
}

static void row(void)
{
    if (!model.fresh || model.fault) {
        return;
    }
    printf("%.17g", (double)model.step * @NAME@_DT);
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf(",%.17g", model.outputs[i]);
    }
    printf("\n");
}

static int analysis(void)
{
    printf("t");
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf(",%s", @NAME@_OUTPUT_NAMES[i]);
    }
    printf("\n");
    @name@_init(&model);
    int fault = @name@_start(&model);
    row();
    while (model.step < @NAME@_STEPS && !fault && !gone && !interrupted) {
        if (model.pending >= 0 && !lead()) {
            break;
        }
        if (model.wanted >= 0) {
            @name@_motion(&model, model.wanted);
        }
        fault = @name@_step(&model);
        row();
    }
    return fault;
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    const char *address = "@ADDRESS@";
    struct sigaction action;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--lockstep") == 0) {
            lockstep = 1;
        } else if (argv[i][0] != '-') {
            address = strncmp(argv[i], "udp://", 6) == 0 ? argv[i] + 6 : argv[i];
        } else {
            fprintf(stderr, "harness [--lockstep] [HOST:PORT]\n");
            return 2;
        }
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN; /* a reader of the channels that goes away must not stop the way home */
    sigaction(SIGPIPE, &action, NULL);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (!dial(address) || !greet(address)) {
        return 1;
    }

    const int fault = analysis();
    go_home();
    for (int i = 0; i < 3; i++) {
        put(ifw_say(&out, IFW_STOP, session, now_ns()));
    }
    const int unwritten = fflush(stdout) != 0 || ferror(stdout);
    @name@_terminate(&model);
    close(wire);

    fprintf(stderr, "harness: %ld of %ld steps, %llu samples, %llu stale, %llu late\n", model.step, (long)@NAME@_STEPS,
            (unsigned long long)samples, (unsigned long long)stale, (unsigned long long)late);
    if (!lockstep) {
        fprintf(stderr, "harness: woke %.1f us (median), %.1f us (99 %%), %.1f us (99.9 %%), %.1f us (at most) late\n",
                percentile(0.5), percentile(0.99), percentile(0.999), 1e-3 * (double)most_late);
    }
    if (fault) {
        fprintf(stderr, "harness: step %ld: fault %d at %d, see @name@.h\n", model.step, fault, model.fault_index);
    } else if (gone) {
        fprintf(stderr, "harness: the laboratory is gone\n");
    } else if (unwritten) {
        fprintf(stderr, "harness: the channels could not be written\n");
    }
    return interrupted ? 130 : fault || gone || unwritten ? 1 : 0;
}
