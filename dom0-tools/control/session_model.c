// SPDX-License-Identifier: GPL-2.0-or-later
/* session_model.c - see session_model.h. */
#include "control/session_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <strata/ring_layout.h>
#include <strata/switch_period.h>

#include "control/app_rings.h"
#include "control/session_trigger.h"

static const char *const domain_names[STRATA_NR_DOMAINS] = { "xen", "kernel", "app" };
static const char *const rule_names[STRATA_NR_RULE_KINDS] = {
	"event",  "kprobe",  "kretprobe", "tid",       "pid",      "xen-domain",
	"filter", "context", "uprobe",    "uretprobe", "function", "tracepoint",
};

const char *session_model_domain_name(enum strata_domain domain)
{
	return domain_names[domain];
}

const char *session_model_rule_name(enum strata_rule_kind kind)
{
	return rule_names[kind];
}

static bool is_probe(enum strata_rule_kind kind)
{
	return kind == STRATA_RULE_KPROBE || kind == STRATA_RULE_KRETPROBE ||
	       kind == STRATA_RULE_UPROBE || kind == STRATA_RULE_URETPROBE ||
	       kind == STRATA_RULE_FUNCTION || kind == STRATA_RULE_TRACEPOINT;
}

bool session_model_is_alone(enum strata_rule_kind kind)
{
	return is_probe(kind) || kind == STRATA_RULE_FILTER;
}

bool session_model_allows(enum strata_domain domain, enum strata_rule_kind kind)
{
	switch (domain) {
	case STRATA_DOMAIN_XEN:
		return kind == STRATA_RULE_EVENT || kind == STRATA_RULE_XEN_DOMAIN;
	case STRATA_DOMAIN_KERNEL:
		return kind != STRATA_RULE_XEN_DOMAIN;
	default:
		return kind == STRATA_RULE_EVENT;
	}
}

/* @whose: "a session's"; all kinds are parts of files' names */
static int check_name(const char *whose, const char *name, struct strata_error *error)
{
	const size_t length = strlen(name);

	if (length && length < STRATA_SESSION_NAME_BYTES && name[0] != '.' && name[0] != '-' &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
		    length)
		return 0;
	return strata_fail(error,
			   "%s name has 1 to %u letters, digits, '-', '_' and '.', and "
			   "begins with none of '.' and '-'",
			   whose, STRATA_SESSION_NAME_BYTES - 1);
}

_Static_assert(STRATA_SESSION_NAME_BYTES == STRATA_CHANNEL_NAME_BYTES, "one check for both");

int session_model_check_name(const char *name, struct strata_error *error)
{
	const char *owner = strchr(name, SESSION_OWNER_MARK);
	char own[STRATA_SESSION_NAME_BYTES];

	if (!owner || strlen(name) >= sizeof(own))
		return check_name("a session's", name, error);
	if (!owner[1] || strspn(owner + 1, "0123456789") != strlen(owner + 1))
		return strata_fail(error, "\"%s\": a user's number follows the '%c' of a name",
				   name, SESSION_OWNER_MARK);
	snprintf(own, sizeof(own), "%.*s", (int)(owner - name), name);
	return check_name("a session's", own, error);
}

int session_model_check_channel_name(const char *name, struct strata_error *error)
{
	return check_name("a channel's", name, error);
}

int session_model_check_trigger_name(const char *name, struct strata_error *error)
{
	return check_name("a trigger's", name, error);
}

static bool is_power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

int session_model_check_rings(uint32_t subbuf_bytes, uint32_t nr_subbufs,
			      struct strata_error *error)
{
	if (!is_power_of_two(subbuf_bytes) || !is_power_of_two(nr_subbufs))
		return strata_fail(error, "not a power of two");
	if (nr_subbufs == 1)
		return strata_fail(error,
				   "a single sub-buffer leaves the writer none while it is read");
	if (subbuf_bytes < 1u << STRATA_SUBBUF_BITS_MIN)
		return strata_fail(error, "its sub-buffers are too small");
	if (subbuf_bytes > 1u << STRATA_SUBBUF_BITS_MAX || nr_subbufs > STRATA_NR_SUBBUFS_MAX)
		return strata_fail(error, "too large");
	return 0;
}

int session_model_check_switch(uint32_t ms, struct strata_error *error)
{
	if (strata_switch_ms_valid(ms))
		return 0;
	return strata_fail(error, "not a number of milliseconds from %u to %u, or 0: never",
			   STRATA_SWITCH_MS_MIN, STRATA_SWITCH_MS_MAX);
}

int session_model_check_rotation(const struct strata_rotation *rotation, struct strata_error *error)
{
	if (rotation->bytes && rotation->bytes < SESSION_ROTATION_BYTES)
		return strata_fail(error, "recordings of less than %u KiB are too small",
				   SESSION_ROTATION_BYTES >> 10);
	if (rotation->ms && rotation->ms < SESSION_ROTATION_MS)
		return strata_fail(error, "recordings of less than %u ms are too short",
				   SESSION_ROTATION_MS);
	return 0;
}

struct strata_ring_geometry session_model_geometry(const struct strata_domain_channel *channel)
{
	return (struct strata_ring_geometry){
		.subbuf_bits = (uint8_t)(ffs((int)channel->subbuf_bytes) - 1),
		.nr_subbufs_bits = (uint8_t)(ffs((int)channel->nr_subbufs) - 1),
	};
}

struct strata_channel *session_model_channel(struct strata_session *session, const char *name)
{
	size_t i;

	for (i = 0; i < session->nr_channels; i++)
		if (!strcmp(session->channels[i].name, name ? name : STRATA_CHANNEL_DEFAULT))
			return &session->channels[i];
	return NULL;
}

struct strata_channel *session_model_add_channel(struct strata_session *session, const char *name,
						 struct strata_error *error)
{
	const struct strata_ring_geometry of_apps = app_rings_default(0);
	struct strata_channel *channel = session_model_channel(session, name);

	if (channel)
		return channel;
	if (session_model_check_channel_name(name, error))
		return NULL;
	if (session_trigger_find(session, name)) {
		strata_fail(error, "session %s has a trigger %s; choose another name for a channel",
			    session->name, name);
		return NULL;
	}
	if (session->nr_channels == STRATA_SESSION_CHANNELS_MAX) {
		strata_fail(error,
			    "session %s has %u channels, as many as there can be; create another "
			    "session",
			    session->name, STRATA_SESSION_CHANNELS_MAX);
		return NULL;
	}
	channel = &session->channels[session->nr_channels++];
	*channel = (struct strata_channel){ .disabled = false };
	memcpy(channel->name, name, strlen(name) + 1);
	channel->domains[STRATA_DOMAIN_XEN] = (struct strata_domain_channel){
		.subbuf_bytes = 1u << SESSION_SUBBUF_BITS,
		.nr_subbufs = 1u << SESSION_NR_BITS,
		.budget_per_s = SESSION_BUDGET_PER_S,
	};
	channel->domains[STRATA_DOMAIN_APP] = (struct strata_domain_channel){
		.subbuf_bytes = 1u << of_apps.subbuf_bits,
		.nr_subbufs = 1u << of_apps.nr_subbufs_bits,
	};
	return channel;
}

int session_model_init(struct strata_session *session, const char *name, const char *output,
		       struct strata_error *error)
{
	*session = (struct strata_session){ .switch_ms = SESSION_SWITCH_MS };
	if (session_model_check_name(name, error) ||
	    !session_model_add_channel(session, STRATA_CHANNEL_DEFAULT, error))
		return -1;
	memcpy(session->name, name, strlen(name) + 1);
	if (output) {
		session->output = strdup(output);
		if (!session->output)
			return strata_fail(error, "out of memory");
	}
	return 0;
}

void session_model_clear_channel(struct strata_channel *channel)
{
	size_t domain;

	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++)
		free(channel->domains[domain].rules);
	*channel = (struct strata_channel){ .disabled = false };
}

void session_model_clear(struct strata_session *session)
{
	size_t i;

	for (i = 0; i < session->nr_channels; i++)
		session_model_clear_channel(&session->channels[i]);
	for (i = 0; i < session->nr_triggers; i++)
		session_model_clear_channel(&session->triggers[i].counted);
	free(session->output);
	*session = (struct strata_session){ .output = NULL };
}

bool session_model_copy_rules(struct strata_channel *channel)
{
	bool whole = true;
	size_t domain;

	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++) {
		struct strata_domain_channel *in = &channel->domains[domain];
		const struct strata_rule *from = in->rules;

		in->rules = NULL;
		if (!in->nr_rules)
			continue;
		in->rules = reallocarray(NULL, in->nr_rules, sizeof(*in->rules));
		if (in->rules)
			memcpy(in->rules, from, in->nr_rules * sizeof(*in->rules));
		whole &= in->rules != NULL;
	}
	return whole;
}

int session_model_copy(struct strata_session *to, const struct strata_session *from,
		       struct strata_error *error)
{
	bool whole = true;
	size_t i;

	*to = *from;
	to->output = from->output ? strdup(from->output) : NULL;
	whole &= !from->output || to->output;
	for (i = 0; i < to->nr_channels; i++)
		whole &= session_model_copy_rules(&to->channels[i]);
	for (i = 0; i < to->nr_triggers; i++)
		whole &= session_model_copy_rules(&to->triggers[i].counted);
	if (whole)
		return 0;
	session_model_clear(to);
	return strata_fail(error, "out of memory");
}

static struct strata_rule *find_rule(const struct strata_domain_channel *channel,
				     const struct strata_rule *rule)
{
	size_t i;

	for (i = 0; i < channel->nr_rules; i++) {
		struct strata_rule *one = &channel->rules[i];

		if (one->kind == rule->kind && !strcmp(one->target, rule->target) &&
		    !strcmp(one->text, rule->text))
			return one;
	}
	return NULL;
}

static size_t count_rules(const struct strata_session *session)
{
	size_t nr = 0, i, domain;

	for (i = 0; i < session->nr_channels; i++)
		for (domain = 0; domain < STRATA_NR_DOMAINS; domain++)
			nr += session->channels[i].domains[domain].nr_rules;
	return nr;
}

/* What a rule must have, of whatever domain. */
static int check_rule(enum strata_domain domain, const struct strata_rule *rule,
		      struct strata_error *error)
{
	const char *const name = domain_names[domain];

	if (!session_model_allows(domain, rule->kind))
		return strata_fail(error, "the domain %s has no rules of kind %s", name,
				   rule_names[rule->kind]);
	if (!rule->text[0])
		return strata_fail(error, "a rule of kind %s needs a text", rule_names[rule->kind]);
	/* Commands to consumers have a line each, and tabs between their words. */
	if (strpbrk(rule->text, "\n\t") || strpbrk(rule->target, "\n\t:"))
		return strata_fail(error, "a rule must not contain a tab or a newline, nor the "
					  "name in it a colon");
	if (!session_model_is_alone(rule->kind) && strchr(rule->text, ','))
		return strata_fail(error, "\"%s\": a rule names one of a list", rule->text);
	if (domain == STRATA_DOMAIN_XEN ? rule->target[0] != '\0' : rule->target[0] == '\0')
		return strata_fail(error,
				   domain == STRATA_DOMAIN_XEN
					   ? "rules of the domain %s have no target"
					   : "a rule of the domain %s needs a target",
				   name);
	return 0;
}

/* The filter of the same events, which another one replaces. */
static struct strata_rule *find_filter(struct strata_domain_channel *channel,
				       const struct strata_rule *rule)
{
	const size_t events = strcspn(rule->text, ":") + 1;
	size_t i;

	for (i = 0; rule->kind == STRATA_RULE_FILTER && i < channel->nr_rules; i++) {
		struct strata_rule *one = &channel->rules[i];

		if (one->kind == rule->kind && !strcmp(one->target, rule->target) &&
		    !strncmp(one->text, rule->text, events))
			return one;
	}
	return NULL;
}

int session_model_put_rule(struct strata_domain_channel *in, enum strata_domain domain,
			   const struct strata_rule *rule, bool has_room,
			   struct strata_error *error)
{
	struct strata_rule *rules, *filter;

	if (check_rule(domain, rule, error))
		return -1;
	if (find_rule(in, rule))
		return 0;
	filter = find_filter(in, rule);
	if (filter) {
		*filter = *rule;
		return 0;
	}
	if (!has_room)
		return 1;
	rules = reallocarray(in->rules, in->nr_rules + 1, sizeof(*rules));
	if (!rules)
		return strata_fail(error, "out of memory");
	in->rules = rules;
	in->rules[in->nr_rules++] = *rule;
	return 0;
}

int session_model_add_rule(struct strata_session *session, struct strata_channel *channel,
			   enum strata_domain domain, const struct strata_rule *rule,
			   struct strata_error *error)
{
	const bool has_room = count_rules(session) < STRATA_SESSION_RULES_MAX;
	const int result =
		session_model_put_rule(&channel->domains[domain], domain, rule, has_room, error);

	if (result <= 0)
		return result;
	return strata_fail(error,
			   "session %s has %u rules, as many as there can be; use patterns, or "
			   "another session",
			   session->name, STRATA_SESSION_RULES_MAX);
}

int session_model_remove_rule(struct strata_session *session, struct strata_channel *channel,
			      enum strata_domain domain, const struct strata_rule *rule,
			      struct strata_error *error)
{
	struct strata_domain_channel *in = &channel->domains[domain];
	struct strata_rule *found = find_rule(in, rule);
	struct strata_rule *end = in->rules + in->nr_rules;

	if (!found)
		return strata_fail(error,
				   "%s of session %s does not have the rule %s%s%s; `strata status "
				   "%s` lists its rules",
				   channel->name, session->name, rule->target,
				   rule->target[0] ? ":" : "", rule->text, session->name);
	memmove(found, found + 1, (size_t)((char *)end - (char *)(found + 1)));
	in->nr_rules--;
	return 0;
}

bool session_model_traces(const struct strata_channel *channel, enum strata_domain domain)
{
	const struct strata_domain_channel *in = &channel->domains[domain];
	size_t i;

	for (i = 0; i < in->nr_rules; i++)
		if (in->rules[i].kind == STRATA_RULE_EVENT || is_probe(in->rules[i].kind))
			return true;
	return false;
}

bool session_model_records(const struct strata_channel *channel)
{
	unsigned int domain;

	for (domain = 0; !channel->disabled && domain < STRATA_NR_DOMAINS; domain++)
		if (session_model_traces(channel, domain))
			return true;
	return false;
}

size_t session_model_count_recorded(const struct strata_session *session)
{
	size_t nr = 0, i;

	for (i = 0; i < session->nr_channels; i++)
		nr += session_model_records(&session->channels[i]);
	return nr;
}
