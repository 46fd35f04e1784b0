/* SPDX-License-Identifier: GPL-2.0-or-later */
/* damaged_trace.h - a CTF trace that a test damages, what a reader found in it, and its complaints;
 * for test_ctf_damage*.c. */
#ifndef STRATA_TESTS_DAMAGED_TRACE_H
#define STRATA_TESTS_DAMAGED_TRACE_H

#include "outputs/count.h"
#include "ctf_maker.h"

#define EVENTS       10u /* of a packet */
#define EVENT_BYTES  16u /* id, time, number */
#define PACKET_BYTES 256u
#define BEGIN        1000000000000ull
#define PACKET_NS    1000u
#define YEAR_NS      31536000000000000ull

/* What a trace comes to. */
struct result {
	struct strata_ctf_tally tally;
	struct strata_chain chain;
};

extern struct trace_dir dir;
extern struct complaints heard;

/* Packet @number: EVENTS events, 10 ns apart; its bytes. */
size_t put_packet(struct bits *bits, unsigned int number);
void put_packets(struct bits *bits, unsigned int nr);

/* Around each test: an empty trace in dir, nothing heard. */
int set_up(void **state);
int tear_down(void **state);

struct result read_with(unsigned int threads);

/* Reads the whole with one thread, and makes sure that several come to the same. */
struct result read_all(void);

/* The same when the only stream is @bits, which are cleared. */
struct result read_stream(struct bits *bits);

/* Asserts that a complaint names the file and a byte, and contains this text. */
void heard_of(const char *name, uint64_t byte, const char *what);

void expect(const struct result *result, uint64_t events, uint64_t bad_packets,
	    uint64_t skipped_bytes);

#endif /* STRATA_TESTS_DAMAGED_TRACE_H */
