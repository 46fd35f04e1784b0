/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_converter.h - converts the counter readings of a recorded stream to ns, by the exact map to
 * the host's counter. */
#ifndef STRATA_MERGE_INPUTS_HOST_CONVERTER_H
#define STRATA_MERGE_INPUTS_HOST_CONVERTER_H

#include "ctf/trace/ctf_trace.h"
#include "recording/presence.h"
#include "recording/recording.h"
#include "clocks/stream_clock.h"

struct strata_recorded_stream;

struct strata_host_converter {
	struct strata_ctf_converter converter;
	struct strata_stream_clock clock; /* as it is before the first event */
	const struct strata_timebase *timebase;
	uint64_t known_ticks;            /* least bound of any time */
	int64_t shift_ticks;             /* added to all times, by a test */
	bool is_host;                    /* the counter is the host's */
	struct strata_presence presence; /* all times lie in it, before the shift */
	/* The stream in the tables of its recording; NULL: the converter was set up directly. */
	const struct strata_recorded_stream *recorded;
};

/* Returns by how many ticks the times of a source may be early, in addition to its clock's error.
 */
uint64_t strata_source_early_ticks(const struct strata_source *source, uint32_t tsc_khz);

/*
 * @clock, @timebase: what these point to must outlive the converter
 * @skew_ticks: the largest difference between the physical CPUs' counters
 */
void strata_host_converter_init(struct strata_host_converter *converter,
				const struct strata_source *source,
				const struct strata_stream_clock *clock,
				const struct strata_timebase *timebase, uint64_t skew_ticks);

/*
 * Makes the converter of a recorded stream, whose clock is set, and gives it to the stream of its
 * trace, with what the recording's table says of the stream.
 * @recorded, @converter: must outlive the stream
 */
void strata_host_converter_attach(struct strata_host_converter *converter,
				  const struct strata_recorded_stream *recorded,
				  struct strata_ctf_stream *stream);

/*
 * Says until when the stream's source was present at most: nothing of it can be later.
 * @until_ticks: of the host; 0: not known.  A recording that has ended knows it better
 * @stream: as it was attached
 */
void strata_host_converter_set_until(struct strata_host_converter *converter,
				     struct strata_ctf_stream *stream, uint64_t until_ticks);

#endif /* STRATA_MERGE_INPUTS_HOST_CONVERTER_H */
