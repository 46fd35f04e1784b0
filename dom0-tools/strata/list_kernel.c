// SPDX-License-Identifier: GPL-2.0-or-later
/* list_kernel.c - see list_kernel.h; cmd_list.c calls it for each kernel. */
#include "strata/list_kernel.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/log_levels.h"
#include "strata/list_json.h"
#include "stratad/select/select_kernel.h"

#define INDENT "              "

static bool is_chosen(const struct strata_event_desc *event, const struct list_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->nr_patterns; i++) {
		if (select_matches_event(choice->patterns[i], event))
			return true;
	}
	return choice->nr_patterns == 0;
}

/* @field was checked before. */
static void print_field(const struct strata_field_desc *field)
{
	char type[LIST_FIELD_TYPE_BYTES];

	list_field_type(type, field);
	printf(" %s:%s", field->name, type);
	if (field->count == 0)
		printf("[]");
	else if (field->count > 1 || field->kind == STRATA_FIELD_TEXT)
		printf("[%u]", field->count);
}

static void print_event(const struct strata_event_desc *event, bool fields)
{
	char shown[STRATA_ESCAPED_BYTES(STRATA_EVENT_FORMAT_BYTES) + 1];
	const char *format = strata_event_format(event);
	unsigned int i;

	printf(INDENT "%s%s%s", event->group, event->group[0] ? "/" : "", event->name);
	for (i = 0; fields && i < event->nr_fields; i++)
		print_field(&event->fields[i]);
	if (event->level)
		printf(" (%s)", strata_log_level_name((enum strata_log_level)event->level));
	if (format)
		printf(" \"%s\"", strata_escape_name(shown, sizeof(shown), format));
	printf("\n");
}

/* An entry of the table that cannot be recorded. */
static void refuse(size_t entry, const struct strata_error *error, struct json_object *json)
{
	if (json)
		fprintf(stderr, "strata: an event is left out: entry %zu: %s\n", entry,
			error->text);
	else
		printf(INDENT "(entry %zu: %s)\n", entry, error->text);
}

void list_events_begin(struct event_listing *listing, const struct list_choice *choice,
		       struct json_object *json)
{
	*listing = (struct event_listing){
		.choice = choice,
		.json = json,
		.array = json ? list_json_array(json, "events") : NULL,
		.checked = { .layer = STRATA_LAYER_KERNEL },
	};
}

void list_events_next(struct event_listing *listing, const struct strata_event_desc *event)
{
	const struct list_choice *choice = listing->choice;
	const size_t entry = listing->entry++;
	struct strata_error error = { "" };

	if (!is_chosen(event, choice))
		return;
	if (strata_source_add_event(&listing->checked, event, &error))
		refuse(entry, &error, listing->json);
	else if (listing->array)
		json_object_array_add(listing->array, list_json_event(event, NULL, choice->fields));
	else
		print_event(event, choice->fields);
}

void list_events_end(struct event_listing *listing)
{
	strata_source_clear_events(&listing->checked);
}
