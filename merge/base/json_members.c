// SPDX-License-Identifier: GPL-2.0-or-later
/* json_members.c - see json_members.h. */
#include "base/json_members.h"

#include <limits.h>
#include <string.h>

int strata_json_parse_value(const char *text, int length, struct json_object **value,
			    struct strata_error *error)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error why;

	*value = NULL;
	if (!tokener)
		return strata_fail(error, "out of memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*value = json_tokener_parse_ex(tokener, text, length);
	why = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	if (why == json_tokener_success)
		return 0;
	return strata_fail(error, "not a JSON object: %s", json_tokener_error_desc(why));
}

struct json_object *strata_json_parse(const char *text, size_t length, struct strata_error *error)
{
	struct json_object *object = NULL;

	if (length > INT_MAX) {
		strata_fail(error, "over %d bytes of JSON", INT_MAX);
		return NULL;
	}
	if (strata_json_parse_value(text, (int)length, &object, error) ||
	    json_object_is_type(object, json_type_object))
		return object;
	json_object_put(object);
	strata_fail(error, "not a JSON object");
	return NULL;
}

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
