// SPDX-License-Identifier: GPL-2.0-or-later
/* object_members.c - see object_members.h. */
#include "control/object_members.h"

#include <string.h>

#include "base/json_members.h"

int object_members_check(struct json_object *object, const char *const *names,
			 struct strata_error *error)
{
	json_object_object_foreach (object, key, value) {
		const char *const *name = names;

		(void)value;
		while (*name && strcmp(*name, key))
			name++;
		if (!*name)
			return strata_fail(error, "unknown member \"%.40s\"", key);
	}
	return 0;
}

int object_member_name(struct json_object *object, const char *key, const char *const *names,
		       size_t nr, size_t *index, struct strata_error *error)
{
	char text[32];

	if (strata_json_text(object, key, text, sizeof(text), error))
		return -1;
	for (*index = 0; *index < nr; ++*index)
		if (!strcmp(text, names[*index]))
			return 0;
	return strata_fail(error, "\"%s\" must not be \"%s\"", key, text);
}

int object_member_u32(struct json_object *object, const char *key, uint32_t *value,
		      struct strata_error *error)
{
	uint64_t wide = *value;

	if (strata_json_has(object, key) && strata_json_u64(object, key, UINT32_MAX, &wide, error))
		return -1;
	*value = (uint32_t)wide;
	return 0;
}

int object_member_truth(struct json_object *object, const char *key, bool *truth,
			struct strata_error *error)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member))
		return 0;
	if (!json_object_is_type(member, json_type_boolean))
		return strata_fail(error, "\"%s\" is neither true nor false", key);
	*truth = json_object_get_boolean(member);
	return 0;
}
