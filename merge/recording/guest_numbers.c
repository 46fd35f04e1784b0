// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_numbers.c - see guest_numbers.h. */
#include "recording/guest_numbers.h"

#include <stdlib.h>

#include <strata/abi/hypervisor.h>

#include "xen/domain_numbers.h"
#include "xen/xen_events.h"

/* There is always room for trc_guest_other and trc_other, in each of eight sizes, and for Strata's
 * own events. */
#define RESERVED             24u
#define RESERVED_DESCRIPTION (RESERVED * (uint32_t)sizeof(struct strata_event_desc))

static bool of_guest(uint32_t id)
{
	return (id & (STRATA_HV_ID_OWN | STRATA_HV_ID_GUEST_CLASS)) == STRATA_HV_ID_GUEST_CLASS;
}

int strata_source_limit_guests(struct strata_source *source, struct strata_error *error)
{
	source->guest_numbers = calloc(1, sizeof(*source->guest_numbers));
	return source->guest_numbers ? 0 : strata_fail(error, "out of memory");
}

static bool table_has_room(const struct strata_source *source)
{
	return source->nr_events + RESERVED < STRATA_SOURCE_EVENTS_MAX &&
	       source->description_bytes + RESERVED_DESCRIPTION +
			       (uint32_t)sizeof(struct strata_event_desc) <=
		       STRATA_SOURCE_DESCRIPTION_BYTES_MAX;
}

static bool domain_has_room(const struct strata_guest_numbers *numbers, uint16_t domain)
{
	return numbers->nr < STRATA_GUEST_NUMBERS_MAX &&
	       numbers->of_domain[domain] < STRATA_GUEST_NUMBERS_OF_DOMAIN;
}

static void note_replaced(struct strata_guest_numbers *numbers, uint32_t id, uint32_t other,
			  uint16_t domain)
{
	if (numbers->any_replaced)
		return;
	numbers->any_replaced = true;
	numbers->replaced_id = id;
	numbers->replaced_other_id = other;
	numbers->replaced_domain = domain;
}

/* The class with that id, which is added if the source lacks it; NULL: it cannot be. */
static const struct strata_event_shape *find_or_add(struct strata_source *source, uint32_t id)
{
	const struct strata_event_shape *shape = strata_source_shape(source, id);

	if (!shape && strata_source_event(source, id))
		shape = strata_source_shape(source, id);
	return shape;
}

const struct strata_event_shape *strata_source_place_event(struct strata_source *source,
							   uint32_t id, uint16_t domain)
{
	struct strata_guest_numbers *numbers = source->guest_numbers;
	const uint32_t other = strata_xen_other_id(id);
	const struct strata_event_shape *shape;
	const bool by_guest = of_guest(id);

	if (!(id & STRATA_HV_ID_OWN) &&
	    (!table_has_room(source) || (by_guest && !domain_has_room(numbers, domain)))) {
		note_replaced(numbers, id, other, domain);
		return find_or_add(source, other);
	}
	shape = find_or_add(source, id);
	if (shape && by_guest) {
		numbers->nr++;
		if (domain != STRATA_DOMID_UNKNOWN)
			numbers->of_domain[domain]++;
	}
	return shape;
}
