// SPDX-License-Identifier: GPL-2.0-or-later
/* member_admit.c - see member_admit.h. */
#include "stratad/sessions/member_admit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json_members.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "control/session_trigger.h"
#include "control/trigger_json.h"
#include "stratad/sessions/member_dir.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/session_owner.h"
#include "stratad/sessions/session_table.h"

/* Sessions of one member.  All members together cannot take root's: SESSION_TABLE_MAX. */
#define MEMBER_SESSIONS_MAX  4u
#define MEMBERS_SESSIONS_MAX (SESSION_TABLE_MAX / 2)

/* Rotation bounds the disk space of each recording: MEMBER_KEEP of this size. */
#define MEMBER_RECORDING_BYTES (64u << 20)

static const char *const verbs[] = {
	"create",   "destroy",     "status",         "start",          "stop",
	"enable",   "disable",     "set-session",    "enable-channel", "disable-channel",
	"snapshot", "add-trigger", "remove-trigger", "rotate",         "clear",
};

/* Writes the whole name of a member's session.  He may name it without his number, or with it. */
static int whole_name(uid_t member, const char *name, char whole[STRATA_SESSION_NAME_BYTES],
		      struct strata_error *error)
{
	const size_t length = strcspn(name, (char[]){ SESSION_OWNER_MARK, '\0' });
	char suffix[SESSION_OWNER_BYTES];

	session_owner_suffix(suffix, member);
	if (name[length] && strcmp(name + length, suffix))
		return strata_fail(
			error, "there is no session %s; `strata --system status` lists them", name);
	if (length + strlen(suffix) >= STRATA_SESSION_NAME_BYTES)
		return strata_fail(error,
				   "the name of a session of root's stratad has at most %zu bytes",
				   STRATA_SESSION_NAME_BYTES - 1 - strlen(suffix));
	snprintf(whole, STRATA_SESSION_NAME_BYTES, "%.*s%s", (int)length, name, suffix);
	return session_model_check_name(whole, error);
}

static bool is_rule_allowed(enum strata_domain domain, enum strata_rule_kind kind)
{
	if (domain != STRATA_DOMAIN_XEN && domain != STRATA_DOMAIN_KERNEL)
		return false;
	return kind == STRATA_RULE_EVENT || kind == STRATA_RULE_FILTER || kind == STRATA_RULE_TID ||
	       kind == STRATA_RULE_PID || kind == STRATA_RULE_XEN_DOMAIN ||
	       kind == STRATA_RULE_CONTEXT;
}

static int refuse_apps(struct strata_error *error)
{
	return strata_fail(error, "root's stratad does not record applications for members of "
				  "the group tracing; use yours, without --system");
}

static int refuse_output(struct strata_error *error)
{
	return strata_fail(error, "root's stratad records below " MEMBER_DIR "; do not name an "
				  "output directory");
}

/* Checks that a member may have a rule.  0 or -1. */
static int check_rule(enum strata_domain domain, const struct strata_rule *rule,
		      struct strata_error *error)
{
	if (domain == STRATA_DOMAIN_APP)
		return refuse_apps(error);
	if (!is_rule_allowed(domain, rule->kind))
		return strata_fail(error,
				   "rules of kind %s are root's alone: they can read or slow down "
				   "what is not yours; members of the group tracing have events, "
				   "filters, contexts and `strata track`",
				   session_model_rule_name(rule->kind));
	return rule->kind == STRATA_RULE_CONTEXT ? member_share_check_context(rule->text, error)
						 : 0;
}

static int check_rules(struct json_object *request, struct strata_error *error)
{
	struct json_object *list;
	enum strata_domain domain;
	struct strata_rule rule;
	size_t i;

	if (session_json_domain(request, "domain", &domain, error) ||
	    strata_json_array(request, "rules", STRATA_SESSION_RULES_MAX, &list, error))
		return -1;
	for (i = 0; i < json_object_array_length(list); i++) {
		if (session_json_read_rule(json_object_array_get_idx(list, i), &rule, error) ||
		    check_rule(domain, &rule, error))
			return -1;
	}
	return 0;
}

/* Checks that a member may count what a trigger does: no more than he may record.  How often it
 * acts is checked with the session (member_share_check()).  0 or -1. */
static int check_trigger(const struct strata_trigger *trigger, struct strata_error *error)
{
	enum strata_domain domain;
	size_t i;

	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++) {
		const struct strata_domain_channel *in = &trigger->counted.domains[domain];

		for (i = 0; i < in->nr_rules; i++)
			if (check_rule(domain, &in->rules[i], error))
				return -1;
	}
	return 0;
}

/* Whether the applications' rings of a channel are those that each channel begins with. */
static bool has_default_app_rings(const struct strata_channel *asked,
				  const struct strata_channel *given)
{
	const struct strata_domain_channel *one = &asked->domains[STRATA_DOMAIN_APP];
	const struct strata_domain_channel *other = &given->domains[STRATA_DOMAIN_APP];

	return one->subbuf_bytes == other->subbuf_bytes && one->nr_subbufs == other->nr_subbufs &&
	       one->rings == other->rings;
}

/* Copies the rules of a channel that a member may have.  0 or -1. */
static int copy_rules(struct strata_session *given, struct strata_channel *channel,
		      const struct strata_channel *asked, struct strata_error *error)
{
	enum strata_domain domain;
	size_t i;

	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++) {
		const struct strata_domain_channel *from = &asked->domains[domain];

		for (i = 0; i < from->nr_rules; i++)
			if (check_rule(domain, &from->rules[i], error) ||
			    session_model_add_rule(given, channel, domain, &from->rules[i], error))
				return -1;
	}
	return 0;
}

/* Copies a channel.  0 or -1. */
static int copy_channel(struct strata_session *given, const struct strata_channel *asked,
			struct strata_error *error)
{
	const struct strata_domain_channel *from = &asked->domains[STRATA_DOMAIN_XEN];
	struct strata_channel *channel = session_model_add_channel(given, asked->name, error);
	struct strata_domain_channel *xen;

	if (!channel)
		return -1;
	if (!has_default_app_rings(asked, channel))
		return refuse_apps(error);
	channel->disabled = asked->disabled;
	xen = &channel->domains[STRATA_DOMAIN_XEN];
	xen->subbuf_bytes = from->subbuf_bytes;
	xen->nr_subbufs = from->nr_subbufs;
	xen->budget_per_s = from->budget_per_s;
	return copy_rules(given, channel, asked, error);
}

/* Copies the triggers that a member may have.  0 or -1. */
static int copy_triggers(struct strata_session *given, const struct strata_session *asked,
			 struct strata_error *error)
{
	size_t i;

	for (i = 0; i < asked->nr_triggers; i++)
		if (check_trigger(&asked->triggers[i], error) ||
		    session_trigger_add(given, &asked->triggers[i], error))
			return -1;
	return 0;
}

/* Makes the session that a member gets: of what he asked for, only what is checked here. */
static int make_session(uid_t member, const struct strata_session *asked,
			struct strata_session *given, struct strata_error *error)
{
	char name[STRATA_SESSION_NAME_BYTES], output[PATH_MAX];
	size_t i;

	*given = (struct strata_session){ .output = NULL };
	if (whole_name(member, asked->name, name, error))
		return -1;
	if (asked->output)
		return refuse_output(error);
	member_dir_path(output, name);
	if (session_model_init(given, name, output, error))
		return -1;
	if (asked->rotation.bytes || asked->rotation.ms || asked->rotation.keep ||
	    asked->switch_ms != given->switch_ms)
		return strata_fail(error,
				   "automatic rotation and timers are root's alone; create a "
				   "session with the defaults");
	given->snapshot = asked->snapshot;
	given->event_header = asked->event_header;
	if (!asked->snapshot)
		given->rotation = (struct strata_rotation){ .bytes = MEMBER_RECORDING_BYTES,
							    .keep = MEMBER_KEEP };
	for (i = 0; i < asked->nr_channels; i++)
		if (copy_channel(given, &asked->channels[i], error))
			return -1;
	return copy_triggers(given, asked, error) ? -1 : member_share_check(given, error);
}

static int admit_create(uid_t member, struct json_object *request, struct strata_error *error)
{
	struct strata_session asked, given;
	struct json_object *object;
	int result;

	if (!json_object_object_get_ex(request, "session", &object))
		return strata_fail(error, "\"session\" is missing");
	if (session_table_count_of(member) >= MEMBER_SESSIONS_MAX)
		return strata_fail(error,
				   "you have %u sessions, as many as a member of the group "
				   "tracing may; `strata --system destroy` removes one",
				   MEMBER_SESSIONS_MAX);
	if (session_table_count_of_members() >= MEMBERS_SESSIONS_MAX)
		return strata_fail(error,
				   "members of the group tracing have %u sessions, as many as "
				   "they may together; try again when one is destroyed",
				   MEMBERS_SESSIONS_MAX);
	if (session_json_read(object, &asked, error))
		return -1;
	result = make_session(member, &asked, &given, error);
	if (!result)
		json_object_object_add(request, "session", session_json_make(&given));
	session_model_clear(&asked);
	session_model_clear(&given);
	return result;
}

/* Checks whose rings a request for a channel sets; how large they may be is checked when the whole
 * channel is known (session_change.c).  0 or -1. */
static int check_attributes(struct json_object *request, struct strata_error *error)
{
	struct json_object *attributes;
	enum strata_domain domain;

	/* An empty object sets nothing.  What is no object is refused later. */
	if (!json_object_object_get_ex(request, "attributes", &attributes) ||
	    !json_object_is_type(attributes, json_type_object) ||
	    !json_object_object_length(attributes))
		return 0;
	if (session_json_domain(request, "domain", &domain, error))
		return -1;
	return domain == STRATA_DOMAIN_APP ? refuse_apps(error) : 0;
}

/* What stratad adds is made of the checked trigger. */
static int admit_trigger(struct json_object *request, struct strata_error *error)
{
	struct strata_trigger trigger;
	struct json_object *object;
	int result;

	if (!json_object_object_get_ex(request, "trigger", &object))
		return strata_fail(error, "\"trigger\" is missing");
	if (trigger_json_read(object, &trigger, error))
		return -1;
	result = check_trigger(&trigger, error);
	if (!result)
		json_object_object_add(request, "trigger", trigger_json_make(&trigger));
	session_trigger_clear(&trigger);
	return result;
}

static int admit_name(uid_t member, struct json_object *request, struct strata_error *error)
{
	char name[STRATA_SESSION_NAME_BYTES], whole[STRATA_SESSION_NAME_BYTES];

	if (!strata_json_has(request, "name"))
		return 0;
	if (strata_json_text(request, "name", name, sizeof(name), error) ||
	    whole_name(member, name, whole, error))
		return -1;
	json_object_object_add(request, "name", json_object_new_string(whole));
	return 0;
}

int member_admit(uid_t member, const char *verb, struct json_object *request,
		 struct strata_error *error)
{
	bool known = false;
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		known |= !strcmp(verb, verbs[i]);
	if (!known)
		return strata_fail(error,
				   "%s is root's alone: members of the group tracing create, "
				   "start, stop, rotate, clear, snapshot and destroy sessions, "
				   "enable events and channels, and add triggers",
				   strcmp(verb, "rotation") ? verb : "automatic rotation");
	if (!strcmp(verb, "create"))
		return admit_create(member, request, error);
	if (!strcmp(verb, "snapshot") && strata_json_has(request, "output"))
		return refuse_output(error);
	if (!strcmp(verb, "enable-channel") && check_attributes(request, error))
		return -1;
	if (!strcmp(verb, "add-trigger") && admit_trigger(request, error))
		return -1;
	if ((!strcmp(verb, "enable") || !strcmp(verb, "disable")) && check_rules(request, error))
		return -1;
	return admit_name(member, request, error);
}
