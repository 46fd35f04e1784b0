// SPDX-License-Identifier: GPL-2.0-or-later
/* one_boot.c - see one_boot.h. */
#include "host/one_boot.h"

#include <string.h>

#include "host/host_converter.h"

/* Largest difference between dates and counter: NTP steers dom0's clock. */
#define STEERED_NS        1000000000u
#define STEERED_PER_SHARE 1000u /* plus a thousandth of the time between the dates */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* Whether the date of b's anchor is what a's anchor says. */
static bool dates_agree(const struct strata_recording *a, const struct strata_recording *b)
{
	const struct strata_timebase base = { .anchor_ticks = a->anchor_ticks,
					      .anchor_ns = a->anchor_realtime_ns,
					      .tsc_khz = a->tsc_khz };
	const uint64_t expected = strata_realtime_ns(&base, b->anchor_ticks);

	return distance(expected, b->anchor_realtime_ns) <=
	       STEERED_NS + distance(expected, a->anchor_realtime_ns) / STEERED_PER_SHARE;
}

bool strata_recordings_of_one_boot(const struct strata_recording_traces *a,
				   const struct strata_recording_traces *b)
{
	static const uint8_t unknown[sizeof(((struct strata_recording *)NULL)->boot)];
	const struct strata_recording *x = strata_recording_traces_table(a);
	const struct strata_recording *y = strata_recording_traces_table(b);

	return memcmp(x->boot, unknown, sizeof(unknown)) != 0 &&
	       memcmp(x->boot, y->boot, sizeof(x->boot)) == 0 && dates_agree(x, y);
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
