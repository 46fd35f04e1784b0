// SPDX-License-Identifier: GPL-2.0-or-later
/* reply_members.c - see reply_members.h. */
#include "control/library/reply_members.h"

#include "base/json_members.h"
#include "control/object_members.h"

int reply_text(struct json_object *object, const char *key, const char **text,
	       struct strata_error *error)
{
	struct json_object *member;

	*text = "";
	if (!json_object_object_get_ex(object, key, &member))
		return 0;
	if (!json_object_is_type(member, json_type_string))
		return strata_fail(error, "\"%s\" is not a string", key);
	*text = json_object_get_string(member);
	return 0;
}

int reply_truth(struct json_object *object, const char *key, bool *truth,
		struct strata_error *error)
{
	*truth = false;
	return object_member_truth(object, key, truth, error);
}

int reply_number(struct json_object *object, const char *key, uint64_t max, uint64_t *number,
		 struct strata_error *error)
{
	*number = 0;
	return strata_json_has(object, key) ? strata_json_u64(object, key, max, number, error) : 0;
}

int reply_objects(struct json_object *object, const char *key, struct json_object **list,
		  size_t *nr, struct strata_error *error)
{
	size_t i;

	*list = NULL;
	*nr = 0;
	if (!strata_json_has(object, key))
		return 0;
	if (strata_json_array(object, key, SIZE_MAX, list, error))
		return -1;
	*nr = json_object_array_length(*list);
	for (i = 0; i < *nr; i++)
		if (!json_object_is_type(json_object_array_get_idx(*list, i), json_type_object))
			return strata_fail(error, "\"%s\" has an entry that is not an object", key);
	return 0;
}
