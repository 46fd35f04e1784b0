// SPDX-License-Identifier: GPL-2.0-or-later
/* host_converter.c - see host_converter.h. */
#include "inputs/host_converter.h"

#include <stdlib.h>

#include "merger.h"
#include "presence.h"

struct conversion {
	const struct strata_host_converter *of;
	struct strata_stream_clock clock;
};

static void *begin(const struct strata_ctf_converter *converter)
{
	const struct strata_host_converter *of = (const struct strata_host_converter *)converter;
	struct conversion *conversion = malloc(sizeof(*conversion));

	if (!conversion)
		return NULL;
	conversion->of = of;
	conversion->clock = of->clock;
	return conversion;
}

static uint64_t to_ns(void *state, uint64_t cycles, uint64_t *bound_ns)
{
	struct conversion *conversion = state;
	const struct strata_host_converter *of = conversion->of;
	struct strata_host_time host = { .ticks = cycles, .sure = true };

	if (!of->is_host)
		host = strata_stream_clock_convert(&conversion->clock, cycles);
	*bound_ns = host.sure ? strata_ticks_to_ns_up(of->timebase->tsc_khz,
						      host.bound + of->known_ticks)
			      : UINT64_MAX;
	return strata_realtime_ns(of->timebase, host.ticks);
}

static uint64_t to_ns_later(const void *state, uint64_t cycles, uint64_t *bound_ns)
{
	struct conversion copy = *(const struct conversion *)state;

	return to_ns(&copy, cycles, bound_ns);
}

static void end(void *state)
{
	free(state);
}

void strata_host_converter_init(struct strata_host_converter *converter,
				const struct strata_source *source,
				const struct strata_stream_clock *clock,
				const struct strata_timebase *timebase, uint64_t skew_ticks)
{
	converter->converter.begin = begin;
	converter->converter.ns = to_ns;
	converter->converter.ns_later = to_ns_later;
	converter->converter.end = end;
	converter->converter.from_start = strata_stream_clock_steps_back(clock) > 0;
	converter->clock = *clock;
	converter->timebase = timebase;
	/* A tick, because no reading is finer. */
	converter->known_ticks =
		1 + skew_ticks + strata_source_early_ticks(source, timebase->tsc_khz);
	converter->is_host = source->layer == STRATA_LAYER_XEN;
}

void strata_host_converter_set_presence(struct strata_ctf_stream *stream,
					const struct strata_recording *recording,
					const struct strata_source *source, uint64_t until_ticks,
					const struct strata_timebase *timebase)
{
	const struct strata_presence presence = strata_presence_of(recording, source, until_ticks);

	stream->since_ns = presence.from_ticks ? strata_realtime_ns(timebase, presence.from_ticks)
					       : 0;
	stream->until_ns = presence.to_ticks < UINT64_MAX
				   ? strata_realtime_ns(timebase, presence.to_ticks)
				   : 0;
}
