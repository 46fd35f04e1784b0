// SPDX-License-Identifier: GPL-2.0-or-later
/* live_clocks.c - see live_clocks.h. */
#include "live/live_clocks.h"

#include <stdlib.h>
#include <string.h>

/* NULL with the reason. */
static struct live_scanned *find_scanned(struct live_clocks *clocks,
					 struct strata_source *source_of, const char *raw,
					 size_t source, uint32_t cpu, struct strata_error *error)
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
	if (strata_packet_reader_open(&scanned->reader, raw, source_of, &stream, NULL, NULL, error))
		return NULL;
	clocks->nr_scanned++;
	return scanned;
}

int live_clocks_scan(struct live_clocks *clocks, struct strata_recorded_host *host, const char *raw,
		     size_t source, uint32_t cpu, uint64_t bytes, struct strata_error *error)
{
	struct strata_source *of = &host->recording.sources[source];
	struct live_scanned *scanned = find_scanned(clocks, of, raw, source, cpu, error);
	struct strata_error unreadable;

	if (!scanned)
		return -1;
	/* Reported when the trace is opened; most of Xen's events are known without metadata. */
	strata_source_load_events(of, raw, &unreadable);
	/* The tables may have been reloaded. */
	scanned->reader.source = of;
	scanned->reader.size = bytes;
	return strata_xen_scan_more(&host->scan, &scanned->reader, &scanned->coverage, error);
}

struct live_clocks_known live_clocks_known(const struct strata_recorded_host *host)
{
	const struct strata_stime_table *stimes = &host->scan.stimes.of_pcpu;
	struct live_clocks_known known = {
		.pieces = host->scan.maps.pieces,
		.nr_pieces = host->scan.maps.nr,
		.thinned = host->scan.maps.thinned,
		.skew_ticks = strata_skew_bound_ticks(&host->scan.skew),
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

int live_clocks_settle(struct strata_recorded_host *host, const struct live_clocks_known *before,
		       uint64_t known_ticks, struct strata_error *error)
{
	struct strata_xen_scan *scan = &host->scan;
	struct live_clocks_known now = live_clocks_known(host);
	bool is_new = now.nr_corrections != before->nr_corrections && is_emulated(&scan->maps);

	if (strata_xen_scan_settle(scan, host->timebase.tsc_khz, known_ticks, error))
		return -1;
	return is_new || now.pieces != before->pieces || scan->maps.nr != before->nr_pieces ||
	       scan->maps.thinned != before->thinned || now.skew_ticks != before->skew_ticks;
}

void live_clocks_clear(struct live_clocks *clocks)
{
	size_t i;

	for (i = 0; i < clocks->nr_scanned; i++)
		strata_packet_reader_close(&clocks->scanned[i].reader);
	free(clocks->scanned);
	memset(clocks, 0, sizeof(*clocks));
}
