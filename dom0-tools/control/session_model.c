// SPDX-License-Identifier: GPL-2.0-or-later
/* session_model.c - see session_model.h. */
#include "control/session_model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <strata/ring_layout.h>
#include <strata/switch_period.h>

static const char *const domain_names[STRATA_NR_DOMAINS] = { "xen", "kernel", "app" };
static const char *const rule_names[STRATA_NR_RULE_KINDS] = {
	"event",      "kprobe", "kretprobe", "tid",    "pid",
	"xen-domain", "filter", "context",   "uprobe", "uretprobe",
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
	       kind == STRATA_RULE_UPROBE || kind == STRATA_RULE_URETPROBE;
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

int session_model_check_name(const char *name, struct strata_error *error)
{
	const size_t length = strlen(name);

	if (length && length < STRATA_SESSION_NAME_BYTES && name[0] != '.' && name[0] != '-' &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
		    length)
		return 0;
	return strata_fail(error,
			   "a session's name has 1 to %u letters, digits, '-', '_' and '.', and "
			   "begins with none of '.' and '-'",
			   STRATA_SESSION_NAME_BYTES - 1);
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

struct strata_ring_geometry session_model_geometry(const struct strata_channel *channel)
{
	return (struct strata_ring_geometry){
		.subbuf_bits = (uint8_t)(ffs((int)channel->subbuf_bytes) - 1),
		.nr_subbufs_bits = (uint8_t)(ffs((int)channel->nr_subbufs) - 1),
	};
}

int session_model_init(struct strata_session *session, const char *name, const char *output,
		       struct strata_error *error)
{
	*session = (struct strata_session){ .switch_ms = SESSION_SWITCH_MS };
	session->channels[STRATA_DOMAIN_XEN] = (struct strata_channel){
		.subbuf_bytes = 1u << SESSION_SUBBUF_BITS,
		.nr_subbufs = 1u << SESSION_NR_BITS,
		.budget_per_s = SESSION_BUDGET_PER_S,
	};
	session->channels[STRATA_DOMAIN_APP] = (struct strata_channel){
		.subbuf_bytes = 1u << SESSION_SUBBUF_BITS,
		.nr_subbufs = 1u << SESSION_APP_NR_BITS,
	};
	if (session_model_check_name(name, error))
		return -1;
	memcpy(session->name, name, strlen(name) + 1);
	if (output) {
		session->output = strdup(output);
		if (!session->output)
			return strata_fail(error, "out of memory");
	}
	return 0;
}

void session_model_clear(struct strata_session *session)
{
	size_t i;

	for (i = 0; i < STRATA_NR_DOMAINS; i++)
		free(session->channels[i].rules);
	free(session->output);
	*session = (struct strata_session){ .output = NULL };
}

int session_model_copy(struct strata_session *to, const struct strata_session *from,
		       struct strata_error *error)
{
	bool whole = true;
	size_t i;

	*to = *from;
	to->output = from->output ? strdup(from->output) : NULL;
	whole &= !from->output || to->output;
	for (i = 0; i < STRATA_NR_DOMAINS; i++) {
		const struct strata_channel *channel = &from->channels[i];
		struct strata_rule *rules = NULL;

		if (channel->nr_rules) {
			rules = reallocarray(NULL, channel->nr_rules, sizeof(*rules));
			whole &= rules != NULL;
		}
		if (rules)
			memcpy(rules, channel->rules, channel->nr_rules * sizeof(*rules));
		to->channels[i].rules = rules;
	}
	if (whole)
		return 0;
	session_model_clear(to);
	return strata_fail(error, "out of memory");
}

static struct strata_rule *find_rule(const struct strata_channel *channel,
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
	size_t nr = 0, i;

	for (i = 0; i < STRATA_NR_DOMAINS; i++)
		nr += session->channels[i].nr_rules;
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
static struct strata_rule *find_filter(struct strata_channel *channel,
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

int session_model_add_rule(struct strata_session *session, enum strata_domain domain,
			   const struct strata_rule *rule, struct strata_error *error)
{
	struct strata_channel *channel = &session->channels[domain];
	struct strata_rule *rules, *filter;

	if (check_rule(domain, rule, error))
		return -1;
	if (find_rule(channel, rule))
		return 0;
	filter = find_filter(channel, rule);
	if (filter) {
		*filter = *rule;
		return 0;
	}
	if (count_rules(session) >= STRATA_SESSION_RULES_MAX)
		return strata_fail(error,
				   "session %s has %u rules, as many as there can be; use "
				   "patterns, or another session",
				   session->name, STRATA_SESSION_RULES_MAX);
	rules = reallocarray(channel->rules, channel->nr_rules + 1, sizeof(*rules));
	if (!rules)
		return strata_fail(error, "out of memory");
	channel->rules = rules;
	channel->rules[channel->nr_rules++] = *rule;
	return 0;
}

int session_model_remove_rule(struct strata_session *session, enum strata_domain domain,
			      const struct strata_rule *rule, struct strata_error *error)
{
	struct strata_channel *channel = &session->channels[domain];
	struct strata_rule *found = find_rule(channel, rule);
	struct strata_rule *end = channel->rules + channel->nr_rules;

	if (!found)
		return strata_fail(error,
				   "session %s does not have the rule %s%s%s; `strata status %s` "
				   "lists its rules",
				   session->name, rule->target, rule->target[0] ? ":" : "",
				   rule->text, session->name);
	memmove(found, found + 1, (size_t)((char *)end - (char *)(found + 1)));
	channel->nr_rules--;
	return 0;
}

bool session_model_traces(const struct strata_session *session, enum strata_domain domain)
{
	const struct strata_channel *channel = &session->channels[domain];
	size_t i;

	for (i = 0; i < channel->nr_rules; i++)
		if (channel->rules[i].kind == STRATA_RULE_EVENT || is_probe(channel->rules[i].kind))
			return true;
	return false;
}

bool session_model_has_events(const struct strata_session *session)
{
	unsigned int i;

	for (i = 0; i < STRATA_NR_DOMAINS; i++)
		if (session_model_traces(session, i))
			return true;
	return false;
}
