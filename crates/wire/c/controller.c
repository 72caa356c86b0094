/* A controller in C: one actuator that is where it is sent, on a spring of 2000 N/m. Replace `move`.
 *
 *   cc -std=c11 -O2 controller.c -o controller
 *   ./controller udp 7700        then  at = "udp://127.0.0.1:7700"  in [[specimen]]
 *   ./controller shm /pier       then  at = "shm:/pier"
 *   kill -USR1 PROCESS           presses its emergency stop
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#define _GNU_SOURCE
#include "interfield_wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ACTUATORS 1
#define SILENCE_NS 2000000000ull /* a test that says nothing for so long is dead */

static volatile sig_atomic_t pressed; /* in a laboratory: the contact of its emergency stop */

static void press(int number)
{
    (void)number;
    pressed = 1;
}

/* One sample: where the actuators are wanted and what the interlock is told, then what was measured. Bits of the status:
 * IFW_FRESH for new readings, IFW_EMERGENCY_STOP. Without IFW_ENABLE nothing is moved; give IFW_HEARTBEAT_BIT to an output that
 * the interlock of the laboratory watches. */
static uint32_t move(const double *command, uint32_t interlock, double *displacement, double *force)
{
    static double stands[ACTUATORS];
    if (interlock & IFW_ENABLE)
        stands[0] = command[0];
    displacement[0] = stands[0];
    force[0] = 2000.0 * stands[0];
    return IFW_FRESH | (pressed ? IFW_EMERGENCY_STOP : 0);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static uint64_t session, newest, heard;
static struct ifw_message kept; /* the last measurement, for a command that comes again */

/* Answers a message; the length of the answer, 0 for none. `alone`: the transport itself admits one test at a time. */
static size_t answer(const struct ifw_message *in, struct ifw_message *out, int alone, int *over)
{
    uint64_t now = now_ns();
    memset(out, 0, sizeof *out);
    out->header.session = in->header.session;
    out->header.time_ns = now;
    if (in->header.kind == IFW_HELLO) {
        int taken = session && session != in->header.session && !alone && now - heard < SILENCE_NS;
        out->header.status = in->header.count != ACTUATORS ? IFW_ACTUATORS : taken ? IFW_BUSY : 0;
        if (out->header.status)
            return ifw_seal(out, IFW_REFUSAL, 0);
        if (session != in->header.session)
            newest = 0;
        session = in->header.session;
        heard = now;
        strcpy(out->body.greeting.actuator[0].name, "spring");
        strcpy(out->body.greeting.actuator[0].displacement, "SI");
        strcpy(out->body.greeting.actuator[0].force, "SI");
        return ifw_seal(out, IFW_WELCOME, ACTUATORS);
    }
    if (in->header.session != session)
        return 0;
    heard = now;
    if (in->header.kind == IFW_STOP)
        *over = 1;
    if (in->header.kind != IFW_COMMAND || in->header.count != ACTUATORS || in->header.sequence < newest)
        return 0;
    for (int i = 0; i < ACTUATORS; i++)
        if (!isfinite(in->body.command.value[i]))
            return 0;
    if (in->header.sequence > newest) { /* never the same command twice */
        newest = in->header.sequence;
        kept = *out;
        kept.header.sequence = newest;
        kept.body.measurement.received_ns = now;
        kept.body.measurement.echo_ns = in->header.time_ns;
        double *value = kept.body.measurement.value;
        kept.header.status = move(in->body.command.value, in->header.status, value, value + ACTUATORS);
        kept.header.time_ns = now_ns();
        ifw_seal(&kept, IFW_MEASUREMENT, ACTUATORS);
    }
    *out = kept;
    return ifw_length(IFW_MEASUREMENT, ACTUATORS);
}

static int over_udp(uint16_t port)
{
    struct ifw_message in, out;
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port)}, from;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* nobody else; INADDR_ANY for a test on another machine */
    int over = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own) != 0)
        return perror("udp"), 1;
    puts("ready");
    fflush(stdout);
    while (!over) {
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, &in, sizeof in, 0, (struct sockaddr *)&from, &size);
        size_t length = n > 0 && ifw_is_message(&in, (size_t)n) ? answer(&in, &out, 0, &over) : 0;
        if (length)
            sendto(fd, &out, length, 0, (struct sockaddr *)&from, size);
    }
    return close(fd);
}

static int over_shared_memory(const char *name)
{
    struct ifw_message in, out;
    shm_unlink(name); /* left behind by one that was killed */
    int over = 0, fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct ifw_shared)) != 0)
        return perror("shm"), 1;
    struct ifw_shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return perror("mmap"), 1;
    atomic_store(&shared->controller, (uint64_t)getpid());
    atomic_store(&shared->mark, IFW_MARK);
    puts("ready");
    fflush(stdout);
    for (uint64_t seen = 0; !over;) {
        size_t n = ifw_read(&shared->to_controller, &seen, &in);
        size_t length = n && ifw_is_message(&in, n) ? answer(&in, &out, 1, &over) : 0;
        if (length)
            ifw_write(&shared->to_test, &out, length);
        if (!n)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    return shm_unlink(name);
}

int main(int argc, char **argv)
{
    signal(SIGUSR1, press);
    if (argc == 3 && strcmp(argv[1], "udp") == 0)
        return over_udp((uint16_t)atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "shm") == 0)
        return over_shared_memory(argv[2]);
    fprintf(stderr, "controller udp PORT | controller shm /NAME\n");
    return 2;
}
