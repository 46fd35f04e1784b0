/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger_json.h - the text form of a session's trigger (docs/formats.md, sessions). */
#ifndef STRATA_CONTROL_TRIGGER_JSON_H
#define STRATA_CONTROL_TRIGGER_JSON_H

#include <json-c/json.h>

#include <strata/control.h>

#include "base/error.h"

/* Makes the object of a trigger. */
struct json_object *trigger_json_make(const struct strata_trigger *trigger);

/*
 * Reads a trigger from an object, which may be hostile, and checks it.  Members that are absent
 * have their defaults; unknown ones are errors.
 * @trigger: OUT, for session_trigger_clear()
 * 0 or -1.
 */
int trigger_json_read(struct json_object *object, struct strata_trigger *trigger,
		      struct strata_error *error);

#endif /* STRATA_CONTROL_TRIGGER_JSON_H */
