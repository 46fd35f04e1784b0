// SPDX-License-Identifier: GPL-2.0-or-later
/* live_clocks.c - see live_clocks.h. */
#include "live/live_clocks.h"

#include <stdlib.h>
#include <string.h>

struct live_scanned {
	size_t source;
	uint32_t cpu;
	uint64_t load; /* the load of the tables to which the trace belongs */
	struct strata_xen_class *classes;
	struct strata_xen_stream stream;
};

/* NULL: out of memory. */
static struct live_scanned *find_scanned(struct live_clocks *clocks, size_t source, uint32_t cpu)
{
	struct live_scanned **more, *scanned;
	size_t i;

	for (i = 0; i < clocks->nr_scanned; i++) {
		if (clocks->scanned[i]->source == source && clocks->scanned[i]->cpu == cpu)
			return clocks->scanned[i];
	}
	more = reallocarray(clocks->scanned, clocks->nr_scanned + 1, sizeof(struct live_scanned *));
	scanned = calloc(1, sizeof(*scanned));
	if (more)
		clocks->scanned = more;
	if (!more || !scanned) {
		free(scanned);
		return NULL;
	}
	scanned->source = source;
	scanned->cpu = cpu;
	more[clocks->nr_scanned++] = scanned;
	return scanned;
}

/* Takes over the stream of a trace that was opened with the current tables.  0 or -1. */
static int adopt(struct live_scanned *scanned, uint64_t load, const struct strata_source *source,
		 const struct strata_ctf_stream *of, struct strata_error *error)
{
	struct strata_xen_class *classes = strata_xen_classes_new(source, &of->trace->metadata);
	int result = 0;

	if (!classes)
		return strata_fail(error, "out of memory");
	free(scanned->classes);
	scanned->classes = classes;
	if (!scanned->load) {
		result = strata_xen_stream_open(&scanned->stream, of, classes, error);
	} else {
		scanned->stream.classes = classes;
		strata_raw_stream_continue(&scanned->stream.raw, of);
	}
	if (!result)
		scanned->load = load;
	return result;
}

void live_clocks_load(struct live_clocks *clocks)
{
	clocks->load++;
}

int live_clocks_scan(struct live_clocks *clocks, struct strata_recorded_host *host, size_t source,
		     uint32_t cpu, const struct strata_ctf_stream *of, uint64_t bytes,
		     struct strata_error *error)
{
	struct live_scanned *scanned = find_scanned(clocks, source, cpu);

	if (!scanned)
		return strata_fail(error, "out of memory");
	if (scanned->load != clocks->load &&
	    adopt(scanned, clocks->load, &host->recording.sources[source], of, error))
		return -1;
	scanned->stream.raw.reader.file_bytes = bytes;
	return strata_xen_scan_more(&host->scan, &scanned->stream, error);
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

	for (i = 0; i < clocks->nr_scanned; i++) {
		strata_xen_stream_close(&clocks->scanned[i]->stream);
		free(clocks->scanned[i]->classes);
		free(clocks->scanned[i]);
	}
	free(clocks->scanned);
	memset(clocks, 0, sizeof(*clocks));
}
