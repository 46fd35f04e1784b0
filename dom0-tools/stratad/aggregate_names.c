// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_names.c - see aggregate_names.h. */
#include "stratad/aggregate_names.h"

#include <stdio.h>

#include "xen/domain_numbers.h"

uint64_t aggregate_row_ns(const struct aggregate_row *row, uint64_t ticks)
{
	const unsigned __int128 ns = (unsigned __int128)ticks * 1000000u / row->source->tsc_khz;

	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

/* A guest may have made its key up. */
static void find_event_name(const struct aggregate_row *row, char name[COUNTED_NAME_BYTES])
{
	const struct aggregate_source *source = row->source;

	if (source->program)
		snprintf(name, COUNTED_NAME_BYTES, "%s", source->program->names[row->event]);
	else if (!source->events && row->event == STRATA_HV_ID_GUEST)
		snprintf(name, COUNTED_NAME_BYTES, "(guest's own)");
	else if (!source->events)
		select_xen_event_name(row->event, name);
	else if (row->event < source->nr_events)
		snprintf(name, COUNTED_NAME_BYTES, "%s", source->events[row->event].name);
	else
		snprintf(name, COUNTED_NAME_BYTES, "event-%u", row->event);
}

const char *aggregate_event_name(const struct aggregate_row *row, char name[AGGREGATE_NAME_BYTES])
{
	char found[COUNTED_NAME_BYTES];

	find_event_name(row, found);
	return strata_escape_name(name, AGGREGATE_NAME_BYTES, found);
}

const char *aggregate_source_name(const struct aggregate_source *source,
				  char name[AGGREGATE_NAME_BYTES])
{
	return strata_escape_name(name, AGGREGATE_NAME_BYTES, source->name);
}

bool aggregate_is_of_ended(const struct aggregate_row *row)
{
	return row->source->spec->by_owner &&
	       row->owner == (row->source->program ? 0 : AGGREGATE_ENDED);
}

const char *aggregate_owner_name(const struct aggregate_look *look, const struct aggregate_row *row,
				 char name[AGGREGATE_NAME_BYTES])
{
	const struct counted_domain *one;
	char invented[GUEST_NAME_BYTES];

	if (!row->source->spec->by_owner)
		return NULL;
	if (aggregate_is_of_ended(row)) {
		snprintf(name, AGGREGATE_NAME_BYTES, "(ended)");
	} else if (row->source->program) {
		snprintf(name, AGGREGATE_NAME_BYTES, "process %u", row->owner);
	} else if (row->owner == STRATA_DOMID_IDLE) {
		snprintf(name, AGGREGATE_NAME_BYTES, "idle");
	} else {
		one = aggregate_totals_domain(look->totals, row->owner);
		snprintf(invented, sizeof(invented), "domain-%u", row->owner);
		strata_escape_name(name, AGGREGATE_NAME_BYTES,
				   strata_domain_shown_name(
					   row->owner, one && one->name[0] ? one->name : invented));
	}
	return name;
}
