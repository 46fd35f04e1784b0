// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_table.c - the table that tells dom0 what the records carry, made from
 * the same list as the structures that the probes fill in.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "events.h"

#define COUNT_FIELD(type, kind, name)           +1
#define COUNT_ARRAY(type, kind, name, count)    +1
#define DESCRIBE_FIELD(type, kind, name)        { #name, STRATA_FIELD_##kind, sizeof(type), 1 },
#define DESCRIBE_ARRAY(type, kind, name, count) { #name, STRATA_FIELD_##kind, sizeof(type), count },
#define DESCRIBE_EVENT(event, tracepoint, FIELDS)                     \
	[STRATA_EVENT_##event] = {                                    \
		.id = STRATA_EVENT_##event,                           \
		.name = #event,                                       \
		.nr_fields = FIELDS(COUNT_FIELD, COUNT_ARRAY),        \
		.fields = { FIELDS(DESCRIBE_FIELD, DESCRIBE_ARRAY) }, \
	},

/* clang-format off */
const struct strata_event_desc strata_event_table[STRATA_NR_EVENTS] = {
	STRATA_GUEST_EVENTS(DESCRIBE_EVENT)
};
/* clang-format on */

static_assert(STRATA_NR_EVENTS <= STRATA_GUEST_EVENTS_MAX, "an event without a bit in MASK");

#define PAYLOAD_BYTES(event, tracepoint, FIELDS) \
	[STRATA_EVENT_##event] = sizeof(struct strata_payload_##event),

int strata_event_table_check(void)
{
	static const u32 payload_bytes[STRATA_NR_EVENTS] = { STRATA_GUEST_EVENTS(PAYLOAD_BYTES) };
	unsigned int id;

	for (id = 0; id < STRATA_NR_EVENTS; id++) {
		const struct strata_event_desc *event = &strata_event_table[id];
		u32 described =
			sizeof(struct strata_guest_context) + strata_event_payload_bytes(event);

		if (described != payload_bytes[id]) {
			pr_err("event %s: described with %u bytes of payload, recorded with %u; make each of its fields a multiple of 4 bytes\n",
			       event->name, described, payload_bytes[id]);
			return -EINVAL;
		}
	}
	return 0;
}
