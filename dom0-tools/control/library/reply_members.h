/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply_members.h - reads members of a reply that may be hostile; each of them may be absent. */
#ifndef STRATA_CONTROL_LIBRARY_REPLY_MEMBERS_H
#define STRATA_CONTROL_LIBRARY_REPLY_MEMBERS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Each returns 0 or -1. */

/* Finds a string, which belongs to @object.  "": it is absent. */
int reply_text(struct json_object *object, const char *key, const char **text,
	       struct strata_error *error);

/* False: it is absent. */
int reply_truth(struct json_object *object, const char *key, bool *truth,
		struct strata_error *error);

/* Reads a whole number from 0 to @max.  0: it is absent. */
int reply_number(struct json_object *object, const char *key, uint64_t max, uint64_t *number,
		 struct strata_error *error);

/* Finds an array of @nr objects, which belongs to @object.  NULL and 0: it is absent. */
int reply_objects(struct json_object *object, const char *key, struct json_object **list,
		  size_t *nr, struct strata_error *error);

#endif /* STRATA_CONTROL_LIBRARY_REPLY_MEMBERS_H */
