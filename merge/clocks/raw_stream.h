/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_stream.h - reads a recorded stream with the readings of its own counter as the times of its
 * events.  Clock maps are made from these, before anything can be converted.
 *
 * Damage is not reported: the merge reads the same stream and does that.
 */
#ifndef STRATA_MERGE_CLOCKS_RAW_STREAM_H
#define STRATA_MERGE_CLOCKS_RAW_STREAM_H

#include "ctf/reader/ctf_reader.h"
#include "recording/recording.h"

struct strata_raw_stream {
	struct strata_ctf_stream stream; /* as in its trace, except for the times */
	struct strata_ctf_reader reader; /* events' ns are ticks of the counter; reports losses */
};

/*
 * Opens the trace of a source of the recording in the directory @raw.
 * @complain: may be NULL
 * Returns NULL with the reason.
 */
struct strata_ctf_trace *strata_recorded_source_open(const struct strata_source *source,
						     const char *raw, strata_complain_fn *complain,
						     void *data, struct strata_error *error);

/* Gets the CPU from the name of a stream's file. False: this is not the name of a recorded
 * stream. */
bool strata_cpu_of_stream(const char *name, uint32_t *cpu);

/*
 * Begins to read a stream of a recording.  @raw must not move in memory until it is closed.
 * @of: a stream of a trace, which must outlive @raw
 * 0, or -1: out of memory, or the file is not named after a CPU.
 */
int strata_raw_stream_open(struct strata_raw_stream *raw, const struct strata_ctf_stream *of,
			   struct strata_error *error);

/*
 * Continues with the same file, in a trace that was reopened. Everything that could be read of the
 * file before has been read.
 */
void strata_raw_stream_continue(struct strata_raw_stream *raw, const struct strata_ctf_stream *of);

void strata_raw_stream_close(struct strata_raw_stream *raw);

#endif /* STRATA_MERGE_CLOCKS_RAW_STREAM_H */
