/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_trace.h - finds TCP segments in a CTF trace, by the rules of a map. */
#ifndef STRATA_MERGE_INPUTS_TCP_TRACE_H
#define STRATA_MERGE_INPUTS_TCP_TRACE_H

#include "inputs/tcp/tcp_forms.h"
#include "inputs/tcp/tcp_pairs.h"
#include "base/progress.h"

/*
 * Adds the forms that rules find in the trace's event classes to those of its machine.
 * Returns whether there are any: if not, the trace's events need not be read.
 */
bool strata_tcp_trace_forms(const struct strata_ctf_trace *trace, const struct strata_tcp_map *map,
			    struct strata_tcp_forms *forms);

/*
 * Adds every segment of the trace to @pairs, in each form wanted of its machine, with the event's
 * time by the trace's own clock in ns.
 * @clock:    a number for that clock; traces of one machine share it if they share the clock
 * @progress: counts the bytes read; may be NULL
 * Damage of the trace is not reported here. Returns 0, or -1: out of memory.
 */
int strata_tcp_trace_add(struct strata_tcp_pairs *pairs, const struct strata_ctf_trace *trace,
			 const struct strata_tcp_map *map, const struct strata_tcp_forms *forms,
			 uint32_t clock, struct strata_progress *progress,
			 struct strata_error *error);

#endif /* STRATA_MERGE_INPUTS_TCP_TRACE_H */
