// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xen_events.c - makes an event class from a hypervisor record's id and the rows of
 * xen_event_table.c. recording.c calls it for ids that a source's table lacks.
 *
 * A row of the table names an id, how many 32-bit words follow, and the fields in those words, in
 * memory order: "vcpu:u16 domain:u16 runtime:u32". u, s and x are unsigned, signed and hexadecimal;
 * u32*6 is an array of six.  The unit test ensures that the fields of each row fill its words
 * exactly.
 */
#include "xen/xen_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/abi/hypervisor.h>

#include "xen/xen_event_table.h"

/* From xen/include/public/trace.h: the states lie in the id's bits 8-9 and 4-5. */
#define RUNSTATE_CHANGE_ID         0x00021001u
#define RUNSTATE_CHANGE_STATE_MASK 0x00000330u

/* Likewise; exits in 64-bit mode and of nested guests have additional flags. */
#define VMENTRY_ID       0x00081001u
#define VMEXIT_ID        0x00081002u
#define GUEST_MODE_FLAGS 0x00000500u

/* Likewise; the return is one that Strata's patches add. */
#define PV_HYPERCALL_ID        0x0020100du
#define PV_HYPERCALL_RETURN_ID 0x0020100fu

/* Events that stand for others.  Xen itself uses neither: guests' numbers have a subclass. */
#define OTHER_ID       0x00000000u
#define GUEST_OTHER_ID STRATA_HV_ID_GUEST_CLASS

static const char *const runstate_names[] = { "running", "runnable", "blocked", "offline" };
static const struct strata_name_range runstates[] = { STRATA_NAMES_RANGE(runstate_names) };
const struct strata_number_names strata_xen_runstates = { .ranges = runstates, .nr_ranges = 1 };

static const struct xen_event_row own_events[] = {
	{ (uint32_t)STRATA_HV_PCPU_CLOCK, 0, "strata_pcpu_clock",
	  "pcpu:u32 mul_frac:x32 shift:s32 tsc_khz:u32 local_tsc:u64 local_stime_ns:u64 "
	  "master_stime_ns:u64" },
	{ (uint32_t)STRATA_HV_VCPU_CLOCK, 0, "strata_vcpu_clock",
	  "of_domain:u16 of_vcpu:u16 tsc_mode:u8 emulated:u8 ratio_frac_bits:u8 is_hvm:u8 "
	  "offset:x64 ratio:x64 guest_khz:u32 incarnation:u32 vtsc_mul_frac_and_shift:x32*2 "
	  "vtsc_offset_and_last_ns:u64*2 incomplete:u32 suppressed:u32" },
	{ (uint32_t)STRATA_HV_VCPU_STATE, 0, "strata_vcpu_state",
	  "of_domain:u16 of_vcpu:u16 on_pcpu:u16 runstate:u16" },
	{ (uint32_t)STRATA_HV_PCPU_SKEW, 0, "strata_pcpu_skew",
	  "pcpu:u32 reference:u32 min_ticks:s64 max_ticks:s64 exchanges:u32 reserved:u32" },
	{ (uint32_t)STRATA_HV_BUDGET, 0, "strata_budget",
	  "of_domain:u16 of_pcpu:u16 budget_per_s:u32 refused:u64 refused_total:u64" },
	{ (uint32_t)STRATA_HV_SELECTION, 0, "strata_selection", "changed:u32" },
};

const char *strata_runstate_name(unsigned int state)
{
	return state < sizeof(runstate_names) / sizeof(runstate_names[0]) ? runstate_names[state]
									  : "unknown";
}

bool strata_xen_runstate_change(uint32_t id, struct strata_runstate_change *change)
{
	uint32_t words = id >> STRATA_HV_ID_WORDS_SHIFT;

	if ((id & STRATA_HV_ID_TRACE & ~RUNSTATE_CHANGE_STATE_MASK) != RUNSTATE_CHANGE_ID ||
	    words != 1)
		return false;
	change->before = (enum strata_runstate)((id >> 8) & 3u);
	change->after = (enum strata_runstate)((id >> 4) & 3u);
	return true;
}

bool strata_xen_guest_mode(uint32_t id, bool *entry)
{
	uint32_t event = id & STRATA_HV_ID_TRACE & ~GUEST_MODE_FLAGS;

	if ((id & STRATA_HV_ID_OWN) || (event != VMENTRY_ID && event != VMEXIT_ID))
		return false;
	*entry = event == VMENTRY_ID;
	return true;
}

bool strata_xen_pv_hypercall(uint32_t id, bool *issue)
{
	uint32_t event = id & STRATA_HV_ID_TRACE;

	if ((id & STRATA_HV_ID_OWN) ||
	    (event != PV_HYPERCALL_ID && event != PV_HYPERCALL_RETURN_ID))
		return false;
	*issue = event == PV_HYPERCALL_ID;
	return true;
}

/* Reads one "name:kind" or "name:kind*count" of a row; returns what follows, NULL: malformed. */
static const char *parse_field(const char *text, struct strata_field_desc *field)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	unsigned long bits, count = 1;
	char *end;

	if (length == 0 || length >= sizeof(field->name))
		return NULL;
	memset(field, 0, sizeof(*field));
	memcpy(field->name, text, length);

	switch (colon[1]) {
	case 'u':
		field->kind = STRATA_FIELD_UNSIGNED;
		break;
	case 's':
		field->kind = STRATA_FIELD_SIGNED;
		break;
	case 'x':
		field->kind = STRATA_FIELD_HEX;
		break;
	default:
		return NULL;
	}
	bits = strtoul(colon + 2, &end, 10);
	if (*end == '*')
		count = strtoul(end + 1, &end, 10);
	field->bytes = (uint8_t)(bits / 8);
	field->count = (uint16_t)count;
	while (*end == ' ')
		end++;
	return end;
}

/* Fills the fields from a row; false if they are malformed or too many. */
static bool parse_fields(const char *text, struct strata_event_desc *event)
{
	while (text && *text) {
		if (event->nr_fields == STRATA_EVENT_FIELDS_MAX)
			return false;
		text = parse_field(text, &event->fields[event->nr_fields++]);
	}
	return text != NULL;
}

static void name_event(struct strata_event_desc *event, const char *name)
{
	snprintf(event->name, sizeof(event->name), "%s", name);
}

static bool describe_own(uint32_t id, struct strata_event_desc *event)
{
	size_t i;

	for (i = 0; i < sizeof(own_events) / sizeof(own_events[0]); i++) {
		if (own_events[i].id != id)
			continue;
		name_event(event, own_events[i].name);
		return parse_fields(own_events[i].fields, event);
	}
	return false;
}

/* "runstate_running_to_blocked": reads well in a timeline, and the states need no decoder. */
static bool describe_runstate_change(uint32_t id, struct strata_event_desc *event)
{
	struct strata_runstate_change change;

	if (!strata_xen_runstate_change(id, &change))
		return false;
	snprintf(event->name, sizeof(event->name), "runstate_%s_to_%s",
		 strata_runstate_name(change.before), strata_runstate_name(change.after));
	return parse_fields("of_vcpu:u16 of_domain:u16", event);
}

static bool describe_known(uint32_t id, struct strata_event_desc *event)
{
	const struct xen_event_row *row =
		strata_xen_event_row(id & STRATA_HV_ID_TRACE, id >> STRATA_HV_ID_WORDS_SHIFT);

	if (!row)
		return false;
	name_event(event, row->name);
	return parse_fields(row->fields, event) &&
	       strata_event_payload_bytes(event) == row->words * 4u;
}

static void describe_unknown(uint32_t id, struct strata_event_desc *event)
{
	const uint32_t words = id >> STRATA_HV_ID_WORDS_SHIFT, number = id & STRATA_HV_ID_TRACE;

	if (number == GUEST_OTHER_ID)
		name_event(event, "trc_guest_other");
	else if (number == OTHER_ID)
		name_event(event, "trc_other");
	else
		snprintf(event->name, sizeof(event->name), "trc_0x%07x", number);
	event->nr_fields = words ? 1 : 0;
	memset(event->fields, 0, sizeof(event->fields));
	if (words) {
		snprintf(event->fields[0].name, sizeof(event->fields[0].name), "words");
		event->fields[0].kind = STRATA_FIELD_HEX;
		event->fields[0].bytes = 4;
		event->fields[0].count = (uint16_t)words;
	}
}

bool strata_xen_event(uint32_t id, struct strata_event_desc *event)
{
	memset(event, 0, sizeof(*event));
	event->id = id;
	if (id & STRATA_HV_ID_OWN)
		return describe_own(id, event);
	if (!describe_runstate_change(id, event) && !describe_known(id, event))
		describe_unknown(id, event);
	return true;
}

uint32_t strata_xen_other_id(uint32_t id)
{
	return (id & ~STRATA_HV_ID_TRACE) |
	       (id & STRATA_HV_ID_GUEST_CLASS ? GUEST_OTHER_ID : OTHER_ID);
}
