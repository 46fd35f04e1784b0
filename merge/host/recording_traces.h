/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_traces.h - opens the sources of one of Strata's recordings as CTF traces in the
 * hypervisor's time: converted by the exact maps that it recorded, not by what each trace's
 * metadata says of its raw counter.
 */
#ifndef STRATA_MERGE_INPUTS_RECORDING_TRACES_H
#define STRATA_MERGE_INPUTS_RECORDING_TRACES_H

#include "host/recorded_host.h"
#include "clocks/xen_class.h"
#include "timeline/trace_set.h"

struct strata_recording_traces;

/*
 * Loads the recording in the directory @raw.
 * @complain, @remark: as for strata_recorded_host_load()
 * NULL with the reason.
 */
struct strata_recording_traces *strata_recording_traces_open(const char *raw,
							     strata_complain_fn *complain,
							     strata_complain_fn *remark, void *data,
							     struct strata_error *error);

void strata_recording_traces_close(struct strata_recording_traces *traces);

/* Returns its data as a whole. Streams may be shifted in time before their traces are opened. */
struct strata_recorded_host *strata_recording_traces_host(struct strata_recording_traces *traces);

/* Returns the dates of the host's ticks. */
const struct strata_timebase *
strata_recording_traces_base(const struct strata_recording_traces *traces);

/* Returns its sources.  A source can be opened if its clocks can be ordered. */
const struct strata_recording *
strata_recording_traces_table(const struct strata_recording_traces *traces);

/*
 * Opens the trace of a source; it must be closed before @traces are.  NULL with the reason.
 */
struct strata_ctf_trace *strata_recording_traces_trace(struct strata_recording_traces *traces,
						       size_t source_index,
						       struct strata_error *error);

/* Gives the hypervisor's trace the names of the table's guests, one for each domain: the table also
 * has the names of guests whose kernel recorded no event.  0, or -1: out of memory. */
int strata_recording_name_domains(const struct strata_recording *recording,
				  struct strata_ctf_trace *trace, struct strata_error *error);

/* The recording's data of a stream of its traces; NULL: the stream belongs to no recording. */
const struct strata_recorded_stream *
strata_recording_traces_stream(const struct strata_ctf_stream *stream);

/* The same for the recording of one host only. */
const struct strata_recorded_stream *
strata_recorded_stream_of(const struct strata_recorded_host *host,
			  const struct strata_ctf_stream *stream);

/* Returns the meaning of an event of a hypervisor's stream. */
static inline const struct strata_xen_class *
strata_recorded_class(const struct strata_recorded_stream *recorded,
		      const struct strata_ctf_reader *reader, const struct strata_lane_event *event)
{
	return &recorded->classes[reader->kind->classes[event->class].event->index];
}

/* Returns a stream's tally after a merge of its set.  Packets that its recorder refused count as
 * bad, and so does a file that ends early. */
struct strata_ctf_tally strata_recording_tally(const struct strata_set_stream *stream);

/* Returns how many streams of the opened traces are missing or unreadable, though the table says
 * that they have packets. */
size_t strata_recording_traces_missing(const struct strata_recording_traces *traces);

#endif /* STRATA_MERGE_INPUTS_RECORDING_TRACES_H */
