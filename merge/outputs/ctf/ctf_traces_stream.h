/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_traces_stream.h - writes one stream in the layout of its trace's plan, and the index beside
 * it. */
#ifndef STRATA_MERGE_OUTPUTS_CTF_TRACES_STREAM_H
#define STRATA_MERGE_OUTPUTS_CTF_TRACES_STREAM_H

#include "outputs/ctf/ctf_plan.h"
#include "timeline/slices.h"

/* The result of writing a stream. */
struct strata_ctf_written {
	struct strata_ctf_tally tally; /* of the events read */
	uint64_t bound_ns;             /* the largest bound of its times */
};

/* A stream being written. */
struct strata_ctf_stream_writer;

/* Opens DIR/NAME and DIR/index/NAME.idx.  NULL with the reason. */
struct strata_ctf_stream_writer *strata_ctf_stream_open(const struct strata_set_stream *stream,
							const struct strata_ctf_plan *plan,
							const struct strata_dir *dir,
							struct strata_error *error);

/* The sink that receives the stream's events and losses, in order. */
struct strata_slice_sink *strata_ctf_stream_sink(struct strata_ctf_stream_writer *writer);

/*
 * Writes the rest, and closes the files.
 * @status: -1 if the merge failed: then they are incomplete
 * @bound_ns: OUT, the largest bound of its times
 * Returns @status, or -1 with the reason.
 */
int strata_ctf_stream_close(struct strata_ctf_stream_writer *writer, int status, uint64_t *bound_ns,
			    struct strata_error *error);

/*
 * Reads a stream of a set, from one time to another, and writes it.  Several threads may do so at
 * once, for different streams.
 * @written: OUT
 * 0, or -1 with the reason.
 */
int strata_ctf_stream_write(const struct strata_trace_set *set, size_t stream,
			    const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			    const struct strata_slice_options *options,
			    struct strata_ctf_written *written, struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_TRACES_STREAM_H */
