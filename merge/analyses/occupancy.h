/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * occupancy.h - who ran on a physical CPU, as far back as it remembers: the
 * last few stretches, each of one vCPU.
 */
#ifndef STRATA_MERGE_ANALYSES_OCCUPANCY_H
#define STRATA_MERGE_ANALYSES_OCCUPANCY_H

#include <strata/abi/hypervisor.h>

#include "analyses/excerpt.h"
#include "xen/xen_events.h"

#define STRATA_OCCUPANCY_HISTORY 16u

struct strata_stretch {
	uint16_t domain;
	uint16_t vcpu;
	uint64_t since; /* host ticks */
	uint64_t until;
};

/* Zero-initialised remembers nothing. */
struct strata_occupancy {
	struct strata_stretch past[STRATA_OCCUPANCY_HISTORY];
	unsigned int nr_past; /* ever; the last ones are kept */
	bool running;         /* `now` holds */
	struct strata_stretch now;
	/* The last changes of who runs, for an excerpt; the idle vCPU's are left out. */
	struct strata_saved_event changes[4];
	unsigned int nr_changes; /* ever */
};

/*
 * Takes a runstate change of a vCPU, recorded on this CPU.
 * Returns where to save the event, if it is one of the last changes; else NULL.
 */
struct strata_saved_event *strata_occupancy_change(struct strata_occupancy *occupancy,
						   const struct strata_runstate_change *change,
						   const struct strata_hv_context *changed,
						   uint64_t ticks);

/*
 * Which vCPU of another domain than @domain ran here longest at a stretch since
 * @from; idle does not count, nor does who runs now.
 * @behind: OUT, that stretch, cut to what is after @from
 * False: none is remembered.
 */
bool strata_occupancy_by_other(const struct strata_occupancy *occupancy, uint16_t domain,
			       uint64_t from, struct strata_stretch *behind);

#endif /* STRATA_MERGE_ANALYSES_OCCUPANCY_H */
