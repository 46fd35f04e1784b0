/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_members.h - parses hostile JSON objects and reads their members: checks type and bounds, and
 * names the member in errors.  For recording.json, and for files and messages of sessions.
 */
#ifndef STRATA_BASE_JSON_MEMBERS_H
#define STRATA_BASE_JSON_MEMBERS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Parses a text that is one JSON value.
 * @length: -1: up to its zero byte
 * @value:  OUT, for json_object_put(); NULL for null
 * 0 or -1.
 */
int strata_json_parse_value(const char *text, int length, struct json_object **value,
			    struct strata_error *error);

/* Parses a text that is one object, for json_object_put().  NULL with the reason. */
struct json_object *strata_json_parse(const char *text, size_t length, struct strata_error *error);

/* Reads a whole number from 0 to @max.  0 or -1. */
int strata_json_u64(struct json_object *object, const char *key, uint64_t max, uint64_t *value,
		    struct strata_error *error);

/* Copies a string that fits into @bytes with its end and holds no zero byte.  0 or -1. */
int strata_json_text(struct json_object *object, const char *key, char *text, size_t bytes,
		     struct strata_error *error);

/* Finds an array of at most @max entries; it belongs to @object.  0 or -1. */
int strata_json_array(struct json_object *object, const char *key, size_t max,
		      struct json_object **array, struct strata_error *error);

/* Returns whether the object has a member of that name. */
bool strata_json_has(struct json_object *object, const char *key);

#endif /* STRATA_BASE_JSON_MEMBERS_H */
