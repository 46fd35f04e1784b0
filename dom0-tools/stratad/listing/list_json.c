// SPDX-License-Identifier: GPL-2.0-or-later
/* list_json.c - see list_json.h; list_host.c, list_events.c and list_app.c call it. */
#include "stratad/listing/list_json.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/log_levels.h"

/* Longest text of field_type(), with its zero byte. */
#define FIELD_TYPE_BYTES 8

/* The type of a field that was checked, without its count: "u32", "text", "string". */
static void field_type(char type[FIELD_TYPE_BYTES], const struct strata_field_desc *field)
{
	if (field->kind == STRATA_FIELD_STRING)
		strcpy(type, "string");
	else if (field->kind == STRATA_FIELD_TEXT)
		strcpy(type, "text");
	else
		snprintf(type, FIELD_TYPE_BYTES, "%c%u", " usx  f"[field->kind],
			 field -> bytes * 8u);
}

void list_json_text(struct json_object *object, const char *key, const char *text)
{
	char valid[LIST_JSON_TEXT_BYTES];

	strata_valid_utf8_copy(valid, sizeof(valid), text);
	json_object_object_add(object, key, json_object_new_string(valid));
}

struct json_object *list_json_array(struct json_object *object, const char *key)
{
	struct json_object *array = json_object_new_array();

	json_object_object_add(object, key, array);
	return array;
}

static struct json_object *describe_field(const struct strata_field_desc *field)
{
	struct json_object *object = json_object_new_object();
	char type[FIELD_TYPE_BYTES];

	field_type(type, field);
	list_json_text(object, "name", field->name);
	list_json_text(object, "type", type);
	if (field->count != 1 || field->kind == STRATA_FIELD_TEXT)
		json_object_object_add(object, "count", json_object_new_int(field->count));
	return object;
}

struct json_object *list_json_event(const struct strata_event_desc *event, const char *class,
				    bool fields)
{
	struct json_object *object = json_object_new_object(), *array;
	unsigned int i;

	list_json_text(object, "name", event->name);
	if (class)
		list_json_text(object, "class", class);
	if (event->group[0])
		list_json_text(object, "group", event->group);
	if (event->level)
		list_json_text(object, "loglevel",
			       strata_log_level_name((enum strata_log_level)event->level));
	if (strata_event_format(event))
		list_json_text(object, "format", strata_event_format(event));
	if (!fields)
		return object;
	array = list_json_array(object, "fields");
	for (i = 0; i < event->nr_fields; i++)
		json_object_array_add(array, describe_field(&event->fields[i]));
	return object;
}
