// SPDX-License-Identifier: GPL-2.0-or-later
/* session_object.c - sessions in the memory of the caller of <strata/control_client.h>. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/library/handle.h"
#include "control/library/paths.h"
#include "control/library/rule_list.h"
#include "control/library/session_object.h"
#include "control/session_json.h"
#include "control/session_model.h"

/* Moves a model to memory of its own. */
static enum strata_control_result hand_over(struct strata_control *control,
					    struct strata_session *model,
					    struct strata_session **session)
{
	*session = malloc(sizeof(**session));
	if (*session) {
		**session = *model;
		return handle_ok(control);
	}
	session_model_clear(model);
	return handle_out_of_memory(control);
}

enum strata_control_result strata_control_session_new(struct strata_control *control,
						      const char *name, const char *output,
						      struct strata_session **session)
{
	char given[STRATA_SESSION_NAME_BYTES + PATHS_DATE_BYTES] = "session-", path[PATH_MAX];
	struct strata_error error = { "" };
	struct strata_session model;

	*session = NULL;
	paths_date(given + strlen(given));
	if ((output && paths_absolute(output, path, &error)) ||
	    session_model_init(&model, name ? name : given, output ? path : NULL, &error))
		return handle_wrong(control, &error);
	return hand_over(control, &model, session);
}

void strata_control_session_free(struct strata_session *session)
{
	if (!session)
		return;
	session_model_clear(session);
	free(session);
}

enum strata_control_result strata_control_session_add_channel(struct strata_control *control,
							      struct strata_session *session,
							      const char *name,
							      struct strata_channel **channel)
{
	struct strata_error error = { "" };

	*channel = session_model_add_channel(session, name, &error);
	return *channel ? handle_ok(control) : handle_wrong(control, &error);
}

struct place {
	struct strata_session *session;
	struct strata_channel *channel;
};

/* rule_list_adder, of a struct place. */
static int add_rule(void *to, enum strata_domain domain, const struct strata_rule *rule,
		    struct strata_error *error)
{
	const struct place *place = to;

	return session_model_add_rule(place->session, place->channel, domain, rule, error);
}

enum strata_control_result
strata_control_session_add(struct strata_control *control, struct strata_session *session,
			   struct strata_channel *channel, enum strata_domain domain,
			   enum strata_rule_kind kind, const char *target, const char *list)
{
	struct place place = { session, channel ? channel : &session->channels[0] };
	struct strata_error error = { "" };

	return rule_list_add(domain, kind, target, list, add_rule, &place, &error)
		       ? handle_wrong(control, &error)
		       : handle_ok(control);
}

int session_object_check_rule(enum strata_domain domain, const struct strata_rule *rule,
			      struct strata_error *error)
{
	if (rule_list_check(domain, rule->kind, error))
		return -1;
	if (memchr(rule->text, 0, sizeof(rule->text)) &&
	    memchr(rule->target, 0, sizeof(rule->target)))
		return 0;
	return strata_fail(error, "a rule's target or text does not end with a zero byte");
}

int session_object_check_channel(enum strata_domain domain,
				 const struct strata_domain_channel *channel,
				 struct strata_error *error)
{
	if ((uint32_t)channel->rings & ~STRATA_APP_WRITE_MODES ||
	    channel->rings == (enum strata_app_mode)STRATA_APP_WRITE_MODES)
		return strata_fail(error, "channel %s: %d is no way to write records",
				   session_model_domain_name(domain), (int)channel->rings);
	return 0;
}

static int check_whole_channel(const struct strata_channel *channel, struct strata_error *error)
{
	unsigned int domain;
	size_t i;

	if (!memchr(channel->name, 0, sizeof(channel->name)))
		return strata_fail(error, "a channel's name does not end with a zero byte");
	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++) {
		const struct strata_domain_channel *in = &channel->domains[domain];

		if (session_object_check_channel(domain, in, error))
			return -1;
		for (i = 0; i < in->nr_rules; i++)
			if (session_object_check_rule(domain, &in->rules[i], error))
				return -1;
	}
	return 0;
}

int session_object_check_trigger(const struct strata_trigger *trigger, struct strata_error *error)
{
	if (!memchr(trigger->spec, 0, sizeof(trigger->spec)))
		return strata_fail(error,
				   "a trigger's specification does not end with a zero byte");
	return check_whole_channel(&trigger->counted, error);
}

int session_object_check(const struct strata_session *session, struct strata_error *error)
{
	size_t i;

	if (!memchr(session->name, 0, sizeof(session->name)))
		return strata_fail(error, "a session's name does not end with a zero byte");
	if ((unsigned int)session->event_header >= STRATA_NR_HEADER_FORMS)
		return strata_fail(error, "session %s: invalid form of event headers: %d",
				   session->name, (int)session->event_header);
	if (!session->nr_channels || session->nr_channels > STRATA_SESSION_CHANNELS_MAX)
		return strata_fail(error, "session %s: invalid number of channels: %zu",
				   session->name, session->nr_channels);
	if (session->nr_triggers > STRATA_SESSION_TRIGGERS_MAX)
		return strata_fail(error, "session %s: invalid number of triggers: %zu",
				   session->name, session->nr_triggers);
	for (i = 0; i < session->nr_channels; i++)
		if (check_whole_channel(&session->channels[i], error))
			return -1;
	for (i = 0; i < session->nr_triggers; i++)
		if (session_object_check_trigger(&session->triggers[i], error))
			return -1;
	return 0;
}

const char *strata_control_session_text(struct strata_control *control,
					const struct strata_session *session)
{
	struct strata_error error = { "" };
	struct json_object *object;
	char *text = NULL;

	if (session_object_check(session, &error)) {
		handle_wrong(control, &error);
		return NULL;
	}
	object = session_json_make(session);
	if (object)
		text = strdup(json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	if (text)
		handle_ok(control);
	else
		handle_out_of_memory(control);
	control->text = text;
	return text;
}

enum strata_control_result strata_control_session_read(struct strata_control *control,
						       const char *text, size_t length,
						       const char *name, const char *output,
						       struct strata_session **session)
{
	struct strata_error error = { "" };
	struct strata_session model;
	struct json_object *object;
	char path[PATH_MAX];

	*session = NULL;
	if (output && paths_absolute(output, path, &error))
		return handle_wrong(control, &error);
	object = session_json_parse(text, length, &error);
	if (!object)
		return handle_wrong(control, &error);
	if (name)
		json_object_object_add(object, "name", json_object_new_string(name));
	if (output)
		json_object_object_add(object, "output", json_object_new_string(path));
	if (session_json_read(object, &model, &error)) {
		json_object_put(object);
		return handle_wrong(control, &error);
	}
	json_object_put(object);
	return hand_over(control, &model, session);
}

const char *strata_control_domain_name(enum strata_domain domain)
{
	return (unsigned int)domain < STRATA_NR_DOMAINS ? session_model_domain_name(domain) : NULL;
}

const char *strata_control_rule_name(enum strata_rule_kind kind)
{
	return (unsigned int)kind < STRATA_NR_RULE_KINDS ? session_model_rule_name(kind) : NULL;
}
