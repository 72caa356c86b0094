/* The wire between Interfield and a controller, version 1: messages, checksum, shared memory.
 *
 * Needs a little-endian machine, C99 for messages and C11 for shared memory. Every function is static, nothing allocates or waits. The layout is that of
 * crates/wire/src/layout.rs and shared.rs; the assertions below and the tests of the project keep them equal.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef INTERFIELD_WIRE_H
#define INTERFIELD_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define IFW_SHARED_MEMORY 1
#include <stdatomic.h>
#endif

/* An assertion of the compiler that C99 has too; `name` is any word that is not taken. */
#define IFW_ASSERT(name, condition) typedef char ifw_assert_##name[(condition) ? 1 : -1]

#define IFW_VERSION 1
#define IFW_MOST_ACTUATORS 32
#define IFW_MOST_BYTES 1104

enum ifw_kind {
    IFW_HELLO = 1, IFW_WELCOME = 2, IFW_REFUSAL = 3, IFW_COMMAND = 4, IFW_MEASUREMENT = 5, IFW_HEARTBEAT = 6, IFW_STOP = 7
};

/* Status of a refusal. */
enum ifw_refused {
    IFW_BUSY = 1, IFW_OTHER_VERSION = 2, IFW_ACTUATORS = 3, IFW_PERIOD = 4, IFW_UNITS = 5, IFW_SPECIMEN = 6,
    IFW_SEALED = 7
};

/* Bits of a status; those of a message by somebody who does not know them are zero. */
#define IFW_EMULATED 1u       /* of a welcome: nothing real moves */
#define IFW_ENABLE 1u         /* of a command: the drives are needed. IFW_STOP, and two seconds of silence, say that they are not */
#define IFW_HEARTBEAT_BIT 2u  /* of a command: changes with every sample; one that stands still is a test that does */
#define IFW_FRESH 1u          /* of a measurement: its numbers are new readings */
#define IFW_EMERGENCY_STOP 2u /* of a measurement: the emergency stop of the laboratory is pressed */

struct ifw_header {
    uint8_t magic[4]; /* "IFWR" */
    uint8_t version;
    uint8_t kind;
    uint16_t count; /* instruments in the body: actuators, then transducers, then load cells */
    uint64_t session;
    uint64_t sequence;
    uint64_t time_ns; /* clock of the sender */
    uint32_t status;
    uint32_t checksum; /* of the whole message with this field zero */
};

struct ifw_actuator {
    char name[16];
    char displacement[8]; /* unit; "SI": m or rad, N or N m; empty: any; "-": not measured, the instrument is a sensor only */
    char force[8];
};

/* Body of a hello or a welcome. */
struct ifw_greeting {
    uint64_t period_ns; /* 0: any */
    char specimen[32];  /* empty: any */
    struct ifw_actuator actuator[IFW_MOST_ACTUATORS];
};

struct ifw_command {
    uint64_t tick_ns;
    double value[IFW_MOST_ACTUATORS];
};

/* Displacements of all instruments, then forces of all; 0 where one measures none. */
struct ifw_measurement {
    uint64_t received_ns;
    uint64_t echo_ns; /* time_ns of the command */
    double value[2 * IFW_MOST_ACTUATORS];
};

struct ifw_message {
    struct ifw_header header;
    union {
        struct ifw_greeting greeting;
        struct ifw_command command;
        struct ifw_measurement measurement;
    } body;
};

IFW_ASSERT(header, sizeof(struct ifw_header) == 40);
IFW_ASSERT(session, offsetof(struct ifw_header, session) == 8);
IFW_ASSERT(checksum, offsetof(struct ifw_header, checksum) == 36);
IFW_ASSERT(specimen, offsetof(struct ifw_message, body.greeting.specimen) == 48);
IFW_ASSERT(actuators, offsetof(struct ifw_message, body.greeting.actuator) == 80);
IFW_ASSERT(actuator, sizeof(struct ifw_actuator) == 32);
IFW_ASSERT(command, offsetof(struct ifw_message, body.command.value) == 48);
IFW_ASSERT(measurement, offsetof(struct ifw_message, body.measurement.value) == 56);
IFW_ASSERT(message, sizeof(struct ifw_message) == IFW_MOST_BYTES);

/* Length of a message, in bytes; 0 if there is no such kind. */
static inline size_t ifw_length(uint8_t kind, uint16_t count)
{
    switch (kind) {
    case IFW_HELLO:
    case IFW_WELCOME: return 80 + 32 * (size_t)count;
    case IFW_COMMAND: return 48 + 8 * (size_t)count;
    case IFW_MEASUREMENT: return 56 + 16 * (size_t)count;
    case IFW_REFUSAL:
    case IFW_HEARTBEAT:
    case IFW_STOP: return 40;
    default: return 0;
    }
}

/* CRC-32 of IEEE 802.3, bit by bit: no table to set up. */
static inline uint32_t ifw_checksum(const void *message, size_t length)
{
    const uint8_t *bytes = (const uint8_t *)message;
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < length; i++) {
        crc ^= (i >= 36 && i < 40) ? 0u : bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 1) ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

/* Whether `length` bytes are a message of this version; look at nothing else before. */
static inline int ifw_is_message(const struct ifw_message *m, size_t length)
{
    return length >= 40 && memcmp(m->header.magic, "IFWR", 4) == 0 && m->header.version == IFW_VERSION &&
           m->header.count <= IFW_MOST_ACTUATORS && ifw_length(m->header.kind, m->header.count) == length &&
           ifw_checksum(m, length) == m->header.checksum;
}

/* Fills in what every message has; write session, sequence, time, status and body before. Returns the length to send. */
static inline size_t ifw_seal(struct ifw_message *m, uint8_t kind, uint16_t count)
{
    size_t length = ifw_length(kind, count);
    memcpy(m->header.magic, "IFWR", 4);
    m->header.version = IFW_VERSION;
    m->header.kind = kind;
    m->header.count = count;
    m->header.checksum = ifw_checksum(m, length);
    return length;
}

/* The side of the test: messages to send, with their length.
 *
 * Say hello until a welcome comes. Then one command per sample, `sequence` 1, 2, 3 ...; the same once more if no answer comes. A
 * measurement with that sequence answers it. At the end IFW_STOP, a few times: nobody confirms it. A controller that hears nothing
 * for two seconds takes the test for dead; between commands that are further apart, say IFW_HEARTBEAT. */

/* A message without a body. */
static inline size_t ifw_say(struct ifw_message *m, uint8_t kind, uint64_t session, uint64_t now_ns)
{
    memset(&m->header, 0, sizeof m->header);
    m->header.session = session;
    m->header.time_ns = now_ns;
    return ifw_seal(m, kind, 0);
}

/* Expects this specimen (empty, or too long: any) with so many actuators in SI units, sampled in this interval (0: any). */
static inline size_t ifw_say_hello(struct ifw_message *m, uint64_t session, uint64_t now_ns, const char *specimen,
                                   uint64_t period_ns, uint16_t count)
{
    size_t length = strlen(specimen);
    memset(m, 0, sizeof *m);
    m->header.session = session;
    m->header.time_ns = now_ns;
    m->body.greeting.period_ns = period_ns;
    if (length <= sizeof m->body.greeting.specimen)
        memcpy(m->body.greeting.specimen, specimen, length);
    for (int i = 0; i < count && i < IFW_MOST_ACTUATORS; i++) {
        memcpy(m->body.greeting.actuator[i].displacement, "SI", 2);
        memcpy(m->body.greeting.actuator[i].force, "SI", 2);
    }
    return ifw_seal(m, IFW_HELLO, count);
}

/* Where the actuators are wanted in this sample; `enable`: whether the drives are needed. */
static inline size_t ifw_say_command(struct ifw_message *m, uint64_t session, uint64_t now_ns, uint64_t sequence,
                                     uint64_t period_ns, int enable, const double *values, uint16_t count)
{
    memset(&m->header, 0, sizeof m->header);
    m->header.session = session;
    m->header.sequence = sequence;
    m->header.time_ns = now_ns;
    m->header.status = (enable ? IFW_ENABLE : 0) | (sequence & 1 ? IFW_HEARTBEAT_BIT : 0);
    m->body.command.tick_ns = sequence * period_ns;
    memcpy(m->body.command.value, values, count * sizeof *values);
    return ifw_seal(m, IFW_COMMAND, count);
}

#ifdef IFW_SHARED_MEMORY

/* Shared memory. A slot holds the newest message; its stamp is odd while it is written. */
struct ifw_slot {
    _Atomic uint64_t stamp;
    _Atomic uint64_t length;
    _Atomic uint64_t message[142];
};

struct ifw_shared {
    _Atomic uint64_t mark;       /* IFW_MARK, written last */
    _Atomic uint64_t controller; /* process of the controller, who makes the memory */
    _Atomic uint64_t test;       /* process of the test, 0: none */
    uint64_t reserved[5];
    struct ifw_slot to_controller;
    struct ifw_slot to_test;
};

#define IFW_MARK 0x000000014D534649ull
IFW_ASSERT(to_controller, offsetof(struct ifw_shared, to_controller) == 64);
IFW_ASSERT(to_test, offsetof(struct ifw_shared, to_test) == 1216);
IFW_ASSERT(shared, sizeof(struct ifw_shared) == 2368);

static inline void ifw_write(struct ifw_slot *slot, const struct ifw_message *m, size_t length)
{
    const uint64_t *words = (const uint64_t *)(const void *)m;
    uint64_t before = atomic_load_explicit(&slot->stamp, memory_order_relaxed) & ~1ull;
    atomic_store_explicit(&slot->stamp, before | 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&slot->length, length, memory_order_relaxed);
    for (size_t i = 0; i < (length + 7) / 8; i++)
        atomic_store_explicit(&slot->message[i], words[i], memory_order_relaxed);
    atomic_store_explicit(&slot->stamp, before + 2, memory_order_release);
}

/* Takes a message newer than `*seen`; its length, or 0 if there is none (or none that is complete). */
static inline size_t ifw_read(struct ifw_slot *slot, uint64_t *seen, struct ifw_message *m)
{
    uint64_t *words = (uint64_t *)(void *)m;
    uint64_t before = atomic_load_explicit(&slot->stamp, memory_order_acquire);
    if (before == *seen || (before & 1))
        return 0;
    uint64_t length = atomic_load_explicit(&slot->length, memory_order_relaxed);
    if (length > IFW_MOST_BYTES)
        length = 0;
    for (size_t i = 0; i < (length + 7) / 8; i++)
        words[i] = atomic_load_explicit(&slot->message[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&slot->stamp, memory_order_relaxed) != before)
        return 0;
    *seen = before;
    return (size_t)length;
}

#endif

#endif
