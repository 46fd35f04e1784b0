// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_json.c - see trigger_json.h. */
#include "control/trigger_json.h"

#include "base/json_members.h"
#include "control/object_members.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "control/session_trigger.h"

struct json_object *trigger_json_make(const struct strata_trigger *trigger)
{
	struct json_object *object = json_object_new_object();
	unsigned int domain;
	size_t i;

	json_object_object_add(object, "name", json_object_new_string(trigger->counted.name));
	json_object_object_add(object, "spec", json_object_new_string(trigger->spec));
	json_object_object_add(object, "above_ns", json_object_new_uint64(trigger->above_ns));
	json_object_object_add(object, "least_count", json_object_new_uint64(trigger->least_count));
	json_object_object_add(object, "interval_ms", json_object_new_int64(trigger->interval_ms));
	json_object_object_add(object, "rotate", json_object_new_boolean(trigger->rotate));
	json_object_object_add(object, "max", json_object_new_int64(trigger->max));
	json_object_object_add(object, "max_each", json_object_new_int64(trigger->max_each));
	json_object_object_add(object, "pause_ms", json_object_new_int64(trigger->pause_ms));
	json_object_object_add(object, "keep_free", json_object_new_int64(trigger->keep_free));
	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++) {
		const struct strata_domain_channel *in = &trigger->counted.domains[domain];
		struct json_object *rules = json_object_new_array();

		for (i = 0; i < in->nr_rules; i++)
			json_object_array_add(rules, session_json_make_rule(&in->rules[i]));
		json_object_object_add(object, session_model_domain_name(domain), rules);
	}
	return object;
}

static int read_rules(struct json_object *object, struct strata_trigger *trigger,
		      enum strata_domain domain, struct strata_error *error)
{
	const char *const key = session_model_domain_name(domain);
	struct json_object *rules;
	struct strata_rule rule;
	size_t i;

	if (!strata_json_has(object, key))
		return 0;
	if (strata_json_array(object, key, STRATA_SESSION_RULES_MAX, &rules, error))
		return -1;
	for (i = 0; i < json_object_array_length(rules); i++)
		if (session_json_read_rule(json_object_array_get_idx(rules, i), &rule, error) ||
		    session_trigger_add_rule(trigger, domain, &rule, error))
			return -1;
	return 0;
}

static int read_members(struct json_object *object, struct strata_trigger *trigger,
			struct strata_error *error)
{
	unsigned int domain;

	if ((strata_json_has(object, "above_ns") &&
	     strata_json_u64(object, "above_ns", INT64_MAX, &trigger->above_ns, error)) ||
	    (strata_json_has(object, "least_count") &&
	     strata_json_u64(object, "least_count", INT64_MAX, &trigger->least_count, error)) ||
	    object_member_u32(object, "interval_ms", &trigger->interval_ms, error) ||
	    object_member_truth(object, "rotate", &trigger->rotate, error) ||
	    object_member_u32(object, "max", &trigger->max, error) ||
	    object_member_u32(object, "max_each", &trigger->max_each, error) ||
	    object_member_u32(object, "pause_ms", &trigger->pause_ms, error) ||
	    object_member_u32(object, "keep_free", &trigger->keep_free, error))
		return -1;
	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++)
		if (read_rules(object, trigger, domain, error))
			return -1;
	return session_trigger_check(trigger, error);
}

int trigger_json_read(struct json_object *object, struct strata_trigger *trigger,
		      struct strata_error *error)
{
	static const char *const members[] = { "name",     "spec",      "above_ns", "least_count",
					       "rotate",   "max",       "max_each", "interval_ms",
					       "pause_ms", "keep_free", "xen",      "kernel",
					       "app",      NULL };
	char name[STRATA_CHANNEL_NAME_BYTES], spec[STRATA_TRIGGER_SPEC_BYTES];

	*trigger = (struct strata_trigger){ .rotate = false };
	if (!json_object_is_type(object, json_type_object))
		return strata_fail(error, "a trigger is not an object");
	if (object_members_check(object, members, error) ||
	    strata_json_text(object, "name", name, sizeof(name), error) ||
	    strata_json_text(object, "spec", spec, sizeof(spec), error) ||
	    session_trigger_init(trigger, name, spec, error))
		return strata_fail_in(error, "trigger");
	if (!read_members(object, trigger, error))
		return 0;
	session_trigger_clear(trigger);
	return strata_fail_in(error, "trigger %s", name);
}
