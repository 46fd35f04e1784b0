// SPDX-License-Identifier: GPL-2.0-or-later
/* event_table.c - see event_table.h; guest_map.c and app.c call it with private copies. */
#include "consumerd/rings/event_table.h"

#include <stdlib.h>
#include <string.h>

static size_t parse_entry(const unsigned char *bytes, size_t size, size_t id,
			  enum event_table_formats formats, struct strata_event_desc *event,
			  struct strata_error *error)
{
	size_t needed = strata_event_desc_bytes(0);
	unsigned int i;

	if (size < needed) {
		strata_fail(error, "bad event table: entry %zu runs over its end", id);
		return 0;
	}
	memcpy(event, bytes, needed);
	if (event->nr_fields > STRATA_EVENT_FIELDS_MAX) {
		strata_fail(error, "bad event table: entry %zu has %u fields (at most %u)", id,
			    event->nr_fields, STRATA_EVENT_FIELDS_MAX);
		return 0;
	}
	if (event->id != id) {
		strata_fail(error, "bad event table: entry %zu has the id %u", id, event->id);
		return 0;
	}
	if (formats == EVENT_TABLE_BEFORE_FORMATS)
		event->format_bytes = 0;
	if (formats == EVENT_TABLE_WITHOUT_FORMATS && event->format_bytes) {
		strata_fail(error,
			    "bad event table: entry %zu has a format of %u bytes, but only events "
			    "of applications have formats",
			    id, event->format_bytes);
		return 0;
	}
	if (!strata_event_format_fits(event)) {
		strata_fail(error,
			    "bad event table: entry %zu has a format of %u bytes (at most %u)", id,
			    event->format_bytes, STRATA_EVENT_FORMAT_BYTES);
		return 0;
	}
	needed = strata_event_packed_bytes(event);
	if (size < needed) {
		strata_fail(error, "bad event table: entry %zu runs over its end", id);
		return 0;
	}
	memcpy(event, bytes, needed);
	if (formats == EVENT_TABLE_BEFORE_FORMATS)
		event->format_bytes = 0;
	event->name[sizeof(event->name) - 1] = '\0';
	event->group[sizeof(event->group) - 1] = '\0';
	for (i = 0; i < event->nr_fields; i++)
		event->fields[i].name[sizeof(event->fields[i].name) - 1] = '\0';
	return needed;
}

size_t event_table_parse_entry(const unsigned char *bytes, size_t size, size_t id,
			       struct strata_event_desc *event, struct strata_error *error)
{
	return parse_entry(bytes, size, id, EVENT_TABLE_WITH_FORMATS, event, error);
}

struct strata_event_desc *event_table_parse(const unsigned char *bytes, size_t size, size_t nr,
					    enum event_table_formats formats,
					    struct strata_error *error)
{
	struct strata_event_desc *events = calloc(nr, sizeof(*events));
	size_t i, length;

	if (!events) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	for (i = 0; i < nr; i++) {
		length = parse_entry(bytes, size, i, formats, &events[i], error);
		if (!length) {
			free(events);
			return NULL;
		}
		bytes += length;
		size -= length;
	}
	return events;
}
