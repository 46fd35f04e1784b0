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
 * together (STRATA_CTF_TIMELINE) are on one clock, each with its clock's precision as the bound;
 * other traces of their machines count as those of another machine, unless it is the first one.
 * Nothing is guessed: clocks that cannot be tied to the first machine's, but to each other, are
 * converted to the first of them, one that cannot be tied at all stays unconverted, and messages
 * say so.
 */
#ifndef STRATA_MERGE_INPUTS_MACHINES_H
#define STRATA_MERGE_INPUTS_MACHINES_H

#include "clock_sync/clock_sync_report.h"
#include "inputs/tcp/tcp_pairs.h"
#include "timeline/trace_set.h"

struct strata_machine {
	char *name; /* escaped for output */
	bool tied;  /* its times are on the first one's clock, with a bound; true for the first */
	/* The machine on whose clock its times are: the first one, or if they cannot be tied, the
	 * first of those that can be tied to each other; itself: they are not converted. */
	size_t tied_to;
	bool left_out;  /* its trace contradicts those of others that agree without it */
	bool converted; /* all its traces, by an earlier conversion, by their environment */
	/* A trace of an earlier recording, whose boot this machine's first recording names although
	 * their clocks contradict each other; NULL: none. */
	const struct strata_ctf_trace *boot_of;
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
 * Finds the machines of the set, and sets the converters of all streams whose clock is tied to
 * that of another machine. This reads traces with TCP events once.
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
