// SPDX-License-Identifier: GPL-2.0-or-later
/* json_members.c - see json_members.h. */
#include "base/json_members.h"

#include <string.h>

int strata_json_u64(struct json_object *object, const char *key, uint64_t max, uint64_t *value,
		    struct strata_error *error)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member) ||
	    !json_object_is_type(member, json_type_int) || json_object_get_int64(member) < 0)
		return strata_fail(error, "\"%s\" is not a whole number from 0", key);
	*value = json_object_get_uint64(member);
	if (*value > max)
		return strata_fail(error, "\"%s\" is over %llu", key, (unsigned long long)max);
	return 0;
}

int strata_json_text(struct json_object *object, const char *key, char *text, size_t bytes,
		     struct strata_error *error)
{
	struct json_object *member;
	size_t length;

	if (!json_object_object_get_ex(object, key, &member) ||
	    !json_object_is_type(member, json_type_string))
		return strata_fail(error, "\"%s\" is not a string", key);
	length = (size_t)json_object_get_string_len(member);
	if (length >= bytes || strlen(json_object_get_string(member)) != length)
		return strata_fail(error, "\"%s\" is not a text of at most %zu bytes", key,
				   bytes - 1);
	memset(text, 0, bytes);
	memcpy(text, json_object_get_string(member), length);
	return 0;
}

int strata_json_array(struct json_object *object, const char *key, size_t max,
		      struct json_object **array, struct strata_error *error)
{
	if (!json_object_object_get_ex(object, key, array) ||
	    !json_object_is_type(*array, json_type_array))
		return strata_fail(error, "\"%s\" is not an array", key);
	if (json_object_array_length(*array) > max)
		return strata_fail(error, "\"%s\" has over %zu entries", key, max);
	return 0;
}

bool strata_json_has(struct json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}
