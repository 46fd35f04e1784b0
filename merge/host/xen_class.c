// SPDX-License-Identifier: GPL-2.0-or-later
/* xen_class.c - see xen_class.h; recording_traces.c calls it for each trace of the hypervisor. */
#include "host/xen_class.h"

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

static void bind(struct strata_xen_class *class, const struct strata_source *source, uint64_t id)
{
	const struct strata_event_shape *shape;

	class->id = (uint32_t)id;
	if (source->by_number) {
		shape = strata_source_record_shape(source, class->id);
		if (!shape)
			return;
		class->id = shape->id;
	}
	class->tells = tells_of(class);
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

			bind(&classes[event->index], source, event->id);
		}
	}
	return classes;
}
