// SPDX-License-Identifier: GPL-2.0-or-later
/* verbs.c - the verbs of <strata/control_client.h>: each makes a request of its arguments and sends
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_members.h"
#include "control/library/ask.h"
#include "control/library/paths.h"
#include "control/library/rule_list.h"
#include "control/library/session_object.h"
#include "control/session_json.h"
#include "control/session_model.h"

enum strata_control_result strata_control_create(struct strata_control *control,
						 const struct strata_session *session)
{
	struct strata_error error = { "" };
	struct json_object *request, *object;
	char path[PATH_MAX] = "";

	if (control->system && session->output)
		strata_fail(&error, "root's stratad chooses the output directory of a member's "
				    "session; do not name one");
	if (error.text[0])
		return handle_wrong(control, &error);
	if (session_object_check(session, &error) ||
	    session_model_check_name(session->name, &error))
		return handle_wrong(control, &error);
	if (!control->system && (session->output ? paths_absolute(session->output, path, &error)
						 : paths_default(session->name, path, &error)))
		return handle_wrong(control, &error);
	request = ask_make("create", NULL);
	object = session_json_make(session);
	if (path[0])
		json_object_object_add(object, "output", json_object_new_string(path));
	json_object_object_add(request, "session", object);
	return ask(control, request, true);
}

enum strata_control_result strata_control_destroy(struct strata_control *control, const char *name)
{
	return ask(control, ask_make("destroy", name), false);
}

enum strata_control_result strata_control_start(struct strata_control *control, const char *name)
{
	return ask(control, ask_make("start", name), false);
}

enum strata_control_result strata_control_stop(struct strata_control *control, const char *name)
{
	return ask(control, ask_make("stop", name), false);
}

enum strata_control_result strata_control_rotate(struct strata_control *control, const char *name)
{
	return ask(control, ask_make("rotate", name), false);
}

enum strata_control_result strata_control_clear(struct strata_control *control, const char *name)
{
	return ask(control, ask_make("clear", name), false);
}

enum strata_control_result strata_control_set_session(struct strata_control *control,
						      const char *name)
{
	return ask(control, ask_make("set-session", name), false);
}

/* Names the channel that a request is for. */
static void add_channel(struct json_object *request, const char *channel)
{
	if (channel)
		json_object_object_add(request, "channel", json_object_new_string(channel));
}

static enum strata_control_result change_rules(struct strata_control *control, const char *verb,
					       const char *name, const char *channel,
					       enum strata_domain domain,
					       const struct strata_rule *rules, size_t nr)
{
	struct json_object *request, *list;
	struct strata_error error = { "" };
	size_t i;

	if (rule_list_check(domain, STRATA_RULE_EVENT, &error))
		return handle_wrong(control, &error);
	for (i = 0; i < nr; i++)
		if (session_object_check_rule(domain, &rules[i], &error))
			return handle_wrong(control, &error);
	request = ask_make(verb, name);
	list = json_object_new_array();
	for (i = 0; i < nr; i++)
		json_object_array_add(list, session_json_make_rule(&rules[i]));
	add_channel(request, channel);
	json_object_object_add(request, "domain",
			       json_object_new_string(session_model_domain_name(domain)));
	json_object_object_add(request, "rules", list);
	return ask(control, request, false);
}

static enum strata_control_result change_list(struct strata_control *control, const char *verb,
					      const char *name, const char *channel,
					      enum strata_domain domain, enum strata_rule_kind kind,
					      const char *target, const char *list)
{
	enum strata_control_result result;
	struct strata_error error = { "" };
	struct strata_rule *rules;
	size_t nr;

	if (rule_list_make(kind, target, list, &rules, &nr, &error))
		return handle_wrong(control, &error);
	result = change_rules(control, verb, name, channel, domain, rules, nr);
	free(rules);
	return result;
}

enum strata_control_result strata_control_enable(struct strata_control *control, const char *name,
						 const char *channel, enum strata_domain domain,
						 const struct strata_rule *rules, size_t nr)
{
	return change_rules(control, "enable", name, channel, domain, rules, nr);
}

enum strata_control_result strata_control_disable(struct strata_control *control, const char *name,
						  const char *channel, enum strata_domain domain,
						  const struct strata_rule *rules, size_t nr)
{
	return change_rules(control, "disable", name, channel, domain, rules, nr);
}

enum strata_control_result strata_control_enable_list(struct strata_control *control,
						      const char *name, const char *channel,
						      enum strata_domain domain,
						      enum strata_rule_kind kind,
						      const char *target, const char *list)
{
	return change_list(control, "enable", name, channel, domain, kind, target, list);
}

enum strata_control_result strata_control_disable_list(struct strata_control *control,
						       const char *name, const char *channel,
						       enum strata_domain domain,
						       enum strata_rule_kind kind,
						       const char *target, const char *list)
{
	return change_list(control, "disable", name, channel, domain, kind, target, list);
}

/* Sends the attributes of a channel, which it frees. */
static enum strata_control_result send_channel(struct strata_control *control, const char *name,
					       const char *channel, enum strata_domain domain,
					       struct json_object *attributes)
{
	struct json_object *request = ask_make("enable-channel", name);

	add_channel(request, channel);
	json_object_object_add(request, "domain",
			       json_object_new_string(session_model_domain_name(domain)));
	json_object_object_add(request, "attributes", attributes);
	return ask(control, request, false);
}

/* The object of a channel with all of its attributes, and no rules. */
static struct json_object *make_attributes(enum strata_domain domain,
					   const struct strata_domain_channel *channel)
{
	struct strata_domain_channel without = *channel;
	struct json_object *object;

	without.nr_rules = 0;
	object = session_json_make_channel(&without, domain);
	json_object_object_del(object, "rules");
	return object;
}

/* Adds the attributes that a list names to @to.  0 or -1. */
static int take_members(struct json_object *to, struct json_object *all, const char *members,
			struct strata_error *error)
{
	while (*members) {
		const size_t length = strcspn(members, ",");
		struct json_object *value;
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)length, members);
		if (length >= sizeof(key) || !json_object_object_get_ex(all, key, &value))
			return strata_fail(error, "a channel of this domain has no \"%s\"", key);
		json_object_object_add(to, key, json_object_get(value));
		members += length + (members[length] == ',');
	}
	return 0;
}

enum strata_control_result
strata_control_set_channel(struct strata_control *control, const char *name, const char *channel,
			   enum strata_domain domain,
			   const struct strata_domain_channel *attributes, const char *members)
{
	struct strata_error error = { "" };
	struct json_object *all, *some;

	if (rule_list_check(domain, STRATA_RULE_EVENT, &error) ||
	    session_object_check_channel(domain, attributes, &error))
		return handle_wrong(control, &error);
	all = make_attributes(domain, attributes);
	if (!members)
		return send_channel(control, name, channel, domain, all);
	some = json_object_new_object();
	if (take_members(some, all, members, &error)) {
		json_object_put(some);
		json_object_put(all);
		return handle_wrong(control, &error);
	}
	json_object_put(all);
	return send_channel(control, name, channel, domain, some);
}

enum strata_control_result strata_control_set_channel_text(struct strata_control *control,
							   const char *name, const char *channel,
							   enum strata_domain domain,
							   const char *object)
{
	struct strata_error error = { "" };
	struct json_object *attributes;

	if (rule_list_check(domain, STRATA_RULE_EVENT, &error))
		return handle_wrong(control, &error);
	attributes = session_json_parse(object, strlen(object), &error);
	if (!attributes) {
		strata_fail_in(&error, "channel %s", session_model_domain_name(domain));
		return handle_wrong(control, &error);
	}
	return send_channel(control, name, channel, domain, attributes);
}

enum strata_control_result strata_control_disable_channel(struct strata_control *control,
							  const char *name, const char *channel)
{
	struct json_object *request = ask_make("disable-channel", name);

	add_channel(request, channel);
	return ask(control, request, false);
}

enum strata_control_result strata_control_snapshot(struct strata_control *control, const char *name,
						   const char *output)
{
	struct strata_error error = { "" };
	struct json_object *request;
	char path[PATH_MAX];

	if (output && paths_absolute(output, path, &error))
		return handle_wrong(control, &error);
	request = ask_make("snapshot", name);
	if (output)
		json_object_object_add(request, "output", json_object_new_string(path));
	return ask(control, request, false);
}

enum strata_control_result strata_control_set_rotation(struct strata_control *control,
						       const char *name, uint64_t bytes,
						       uint32_t ms, uint32_t keep)
{
	const struct strata_rotation rotation = { .bytes = bytes, .ms = ms, .keep = keep };
	struct strata_error error = { "" };
	struct json_object *request;

	if (session_model_check_rotation(&rotation, &error))
		return handle_wrong(control, &error);
	request = ask_make("rotation", name);
	json_object_object_add(request, "rotation", session_json_make_rotation(&rotation));
	return ask(control, request, false);
}
