/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady_set.h - gives the traces of a recording in progress stable numbers: a trace keeps its
 * number each time live.h reopens the set.
 *
 * The number of a kernel or hypervisor is never reused. That of an application that has ended is: a
 * host has few domains, but programs come and go.
 */
#ifndef STRATA_MERGE_LIVE_STEADY_SET_H
#define STRATA_MERGE_LIVE_STEADY_SET_H

#include "timeline/trace_set.h"

struct strata_steady_trace {
	/* in the current set; NULL: it has ended, and all of it was passed on */
	struct strata_ctf_trace *open;
	bool is_app;
	bool has_just_ended; /* since the previous set */
	uint64_t ended_ns;   /* if it has ended: the time up to which events were passed on */
	/* Stands for it once it has ended: it has a path, and so a name, but no events. */
	struct strata_ctf_trace ended;
};

/* All-zero is empty. */
struct strata_steady_set {
	struct strata_trace_set set; /* streams as in the current set, in their order */
	struct strata_steady_trace **traces;
	size_t nr, room;
};

/*
 * To be called when the set was reopened.
 * @now_ns: time up to which events were passed on
 * @free_ns: numbers of applications that had ended by then become free
 * Returns 0, or -1: out of memory.
 */
int strata_steady_set_change(struct strata_steady_set *steady, const struct strata_trace_set *set,
			     uint64_t now_ns, uint64_t free_ns, struct strata_error *error);

/* To be called before the current set is closed. */
void strata_steady_set_close(struct strata_steady_set *steady);

void strata_steady_set_clear(struct strata_steady_set *steady);

#endif /* STRATA_MERGE_LIVE_STEADY_SET_H */
