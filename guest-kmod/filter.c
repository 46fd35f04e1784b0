// SPDX-License-Identifier: GPL-2.0-only
/* filter.c - see filter.h; control.c sets it. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "aggregate.h"
#include "assembled.h"
#include "contexts.h"
#include "filter.h"
#include "probe_cpu.h"

const struct strata_filter *strata_filters[STRATA_GUEST_CHANNELS_MAX];

static bool is_of_task(const struct strata_filter *filter)
{
	s32 number;
	u32 i;

	if (!filter->nr)
		return true;
	number = filter->processes ? current->tgid : current->pid;
	if (likely(!(filter->maybe >> (number & 63) & 1)))
		return false;
	for (i = 0; i < filter->nr; i++)
		if (filter->number[i] == number)
			return true;
	return false;
}

static const struct strata_field_filter *filter_of_fields(const struct strata_filter *filter,
							  const struct strata_event *event)
{
	return filter->fields ? filter->fields->of[event->id] : NULL;
}

unsigned long strata_filter_channels(const struct strata_event *event, unsigned long channels)
{
	unsigned long passed = 0;
	unsigned int channel;

	strata_for_each_channel (channel, channels) {
		const struct strata_filter *filter = READ_ONCE(strata_filters[channel]);
		struct strata_kernel_aggregate *aggregate;

		if (filter && !is_of_task(filter))
			continue;
		if (strata_contexts[channel] || (filter && filter_of_fields(filter, event))) {
			passed |= BIT(channel + STRATA_ASKED_SHIFT);
			continue;
		}
		aggregate = READ_ONCE(strata_aggregates[channel]);
		if (aggregate)
			strata_aggregate_hit(aggregate, event);
		else
			passed |= BIT(channel);
	}
	return passed;
}

/* The filter may be another than the one that strata_filter_channels() saw; each is whole. */
bool strata_filter_passes(const struct strata_event *event, unsigned int channel,
			  const void *payload, u32 bytes)
{
	const struct strata_filter *filter = READ_ONCE(strata_filters[channel]);
	const struct strata_field_filter *fields;

	if (!filter)
		return true;
	if (!is_of_task(filter))
		return false;
	fields = filter_of_fields(filter, event);
	return !fields || strata_field_filter_passes(fields, payload, bytes, current->pid);
}

static int parse_tasks(struct strata_filter *filter, const char *kind, char *text)
{
	const char *word;

	if (filter->nr)
		return -EINVAL;
	filter->processes = !strcmp(kind, "pid");
	while ((word = strsep(&text, ","))) {
		s32 *number = &filter->number[filter->nr];

		if (filter->nr == STRATA_GUEST_FILTER_MAX || kstrtos32(word, 10, number) ||
		    *number < 0)
			return -EINVAL;
		filter->maybe |= 1ull << (*number & 63);
		filter->nr++;
	}
	return 0;
}

static int parse_word(struct strata_filter *filter, char *text)
{
	const char *kind = strsep(&text, "=");
	int err;

	if (!text)
		return -EINVAL;
	if (!strcmp(kind, "pid") || !strcmp(kind, "tid"))
		return parse_tasks(filter, kind, text);
	if (strcmp(kind, "where"))
		return -EINVAL;
	/* Before a probe can find the filter. */
	err = strata_assembled_prepare();
	return err ?: strata_field_filters_add(&filter->fields, text);
}

static int parse(struct strata_filter *filter, char *words)
{
	char *word;
	int err;

	while ((word = strsep(&words, " "))) {
		err = parse_word(filter, word);
		if (err)
			return err;
	}
	return 0;
}

static void release(const struct strata_filter *filter)
{
	if (filter)
		strata_field_filters_free(filter->fields);
	kfree(filter);
}

const struct strata_filter *strata_filter_make(char *text)
{
	struct strata_filter *filter;
	int err;

	if (!text)
		return NULL;
	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	err = parse(filter, text);
	if (err) {
		release(filter);
		return ERR_PTR(err);
	}
	return filter;
}

void strata_filter_replace(unsigned int channel, const struct strata_filter *filter)
{
	const struct strata_filter *old = strata_filters[channel];

	/* Release: a probe that sees the pointer sees its target, by address dependency. */
	smp_store_release(&strata_filters[channel], filter);
	if (old) {
		strata_await_probes();
		release(old);
	}
}
