/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_traces.h - a set of traces, of any tracer, as CTF 1.8 traces whose times are
 * nanoseconds of one clock: what reads CTF shows them side by side, and has no clocks
 * to find.
 *
 *     DIR/NAME/metadata           the same types and events; env, with "strata" for the
 *                                 tracer's name and the old one as original_tracer_name; and
 *                                 what else is known of the trace (STRATA_CTF_SOURCE, ...)
 *     DIR/NAME/STREAM             a file for each of the trace's
 *     DIR/NAME/index/STREAM.idx   where its packets are; LTTng's format
 *
 * Each event has the bound of its time, and its place among others of the same ns, in its header,
 * which viewers do not show; losses keep their places.  So whatever reads the merged traces with
 * this project's reader finds what it finds in the originals.
 *
 * Each trace has a UUID of its own, made from the old one.  Its clock keeps its UUID, which
 * for viewers says whose machine it is; precision is the largest bound of its times.  The
 * metadata comes last: an interrupted conversion leaves no trace that would look whole.  If
 * what came of it is converted again, the same bytes come out.
 *
 * Events are copied as bytes, with a header anew; those of CTF 2 are made anew, as ctf_flat.h has
 * it.  The order between streams does not matter, so each is written on its own, by as many
 * threads as there may be.
 *
 * What is not kept:
 *   - fields of event headers, and of packet headers;
 *   - structures, variants and sequences in contexts of packets, which is complained of;
 *   - of mapped integers in events, that they were times of the old clock;
 *   - attributes of events but their names, ids and log levels.
 * A trace whose events need such a field to be read is left out and named, as is one with
 * ids of more than 32 bits.  babeltrace2 reads times up to 2262 only.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_TRACES_H
#define STRATA_MERGE_OUTPUTS_CTF_TRACES_H

#include "timeline/slices.h"

/*
 * Writes all traces of a set.
 * @names:   of each trace's source, as it is shown; they need not be names of files
 * @dir, @force: as strata_output_directory() has them
 * @options: threads and times
 * @events:  OUT, how many were written; may be NULL
 * Adds to the tallies of the set's streams.  0; -1 with the reason, what was written is incomplete.
 */
int strata_ctf_traces_write(struct strata_trace_set *set, const char *const *names, const char *dir,
			    bool force, const struct strata_slice_options *options,
			    uint64_t *events, struct strata_error *error);

/* The same, of all events that a merge of the set hands to an observer (timeline/in_order.h). */
struct strata_ctf_traces;

/* NULL with the reason. @names stay until it is closed; as strata_ctf_traces_write() otherwise. */
struct strata_ctf_traces *strata_ctf_traces_open(struct strata_trace_set *set,
						 const char *const *names, const char *dir,
						 bool force, struct strata_error *error);

struct strata_slice_sink *strata_ctf_traces_observer(struct strata_ctf_traces *traces);

/*
 * Writes what is left.
 * @status: -1 if it is given up: then what was written is incomplete
 * @events: OUT, how many there are; may be NULL
 * @status, or -1 with the reason.
 */
int strata_ctf_traces_close(struct strata_ctf_traces *traces, int status, uint64_t *events,
			    struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_TRACES_H */
