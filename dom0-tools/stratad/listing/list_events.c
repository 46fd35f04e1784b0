// SPDX-License-Identifier: GPL-2.0-or-later
/* list_events.c - see list_events.h; list_host.c and list_app.c call it. */
#include "stratad/listing/list_events.h"

#include <stdio.h>

#include "stratad/listing/list_json.h"
#include "stratad/select/select_kernel.h"

static bool is_chosen(const struct strata_event_desc *event, const struct list_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->nr_patterns; i++) {
		if (select_matches_event(choice->patterns[i], event))
			return true;
	}
	return choice->nr_patterns == 0;
}

bool list_events_may_list(const struct list_choice *choice, const struct strata_event_desc *event)
{
	return !choice->for_member || !select_is_probe_event(event);
}

void list_events_begin(struct event_listing *listing, const struct list_choice *choice,
		       struct json_object *json)
{
	*listing = (struct event_listing){
		.choice = choice,
		.array = list_json_array(json, "events"),
		.checked = { .layer = STRATA_LAYER_KERNEL },
	};
}

void list_events_next(struct event_listing *listing, const struct strata_event_desc *event)
{
	const struct list_choice *choice = listing->choice;
	const size_t entry = listing->entry++;
	struct strata_error error = { "" };

	if (!list_events_may_list(choice, event) || !is_chosen(event, choice))
		return;
	if (strata_source_add_event(&listing->checked, event, &error))
		fprintf(stderr, "strata: an event is left out: entry %zu: %s\n", entry, error.text);
	else
		json_object_array_add(listing->array, list_json_event(event, NULL, choice->fields));
}

void list_events_end(struct event_listing *listing)
{
	strata_source_clear_events(&listing->checked);
}
