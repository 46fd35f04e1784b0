/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_json.h - events of a list as JSON (docs/formats.md), and texts for other replies. */
#ifndef STRATA_STRATAD_LIST_JSON_H
#define STRATA_STRATAD_LIST_JSON_H

#include <json-c/json.h>
#include <stdbool.h>

#include <strata/event.h>

/* Longest text of list_json_text(), with its zero byte: a path, or a recorder's answer. */
#define LIST_JSON_TEXT_BYTES 4096

/* Adds a text of any bytes; a longer one is cut. */
void list_json_text(struct json_object *object, const char *key, const char *text);

/* Adds an array under @key, and returns it. */
struct json_object *list_json_array(struct json_object *object, const char *key);

/*
 * Describes an event that was checked.
 * @class: of the hypervisor's; NULL: it has none
 */
struct json_object *list_json_event(const struct strata_event_desc *event, const char *class,
				    bool fields);

#endif /* STRATA_STRATAD_LIST_JSON_H */
