// SPDX-License-Identifier: GPL-2.0-only
/* event_table.c - see event_table.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/barrier.h>

#include "event_table.h"
#include "probes.h"

static char *table;
static u32 used, room;
static struct strata_guest_root *roots[STRATA_GUEST_CHANNELS_MAX];

u32 strata_event_table_bytes(void)
{
	u32 bytes = STRATA_GUEST_PROBES_MAX * strata_event_desc_bytes(STRATA_PROBE_FIELDS_MAX);
	u32 id;

	if (table)
		return room;
	for (id = 0; id < strata_events_count(); id++)
		bytes += strata_event_desc_bytes(strata_events_get(id)->nr_fields);
	return bytes;
}

int strata_event_table_create(struct strata_grants *grants)
{
	u32 bytes = strata_event_table_bytes();
	u32 nr_pages = strata_guest_table_pages(bytes);
	int first;
	u32 id;

	if (bytes > STRATA_GUEST_TABLE_BYTES_MAX) {
		pr_err("the table of %u events needs %u bytes; the limit is %u\n",
		       strata_events_count(), bytes, STRATA_GUEST_TABLE_BYTES_MAX);
		return -E2BIG;
	}
	first = strata_grants_add(grants, nr_pages, NUMA_NO_NODE, false);
	if (first < 0)
		return first;
	table = vmap(&grants->page[first], nr_pages, VM_MAP, PAGE_KERNEL);
	if (!table) {
		pr_err("no room to map an event table of %u pages\n", nr_pages);
		return -ENOMEM;
	}
	used = 0;
	room = bytes;
	for (id = 0; id < strata_events_count(); id++)
		strata_event_table_add(strata_events_get(id));
	return 0;
}

void strata_event_table_publish(unsigned int channel, struct strata_guest_root *root)
{
	roots[channel] = root;
}

/* Describes the fields of fixed length, then the others, in the order of the payload. */
static void describe_fields(struct strata_event_desc *entry, const struct strata_event *event)
{
	u32 pass, i;

	entry->nr_fields = 0;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < event->nr_fields; i++)
			if (strata_field_is_variable(&event->fields[i]) == (pass == 1))
				entry->fields[entry->nr_fields++] = event->fields[i];
}

int strata_event_table_add(const struct strata_event *event)
{
	struct strata_event_desc *entry = (struct strata_event_desc *)(table + used);
	u32 bytes = strata_event_desc_bytes(event->nr_fields);
	unsigned int channel;

	if (bytes > room - used)
		return -ENOSPC;
	entry->id = event->id;
	strscpy(entry->name, event->name, sizeof(entry->name));
	strscpy(entry->group, event->group, sizeof(entry->group));
	describe_fields(entry, event);
	used += bytes;
	/* Store the entry before the number that announces it. */
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		if (roots[channel])
			smp_store_release(&roots[channel]->nr_events, event->id + 1);
	return 0;
}

const struct strata_event_desc *strata_event_table_get(u32 id)
{
	const char *entry = table;

	while (id-- > 0)
		entry += strata_event_desc_bytes(
			((const struct strata_event_desc *)entry)->nr_fields);
	return (const struct strata_event_desc *)entry;
}

void strata_event_table_destroy(void)
{
	vunmap(table);
	table = NULL;
}
