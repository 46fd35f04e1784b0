// SPDX-License-Identifier: GPL-2.0-or-later
/* compass_sync.c - see compass_sync.h. */
#include "outputs/trace_compass/compass_sync.h"

#include <stdio.h>
#include <string.h>

#define SYNC_PERIOD_NS 100000000u

struct pair {
	uint64_t cnt;
	uint32_t vm_uid;
} __attribute__((packed, aligned(4)));

static const struct strata_event_desc description = {
	.nr_fields = 2,
	.fields = { { .name = "cnt", .kind = STRATA_FIELD_UNSIGNED, .bytes = 8, .count = 1 },
		    { .name = "vm_uid", .kind = STRATA_FIELD_UNSIGNED, .bytes = 4, .count = 1 } },
};

void strata_compass_sync_describe(struct compass_trace *trace, const char *side,
				  struct compass_sync_classes *classes)
{
	struct strata_event_desc desc = description;

	snprintf(desc.name, sizeof(desc.name), "vmsync_gh_%s", side);
	classes->gh = strata_compass_trace_class(trace, &desc);
	snprintf(desc.name, sizeof(desc.name), "vmsync_hg_%s", side);
	classes->hg = strata_compass_trace_class(trace, &desc);
}

static struct pair next_pair(struct compass_sync_guest *guest)
{
	return (struct pair){ .cnt = ++guest->cnt, .vm_uid = guest->vm_uid };
}

void strata_compass_sync_exit(struct compass_sync *sync, const struct compass_sync_host *host,
			      struct compass_file *file, uint64_t ns, const void *context)
{
	struct compass_sync_guest *guest = sync->guest;
	const bool acted = sync->acted;
	struct pair pair;

	sync->acted = false;
	sync->entered = NULL;
	if (!acted || ns < sync->next_gh_ns || sync->guest_file->last_ns >= ns ||
	    file->last_ns != ns)
		return;
	pair = next_pair(guest);
	strata_compass_trace_put(guest->trace, sync->guest_file, guest->classes.gh,
				 sync->guest_file->last_ns, &sync->tid, &pair, sizeof(pair));
	strata_compass_trace_put(host->trace, file, host->classes.gh, ns, context, &pair,
				 sizeof(pair));
	guest->gh_pairs++;
	sync->next_gh_ns = ns + SYNC_PERIOD_NS;
}

void strata_compass_sync_entry(struct compass_sync *sync, struct compass_file *file, uint64_t ns)
{
	sync->entered = ns >= sync->next_hg_ns ? file : NULL;
	sync->entered_ns = ns;
}

/* The guest's first event after the vCPU's entry. */
static void follow_entry(struct compass_sync *sync, const struct compass_sync_host *host,
			 uint64_t ns, const void *context)
{
	struct compass_file *entered = sync->entered;
	struct pair pair;

	sync->entered = NULL;
	/* If the host has written later events meanwhile, it is too late. */
	if (entered->last_ns != sync->entered_ns)
		return;
	pair = next_pair(sync->guest);
	strata_compass_trace_put(host->trace, entered, host->classes.hg, sync->entered_ns, context,
				 &pair, sizeof(pair));
	strata_compass_trace_put(sync->guest->trace, sync->guest_file, sync->guest->classes.hg, ns,
				 &sync->tid, &pair, sizeof(pair));
	sync->next_hg_ns = ns + SYNC_PERIOD_NS;
}

void strata_compass_sync_guest(struct compass_sync *sync, const struct compass_sync_host *host,
			       uint64_t ns, int32_t tid, const void *context)
{
	sync->tid = tid;
	sync->acted = true;
	/* An event that is not after the entry does not follow from it. */
	if (sync->entered && ns > sync->entered_ns)
		follow_entry(sync, host, ns, context);
}
