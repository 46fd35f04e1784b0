// SPDX-License-Identifier: GPL-2.0-or-later
/* host_converter.c - see host_converter.h. */
#include "host/host_converter.h"

#include <stdlib.h>

#include "host/recorded_host.h"

struct conversion {
	const struct strata_host_converter *of;
	struct strata_stream_clock clock;
	uint64_t last_ticks; /* of the host, at the last reading */
};

static void *begin(const struct strata_ctf_converter *converter)
{
	const struct strata_host_converter *of = (const struct strata_host_converter *)converter;
	struct conversion *conversion = malloc(sizeof(*conversion));

	if (!conversion)
		return NULL;
	conversion->of = of;
	conversion->clock = of->clock;
	conversion->last_ticks = 0;
	return conversion;
}

/*
 * An event by a single store reads the counter without a fence: the processor may read it while
 * earlier loads are still under way, so the event's time may be early by the duration of these
 * loads. On its own CPU, and towards a kernel, the order is right; but a CPU that sees by plain
 * loads what another CPU wrote may seem to have seen it before the write. No limit is documented;
 * 1.3 us were measured.
 */
#define APP_EARLY_US 5u

uint64_t strata_source_early_ticks(const struct strata_source *source, uint32_t tsc_khz)
{
	if (source->layer != STRATA_LAYER_APP || source->migrates)
		return 0;
	return (uint64_t)tsc_khz * APP_EARLY_US / 1000;
}

/* Returns the host tick of a reading.  @bound: OUT, ticks; unknown if a needed record is missing */
static inline uint64_t host_ticks(struct conversion *conversion, uint64_t cycles, uint64_t *bound,
				  bool *is_doubtful)
{
	struct strata_host_time host;

	*bound = 0;
	*is_doubtful = false;
	if (conversion->of->is_host)
		return cycles;
	host = strata_stream_clock_convert(&conversion->clock, cycles);
	*bound = host.sure ? host.bound : UINT64_MAX;
	*is_doubtful = host.doubtful;
	return host.ticks;
}

static inline uint64_t shifted(const struct strata_host_converter *of, uint64_t ticks)
{
	return __builtin_expect(of->shift_ticks != 0, 0)
		       ? strata_shifted_ticks(ticks, of->shift_ticks)
		       : ticks;
}

/*
 * Moves a time at which its source was not present to the nearest one at which it was.  A guest
 * that sets its counter can write readings whose conversion leads anywhere: inside a packet, within
 * a large bound, or without a bound.
 * @bound: IN/OUT, ticks; covers the true time as before
 * Returns by how much the time was outside.
 */
static inline uint64_t hold_in_presence(const struct strata_host_converter *of, uint64_t *ticks,
					uint64_t *bound)
{
	const uint64_t nearest = *ticks < of->presence.from_ticks ? of->presence.from_ticks
								  : of->presence.to_ticks;
	uint64_t outside;

	if (__builtin_expect(*ticks >= of->presence.from_ticks && *ticks <= of->presence.to_ticks,
			     1))
		return 0;
	outside = *ticks < nearest ? nearest - *ticks : *ticks - nearest;
	/* The source was present at the true time, which lies within the bound: the nearest time at
	 * which it was present is no further from it. */
	if (outside > *bound)
		*bound = strata_ctf_add_clamped(*bound, outside);
	*ticks = nearest;
	return outside;
}

static void convert(void *state, const struct strata_ctf_time *clock, uint64_t cycles,
		    struct strata_ctf_when *when)
{
	struct conversion *conversion = state;
	uint64_t bound, ticks = host_ticks(conversion, cycles, &bound, &when->is_doubtful);
	const uint64_t own_bound = bound;

	(void)clock; /* the recording's table knows the counter */
	when->is_wrong = hold_in_presence(conversion->of, &ticks, &bound) > own_bound;
	ticks = shifted(conversion->of, ticks);
	when->is_wrong |= strata_ctf_clamp(&conversion->last_ticks, &ticks, &bound) > own_bound;
	when->bound = bound;
	when->ns = strata_realtime_tick(conversion->of->timebase, ticks, &when->tick);
}

/* A bound in ticks, at least the stream's minimum. */
static uint64_t bound_ns(const struct strata_ctf_converter *converter, uint64_t bound)
{
	const struct strata_host_converter *of = (const struct strata_host_converter *)converter;

	bound = strata_ctf_add_clamped(bound, of->known_ticks);
	return bound == UINT64_MAX ? bound : strata_ticks_to_ns_up(of->timebase->tsc_khz, bound);
}

static uint64_t to_ns_later(const void *state, const struct strata_ctf_time *clock, uint64_t cycles,
			    uint64_t *bound)
{
	struct conversion copy = *(const struct conversion *)state;
	bool ignored;
	uint64_t bound_ticks, held_bound;
	uint64_t ticks = host_ticks(&copy, cycles, &bound_ticks, &ignored), held = ticks;

	(void)clock;
	held_bound = bound_ticks;
	/* An impossible time stays as it is: the reader leaves the packet out. */
	if (hold_in_presence(copy.of, &held, &held_bound) <= bound_ticks)
		ticks = held;
	*bound = bound_ns(&copy.of->converter, bound_ticks);
	return strata_realtime_ns(copy.of->timebase, shifted(copy.of, ticks));
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
	converter->converter.convert = convert;
	converter->converter.ns_later = to_ns_later;
	converter->converter.bound_ns = bound_ns;
	converter->converter.end = end;
	/* If times may be clamped, each time depends on the preceding ones. */
	converter->converter.from_start = strata_stream_clock_steps_back(clock) > 0 ||
					  strata_stream_clock_kind(clock) == STRATA_CLOCK_EMULATED;
	converter->clock = *clock;
	converter->timebase = timebase;
	converter->recorded = NULL;
	/* A tick, because no reading is finer. */
	converter->known_ticks =
		1 + skew_ticks + strata_source_early_ticks(source, timebase->tsc_khz);
	converter->is_host = source->layer == STRATA_LAYER_XEN;
	converter->presence = (struct strata_presence){ .to_ticks = UINT64_MAX };
}

void strata_host_converter_set_until(struct strata_host_converter *converter,
				     struct strata_ctf_stream *stream, uint64_t until_ticks)
{
	const struct strata_recorded_stream *recorded = converter->recorded;
	const struct strata_recording *recording = &recorded->host->recording;
	const struct strata_timebase *timebase = &recorded->host->timebase;
	const struct strata_presence presence =
		strata_presence_of(recording, recorded->source,
				   recording->ended_ticks ? recording->ended_ticks : until_ticks);

	converter->presence = presence;
	stream->since_ns = presence.from_ticks ? strata_realtime_ns(timebase, presence.from_ticks)
					       : 0;
	stream->until_ns = presence.to_ticks < UINT64_MAX
				   ? strata_realtime_ns(timebase, presence.to_ticks)
				   : 0;
}

void strata_host_converter_attach(struct strata_host_converter *converter,
				  const struct strata_recorded_stream *recorded,
				  struct strata_ctf_stream *stream)
{
	const struct strata_recorded_host *host = recorded->host;

	strata_host_converter_init(converter, recorded->source, &recorded->clock, &host->timebase,
				   strata_skew_bound_ticks(&host->scan.skew));
	converter->recorded = recorded;
	converter->shift_ticks = recorded->shift_ticks;
	strata_host_converter_set_until(converter, stream, 0);
	stream->converter = &converter->converter;
	stream->has_cpu = true;
	stream->cpu = recorded->cpu;
	stream->is_recorded = true;
	if (recorded->recorded) {
		stream->discarded = recorded->recorded->lost;
		stream->packets = recorded->recorded->packets;
	}
}
