// SPDX-License-Identifier: GPL-2.0-only
/* channels.c - see channels.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <asm/tsc.h>

#include "aggregate.h"
#include "buffers.h"
#include "channels.h"
#include "counters.h"
#include "event_table.h"
#include "events.h"

static struct {
	struct strata_grants grants;
	int root; /* index of the root page in the list of grants */
	bool shared;
} memory[STRATA_GUEST_CHANNELS_MAX];

/* Puts the event table first in the list of a channel's grants. */
static int list_event_table(unsigned int channel)
{
	struct strata_grants *grants = &memory[channel].grants;

	if (!channel)
		return strata_event_table_create(grants);
	strata_grants_borrow(grants, &memory[0].grants,
			     strata_guest_table_pages(strata_event_table_bytes()));
	return 0;
}

/* References that all channels together have taken. */
static u64 refs_taken(void)
{
	unsigned int channel;
	u64 taken = 0;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		taken += memory[channel].grants.nr - memory[channel].grants.nr_borrowed;
	return taken;
}

/* What a channel's own pages are for: rings, or tables to count in. */
struct contents {
	struct strata_ring_geometry geo;
	const struct strata_aggregate_spec *spec; /* NULL: rings */
};

static int create_contents(unsigned int channel, const struct contents *contents)
{
	struct strata_grants *grants = &memory[channel].grants;

	return contents->spec ? strata_aggregate_create(channel, grants, contents->spec)
			      : strata_buffers_create(channel, grants, contents->geo);
}

static void destroy_contents(unsigned int channel)
{
	strata_buffers_destroy(channel);
	strata_aggregate_destroy(channel);
}

static int share(unsigned int channel, const struct contents *contents, u64 nonce)
{
	struct strata_grants *grants = &memory[channel].grants;
	struct strata_guest_root root = {
		.magic = STRATA_GUEST_MAGIC,
		.version = STRATA_GUEST_ABI_VERSION,
		.header_forms = contents->spec ? 0 : STRATA_HEADER_FORMS_ALL,
		.nonce = nonce,
		.nr_events = strata_events_count(),
		.nr_rings = strata_buffers_count(),
		.subbuf_bits = contents->geo.subbuf_bits,
		.nr_subbufs_bits = contents->geo.nr_subbufs_bits,
		.table_bytes = strata_event_table_bytes(),
		.tsc_khz = contents->spec ? tsc_khz : 0,
	};
	u64 nr_refs = contents->spec
			      ? strata_guest_aggregate_refs(root.table_bytes, root.nr_rings,
							    contents->spec)
			      : strata_guest_refs(root.table_bytes, root.nr_rings, contents->geo);
	int place, err;

	if (refs_taken() + nr_refs > STRATA_GUEST_REFS_MAX)
		return -ENOSPC;
	err = strata_grants_init(grants, nr_refs);
	if (err)
		return err;
	err = list_event_table(channel);
	if (err)
		goto release;
	err = create_contents(channel, contents);
	if (err)
		goto destroy_table;
	place = strata_grants_add_root(grants, &root);
	if (place >= 0) {
		memory[channel].root = place;
		memory[channel].shared = true;
		strata_event_table_publish(channel, strata_channel_root(channel));
		strata_counters_open(channel, strata_channel_root(channel));
		return 0;
	}
	err = place;
	destroy_contents(channel);
destroy_table:
	if (!channel)
		strata_event_table_destroy();
release:
	strata_grants_release(grants);
	return err;
}

int strata_channel_share(unsigned int channel, struct strata_ring_geometry *geo, u64 nonce)
{
	struct contents contents = { .geo = *geo };
	int err = strata_grants_hold_back();

	if (err)
		return err;
	while ((err = share(channel, &contents, nonce)) == -ENOSPC &&
	       contents.geo.nr_subbufs_bits > STRATA_NR_SUBBUFS_BITS_MIN)
		contents.geo.nr_subbufs_bits--;
	*geo = contents.geo;
	strata_grants_give_back();
	if (err == -ENOSPC)
		pr_err("this domain has too few grant references for the rings of %u CPUs in channel %u; choose a smaller subbuf_kb, or give it a larger max_grant_frames\n",
		       strata_buffers_count(), channel);
	return err;
}

int strata_channel_share_aggregate(unsigned int channel, const struct strata_aggregate_spec *spec,
				   u64 nonce)
{
	const struct contents contents = { .spec = spec };
	int err = strata_grants_hold_back();

	if (err)
		return err;
	err = share(channel, &contents, nonce);
	strata_grants_give_back();
	if (err == -ENOSPC)
		pr_err("this domain has too few grant references for the tables of %u CPUs in channel %u; give it a larger max_grant_frames\n",
		       strata_buffers_count(), channel);
	return err;
}

bool strata_channel_shared(unsigned int channel)
{
	return memory[channel].shared;
}

struct strata_guest_root *strata_channel_root(unsigned int channel)
{
	return page_address(memory[channel].grants.page[memory[channel].root]);
}

grant_ref_t strata_channel_root_ref(unsigned int channel)
{
	return memory[channel].grants.ref[memory[channel].root];
}

void strata_channel_unshare(unsigned int channel)
{
	memory[channel].shared = false;
	strata_counters_close(channel);
	destroy_contents(channel);
	strata_event_table_publish(channel, NULL);
	if (!channel)
		strata_event_table_destroy();
	strata_grants_release(&memory[channel].grants);
}

void strata_channels_renew(void)
{
	strata_grants_renew(&memory[0].grants);
}

u32 strata_channels_end_writable(void)
{
	unsigned int channel;
	u32 left = 0;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		left += strata_grants_end_writable(&memory[channel].grants);
	return left;
}
