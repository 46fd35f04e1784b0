/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_clocks.h - the clocks of a recording in progress, as far as the hypervisor has recorded
 * them; for live_streams.c. */
#ifndef STRATA_MERGE_LIVE_LIVE_CLOCKS_H
#define STRATA_MERGE_LIVE_LIVE_CLOCKS_H

#include "host/host_converter.h"
#include "clocks/xen_scan.h"

/* A stream of the hypervisor, partly scanned. */
struct live_scanned {
	size_t source;
	struct strata_packet_reader reader;
	struct strata_xen_coverage coverage;
};

struct live_clocks {
	const char *raw;
	struct strata_recording *recording; /* may be another one from call to call */
	struct strata_xen_scan scan;
	struct live_scanned *scanned;
	size_t nr_scanned;
	struct strata_timebase timebase;
};

/* @recording: loaded */
void live_clocks_init(struct live_clocks *clocks, const char *raw,
		      struct strata_recording *recording);

/*
 * Scans a stream of the hypervisor's up to @bytes of its file.
 * 0, or -1.
 */
int live_clocks_scan(struct live_clocks *clocks, size_t source, uint32_t cpu, uint64_t bytes,
		     struct strata_error *error);

/* The state before a number of scans. */
struct live_clocks_known {
	const void *pieces;
	size_t nr_pieces;
	size_t thinned;
	size_t nr_corrections;
	uint64_t skew_ticks;
};

struct live_clocks_known live_clocks_known(const struct live_clocks *clocks);

/* Call this after the scans. 1: earlier converters are outdated; 0: they are valid; or -1. */
int live_clocks_settle(struct live_clocks *clocks, const struct live_clocks_known *before,
		       struct strata_error *error);

/* Makes the converter of a stream.  False: the recorded clock of its domain is impossible. */
bool live_clocks_converter(const struct live_clocks *clocks, const struct strata_source *source,
			   uint32_t cpu, struct strata_host_converter *converter);

void live_clocks_clear(struct live_clocks *clocks);

#endif /* STRATA_MERGE_LIVE_LIVE_CLOCKS_H */
