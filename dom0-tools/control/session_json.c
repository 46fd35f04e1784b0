// SPDX-License-Identifier: GPL-2.0-or-later
/* session_json.c - see session_json.h. */
#include "control/session_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_members.h"
#include "control/object_members.h"
#include "control/session_model.h"
#include "control/session_trigger.h"
#include "control/trigger_json.h"
#include "recording/header_form.h"

static const char *const ring_names[] = { "default", "single-store", "reserve-commit" };

#define NR_RING_NAMES (sizeof(ring_names) / sizeof(ring_names[0]))

struct json_object *session_json_make_rule(const struct strata_rule *rule)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "kind",
			       json_object_new_string(session_model_rule_name(rule->kind)));
	if (rule->target[0])
		json_object_object_add(object, "target", json_object_new_string(rule->target));
	json_object_object_add(object, "text", json_object_new_string(rule->text));
	return object;
}

struct json_object *session_json_make_channel(const struct strata_domain_channel *channel,
					      enum strata_domain domain)
{
	struct json_object *object = json_object_new_object(), *rules = json_object_new_array();
	size_t i;

	if (domain != STRATA_DOMAIN_KERNEL) {
		json_object_object_add(object, "subbuf_bytes",
				       json_object_new_int64(channel->subbuf_bytes));
		json_object_object_add(object, "nr_subbufs",
				       json_object_new_int64(channel->nr_subbufs));
	}
	if (domain == STRATA_DOMAIN_XEN)
		json_object_object_add(object, "budget_per_s",
				       json_object_new_int64(channel->budget_per_s));
	if (domain == STRATA_DOMAIN_APP)
		json_object_object_add(object, "rings",
				       json_object_new_string(ring_names[channel->rings]));
	for (i = 0; i < channel->nr_rules; i++)
		json_object_array_add(rules, session_json_make_rule(&channel->rules[i]));
	json_object_object_add(object, "rules", rules);
	return object;
}

static struct json_object *make_channel(const struct strata_channel *channel)
{
	struct json_object *object = json_object_new_object();
	unsigned int i;

	json_object_object_add(object, "name", json_object_new_string(channel->name));
	json_object_object_add(object, "disabled", json_object_new_boolean(channel->disabled));
	for (i = 0; i < STRATA_NR_DOMAINS; i++)
		json_object_object_add(object, session_model_domain_name(i),
				       session_json_make_channel(&channel->domains[i], i));
	return object;
}

struct json_object *session_json_make_rotation(const struct strata_rotation *rotation)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "bytes", json_object_new_uint64(rotation->bytes));
	json_object_object_add(object, "ms", json_object_new_int64(rotation->ms));
	json_object_object_add(object, "keep", json_object_new_int64(rotation->keep));
	return object;
}

static struct json_object *make_triggers(const struct strata_session *session)
{
	struct json_object *triggers = json_object_new_array();
	size_t i;

	for (i = 0; i < session->nr_triggers; i++)
		json_object_array_add(triggers, trigger_json_make(&session->triggers[i]));
	return triggers;
}

struct json_object *session_json_make(const struct strata_session *session)
{
	struct json_object *object = json_object_new_object(), *channels = json_object_new_array();
	size_t i;

	json_object_object_add(object, "strata_session", json_object_new_int(SESSION_JSON_VERSION));
	json_object_object_add(object, "name", json_object_new_string(session->name));
	if (session->output)
		json_object_object_add(object, "output", json_object_new_string(session->output));
	json_object_object_add(object, "snapshot", json_object_new_boolean(session->snapshot));
	json_object_object_add(object, "rotation", session_json_make_rotation(&session->rotation));
	json_object_object_add(object, "switch_timer_ms",
			       json_object_new_int64(session->switch_ms));
	json_object_object_add(
		object, "event_header",
		json_object_new_string(strata_header_form_name(session->event_header)));
	for (i = 0; i < session->nr_channels; i++)
		json_object_array_add(channels, make_channel(&session->channels[i]));
	json_object_object_add(object, "channels", channels);
	if (session->nr_triggers)
		json_object_object_add(object, "triggers", make_triggers(session));
	return object;
}

struct json_object *session_json_parse(const char *text, size_t length, struct strata_error *error)
{
	if (length <= STRATA_SESSION_TEXT_BYTES)
		return strata_json_parse(text, length, error);
	strata_fail(error, "over %u bytes", STRATA_SESSION_TEXT_BYTES);
	return NULL;
}

int session_json_domain(struct json_object *object, const char *key, enum strata_domain *domain,
			struct strata_error *error)
{
	const char *names[STRATA_NR_DOMAINS];
	unsigned int i;
	size_t found;

	for (i = 0; i < STRATA_NR_DOMAINS; i++)
		names[i] = session_model_domain_name(i);
	if (object_member_name(object, key, names, STRATA_NR_DOMAINS, &found, error))
		return -1;
	*domain = (enum strata_domain)found;
	return 0;
}

int session_json_read_rule(struct json_object *object, struct strata_rule *rule,
			   struct strata_error *error)
{
	static const char *const members[] = { "kind", "target", "text", NULL };
	const char *names[STRATA_NR_RULE_KINDS];
	size_t kind = STRATA_RULE_EVENT;
	unsigned int i;

	memset(rule, 0, sizeof(*rule));
	if (!json_object_is_type(object, json_type_object))
		return strata_fail(error, "a rule is not an object");
	for (i = 0; i < STRATA_NR_RULE_KINDS; i++)
		names[i] = session_model_rule_name(i);
	if (object_members_check(object, members, error) ||
	    (strata_json_has(object, "kind") &&
	     object_member_name(object, "kind", names, STRATA_NR_RULE_KINDS, &kind, error)) ||
	    (strata_json_has(object, "target") &&
	     strata_json_text(object, "target", rule->target, sizeof(rule->target), error)) ||
	    strata_json_text(object, "text", rule->text, sizeof(rule->text), error))
		return strata_fail_in(error, "rule");
	rule->kind = (enum strata_rule_kind)kind;
	return 0;
}

int session_json_read_channel(struct json_object *object, enum strata_domain domain,
			      struct strata_domain_channel *channel, struct strata_error *error)
{
	static const char *const members[STRATA_NR_DOMAINS][6] = {
		{ "subbuf_bytes", "nr_subbufs", "budget_per_s", "rules", NULL },
		{ "rules", NULL },
		{ "subbuf_bytes", "nr_subbufs", "rings", "rules", NULL },
	};
	size_t rings = channel->rings;

	if (!json_object_is_type(object, json_type_object))
		return strata_fail(error, "a channel is not an object");
	if (object_members_check(object, members[domain], error) ||
	    object_member_u32(object, "subbuf_bytes", &channel->subbuf_bytes, error) ||
	    object_member_u32(object, "nr_subbufs", &channel->nr_subbufs, error) ||
	    object_member_u32(object, "budget_per_s", &channel->budget_per_s, error) ||
	    (strata_json_has(object, "rings") &&
	     object_member_name(object, "rings", ring_names, NR_RING_NAMES, &rings, error)))
		return strata_fail_in(error, "channel %s", session_model_domain_name(domain));
	channel->rings = (enum strata_app_mode)rings;
	if (domain != STRATA_DOMAIN_KERNEL &&
	    session_model_check_rings(channel->subbuf_bytes, channel->nr_subbufs, error))
		return strata_fail_in(error, "channel %s: %u sub-buffers of %u bytes",
				      session_model_domain_name(domain), channel->nr_subbufs,
				      channel->subbuf_bytes);
	return 0;
}

int session_json_read_rotation(struct json_object *object, struct strata_rotation *rotation,
			       struct strata_error *error)
{
	static const char *const members[] = { "bytes", "ms", "keep", NULL };

	*rotation = (struct strata_rotation){ .bytes = 0 };
	if (!json_object_is_type(object, json_type_object))
		return strata_fail(error, "a rotation is not an object");
	if (object_members_check(object, members, error) ||
	    (strata_json_has(object, "bytes") &&
	     strata_json_u64(object, "bytes", INT64_MAX, &rotation->bytes, error)) ||
	    object_member_u32(object, "ms", &rotation->ms, error) ||
	    object_member_u32(object, "keep", &rotation->keep, error) ||
	    session_model_check_rotation(rotation, error))
		return strata_fail_in(error, "rotation");
	return 0;
}

static int read_rules(struct json_object *object, struct strata_session *session,
		      struct strata_channel *channel, enum strata_domain domain,
		      struct strata_error *error)
{
	struct json_object *rules;
	struct strata_rule rule;
	size_t i;

	if (!strata_json_has(object, "rules"))
		return 0;
	if (strata_json_array(object, "rules", STRATA_SESSION_RULES_MAX, &rules, error))
		return -1;
	for (i = 0; i < json_object_array_length(rules); i++)
		if (session_json_read_rule(json_object_array_get_idx(rules, i), &rule, error) ||
		    session_model_add_rule(session, channel, domain, &rule, error))
			return -1;
	return 0;
}

/* Reads what an object says of a channel in each domain. */
static int read_domains(struct json_object *object, struct strata_session *session,
			struct strata_channel *channel, struct strata_error *error)
{
	unsigned int i;

	for (i = 0; i < STRATA_NR_DOMAINS; i++) {
		struct json_object *one;

		if (!json_object_object_get_ex(object, session_model_domain_name(i), &one))
			continue;
		if (session_json_read_channel(one, i, &channel->domains[i], error) ||
		    read_rules(one, session, channel, i, error))
			return -1;
	}
	return 0;
}

/* The earlier form: an object with the domains of the only channel. */
static int read_only_channel(struct json_object *domains, struct strata_session *session,
			     struct strata_error *error)
{
	static const char *const members[] = { "xen", "kernel", "app", NULL };

	if (!json_object_is_type(domains, json_type_object))
		return strata_fail(error, "\"channels\" is not an object");
	if (object_members_check(domains, members, error))
		return -1;
	return read_domains(domains, session, &session->channels[0], error);
}

/* @seen: bits of the channels that were read before */
static int read_channel(struct json_object *object, struct strata_session *session, uint32_t *seen,
			struct strata_error *error)
{
	static const char *const members[] = { "name", "disabled", "xen", "kernel", "app", NULL };
	char name[STRATA_CHANNEL_NAME_BYTES];
	struct strata_channel *channel;
	uint32_t bit;

	if (!json_object_is_type(object, json_type_object))
		return strata_fail(error, "a channel is not an object");
	if (object_members_check(object, members, error) ||
	    strata_json_text(object, "name", name, sizeof(name), error))
		return strata_fail_in(error, "channel");
	channel = session_model_add_channel(session, name, error);
	if (!channel)
		return -1;
	bit = 1u << (channel - session->channels);
	if (*seen & bit)
		return strata_fail(error, "there are two channels %s", name);
	*seen |= bit;
	if (object_member_truth(object, "disabled", &channel->disabled, error) ||
	    read_domains(object, session, channel, error))
		return strata_fail_in(error, "channel %s", name);
	return 0;
}

static int read_channels(struct json_object *object, uint64_t version,
			 struct strata_session *session, struct strata_error *error)
{
	struct json_object *list;
	uint32_t seen = 0;
	size_t i;

	if (!json_object_object_get_ex(object, "channels", &list))
		return 0;
	if (version == SESSION_JSON_VERSION_EARLIER)
		return read_only_channel(list, session, error);
	if (strata_json_array(object, "channels", STRATA_SESSION_CHANNELS_MAX, &list, error))
		return -1;
	for (i = 0; i < json_object_array_length(list); i++)
		if (read_channel(json_object_array_get_idx(list, i), session, &seen, error))
			return -1;
	return 0;
}

static int read_triggers(struct json_object *object, struct strata_session *session,
			 struct strata_error *error)
{
	struct strata_trigger trigger;
	struct json_object *list;
	int result = 0;
	size_t i;

	if (!strata_json_has(object, "triggers"))
		return 0;
	if (strata_json_array(object, "triggers", STRATA_SESSION_TRIGGERS_MAX, &list, error))
		return -1;
	for (i = 0; !result && i < json_object_array_length(list); i++) {
		if (trigger_json_read(json_object_array_get_idx(list, i), &trigger, error))
			return -1;
		result = session_trigger_add(session, &trigger, error);
		session_trigger_clear(&trigger);
	}
	return result;
}

static int read_attributes(struct json_object *object, struct strata_session *session,
			   struct strata_error *error)
{
	const char *headers[STRATA_NR_HEADER_FORMS];
	char output[PATH_MAX] = "";
	struct json_object *member;
	size_t header = session->event_header;
	unsigned int i;

	for (i = 0; i < STRATA_NR_HEADER_FORMS; i++)
		headers[i] = strata_header_form_name(i);
	if (object_member_truth(object, "snapshot", &session->snapshot, error))
		return -1;
	if (json_object_object_get_ex(object, "rotation", &member) &&
	    session_json_read_rotation(member, &session->rotation, error))
		return -1;
	if (object_member_u32(object, "switch_timer_ms", &session->switch_ms, error) ||
	    (strata_json_has(object, "event_header") &&
	     object_member_name(object, "event_header", headers, STRATA_NR_HEADER_FORMS, &header,
				error)) ||
	    (strata_json_has(object, "output") &&
	     strata_json_text(object, "output", output, sizeof(output), error)))
		return -1;
	session->event_header = (enum strata_header_form)header;
	if (session_model_check_switch(session->switch_ms, error))
		return strata_fail_in(error, "switch_timer_ms: %u", session->switch_ms);
	if (!output[0])
		return 0;
	if (output[0] != '/' || strchr(output, '\n'))
		return strata_fail(error, "\"output\" is not an absolute path of one line");
	session->output = strdup(output);
	return session->output ? 0 : strata_fail(error, "out of memory");
}

int session_json_read(struct json_object *object, struct strata_session *session,
		      struct strata_error *error)
{
	static const char *const members[] = {
		"strata_session",  "name",     "output",   "snapshot", "event_header", "channels",
		"switch_timer_ms", "rotation", "triggers", NULL
	};
	char name[PATH_MAX];
	uint64_t version;

	*session = (struct strata_session){ .output = NULL };
	if (!json_object_is_type(object, json_type_object))
		return strata_fail(error, "a session is not an object");
	if (strata_json_u64(object, "strata_session", UINT32_MAX, &version, error))
		return -1;
	if (version != SESSION_JSON_VERSION && version != SESSION_JSON_VERSION_EARLIER)
		return strata_fail(error,
				   "a session in the form of version %llu; this program "
				   "reads versions %d and %d",
				   (unsigned long long)version, SESSION_JSON_VERSION_EARLIER,
				   SESSION_JSON_VERSION);
	if (object_members_check(object, members, error) ||
	    strata_json_text(object, "name", name, sizeof(name), error) ||
	    session_model_init(session, name, NULL, error))
		return -1;
	if (!read_attributes(object, session, error) &&
	    !read_channels(object, version, session, error) &&
	    !read_triggers(object, session, error))
		return 0;
	session_model_clear(session);
	return strata_fail_in(error, "session %s", name);
}
