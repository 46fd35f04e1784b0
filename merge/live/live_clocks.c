// SPDX-License-Identifier: GPL-2.0-or-later
/* live_clocks.c - see live_clocks.h. */
#include "live/live_clocks.h"

#include <stdlib.h>
#include <string.h>

void live_clocks_init(struct live_clocks *clocks, const char *raw,
		      struct strata_recording *recording)
{
	memset(clocks, 0, sizeof(*clocks));
	clocks->raw = raw;
	clocks->recording = recording;
	/* Keeps the first frequency and anchor: the recorder may later measure them better, but
	 * times that were shown must not move. */
	clocks->timebase.anchor_ticks = recording->anchor_ticks;
	clocks->timebase.anchor_ns = recording->anchor_realtime_ns;
	clocks->timebase.tsc_khz = recording->tsc_khz;
}

/* NULL with the reason. */
static struct live_scanned *find_scanned(struct live_clocks *clocks, size_t source, uint32_t cpu,
					 struct strata_error *error)
{
	const struct strata_stream stream = { .cpu = cpu };
	struct live_scanned *scanned;
	size_t i;

	for (i = 0; i < clocks->nr_scanned; i++) {
		scanned = &clocks->scanned[i];
		if (scanned->source == source && scanned->reader.cpu == cpu &&
		    scanned->reader.fd >= 0)
			return scanned;
	}
	scanned = reallocarray(clocks->scanned, clocks->nr_scanned + 1, sizeof(*scanned));
	if (!scanned) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	clocks->scanned = scanned;
	scanned += clocks->nr_scanned;
	memset(scanned, 0, sizeof(*scanned));
	scanned->source = source;
	if (strata_packet_reader_open(&scanned->reader, clocks->raw,
				      &clocks->recording->sources[source], &stream, NULL, NULL,
				      error))
		return NULL;
	clocks->nr_scanned++;
	return scanned;
}

int live_clocks_scan(struct live_clocks *clocks, size_t source, uint32_t cpu, uint64_t bytes,
		     struct strata_error *error)
{
	struct live_scanned *scanned = find_scanned(clocks, source, cpu, error);
	struct strata_error unreadable;

	if (!scanned)
		return -1;
	/* Reported when the trace is opened; most of Xen's events are known without metadata. */
	strata_source_load_events(&clocks->recording->sources[source], clocks->raw, &unreadable);
	/* The tables may have been reloaded. */
	scanned->reader.source = &clocks->recording->sources[source];
	scanned->reader.size = bytes;
	return strata_xen_scan_more(&clocks->scan, &scanned->reader, &scanned->coverage, error);
}

struct live_clocks_known live_clocks_known(const struct live_clocks *clocks)
{
	const struct strata_stime_table *stimes = &clocks->scan.stimes.of_pcpu;
	struct live_clocks_known known = {
		.pieces = clocks->scan.maps.pieces,
		.nr_pieces = clocks->scan.maps.nr,
		.thinned = clocks->scan.maps.thinned,
		.skew_ticks = strata_skew_bound_ticks(&clocks->scan.skew),
	};
	size_t i;

	for (i = 0; i < stimes->nr; i++)
		known.nr_corrections +=
			stimes->members[i].stime.nr_corrections + stimes->members[i].stime.nr_gaps;
	return known;
}

static bool is_emulated(const struct strata_clock_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		if (maps->pieces[i].emulated)
			return true;
	return false;
}

int live_clocks_settle(struct live_clocks *clocks, const struct live_clocks_known *before,
		       struct strata_error *error)
{
	struct live_clocks_known now = live_clocks_known(clocks);
	bool is_new = now.nr_corrections != before->nr_corrections &&
		      is_emulated(&clocks->scan.maps);

	strata_clock_maps_sort(&clocks->scan.maps, clocks->timebase.tsc_khz);
	if (!strata_vcpu_stime_finish(&clocks->scan.stimes, now.skew_ticks))
		return strata_fail(error, "out of memory for the clocks of vCPUs");
	return is_new || now.pieces != before->pieces ||
	       clocks->scan.maps.nr != before->nr_pieces ||
	       clocks->scan.maps.thinned != before->thinned || now.skew_ticks != before->skew_ticks;
}

bool live_clocks_converter(const struct live_clocks *clocks, const struct strata_source *source,
			   uint32_t cpu, struct strata_host_converter *converter)
{
	const struct strata_xen_scan *scan = &clocks->scan;
	const uint64_t skew_ticks = strata_skew_bound_ticks(&scan->skew);
	struct strata_stream_clock clock = { 0 };

	if (source->layer != STRATA_LAYER_XEN) {
		if (!strata_clock_maps_usable(&scan->maps, (uint16_t)source->domain))
			return false;
		strata_stream_clock_init(&clock, &scan->maps, &scan->stimes, skew_ticks,
					 (uint16_t)source->domain, (uint16_t)cpu);
	}
	strata_host_converter_init(converter, source, &clock, &clocks->timebase, skew_ticks);
	return true;
}

void live_clocks_clear(struct live_clocks *clocks)
{
	size_t i;

	for (i = 0; i < clocks->nr_scanned; i++)
		strata_packet_reader_close(&clocks->scanned[i].reader);
	free(clocks->scanned);
	strata_xen_scan_clear(&clocks->scan);
	memset(clocks, 0, sizeof(*clocks));
}
