/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_traces_stream.h - writes one stream by its trace's plan, and the index beside it. */
#ifndef STRATA_MERGE_OUTPUTS_CTF_TRACES_STREAM_H
#define STRATA_MERGE_OUTPUTS_CTF_TRACES_STREAM_H

#include "outputs/ctf/ctf_plan.h"
#include "timeline/slices.h"

/* What came of a stream. */
struct strata_ctf_written {
	struct strata_ctf_tally tally; /* of what was read */
	uint64_t bound_ns;             /* largest of its times that have a bound */
};

/*
 * Reads a stream of a set, from one time to another, and writes DIR/NAME and DIR/index/NAME.idx.
 * Several threads may do so at once, for different streams.
 * @written: OUT
 * 0, or -1 with the reason.
 */
int strata_ctf_stream_write(const struct strata_trace_set *set, size_t stream,
			    const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			    const struct strata_slice_options *options,
			    struct strata_ctf_written *written, struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_TRACES_STREAM_H */
