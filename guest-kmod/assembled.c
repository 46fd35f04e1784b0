// SPDX-License-Identifier: GPL-2.0-only
/* assembled.c - see assembled.h. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "assembled.h"
#include "contexts.h"
#include "record.h"

/* Of each probe that is in progress on this CPU, the outermost first. */
struct payloads {
	unsigned char payload[STRATA_RING_NESTING_MAX][STRATA_PAYLOAD_BYTES_MAX] __aligned(8);
	unsigned char contexts[STRATA_RING_NESTING_MAX][STRATA_CONTEXTS_BYTES_MAX] __aligned(8);
};

static DEFINE_PER_CPU(struct payloads *, payloads);

int strata_assembled_prepare(void)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu) {
		struct payloads *its;

		if (per_cpu(payloads, cpu))
			continue;
		its = kvzalloc_node(sizeof(*its), GFP_KERNEL, cpu_to_node(cpu));
		if (!its)
			return -ENOMEM;
		per_cpu(payloads, cpu) = its;
	}
	return 0;
}

void strata_assembled_clear(void)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu) {
		kvfree(per_cpu(payloads, cpu));
		per_cpu(payloads, cpu) = NULL;
	}
}

void *strata_assembled_begin(u32 bytes)
{
	if (bytes > STRATA_PAYLOAD_BYTES_MAX - sizeof(struct strata_guest_context))
		return NULL;
	return this_cpu_read(payloads)->payload[this_cpu_read(strata_cpu_rings.nesting) - 1];
}

/* Writes a channel's contexts for a payload of @bytes to this probe's memory.  Returns their
 * number of bytes. */
static u32 write_contexts(unsigned long channel, u32 contexts, u32 bytes, const void **written)
{
	const unsigned long nesting = this_cpu_read(strata_cpu_rings.nesting);
	const u32 room = STRATA_PAYLOAD_BYTES_MAX - sizeof(struct strata_guest_context);
	void *to = this_cpu_read(payloads)->contexts[nesting - 1];

	*written = to;
	return strata_contexts_write(channel, contexts, to, room > bytes ? room - bytes : 0,
				     nesting > 1);
}

static void copy_record(const struct strata_event *event, unsigned long channel,
			const void *payload, u32 bytes, u64 ticks)
{
	struct strata_open_record record __uninitialized;
	const u32 contexts = strata_contexts[channel];
	const void *before = NULL;
	u32 before_bytes = 0;

	if (contexts)
		before_bytes = write_contexts(channel, contexts, bytes, &before);
	/* It refuses a payload that is too long, and counts it. */
	if (!strata_record_begin(&record, channel, event->id, before_bytes + bytes, ticks))
		return;
	memcpy(record.payload, before, before_bytes);
	memcpy(record.payload + before_bytes, payload, bytes);
	strata_record_end(&record);
}

void strata_assembled_record(const struct strata_event *event, unsigned long channels,
			     const void *payload, u32 bytes, u64 ticks)
{
	unsigned long asked = channels >> STRATA_ASKED_SHIFT, channel;

	channels &= BIT(STRATA_ASKED_SHIFT) - 1;
	strata_for_each_channel (channel, asked) {
		struct strata_kernel_aggregate *aggregate = READ_ONCE(strata_aggregates[channel]);

		if (payload && !strata_filter_passes(event, channel, payload, bytes))
			continue;
		if (!aggregate)
			channels |= BIT(channel);
		else if (payload)
			strata_aggregate_hit(aggregate, event);
		else
			strata_aggregate_missed(channel, 1);
	}
	strata_for_each_channel (channel, channels)
		copy_record(event, channel, payload, bytes, ticks);
}
