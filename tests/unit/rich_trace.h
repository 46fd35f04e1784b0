/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rich_trace.h - writes CTF 1.8 traces with every kind of field that the format has,
 * of random values, in either byte order: what outputs are tested with.
 *
 * It shares nothing with the reader.
 */
#ifndef STRATA_TESTS_RICH_TRACE_H
#define STRATA_TESTS_RICH_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct rich_trace {
	bool big_endian;
	unsigned int streams, packets, events; /* packets of a stream, events of a packet */
	uint64_t seed;
	uint64_t begin_ns;    /* the first event is later */
	uint64_t step_ns_max; /* between events of a stream */
	bool empty_texts;     /* some are: babeltrace2 2.0.4 shows what was there before instead */
	/* Of each stream 3 events were discarded in the first packet, and 5 in each other one; and
	 * 4 packets are missing before the third. */
	bool is_lossy;
	const char *env; /* lines of the metadata's env block; NULL: none */
};

/* Writes the trace into the directory @dir, which it makes; exits where that fails. */
void rich_trace_write(const char *dir, const struct rich_trace *trace);

#endif /* STRATA_TESTS_RICH_TRACE_H */
