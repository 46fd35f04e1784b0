/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crooked_trace.h - writes CTF 1.8 traces whose events begin at any bit, and whose
 * fields are aligned to more than the structures that they are in say.
 */
#ifndef STRATA_TESTS_CROOKED_TRACE_H
#define STRATA_TESTS_CROOKED_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct crooked_trace {
	bool big_endian;
	unsigned int packets, events; /* events of a packet */
	uint64_t begin_ns;
	bool is_lossy;    /* packets and events are missing */
	bool uses_header; /* a field's length is in the event's header */
};

/* Writes the trace into the directory @dir, which it makes; exits where that fails. */
void crooked_trace_write(const char *dir, const struct crooked_trace *trace);

#endif /* STRATA_TESTS_CROOKED_TRACE_H */
