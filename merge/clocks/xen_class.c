// SPDX-License-Identifier: GPL-2.0-or-later
/* xen_class.c - see xen_class.h. */
#include "clocks/xen_class.h"

#include <stdlib.h>

static enum strata_xen_tells tells_of(struct strata_xen_class *class)
{
	bool entry;

	if (class->id == (uint32_t)STRATA_HV_VCPU_STATE)
		return STRATA_XEN_VCPU_STATE;
	if (class->id == (uint32_t)STRATA_HV_BUDGET)
		return STRATA_XEN_BUDGET;
	if (class->id == (uint32_t)STRATA_HV_SELECTION)
		return STRATA_XEN_SELECTION;
	if (strata_xen_runstate_change(class->id, &class->change))
		return STRATA_XEN_RUNSTATE;
	if (strata_xen_guest_mode(class->id, &entry))
		return entry ? STRATA_XEN_GUEST_ENTRY : STRATA_XEN_GUEST_EXIT;
	return STRATA_XEN_TELLS_NOTHING;
}

/* The record id of an event class: its own, or the one that recording.json has for its number. */
static uint32_t record_id(const struct strata_source *source, uint64_t id)
{
	size_t i;

	for (i = 0; i < source->nr_numbers; i++) {
		if (source->numbers[i].number == id)
			return source->numbers[i].id;
	}
	return source->nr_numbers || id > UINT32_MAX ? 0 : (uint32_t)id;
}

struct strata_xen_class *strata_xen_classes_new(const struct strata_source *source,
						const struct strata_ctf_metadata *metadata)
{
	struct strata_xen_class *classes = calloc(metadata->nr_events + 1, sizeof(*classes));
	size_t i, j;

	for (i = 0; classes && i < metadata->nr_streams; i++) {
		for (j = 0; j < metadata->streams[i].nr_events; j++) {
			const struct strata_ctf_event_class *event =
				&metadata->streams[i].events[j];

			classes[event->index].id = record_id(source, event->id);
			classes[event->index].tells = tells_of(&classes[event->index]);
		}
	}
	return classes;
}
