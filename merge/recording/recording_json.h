/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_json.h - reads members of JSON objects from a hostile recording.json: checks type and
 * bounds, and names the member in errors.
 *
 * Called by recording_load.c and recording_load_source.c.
 */
#ifndef STRATA_MERGE_RECORDING_JSON_H
#define STRATA_MERGE_RECORDING_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Reads a whole number from 0 to @max.  0 or -1. */
int recording_json_u64(struct json_object *object, const char *key, uint64_t max, uint64_t *value,
		       struct strata_error *error);

/* Copies a string that fits into @bytes with its end and holds no zero byte.  0 or -1. */
int recording_json_text(struct json_object *object, const char *key, char *text, size_t bytes,
			struct strata_error *error);

/* Finds an array of at most @max entries; it belongs to @object.  0 or -1. */
int recording_json_array(struct json_object *object, const char *key, size_t max,
			 struct json_object **array, struct strata_error *error);

/* Returns whether the object has a member of that name. */
bool recording_json_has(struct json_object *object, const char *key);

#endif /* STRATA_MERGE_RECORDING_JSON_H */
