/* Runs the analysis with the specimen of the model at the other end of the wire: `interfield lab`, or a controller. POSIX.1-2008.
 *
 *     ./harness [--lockstep] [HOST:PORT]      default @ADDRESS@
 *
 * One command per sample of the controller, in real time; with --lockstep as fast as answers come. Between two commands of the model the
 * actuators move linearly. All channels go to standard output as CSV, counts to standard error. Ctrl-C: return to the start and end;
 * a second time: brake where it is and end. No memory is allocated in the loop. A guard checks every command before it is sent and keeps the
 * actuators within their limits; if it has to reduce commands for too long, the test ends. Measured values are checked by the
 * limits of the controller. */
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

enum { N = @NAME@_COMMANDS };
#define SPECIMEN @SPECIMEN@
#define PERIOD @PERIOD@       /* of the controller, s */
#define TIME_SCALE @TIMESCALE@ /* seconds here per second of the model */
#define RAMP @RAMP@           /* shortest time of the ways to the start and home, s */
#define BRAKE @BRAKE@         /* time in which the motion of the test is braked, s */
#define BRIDGE @BRIDGE@       /* half of the time in which it comes back after a command that was not let through, s */
#define HOME @HOME@           /* whether it goes back to where it stood; else it stays where it came to rest */
#define SETTLE 0.05           /* how long everything is given to come to rest at the end, s */
static const double EVALUATION[] = {@TIMES@}; /* times of the commands within a step, in steps */

#define MS 1000000ull
#define PERIOD_NS ((uint64_t)(1e9 * PERIOD + 0.5))
#define GREETING_NS (3000 * MS) /* a laboratory has so long to answer at all */
#define PATIENCE_NS (5000 * MS) /* in lock-step one without a sign of life for so long is gone, */
#define MOST_MISSES @MISSES@    /* by the clock one that left so many samples in a row without an answer */
#define AGAIN_NS (50 * MS)      /* until the same message is sent again, where there is time */

@GUARD@
/* What each actuator may be sent, and for how many samples in a row it may be wanted to do more. */
static const struct envelope ENVELOPE[N] = {@ENVELOPES@};
static const long OFTEN[N][2] = {@OFTEN@}; /* velocity, acceleration */

/* What must not be asked of it at all, displacement and velocity, for so many samples in a row. */
static const struct {
    double limit;
    long samples;
} LIMIT[N][2] = {@LIMITS@};

static @name@_t model;

static int wire = -1, lockstep, gone, pressed; /* pressed: the emergency stop of the laboratory */
static volatile sig_atomic_t interrupted;
static struct ifw_message out, in;
static uint64_t session, sequence, answered;
static uint64_t samples, stale, late, misses;

static double aim[N], goal[N];      /* where the line is, and where it ends */
static double pace[N];              /* its last piece */
static double command[N];           /* what leaves */
static double reached[N], force[N]; /* newest readings */
static struct guard guards[N];
static long refusals[N];            /* commands in a row that were not let through, */
static uint64_t braked;             /* and all of them */
static long beyond[N][2];           /* those in a row that were beyond a limit */
static enum bound refused;          /* what ended the test, */
static int refused_at;              /* and of which actuator */
static int under_way;               /* whether there was a target */
static double last_time;            /* time of the model at the last target, */
static long last_samples;           /* and how long the line to it was */

static void interrupt(int number)
{
    (void)number;
    interrupted = interrupted ? 2 : 1;
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
        fprintf(stderr, "harness: `%s` is not an address; write HOST:PORT, as in 127.0.0.1:7700\n", address);
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
        "another test uses the specimen",
        "it uses another version of the protocol",
        "it has another number of actuators",
        "it has another sampling interval",
        "its instruments have other units",
        "it has another specimen",
        "it requires messages encrypted with its key",
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
    fprintf(stderr, "harness: %s: no answer; start `interfield lab MODEL` first\n", address);
    return 0;
}

/* Sends the command of this sample and takes what comes: 1 if there are newer readings. */
static int ask(void)
{
    const uint64_t start = now_ns(), patience = lockstep ? PATIENCE_NS : PERIOD_NS / 2;
    const uint64_t again = lockstep ? AGAIN_NS : patience / 3 + 1;
    uint64_t until = start + patience, next = start + again;
    int newer = 0;
    const size_t length = ifw_say_command(&out, session, start, ++sequence, PERIOD_NS, 1, command, N);
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
            pressed = pressed || (in.header.status & IFW_EMERGENCY_STOP) != 0;
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

/* Share of a velocity that is left when x of the braking is over. */
static double braking(double x)
{
    return 1.0 - x * x * (3.0 - 2.0 * x);
}

#define EASE_SLOPE 1.875      /* largest slope and curvature of ease, */
#define EASE_CURVATURE 5.7735
#define PACE_TIME 5e-3         /* over which the pace of the aim is taken, s */
#define BRAKING_SLOPE 1.5     /* largest slope of braking, */
#define EASY 0.5              /* and the share of what an actuator may do that its own ways use */

/* A time in samples, at least one. */
static double samples_of(double time)
{
    return fmin(fmax(ceil(time / PERIOD), 1.0), 1e12);
}

/* Samples of an eased way from where the actuators were sent. */
static double way_to(const double *to)
{
    double time = RAMP;
    for (int i = 0; i < N; i++) {
        const double way = fabs(to[i] - guards[i].x);
        const double by_velocity = EASE_SLOPE * way / (EASY * ENVELOPE[i].velocity);
        const double by_acceleration = sqrt(EASE_CURVATURE * way / (EASY * ENVELOPE[i].braking));
        time = fmax(fmax(time, by_velocity), by_acceleration);
    }
    return samples_of(time);
}

/* What is left of a difference between where an actuator was sent and where it is wanted, until both are one. */
static struct {
    double offset, slope, k, of; /* slope per sample */
} rejoin[N];

static void begin_to_rejoin(int i)
{
    const struct envelope *e = &ENVELOPE[i];
    const double offset = guards[i].x - aim[i], slope = guards[i].v * PERIOD - pace[i];
    const double by_velocity = 3.0 * EASE_SLOPE * fabs(offset) / (e->velocity * PERIOD);
    const double by_acceleration = sqrt(3.0 * EASE_CURVATURE * fabs(offset) / (e->braking * PERIOD * PERIOD));
    rejoin[i].offset = offset;
    rejoin[i].slope = slope;
    rejoin[i].k = 0.0;
    rejoin[i].of = offset == 0.0 && slope == 0.0
                       ? 0.0
                       : ceil(fmax(fmax(samples_of(2.0 * BRIDGE), by_velocity), by_acceleration));
}

static double rejoining(int i)
{
    if (rejoin[i].k >= rejoin[i].of) {
        return 0.0;
    }
    rejoin[i].k += 1.0;
    const double x = rejoin[i].k / rejoin[i].of;
    return (1.0 - ease(x)) * rejoin[i].offset + rejoin[i].of * coast(x) * rejoin[i].slope;
}

/* The test ends because of this. */
static void refuse(enum bound why, int i)
{
    if (refused == FOLLOWED) {
        refused = why;
        refused_at = i + 1;
    }
}

/* What is asked of the actuators, against the limits of the test, before it leaves; whether it may. */
static int judge(const double *asked)
{
    for (int i = 0; i < N; i++) {
        const double measures[2] = {fabs(asked[i]), fabs(asked[i] - guards[i].x) / PERIOD};
        for (int k = 0; k < 2; k++) {
            beyond[i][k] = measures[k] > LIMIT[i][k].limit ? beyond[i][k] + 1 : 0;
            if (beyond[i][k] >= LIMIT[i][k].samples) {
                refuse(k ? BEYOND_VELOCITY : BEYOND_POSITION, i);
            }
        }
    }
    return refused == FOLLOWED;
}

/* The guard has the last word on every command. Ends the test if too many in a row were not let through, or one beyond a position. */
static void pass_aim(const double *asked)
{
    for (int i = 0; i < N; i++) {
        int brakes = 0;
        const enum bound why = guard_pass(&guards[i], &ENVELOPE[i], PERIOD, asked[i], &command[i], &brakes);
        if (why == FOLLOWED) {
            refusals[i] = 0;
            continue;
        }
        braked++;
        if (!brakes) {
            refusals[i] = 0; /* what is only trimmed is followed all the same */
            continue;
        }
        refusals[i]++;
        begin_to_rejoin(i);
        const int lasting = why == BEYOND_VELOCITY       ? refusals[i] >= OFTEN[i][0]
                            : why == BEYOND_ACCELERATION ? refusals[i] >= OFTEN[i][1]
                                                         : 1;
        if (lasting) {
            refuse(why, i);
        }
    }
}

/* Samples from the last target to the one at time t: the first is reached by a ramp, if there is a way to go at all. Time that stands still
   or goes back is that of a scheme that starts: it takes as long as the last time. */
static long samples_until(double t)
{
    int there = 1;
    for (int i = 0; i < N; i++) {
        there = there && model.si_commands[i] == goal[i];
    }
    if (!under_way) {
        return there ? 1 : (long)way_to(model.si_commands);
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
    const int starts = model.started == 1;
    const double t = starts ? 0.0 : (double)model.step * @NAME@_DT + EVALUATION[model.pending] * @NAME@_DT;
    const long count = samples_until(t);
    const int ramp = !under_way;
    double origin[N], asked[N];
    last_samples = ramp || (last_samples == 0 && t <= last_time) ? 0 : count;
    last_time = t;
    under_way = 1;
    memcpy(origin, aim, sizeof origin);
    memcpy(goal, model.si_commands, sizeof goal);
    for (long left = count; left > 0; left--) {
        const double done = ease(1.0 - (double)(left - 1) / (double)count);
        for (int i = 0; i < N; i++) {
            const double before = aim[i];
            if (ramp) {
                aim[i] = goal[i] - (1.0 - done) * (goal[i] - origin[i]);
            } else {
                aim[i] = left == 1 ? goal[i] : aim[i] + (goal[i] - aim[i]) / (double)left;
            }
            pace[i] = pace[i] + fmin(PERIOD / PACE_TIME, 1.0) * (aim[i] - before - pace[i]);
            asked[i] = aim[i] + rejoining(i);
        }
        if (!judge(asked)) {
            return 0;
        }
        pass_aim(asked);
        sample();
        if (gone || interrupted || pressed || refused != FOLLOWED) {
            return 0;
        }
    }
    for (int i = 0; i < N; i++) {
        model.measured[i] = reached[i] / @NAME@_MEASURED_SI[i];
        model.measured[N + i] = force[i] / @NAME@_MEASURED_SI[N + i];
    }
    return 1;
}

/* The way of the actuators themselves at the end: braked, then back to where the specimen stood before the test. */
static enum { STAND, BRAKING, HARD, EASING } stage;
static int homeward;                             /* whether it goes home once it stands */
static double at[N], from[N], speed[N], slow[N]; /* speed per sample; samples of braking, 0: as hard as the guard allows */
static double progress, length;                  /* samples of the braking or of the way */

/* Brakes in the time of BRAKE, sooner where the room or the envelope asks for it. */
static void begin_to_brake(void)
{
    const double wanted = samples_of(BRAKE);
    stage = BRAKING;
    progress = 0.0;
    length = 0.0;
    for (int i = 0; i < N; i++) {
        const double x = guards[i].x, v = guards[i].v;
        const double room = v > 0.0 ? ENVELOPE[i].high - x : x - ENVELOPE[i].low;
        /* The way is half of that at the first velocity; a tenth of the room is left. */
        const double most = v == 0.0 ? wanted : floor(1.8 * room / (fabs(v) * PERIOD));
        const double least = ceil(BRAKING_SLOPE * fabs(v) / (EASY * ENVELOPE[i].braking * PERIOD));
        at[i] = x;
        speed[i] = v * PERIOD;
        slow[i] = least > most ? 0.0 : fmax(fmax(fmin(wanted, most), least), 1.0);
        length = fmax(length, slow[i]);
    }
}

static void brake_hard(void)
{
    stage = HARD;
    for (int i = 0; i < N; i++) {
        at[i] = guards[i].x;
    }
}

static void set_out(void)
{
    static const double zero[N];
    int away = 0;
    for (int i = 0; i < N; i++) {
        at[i] = from[i] = guards[i].x;
        away = away || from[i] != 0.0;
    }
    if (homeward && HOME && away) {
        stage = EASING;
        progress = 0.0;
        length = way_to(zero);
    }
    homeward = 0;
}

/* One sample of the way. */
static void step_way(void)
{
    int still = 1;
    switch (stage) {
    case STAND: set_out(); return;
    case EASING:
        progress += 1.0;
        for (int i = 0; i < N; i++) {
            at[i] = 0.0 - (1.0 - ease(progress / length)) * (0.0 - from[i]);
        }
        stage = progress >= length ? STAND : EASING;
        return;
    case BRAKING:
        progress += 1.0;
        for (int i = 0; i < N; i++) {
            if (slow[i] == 0.0) {
                at[i] = guards[i].x;
            } else if (progress <= slow[i]) {
                at[i] += speed[i] * braking(progress / slow[i]);
            }
            still = still && (slow[i] > 0.0 || guard_rests(&guards[i]));
        }
        stage = progress >= length && still ? STAND : BRAKING;
        return;
    case HARD:
        for (int i = 0; i < N; i++) {
            at[i] = guards[i].x;
            still = still && guard_rests(&guards[i]);
        }
        stage = still ? STAND : HARD;
        return;
    }
}

/* The guard has the last word here too: where it brakes harder than was planned, the way goes on from where that ends. */
static void pass_way(void)
{
    for (int i = 0; i < N; i++) {
        int brakes = 0;
        if (stage == HARD || (stage == BRAKING && slow[i] == 0.0)) {
            command[i] = guard_brake(&guards[i], &ENVELOPE[i], PERIOD);
            continue;
        }
        guard_pass(&guards[i], &ENVELOPE[i], PERIOD, at[i], &command[i], &brakes);
        if (brakes) {
            homeward = homeward || stage == EASING;
            brake_hard();
        }
    }
}

/* Home, or to rest as soon as possible if the emergency stop is pressed or somebody asks a second time. */
static void leave(void)
{
    int at_once = 0;
    long settled = -1; /* samples since it came to rest */
    if (!under_way) {
        return;
    }
    begin_to_brake();
    homeward = 1;
    while (!gone && !(stage == STAND && !homeward && (double)settled * PERIOD > SETTLE)) {
        if (!at_once && (pressed || interrupted > 1)) {
            at_once = 1;
            homeward = 0;
            brake_hard();
        }
        step_way();
        pass_way();
        sample();
        settled = stage == STAND && !homeward ? settled + 1 : -1;
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
    while (model.step < @NAME@_STEPS && !fault && !gone && !pressed && !interrupted) {
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
    leave();
    for (int i = 0; i < 3; i++) {
        put(ifw_say(&out, IFW_STOP, session, now_ns()));
    }
    const int unwritten = fflush(stdout) != 0 || ferror(stdout);
    @name@_terminate(&model);
    close(wire);

    fprintf(stderr, "harness: %ld of %ld steps, %llu samples, %llu stale, %llu late\n", model.step, (long)@NAME@_STEPS,
            (unsigned long long)samples, (unsigned long long)stale, (unsigned long long)late);
    if (braked) {
        fprintf(stderr, "harness: %llu commands exceeded the actuator limits; the actuators were braked instead\n",
                (unsigned long long)braked);
    }
    if (!lockstep) {
        fprintf(stderr, "harness: woke %.1f us (median), %.1f us (99 %%), %.1f us (99.9 %%), %.1f us (at most) late\n",
                percentile(0.5), percentile(0.99), percentile(0.999), 1e-3 * (double)most_late);
    }
    if (fault) {
        fprintf(stderr, "harness: step %ld: fault %d at %d, see @name@.h\n", model.step, fault, model.fault_index);
    } else if (pressed) {
        fprintf(stderr, "harness: the emergency stop of the laboratory was pressed\n");
    } else if (gone) {
        fprintf(stderr, "harness: the connection to the laboratory is lost\n");
    } else if (refused != FOLLOWED) {
        static const char *const why[] = {"", "is NaN (not a number)", "exceeds its position limit", "exceeds its velocity limit", "exceeds its acceleration limit"};
        fprintf(stderr, "harness: step %ld: the command for actuator %d %s and was not sent\n", model.step,
                refused_at, why[refused]);
    } else if (unwritten) {
        fprintf(stderr, "harness: the channels could not be written\n");
    }
    const int failed = fault || gone || pressed || refused != FOLLOWED || unwritten;
    return interrupted ? 130 : failed ? 1 : 0;
}
