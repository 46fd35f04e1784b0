// SPDX-License-Identifier: GPL-2.0-or-later
/* triggers.c - triggers of sessions: in the memory of the caller of <strata/control_client.h>, and
 * the verbs that add and remove them. */
#include <stdlib.h>
#include <string.h>

#include "control/library/ask.h"
#include "control/library/handle.h"
#include "control/library/rule_list.h"
#include "control/library/session_object.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "control/session_trigger.h"
#include "control/trigger_json.h"

enum strata_control_result strata_control_trigger_new(struct strata_control *control,
						      const char *name, const char *spec,
						      struct strata_trigger **trigger)
{
	struct strata_error error = { "" };
	struct strata_trigger made;

	*trigger = NULL;
	if (session_trigger_init(&made, name, spec, &error))
		return handle_wrong(control, &error);
	*trigger = malloc(sizeof(**trigger));
	if (!*trigger)
		return handle_out_of_memory(control);
	**trigger = made;
	return handle_ok(control);
}

void strata_control_trigger_free(struct strata_trigger *trigger)
{
	if (!trigger)
		return;
	session_trigger_clear(trigger);
	free(trigger);
}

/* rule_list_adder, of a trigger. */
static int add_rule(void *to, enum strata_domain domain, const struct strata_rule *rule,
		    struct strata_error *error)
{
	return session_trigger_add_rule(to, domain, rule, error);
}

enum strata_control_result strata_control_trigger_add(struct strata_control *control,
						      struct strata_trigger *trigger,
						      enum strata_domain domain,
						      enum strata_rule_kind kind,
						      const char *target, const char *list)
{
	struct strata_error error = { "" };

	return rule_list_add(domain, kind, target, list, add_rule, trigger, &error)
		       ? handle_wrong(control, &error)
		       : handle_ok(control);
}

enum strata_control_result strata_control_trigger_check(struct strata_control *control,
							const struct strata_trigger *trigger)
{
	struct strata_error error = { "" };

	return session_object_check_trigger(trigger, &error) ||
			       session_trigger_check(trigger, &error)
		       ? handle_wrong(control, &error)
		       : handle_ok(control);
}

/* Sends the object of a trigger, which it frees. */
static enum strata_control_result send(struct strata_control *control, const char *session,
				       struct json_object *trigger)
{
	struct json_object *request = ask_make("add-trigger", session);

	json_object_object_add(request, "trigger", trigger);
	return ask(control, request, false);
}

enum strata_control_result strata_control_add_trigger(struct strata_control *control,
						      const char *name,
						      const struct strata_trigger *trigger)
{
	const enum strata_control_result result = strata_control_trigger_check(control, trigger);

	return result ? result : send(control, name, trigger_json_make(trigger));
}

enum strata_control_result strata_control_add_trigger_text(struct strata_control *control,
							   const char *name, const char *object)
{
	struct strata_error error = { "" };
	struct strata_trigger trigger;
	struct json_object *parsed = session_json_parse(object, strlen(object), &error);

	if (!parsed || trigger_json_read(parsed, &trigger, &error)) {
		json_object_put(parsed);
		return handle_wrong(control, &error);
	}
	session_trigger_clear(&trigger);
	return send(control, name, parsed);
}

enum strata_control_result strata_control_remove_trigger(struct strata_control *control,
							 const char *name, const char *trigger)
{
	struct json_object *request = ask_make("remove-trigger", name);

	json_object_object_add(request, "trigger", json_object_new_string(trigger));
	return ask(control, request, false);
}
