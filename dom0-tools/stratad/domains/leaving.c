// SPDX-License-Identifier: GPL-2.0-or-later
/* leaving.c - see leaving.h. */
#include "stratad/domains/leaving.h"

#include <stdlib.h>

#include <strata/platform/platform.h>

#include "consumerd/xen/grant_call.h"

void leaving_charge(struct principal *who, uint64_t ticks, uint32_t tsc_khz)
{
	const uint64_t pages = (uint64_t)GRANT_CALL_PAGES * PRINCIPAL_PAGE_BYTES;
	const uint64_t time = ticks / (tsc_khz / 1000u + 1u) * PRINCIPAL_US_BYTES;

	principal_charge(who, PRINCIPAL_TALKING, time > pages ? time : pages);
}

/* Whether its rings are drained. Not checked again after that: the recorder may reuse its
 * source. */
static bool is_drained(struct leaving *one, struct recorder *recorder)
{
	if (one->source != LEAVING_NO_SOURCE &&
	    recorder_presence(recorder, one->source) != RECORDER_SOURCE_LEAVES)
		one->source = LEAVING_NO_SOURCE;
	return one->source == LEAVING_NO_SOURCE;
}

/* Unmaps as much as its share of the time allows: until its rings are drained, only pages that the
 * recorder can write. True: nothing is left. */
static bool unmap_some(struct leaving *one, struct recorder *recorder)
{
	const uint32_t tsc_khz = recorder_recording(recorder)->tsc_khz;
	const bool all = is_drained(one, recorder);
	bool done = false;
	uint64_t begin;

	while (!done && (!one->who || principal_has_credit(one->who, PRINCIPAL_TALKING))) {
		begin = strata_clock();
		done = all ? guest_unmap_step(&one->map) : guest_unmap_readers_step(&one->map);
		if (one->who && !done)
			leaving_charge(one->who, strata_clock() - begin, tsc_khz);
	}
	return done && all;
}

void leaving_tend(struct leaving **list, struct recorder *recorder, struct guest_pages *pages)
{
	struct leaving **at = list;

	while (*at) {
		struct leaving *one = *at;

		if (!unmap_some(one, recorder)) {
			at = &one->next;
			continue;
		}
		if (one->who)
			guest_pages_give_back(pages, one->who, one->pages);
		*at = one->next;
		free(one);
	}
}

void leaving_release(struct leaving **list)
{
	while (*list) {
		struct leaving *one = *list;

		*list = one->next;
		guest_unmap(&one->map);
		free(one);
	}
}
