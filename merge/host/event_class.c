// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_class.c - see event_class.h.  The merger asks for each record; the
 * number of classes is bounded as the source's event table is.
 */
#include "host/event_class.h"

#include <stdlib.h>
#include <string.h>

#include <strata/abi/hypervisor.h>

static uint32_t hash_slot(uint32_t id, uint32_t capacity)
{
	return (id * 2654435761u >> 7) & (capacity - 1);
}

static void insert(struct strata_event_class **by_hash, uint32_t capacity,
		   struct strata_event_class *class)
{
	uint32_t slot = hash_slot(class->desc.id, capacity);

	while (by_hash[slot])
		slot = (slot + 1) & (capacity - 1);
	by_hash[slot] = class;
}

/* Keeps the hash at most half full, and by_number large enough for one more. */
static bool make_room(struct strata_event_classes *classes)
{
	uint32_t capacity = classes->capacity ? classes->capacity * 2 : 64;
	struct strata_event_class **by_hash, **by_number;
	uint32_t i;

	if (classes->capacity && classes->nr < classes->capacity / 2)
		return true;
	by_number = reallocarray(classes->by_number, capacity, sizeof(*by_number));
	if (!by_number)
		return false;
	classes->by_number = by_number;
	by_hash = calloc(capacity, sizeof(*by_hash));
	if (!by_hash)
		return false;
	for (i = 0; i < classes->nr; i++)
		insert(by_hash, capacity, classes->by_number[i]);
	free(classes->by_hash);
	classes->by_hash = by_hash;
	classes->capacity = capacity;
	return true;
}

static void set_role(struct strata_event_class *class)
{
	uint32_t payload_bytes = strata_event_payload_bytes(&class->desc);
	bool entry;

	if (class->layer != STRATA_LAYER_XEN)
		return;
	if (strata_xen_guest_mode(class->desc.id, &entry))
		class->role = entry ? STRATA_ROLE_GUEST_ENTRY : STRATA_ROLE_GUEST_EXIT;
	if (strata_xen_runstate_change(class->desc.id, &class->change) && payload_bytes >= 4)
		class->role = STRATA_ROLE_RUNSTATE;
	if (class->desc.id == (uint32_t)STRATA_HV_VCPU_STATE &&
	    payload_bytes >= sizeof(struct strata_hv_vcpu_state))
		class->role = STRATA_ROLE_VCPU_STATE;
	if (class->desc.id == (uint32_t)STRATA_HV_BUDGET &&
	    payload_bytes >= sizeof(struct strata_hv_budget))
		class->role = STRATA_ROLE_BUDGET;
	if (class->desc.id == (uint32_t)STRATA_HV_SELECTION &&
	    payload_bytes >= sizeof(struct strata_hv_selection))
		class->role = STRATA_ROLE_SELECTION;
}

const struct strata_event_class *strata_event_class_get(struct strata_event_classes *classes,
							const struct strata_source *source,
							const struct strata_event_desc *desc,
							uint32_t *next_index)
{
	const struct strata_event_shape *shape = strata_source_shape(source, desc->id);
	struct strata_event_class *class;

	if (classes->capacity) {
		uint32_t slot = hash_slot(desc->id, classes->capacity);

		while ((class = classes->by_hash[slot])) {
			if (class->desc.id == desc->id)
				return class;
			slot = (slot + 1) & (classes->capacity - 1);
		}
	}
	if (!make_room(classes))
		return NULL;
	class = calloc(1, sizeof(*class));
	if (!class)
		return NULL;
	class->desc = *desc;
	class->layer = source->layer;
	class->fixed_bytes = shape ? shape->fixed_bytes : 0;
	class->is_variable = shape && shape->variable;
	class->number = classes->nr;
	class->index = (*next_index)++;
	set_role(class);
	classes->by_number[classes->nr++] = class;
	insert(classes->by_hash, classes->capacity, class);
	return class;
}

void strata_event_classes_clear(struct strata_event_classes *classes)
{
	uint32_t i;

	for (i = 0; i < classes->nr; i++)
		free(classes->by_number[i]);
	free(classes->by_number);
	free(classes->by_hash);
	memset(classes, 0, sizeof(*classes));
}
