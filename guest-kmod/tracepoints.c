// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoints.c - see tracepoints.h; module_tracepoints.c attaches them.
 *
 * The trace points are not exported to modules, so they are looked up by name.  The
 * compiler of each probe checks that its arguments are those of the trace point.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "tracepoints.h"

/* Those that this kernel has, by name. */
struct index {
	struct tracepoint **entry;
	u32 nr;
	u32 room;
};

static void count_tracepoint(struct tracepoint *tracepoint, void *data)
{
	((struct index *)data)->room++;
}

static void list_tracepoint(struct tracepoint *tracepoint, void *data)
{
	struct index *index = data;

	if (index->nr < index->room)
		index->entry[index->nr++] = tracepoint;
}

static int by_name(const void *a, const void *b)
{
	struct tracepoint *const *first = a, *const *second = b;

	return strcmp((*first)->name, (*second)->name);
}

static struct tracepoint *find(const struct index *index, const char *name)
{
	u32 low = 0, high = index->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		int order = strcmp(index->entry[middle]->name, name);

		if (order == 0)
			return index->entry[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Whether the description matches the compiler's layout. */
static int check_layout(const struct strata_tracepoint *tracepoint)
{
	const struct strata_event *event = &tracepoint->event;
	u32 offset = 0;
	u32 i;

	for (i = 0; i < event->nr_fields; i++) {
		if (strata_field_is_variable(&event->fields[i]))
			continue;
		offset = strata_field_align(offset, event->fields[i].bytes);
		offset += (u32)event->fields[i].bytes * event->fields[i].count;
	}
	if (offset == tracepoint->static_bytes && event->nr_fields <= STRATA_EVENT_FIELDS_MAX)
		return 0;
	pr_err("event %s: described with %u bytes of payload in %u fields, recorded with %u\n",
	       event->name, offset, event->nr_fields, tracepoint->static_bytes);
	return -EINVAL;
}

static int enter_all(const struct index *index)
{
	struct strata_tracepoint *const *entry;
	int err;

	for (entry = strata_tracepoints_first; entry < strata_tracepoints_last; entry++) {
		(*entry)->tracepoint = find(index, (*entry)->event.name);
		if (!(*entry)->tracepoint && !(*entry)->of_module)
			continue;
		err = check_layout(*entry);
		if (!err)
			err = strata_events_add(&(*entry)->event);
		if (err)
			return err;
	}
	return 0;
}

int strata_tracepoints_find(void)
{
	struct index index = {};
	int err;

	for_each_kernel_tracepoint(count_tracepoint, &index);
	index.entry = vmalloc(array_size(index.room, sizeof(*index.entry)));
	if (!index.entry)
		return -ENOMEM;
	for_each_kernel_tracepoint(list_tracepoint, &index);
	sort(index.entry, index.nr, sizeof(*index.entry), by_name, NULL);
	err = enter_all(&index);
	vfree(index.entry);
	return err;
}
