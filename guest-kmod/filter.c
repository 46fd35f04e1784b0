// SPDX-License-Identifier: GPL-2.0-only
/* filter.c - see filter.h; control.c sets it. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "aggregate.h"
#include "filter.h"
#include "probe_cpu.h"

const struct strata_filter *strata_filters[STRATA_GUEST_CHANNELS_MAX];

static bool passes(unsigned int channel)
{
	const struct strata_filter *filter = READ_ONCE(strata_filters[channel]);
	s32 number;
	u32 i;

	if (!filter)
		return true;
	number = filter->processes ? current->tgid : current->pid;
	if (likely(!(filter->maybe >> (number & 63) & 1)))
		return false;
	for (i = 0; i < filter->nr; i++)
		if (filter->number[i] == number)
			return true;
	return false;
}

unsigned long strata_filter_channels(const struct strata_event *event, unsigned long channels)
{
	unsigned long passed = 0;
	unsigned int channel;

	strata_for_each_channel (channel, channels) {
		struct strata_kernel_aggregate *aggregate;

		if (!passes(channel))
			continue;
		aggregate = READ_ONCE(strata_aggregates[channel]);
		if (aggregate)
			strata_aggregate_hit(aggregate, event);
		else
			passed |= BIT(channel);
	}
	return passed;
}

static int parse(struct strata_filter *filter, char *text)
{
	const char *kind = strsep(&text, "=");
	const char *word;

	filter->processes = !strcmp(kind, "pid");
	if (!text || (!filter->processes && strcmp(kind, "tid")))
		return -EINVAL;
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

int strata_filter_set(unsigned int channel, char *text)
{
	const struct strata_filter *old = strata_filters[channel];
	struct strata_filter *filter = NULL;
	int err;

	if (text) {
		filter = kzalloc(sizeof(*filter), GFP_KERNEL);
		if (!filter)
			return -ENOMEM;
		err = parse(filter, text);
		if (err) {
			kfree(filter);
			return err;
		}
	}
	/* Release: a probe that sees the pointer sees its target, by address dependency. */
	smp_store_release(&strata_filters[channel], filter);
	if (old) {
		strata_await_probes();
		kfree(old);
	}
	return 0;
}
