/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xen_scan.h - reads the hypervisor's streams before the merge: collects the clocks of all CPUs and
 * vCPUs, which the merge needs from the first event on, and the span of time in which every CPU of
 * the host was recorded.
 */
#ifndef STRATA_MERGE_XEN_SCAN_H
#define STRATA_MERGE_XEN_SCAN_H

#include "clocks/clock_maps.h"
#include "clocks/raw_stream.h"
#include "clocks/vcpu_places.h"
#include "clocks/vcpu_stime.h"
#include "clocks/xen_class.h"

#define STRATA_PCPUS 65536u

/* The measured skew between the physical CPUs' counters. */
struct strata_skew {
	uint32_t nr_pcpus;      /* those that have events */
	uint32_t nr_unmeasured; /* of these, those without a measurement */
	/* Of any other CPU's counter less the reference's, at the same instant. */
	int64_t min_ticks;
	int64_t max_ticks;
	uint8_t measured[STRATA_PCPUS / 8]; /* one bit per CPU */
	uint8_t seen[STRATA_PCPUS / 8];
};

struct strata_xen_scan {
	struct strata_clock_maps maps;
	struct strata_vcpu_stime stimes;
	struct strata_vcpu_places places;
	struct strata_skew skew;
	struct strata_exits_evidence exits; /* evidence for VMX or SVM */
	bool runstates;                     /* runstate changes were recorded */
	bool hypercall_returns;             /* returns from hypercalls of PV guests were recorded */
	bool lossy;                         /* records of some CPU may be missing */
	uint8_t guest_mode[65536 / 8];      /* one bit for each domain with recorded VM entries */
	bool *emulated;                     /* by domain: has an emulated clock; NULL: none */
	bool any;                           /* there was an event; otherwise the two below are 0 */
	bool incomplete;                    /* a recorded CPU's stream is unreadable */
	/* The span in which every CPU of the host with events was recorded. */
	uint64_t covered_from;
	uint64_t covered_until;
};

/* The time that a stream covers. */
struct strata_xen_coverage {
	bool any;
	uint64_t first;
	uint64_t last;
};

/* A stream of the hypervisor while it is scanned. */
struct strata_xen_stream {
	struct strata_raw_stream raw;
	const struct strata_xen_class *classes; /* of its trace */
	struct strata_xen_coverage coverage;
	uint64_t packet_at, packet_end; /* the current packet: file offset, ticks */
};

/*
 * Begins to scan a stream of a recording in progress; it must not move in memory until it is
 * closed.
 * @of, @classes: must outlive it
 * 0, or -1: out of memory.
 */
int strata_xen_stream_open(struct strata_xen_stream *stream, const struct strata_ctf_stream *of,
			   const struct strata_xen_class *classes, struct strata_error *error);

void strata_xen_stream_close(struct strata_xen_stream *stream);

/*
 * Adds the new part of one stream, up to its reader's end of the file.
 * @scan: zero-initialised before the first call; to be settled before it is queried
 * The clocks of vCPUs do not depend on where they ran, so emulated counters have larger bounds.
 * 0, or -1: out of memory.
 */
int strata_xen_scan_more(struct strata_xen_scan *scan, struct strata_xen_stream *stream,
			 struct strata_error *error);

/*
 * Makes the added data ready for queries; the results of earlier queries are outdated.
 * @known_until: host ticks up to which all of the hypervisor's streams were scanned
 * 0, or -1: out of memory.
 */
int strata_xen_scan_settle(struct strata_xen_scan *scan, uint32_t tsc_khz, uint64_t known_until,
			   struct strata_error *error);

/* Scans all sources of the hypervisor's layer, and settles the scan.  Bad packets are skipped
 * silently, because the merge reports them. 0 or -1. */
int strata_xen_scan(struct strata_xen_scan *scan, const struct strata_recording *recording,
		    const char *raw, struct strata_error *error);

/* Whether VM entries of a domain's vCPUs were recorded; a PV guest has none. */
static inline bool strata_xen_scan_has_guest_mode(const struct strata_xen_scan *scan,
						  uint16_t domain)
{
	return (scan->guest_mode[domain / 8] >> domain % 8 & 1u) != 0;
}

/* Largest difference between the counters of two physical CPUs, in ticks; 0: unknown. */
uint64_t strata_skew_bound_ticks(const struct strata_skew *skew);

void strata_xen_scan_clear(struct strata_xen_scan *scan);

#endif /* STRATA_MERGE_XEN_SCAN_H */
