/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xen_scan.h - reads the hypervisor's streams once before the merge: for the
 * clocks of all vCPUs, which the merge needs from the first event on, and for
 * the span of time in which every CPU of the host was recorded.
 */
#ifndef STRATA_MERGE_XEN_SCAN_H
#define STRATA_MERGE_XEN_SCAN_H

#include "clock_maps.h"
#include "recording.h"

struct strata_xen_scan {
	struct strata_clock_maps maps;
	bool any;        /* there was an event at all; else the two below are 0 */
	bool incomplete; /* nothing can be read of a CPU that was recorded */
	/* From when on each CPU of the host that has events was recorded, and until when. */
	uint64_t covered_from;
	uint64_t covered_until;
};

/* Scans all sources of the hypervisor's layer.  Bad packets are stepped over in silence: the
 * merge will name them.  0 or -1. */
int strata_xen_scan(struct strata_xen_scan *scan, struct strata_recording *recording,
		    const char *raw, struct strata_error *error);

void strata_xen_scan_clear(struct strata_xen_scan *scan);

#endif /* STRATA_MERGE_XEN_SCAN_H */
