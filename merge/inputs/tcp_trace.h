/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_trace.h - looks through a CTF trace for TCP segments. */
#ifndef STRATA_MERGE_INPUTS_TCP_TRACE_H
#define STRATA_MERGE_INPUTS_TCP_TRACE_H

#include "inputs/tcp_pairs.h"
#include "progress.h"

/* Whether the trace has events that tell of segments: if not, it need not be looked through. */
bool strata_tcp_trace_has(const struct strata_ctf_trace *trace);

/*
 * Adds every segment that the trace tells of to @pairs, with the event's time by the trace's own
 * clock in ns.
 * @clock:    a number for that clock; traces of one machine share it if they share the clock
 * @progress: told of what is read; NULL: nobody
 * What is wrong with the trace is not complained of here.  0, or -1: out of memory.
 */
int strata_tcp_trace_add(struct strata_tcp_pairs *pairs, const struct strata_ctf_trace *trace,
			 uint32_t clock, struct strata_progress *progress,
			 struct strata_error *error);

#endif /* STRATA_MERGE_INPUTS_TCP_TRACE_H */
