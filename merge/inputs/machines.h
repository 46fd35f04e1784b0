/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.h - traces of several machines on one timeline: which machine's clock each trace uses,
 * and how the clocks relate, from the messages that the machines exchanged.
 *
 * Traces whose metadata gives their clocks the same UUID share a clock (LTTng's UUID is that of the
 * boot), and get one offset, so that their order is that of the clock; so do Strata's recordings
 * of one boot of a host. Without a UUID, traces of
 * the same host name and clock name share a clock, each with its own offset. A TCP segment was sent
 * before it was received: that bounds the two clocks (clock_sync.h). Traces that were converted
 * together (STRATA_CTF_TIMELINE) are on one clock, each with its clock's precision as the bound.
 * Nothing is guessed: a clock that cannot be tied to the first machine's stays unconverted, and a
 * message says so.
 */
#ifndef STRATA_MERGE_INPUTS_MACHINES_H
#define STRATA_MERGE_INPUTS_MACHINES_H

#include "clock_sync/clock_sync_report.h"
#include "inputs/tcp/tcp_pairs.h"
#include "timeline/trace_set.h"

struct strata_machine {
	char *name; /* escaped for output */
	bool tied;  /* its times are on the first one's clock, with a bound; true for the first */
	bool converted; /* by an earlier conversion, by its traces' environment */
};

struct strata_machines {
	struct strata_machine *machines;
	size_t nr;
	size_t *of_trace;               /* for each trace of the set: its machine */
	struct strata_clock_sync *sync; /* NULL: there is one machine, or nothing ties them */
	struct strata_tcp_tally tally;
	struct stream_converter_list *converters;
};

/*
 * Finds the machines of the set, and sets the converters of all streams whose clock is not the
 * first machine's but is tied to it. This reads traces with TCP events once.
 * @map: which events describe TCP segments
 * @complain: receives messages about clocks that are not tied; may be NULL
 * Returns 0, or -1. The caller must clear the machines in either case, after the set's last reader
 * is closed.
 */
int strata_machines_find_by(struct strata_machines *machines, struct strata_trace_set *set,
			    const struct strata_tcp_map *map, strata_complain_fn *complain,
			    void *data, struct strata_error *error);

void strata_machines_clear(struct strata_machines *machines);

#endif /* STRATA_MERGE_INPUTS_MACHINES_H */
