/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_members.h - reads members of the objects in the text form of sessions, which may be
 * hostile.  Each returns 0, or -1 with the reason.
 */
#ifndef STRATA_CONTROL_OBJECT_MEMBERS_H
#define STRATA_CONTROL_OBJECT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "base/error.h"

/* Refuses a member whose name is not in @names, which ends with NULL. */
int object_members_check(struct json_object *object, const char *const *names,
			 struct strata_error *error);

/* Reads a string that has to be one of @names.  @index: OUT, of the name */
int object_member_name(struct json_object *object, const char *key, const char *const *names,
		       size_t nr, size_t *index, struct strata_error *error);

/* Reads a number, or a truth value; an absent one stays as it is. */
int object_member_u32(struct json_object *object, const char *key, uint32_t *value,
		      struct strata_error *error);
int object_member_truth(struct json_object *object, const char *key, bool *truth,
			struct strata_error *error);

#endif /* STRATA_CONTROL_OBJECT_MEMBERS_H */
