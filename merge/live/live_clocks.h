/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_clocks.h - reads the hypervisor's streams of a recording in progress as they grow, for the
 * clocks of all others and the places of vCPUs; for live_streams.c. Streams' clocks are set up from
 * them as for a finished recording (host/recorded_host.h).
 */
#ifndef STRATA_MERGE_LIVE_LIVE_CLOCKS_H
#define STRATA_MERGE_LIVE_LIVE_CLOCKS_H

#include "host/recorded_host.h"

struct live_scanned;

/* Zero-initialised has scanned nothing. */
struct live_clocks {
	struct live_scanned **scanned; /* streams of the hypervisor, partly scanned */
	size_t nr_scanned;
	uint64_t load; /* how often the tables were loaded */
};

/* Call this when the tables were loaded: streams of earlier traces are no longer used. */
void live_clocks_load(struct live_clocks *clocks);

/*
 * Adds a stream of the hypervisor, up to @bytes of its file, to the scan of @host.
 * @of: the stream in its trace, as of the last load
 * 0, or -1.
 */
int live_clocks_scan(struct live_clocks *clocks, struct strata_recorded_host *host, size_t source,
		     uint32_t cpu, const struct strata_ctf_stream *of, uint64_t bytes,
		     struct strata_error *error);

/* The state before a number of scans. */
struct live_clocks_known {
	const void *pieces;
	size_t nr_pieces;
	size_t thinned;
	size_t nr_corrections;
	uint64_t skew_ticks;
};

struct live_clocks_known live_clocks_known(const struct strata_recorded_host *host);

/*
 * Call this after the scans.
 * @known_ticks: up to there all of the hypervisor's streams were scanned
 * 1: earlier converters are outdated; 0: they are valid; or -1.
 */
int live_clocks_settle(struct strata_recorded_host *host, const struct live_clocks_known *before,
		       uint64_t known_ticks, struct strata_error *error);

void live_clocks_clear(struct live_clocks *clocks);

#endif /* STRATA_MERGE_LIVE_LIVE_CLOCKS_H */
