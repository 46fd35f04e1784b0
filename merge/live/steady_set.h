/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady_set.h - the set of a recording that goes on, for those who keep numbers of its traces: a
 * trace has the same number each time that live.h opens the set anew.
 *
 * The number of a kernel or hypervisor stays its own, that of an application is given to another
 * one in the end: a host has few domains, and programs come and go.
 */
#ifndef STRATA_MERGE_LIVE_STEADY_SET_H
#define STRATA_MERGE_LIVE_STEADY_SET_H

#include "timeline/trace_set.h"

struct strata_steady_trace {
	/* Of the current set; NULL: it has ended, all of it was passed on. */
	struct strata_ctf_trace *open;
	bool is_app;
	bool has_just_ended; /* since the set before */
	uint64_t ended_ns;   /* then: the time up to which events were passed on */
	/* What stands for it then: it has a path, and so a name, but no events. */
	struct strata_ctf_trace ended;
};

/* Zero-initialised is empty. */
struct strata_steady_set {
	struct strata_trace_set set; /* streams as in the current set, in their order */
	struct strata_steady_trace **traces;
	size_t nr, room;
};

/*
 * The set is open anew.
 * @now_ns:  up to there events were passed on
 * @free_ns: numbers of applications that had ended by then are free
 * 0, or -1: out of memory.
 */
int strata_steady_set_change(struct strata_steady_set *steady, const struct strata_trace_set *set,
			     uint64_t now_ns, uint64_t free_ns, struct strata_error *error);

/* The current set is about to be closed. */
void strata_steady_set_close(struct strata_steady_set *steady);

void strata_steady_set_clear(struct strata_steady_set *steady);

#endif /* STRATA_MERGE_LIVE_STEADY_SET_H */
