/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_converter.h - how the readings of a stream of one of Strata's recordings become ns: by the
 * exact map to the host's counter. */
#ifndef STRATA_MERGE_INPUTS_HOST_CONVERTER_H
#define STRATA_MERGE_INPUTS_HOST_CONVERTER_H

#include "ctf/trace/ctf_trace.h"
#include "recording/recording.h"
#include "clocks/stream_clock.h"

struct strata_recorded_stream;

struct strata_host_converter {
	struct strata_ctf_converter converter;
	struct strata_stream_clock clock; /* as it is before the first event */
	const struct strata_timebase *timebase;
	uint64_t known_ticks; /* no time is known better */
	int64_t shift_ticks;  /* added to all times, for a test */
	bool is_host;         /* the counter is the host's */
	/* The stream in the tables of its recording; NULL: they are still being written. */
	const struct strata_recorded_stream *recorded;
};

/* By how many ticks the times of a source may be early, besides what its clock is off by. */
uint64_t strata_source_early_ticks(const struct strata_source *source, uint32_t tsc_khz);

/*
 * @clock, @timebase: what these point to must outlive it
 * @skew_ticks: by how much the physical CPUs' counters differ at most
 */
void strata_host_converter_init(struct strata_host_converter *converter,
				const struct strata_source *source,
				const struct strata_stream_clock *clock,
				const struct strata_timebase *timebase, uint64_t skew_ticks);

/* Says when a stream of that source was written, if that is known.  @until_ticks: when it was read
 * last, if it has not gone; 0: not known */
void strata_host_converter_set_presence(struct strata_ctf_stream *stream,
					const struct strata_recording *recording,
					const struct strata_source *source, uint64_t until_ticks,
					const struct strata_timebase *timebase);

#endif /* STRATA_MERGE_INPUTS_HOST_CONVERTER_H */
