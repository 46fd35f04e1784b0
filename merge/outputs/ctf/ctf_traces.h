/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_traces.h - writes a set of traces of any tracer as CTF 1.8 traces on one clock, in
 * nanoseconds, so that any CTF reader can show them side by side.
 *
 *     DIR/NAME/metadata           the same types and events; env, with "strata" as the tracer's
 *                                 name, the old one as original_tracer_name, and further data on
 *                                 the trace (STRATA_CTF_SOURCE, ...)
 *     DIR/NAME/STREAM             a file for each of its streams
 *     DIR/NAME/index/STREAM.idx   an index of its packets, in LTTng's format
 *
 * Each event's header has the bound of its time, and its position among events of the same ns;
 * viewers do not show these. Losses keep their places. So this project's reader finds the same in
 * the merged traces as in the originals.
 *
 * Each trace has its own UUID, made from the old one. Its clock keeps its UUID, by which viewers
 * identify the machine; the clock's precision is the largest bound of its times. The metadata is
 * written last: an interrupted conversion leaves no trace that looks complete. Converting the
 * output again gives the same bytes.
 *
 * Events are copied as bytes, with a new header; those of CTF 2 are re-encoded (ctf_flat.h). The
 * order between streams does not matter, so each stream is written separately, by several threads.
 *
 * Not kept:
 *   - fields of event headers, and of packet headers;
 *   - structures, variants and sequences in contexts of packets, with a message;
 *   - the mapping of integers in events to the old clock;
 *   - attributes of events except names, ids and log levels.
 * A trace whose events cannot be read without such a field is left out with a message, as is one
 * with ids of more than 32 bits. babeltrace2 reads times only up to the year 2262.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_TRACES_H
#define STRATA_MERGE_OUTPUTS_CTF_TRACES_H

#include "timeline/slices.h"

/*
 * Writes all traces of a set.
 * @names: of each trace's source, as shown; they need not be valid file names
 * @dir, @force: as in strata_output_directory()
 * @options: threads and times
 * @events: OUT, number of events written; may be NULL
 * Adds to the tallies of the set's streams. Returns 0, or -1 with the reason: the output is
 * incomplete.
 */
int strata_ctf_traces_write(struct strata_trace_set *set, const char *const *names, const char *dir,
			    bool force, const struct strata_slice_options *options,
			    uint64_t *events, struct strata_error *error);

/* Writes all events that a merge of the set passes to an observer (timeline/in_order.h). */
struct strata_ctf_traces;

/* Returns NULL with the reason. @names must stay valid until it is closed; otherwise as for
 * strata_ctf_traces_write(). */
struct strata_ctf_traces *strata_ctf_traces_open(struct strata_trace_set *set,
						 const char *const *names, const char *dir,
						 bool force, struct strata_error *error);

struct strata_slice_sink *strata_ctf_traces_observer(struct strata_ctf_traces *traces);

/*
 * Writes the rest, and closes the files.
 * @status: -1 if the merge failed: then the output is incomplete
 * @events: OUT, number of events; may be NULL
 * Returns @status, or -1 with the reason.
 */
int strata_ctf_traces_close(struct strata_ctf_traces *traces, int status, uint64_t *events,
			    struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_TRACES_H */
