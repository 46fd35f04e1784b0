// SPDX-License-Identifier: GPL-2.0-or-later
/* session_trigger.c - see session_trigger.h. */
#include "control/session_trigger.h"

#include <string.h>

#include "control/session_model.h"

#define RULES_MAX     64u
#define INTERVAL_MAX  3600000u
#define KEEP_FREE_MAX 99u

int session_trigger_init(struct strata_trigger *trigger, const char *name, const char *spec,
			 struct strata_error *error)
{
	*trigger = (struct strata_trigger){ .least_count = 1,
					    .interval_ms = SESSION_TRIGGER_INTERVAL_MS,
					    .pause_ms = SESSION_TRIGGER_PAUSE_MS,
					    .keep_free = SESSION_TRIGGER_KEEP_FREE };
	if (session_model_check_trigger_name(name, error))
		return -1;
	if (strlen(spec) >= sizeof(trigger->spec))
		return strata_fail(error, "%.40s...: a specification has at most %zu bytes", spec,
				   sizeof(trigger->spec) - 1);
	memcpy(trigger->counted.name, name, strlen(name) + 1);
	memcpy(trigger->spec, spec, strlen(spec) + 1);
	return 0;
}

void session_trigger_clear(struct strata_trigger *trigger)
{
	session_model_clear_channel(&trigger->counted);
	*trigger = (struct strata_trigger){ .rotate = false };
}

static size_t count_rules(const struct strata_trigger *trigger)
{
	size_t nr = 0, domain;

	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++)
		nr += trigger->counted.domains[domain].nr_rules;
	return nr;
}

int session_trigger_add_rule(struct strata_trigger *trigger, enum strata_domain domain,
			     const struct strata_rule *rule, struct strata_error *error)
{
	int result;

	if (rule->kind != STRATA_RULE_EVENT && rule->kind != STRATA_RULE_FILTER &&
	    rule->kind != STRATA_RULE_XEN_DOMAIN)
		return strata_fail(error, "a trigger has no rules of kind %s",
				   session_model_rule_name(rule->kind));
	result = session_model_put_rule(&trigger->counted.domains[domain], domain, rule,
					count_rules(trigger) < RULES_MAX, error);
	if (result <= 0)
		return result;
	return strata_fail(error, "a trigger has at most %u rules; use patterns", RULES_MAX);
}

int session_trigger_check(const struct strata_trigger *trigger, struct strata_error *error)
{
	const bool times = !strncmp(trigger->spec, "time:", 5);

	if (session_model_check_trigger_name(trigger->counted.name, error))
		return -1;
	if (!trigger->spec[0])
		return strata_fail(error, "what it counts is missing, as time:vm_exit..vm_entry");
	if (times && !trigger->above_ns)
		return strata_fail(error, "times need the least one that is too long (--above)");
	if (!times && trigger->above_ns)
		return strata_fail(error, "a least time (--above) is of times, as "
					  "time:vm_exit..vm_entry");
	if (!trigger->least_count)
		return strata_fail(error, "the least count is 1 or more");
	if (!trigger->interval_ms || trigger->interval_ms > INTERVAL_MAX)
		return strata_fail(error, "an interval is 1 ms to 1 h");
	if (!trigger->pause_ms)
		return strata_fail(error, "a pause is 1 ms or more");
	if (trigger->keep_free > KEEP_FREE_MAX)
		return strata_fail(error, "0 to %u percent of a disk can be left free",
				   KEEP_FREE_MAX);
	return 0;
}

struct strata_trigger *session_trigger_find(struct strata_session *session, const char *name)
{
	size_t i;

	for (i = 0; i < session->nr_triggers; i++)
		if (!strcmp(session->triggers[i].counted.name, name))
			return &session->triggers[i];
	return NULL;
}

int session_trigger_add(struct strata_session *session, const struct strata_trigger *trigger,
			struct strata_error *error)
{
	const char *const name = trigger->counted.name;
	struct strata_trigger *copy;

	if (session_trigger_check(trigger, error))
		return strata_fail_in(error, "trigger %s", name);
	if (session_trigger_find(session, name))
		return strata_fail(error,
				   "session %s has a trigger %s already; `strata remove-trigger "
				   "%s` removes it",
				   session->name, name, name);
	if (session_model_channel(session, name))
		return strata_fail(error,
				   "session %s has a channel %s; choose another name for a trigger",
				   session->name, name);
	if (trigger->rotate == session->snapshot)
		return strata_fail(
			error,
			session->snapshot ? "trigger %s: session %s is a flight recorder, which "
					    "does not rotate; a trigger takes a snapshot of it"
					  : "trigger %s: session %s is no flight recorder (`strata "
					    "create --snapshot`); a trigger can rotate it "
					    "(--rotate)",
			name, session->name);
	if (session->nr_triggers == STRATA_SESSION_TRIGGERS_MAX)
		return strata_fail(error, "session %s has %u triggers, as many as there can be",
				   session->name, STRATA_SESSION_TRIGGERS_MAX);
	copy = &session->triggers[session->nr_triggers];
	*copy = *trigger;
	if (!session_model_copy_rules(&copy->counted)) {
		session_trigger_clear(copy);
		return strata_fail(error, "out of memory");
	}
	session->nr_triggers++;
	return 0;
}

int session_trigger_remove(struct strata_session *session, const char *name,
			   struct strata_error *error)
{
	struct strata_trigger *found = session_trigger_find(session, name);
	struct strata_trigger *end = session->triggers + session->nr_triggers;

	if (!found)
		return strata_fail(error,
				   "session %s has no trigger %.*s; `strata list-triggers` lists "
				   "them",
				   session->name, (int)STRATA_CHANNEL_NAME_BYTES, name);
	session_trigger_clear(found);
	memmove(found, found + 1, (size_t)((char *)end - (char *)(found + 1)));
	session->nr_triggers--;
	return 0;
}
