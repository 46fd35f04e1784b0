// SPDX-License-Identifier: GPL-2.0-or-later
/* session_change.c - see session_change.h. */
#include "stratad/sessions/session_change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "consumerd/host/control_socket.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "stratad/session_options.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/reply.h"
#include "stratad/sessions/session_files.h"
#include "stratad/sessions/session_run.h"
#include "stratad/trigger/trigger.h"

/* Checks the rules of a channel, as its recorder will. */
static int check_channel(const struct strata_session *model, const struct strata_channel *channel,
			 struct strata_error *error)
{
	struct session_options options;
	int result = session_options_build(&options, model, channel, model->output, error);

	session_options_clear(&options);
	return result;
}

int session_change_check(const struct strata_session *model, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < model->nr_channels; i++)
		if (check_channel(model, &model->channels[i], error))
			return -1;
	for (i = 0; i < model->nr_triggers; i++)
		if (trigger_check(&model->triggers[i], error))
			return -1;
	return 0;
}

/* Finds the channel that a request names, or the default one.  NULL with the reason. */
static struct strata_channel *find_channel(struct json_object *request,
					   struct strata_session *model, struct strata_error *error)
{
	char name[STRATA_CHANNEL_NAME_BYTES] = STRATA_CHANNEL_DEFAULT;
	struct strata_channel *channel;

	if (strata_json_has(request, "channel") &&
	    strata_json_text(request, "channel", name, sizeof(name), error))
		return NULL;
	channel = session_model_channel(model, name);
	if (!channel)
		strata_fail(error,
			    "session %s has no channel %.*s; `strata enable-channel` makes one",
			    model->name, (int)sizeof(name), name);
	return channel;
}

/* Whether an earlier rule belongs to the same list, which the recorder takes as a whole. */
static bool is_in_list_of_earlier(const struct strata_rule *rules, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (rules[i].kind == rules[index].kind && !session_model_is_alone(rules[i].kind) &&
		    !strcmp(rules[i].target, rules[index].target))
			return true;
	return false;
}

/* Has a consumer record what the model says now about these rules' lists. */
static int reselect(const struct consumer *consumer, const struct strata_session *model,
		    const struct strata_channel *channel, enum strata_domain domain,
		    const struct strata_rule *rules, size_t nr, struct strata_error *error)
{
	char line[CONTROL_LINE_BYTES - 16] = "select ", text[CONTROL_LINE_BYTES];
	size_t length = strlen(line), i;
	int status;

	for (i = 0; i < nr; i++) {
		if (is_in_list_of_earlier(rules, i))
			continue;
		if (i)
			line[length++] = '\t';
		if (session_options_reselect(model, channel, domain, &rules[i], line + length,
					     sizeof(line) - 1 - length, error))
			return -1;
		length += strlen(line + length);
	}
	status = consumer_ask(consumer, line, text, sizeof(text), error);
	return status > 0 ? strata_fail(error, "%.900s", text) : status;
}

/* Makes a changed model that of the session: in the files, if the caller has told its consumer. */
static int adopt(struct managed_session *session, struct strata_session *model,
		 struct strata_error *error)
{
	if (session_files_save(model, error))
		return -1;
	session_table_adopt(session, model);
	return 0;
}

/* A change of a session's rules. */
struct change {
	enum strata_domain domain;
	const struct strata_rule *rules;
	size_t nr;
	bool enable;
};

/* Adds the rules to a channel of the model, or removes them.  0 or -1. */
static int change_model(struct strata_session *model, struct strata_channel *channel,
			const struct change *change, struct strata_error *error)
{
	int result = 0;
	size_t i;

	for (i = 0; !result && i < change->nr; i++)
		result = change->enable ? session_model_add_rule(model, channel, change->domain,
								 &change->rules[i], error)
					: session_model_remove_rule(model, channel, change->domain,
								    &change->rules[i], error);
	return result;
}

/* Has the consumer of a changed channel record what the model says now.  Events of one that does
 * not record beside others that do would be missing in silence. */
static int change_consumer(const struct managed_session *session,
			   const struct strata_session *model, const struct strata_channel *channel,
			   const struct change *change, struct strata_error *error)
{
	struct consumer consumer;

	if (!change->nr)
		return 0;
	if (session_table_consumer(&session->channels[channel - model->channels], &consumer))
		return reselect(&consumer, model, channel, change->domain, change->rules,
				change->nr, error);
	if (!change->enable || channel->disabled || !session_table_count_recording(session))
		return 0;
	return strata_fail(error,
			   "channel %s of session %s had no events when the session started, so it "
			   "does not record; `strata stop %s` first",
			   channel->name, model->name, model->name);
}

/* Adds or removes all rules, or none. */
static int change_session(struct managed_session *session, struct json_object *request,
			  const struct change *change, struct json_object *reply,
			  struct strata_error *error)
{
	struct strata_channel *channel;
	struct strata_session model;

	if (session_model_copy(&model, &session->model, error))
		return -1;
	channel = find_channel(request, &model, error);
	if (channel && !change_model(&model, channel, change, error) &&
	    !check_channel(&model, channel, error) && !session_files_check(&model, error) &&
	    !change_consumer(session, &model, channel, change, error) &&
	    !adopt(session, &model, error))
		return reply_say(reply, STRATA_STATUS_OK,
				 "session %s: %zu rule%s of the domain %s %s%s%s", model.name,
				 change->nr, change->nr == 1 ? "" : "s",
				 session_model_domain_name(change->domain),
				 change->enable ? "enabled" : "disabled",
				 model.nr_channels > 1 ? " in channel " : "",
				 model.nr_channels > 1 ? channel->name : "");
	session_model_clear(&model);
	return -1;
}

/* Reads the rules of a request, for free().  NULL with the reason. */
static struct strata_rule *read_rules(struct json_object *request, size_t *nr,
				      struct strata_error *error)
{
	struct strata_rule *rules;
	struct json_object *list;
	size_t i;

	if (strata_json_array(request, "rules", STRATA_SESSION_RULES_MAX, &list, error))
		return NULL;
	*nr = json_object_array_length(list);
	rules = calloc(*nr + 1, sizeof(*rules));
	if (!rules)
		strata_fail(error, "out of memory");
	for (i = 0; rules && i < *nr; i++)
		if (session_json_read_rule(json_object_array_get_idx(list, i), &rules[i], error)) {
			free(rules);
			rules = NULL;
		}
	return rules;
}

/* Adds the rules of a request, or removes them. */
static int change_rules(struct managed_session *session, struct json_object *request,
			struct json_object *reply, bool enable, struct strata_error *error)
{
	struct change change = { .enable = enable };
	struct strata_rule *rules;
	int result;

	if (session_json_domain(request, "domain", &change.domain, error))
		return -1;
	rules = read_rules(request, &change.nr, error);
	if (!rules)
		return -1;
	change.rules = rules;
	result = change_session(session, request, &change, reply, error);
	free(rules);
	return result;
}

int session_change_enable(struct managed_session *session, struct json_object *request,
			  struct json_object *reply, struct strata_error *error)
{
	return change_rules(session, request, reply, true, error);
}

int session_change_disable(struct managed_session *session, struct json_object *request,
			   struct json_object *reply, struct strata_error *error)
{
	return change_rules(session, request, reply, false, error);
}

/* Makes a channel, unless it exists, enables it, and sets the attributes that a request names. */
static int set_channel(struct json_object *request, struct strata_session *model,
		       struct strata_channel **channel, struct strata_error *error)
{
	char name[STRATA_CHANNEL_NAME_BYTES] = STRATA_CHANNEL_DEFAULT;
	struct json_object *attributes;
	enum strata_domain domain;

	if (strata_json_has(request, "channel") &&
	    strata_json_text(request, "channel", name, sizeof(name), error))
		return -1;
	*channel = session_model_add_channel(model, name, error);
	if (!*channel)
		return -1;
	(*channel)->disabled = false;
	if (!json_object_object_get_ex(request, "attributes", &attributes))
		return 0;
	if (session_json_domain(request, "domain", &domain, error))
		return -1;
	return session_json_read_channel(attributes, domain, &(*channel)->domains[domain], error) ||
			       member_share_check(model, error)
		       ? -1
		       : 0;
}

static int disable_channel(struct json_object *request, struct strata_session *model,
			   struct strata_channel **channel, struct strata_error *error)
{
	*channel = find_channel(request, model, error);
	if (!*channel)
		return -1;
	(*channel)->disabled = true;
	return 0;
}

/* Changes a channel of a session that does not record.  @what: for the message */
static int change_channel(struct managed_session *session, struct json_object *request,
			  struct json_object *reply,
			  int (*change)(struct json_object *request, struct strata_session *model,
					struct strata_channel **channel,
					struct strata_error *error),
			  const char *what, struct strata_error *error)
{
	struct strata_channel *channel;
	struct strata_session model;

	if (session_table_count_recording(session))
		return strata_fail(
			error, "session %s records; its channels can be changed when it is stopped",
			session->model.name);
	if (session_model_copy(&model, &session->model, error))
		return -1;
	if (!change(request, &model, &channel, error) && !adopt(session, &model, error))
		return reply_say(reply, STRATA_STATUS_OK, "session %s: channel %s is %s",
				 model.name, channel->name, what);
	session_model_clear(&model);
	return -1;
}

int session_change_enable_channel(struct managed_session *session, struct json_object *request,
				  struct json_object *reply, struct strata_error *error)
{
	return change_channel(session, request, reply, set_channel, "enabled", error);
}

int session_change_disable_channel(struct managed_session *session, struct json_object *request,
				   struct json_object *reply, struct strata_error *error)
{
	return change_channel(session, request, reply, disable_channel, "disabled", error);
}

/* Asks the consumers first, because one may refuse. */
int session_change_rotation(struct managed_session *session, struct json_object *request,
			    struct json_object *reply, struct strata_error *error)
{
	struct json_object *object;
	struct strata_session model;
	struct strata_rotation when;
	int result;

	if (!json_object_object_get_ex(request, "rotation", &object))
		return strata_fail(error, "\"rotation\" is missing");
	if (session_json_read_rotation(object, &when, error))
		return -1;
	if (session->model.snapshot)
		return strata_fail(error,
				   "session %s is a flight recorder: `strata snapshot` writes its "
				   "events",
				   session->model.name);
	result = session_run_set_rotation(session, &when, reply, error);
	if (result)
		return result;
	if (session_model_copy(&model, &session->model, error))
		return -1;
	model.rotation = when;
	if (!adopt(session, &model, error))
		return reply_say(reply, STRATA_STATUS_OK, "session %s: %s", session->model.name,
				 when.bytes || when.ms ? "rotation is enabled"
						       : "rotation is disabled");
	session_model_clear(&model);
	return -1;
}
