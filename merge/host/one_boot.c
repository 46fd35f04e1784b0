// SPDX-License-Identifier: GPL-2.0-or-later
/* one_boot.c - see one_boot.h. */
#include "host/one_boot.h"

#include <string.h>

#include "host/host_converter.h"

/*
 * NTP steers a clock by at most 500 ppm, besides small offsets.  Recordings of one boot know the
 * same frequency, from Xen or measured over 20 ms or more, to some 50 ppm.
 */
#define STEERED_NS    1000000000u
#define STEERED_SHARE 2000u

/* A file can claim to begin years from another one, so that a share of the distance would allow any
 * date: it grows for two days only, to 86 s.  Most clocks then agree for weeks. */
#define STEERED_DISTANCE_NS (2 * 86400 * 1000000000ull)

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

static bool frequencies_agree(uint32_t a_khz, uint32_t b_khz)
{
	return distance(a_khz, b_khz) <= (a_khz < b_khz ? a_khz : b_khz) / STEERED_SHARE + 1;
}

/* Whether both say about the same date of a tick. */
static bool agree_at(const struct strata_timebase *own, const struct strata_timebase *dates,
		     uint64_t ticks)
{
	const uint64_t apart_ns =
		strata_ticks_to_ns(own->tsc_khz, distance(ticks, dates->anchor_ticks));
	const uint64_t counted_ns = apart_ns < STEERED_DISTANCE_NS ? apart_ns : STEERED_DISTANCE_NS;

	return distance(strata_realtime_ns(own, ticks), strata_realtime_ns(dates, ticks)) <=
	       STEERED_NS + counted_ns / STEERED_SHARE;
}

static struct strata_timebase own_dates(const struct strata_recording *recording)
{
	return (struct strata_timebase){ .anchor_ticks = recording->anchor_ticks,
					 .anchor_ns = recording->anchor_realtime_ns,
					 .tsc_khz = recording->tsc_khz };
}

bool strata_recording_agrees_with(const struct strata_recording *recording,
				  const struct strata_timebase *dates)
{
	const struct strata_timebase own = own_dates(recording);

	return frequencies_agree(own.tsc_khz, dates->tsc_khz) &&
	       agree_at(&own, dates, own.anchor_ticks) &&
	       (!recording->ended_ticks || agree_at(&own, dates, recording->ended_ticks));
}

bool strata_recordings_name_one_boot(const struct strata_recording_traces *a,
				     const struct strata_recording_traces *b)
{
	static const uint8_t unknown[sizeof(((struct strata_recording *)NULL)->boot)];
	const struct strata_recording *x = strata_recording_traces_table(a);
	const struct strata_recording *y = strata_recording_traces_table(b);

	return memcmp(x->boot, unknown, sizeof(unknown)) != 0 &&
	       memcmp(x->boot, y->boot, sizeof(x->boot)) == 0;
}

/* Each one's dates have to fit the other: those of a recording that claims to begin years away fit
 * its own begin with any frequency. */
bool strata_recordings_agree(const struct strata_recording *a, const struct strata_recording *b)
{
	const struct strata_timebase dates_a = own_dates(a), dates_b = own_dates(b);

	return strata_recording_agrees_with(b, &dates_a) &&
	       strata_recording_agrees_with(a, &dates_b);
}

bool strata_recordings_of_one_boot(const struct strata_recording_traces *a,
				   const struct strata_recording_traces *b)
{
	return strata_recordings_name_one_boot(a, b) &&
	       strata_recordings_agree(strata_recording_traces_table(a),
				       strata_recording_traces_table(b));
}

bool strata_recording_fits_its_dates(const struct strata_recording_traces *traces)
{
	return strata_recording_agrees_with(strata_recording_traces_table(traces),
					    strata_recording_traces_base(traces));
}

void strata_recording_share_dates(struct strata_recording_traces *traces,
				  const struct strata_recording_traces *with,
				  struct strata_ctf_trace *trace)
{
	size_t i;

	strata_recording_traces_host(traces)->timebase = *strata_recording_traces_base(with);
	for (i = 0; i < trace->nr_streams; i++)
		if (trace->streams[i].converter)
			strata_host_converter_set_until(
				(struct strata_host_converter *)trace->streams[i].converter,
				&trace->streams[i], 0);
}
