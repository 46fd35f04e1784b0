/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_traces.h - the sources of one of Strata's recordings as CTF traces, whose
 * times are the hypervisor's: by the exact maps that it recorded, not by what the
 * metadata of each says of its raw counter.
 */
#ifndef STRATA_MERGE_INPUTS_RECORDING_TRACES_H
#define STRATA_MERGE_INPUTS_RECORDING_TRACES_H

#include "host/recorded_host.h"
#include "clocks/xen_class.h"
#include "timeline/trace_set.h"

struct strata_recording_traces;

/*
 * Loads the recording in the directory @raw.
 * @complain, @remark: as strata_recorded_host_load() has them
 * NULL with the reason.
 */
struct strata_recording_traces *strata_recording_traces_open(const char *raw,
							     strata_complain_fn *complain,
							     strata_complain_fn *remark, void *data,
							     struct strata_error *error);

void strata_recording_traces_close(struct strata_recording_traces *traces);

/* Its data as a whole. Streams may be shifted in time before their traces are
 * opened. */
struct strata_recorded_host *strata_recording_traces_host(struct strata_recording_traces *traces);

/* Its sources.  Each can be opened if its clocks can be ordered. */
const struct strata_recording *
strata_recording_traces_table(const struct strata_recording_traces *traces);

/*
 * Opens the trace of a source; it must be closed before @traces are.
 * NULL with the reason.
 */
struct strata_ctf_trace *strata_recording_traces_trace(struct strata_recording_traces *traces,
						       size_t source_index,
						       struct strata_error *error);

/* Gives the hypervisor's trace the names of the table's guests, one for each domain: the table has
 * them also where a kernel recorded no event.  0, or -1: out of memory. */
int strata_recording_name_domains(const struct strata_recording *recording,
				  struct strata_ctf_trace *trace, struct strata_error *error);

/* The recording's data of a stream of its traces; NULL: the stream belongs to no recording. */
const struct strata_recorded_stream *
strata_recording_traces_stream(const struct strata_ctf_stream *stream);

/* The same for the recording of one host only. */
const struct strata_recorded_stream *
strata_recorded_stream_of(const struct strata_recorded_host *host,
			  const struct strata_ctf_stream *stream);

/* What an event of a hypervisor's stream says. */
static inline const struct strata_xen_class *
strata_recorded_class(const struct strata_recorded_stream *recorded,
		      const struct strata_ctf_reader *reader, const struct strata_lane_event *event)
{
	return &recorded->classes[reader->kind->classes[event->class].event->index];
}

/* A stream's tally after a merge of its set, with what its recorder refused, and with a file that
 * ends early as a bad packet. */
struct strata_ctf_tally strata_recording_tally(const struct strata_set_stream *stream);

/* How many streams of the traces that were opened are missing, or cannot be read, though the table
 * knows of packets. */
size_t strata_recording_traces_missing(const struct strata_recording_traces *traces);

#endif /* STRATA_MERGE_INPUTS_RECORDING_TRACES_H */
