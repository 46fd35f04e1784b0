// SPDX-License-Identifier: GPL-2.0-or-later
/* rule_list.c - see rule_list.h. */
#include "control/library/rule_list.h"

#include <stdlib.h>
#include <string.h>

#include "control/session_model.h"

int rule_list_check(enum strata_domain domain, enum strata_rule_kind kind,
		    struct strata_error *error)
{
	if ((unsigned int)domain >= STRATA_NR_DOMAINS)
		return strata_fail(error, "invalid domain %d", (int)domain);
	if ((unsigned int)kind >= STRATA_NR_RULE_KINDS)
		return strata_fail(error, "invalid kind of rule: %d", (int)kind);
	return 0;
}

/* Length of the first text of a list. */
static size_t first_length(enum strata_rule_kind kind, const char *list)
{
	return session_model_is_alone(kind) ? strlen(list) : strcspn(list, ",");
}

static size_t count(enum strata_rule_kind kind, const char *list)
{
	size_t nr = 0;

	while (*list) {
		const size_t length = first_length(kind, list);

		nr += length > 0;
		list += length + (list[length] == ',');
	}
	return nr;
}

int rule_list_make(enum strata_rule_kind kind, const char *target, const char *list,
		   struct strata_rule **rules, size_t *nr, struct strata_error *error)
{
	const size_t target_bytes = target ? strlen(target) : 0;
	struct strata_rule *rule;

	*nr = count(kind, list);
	if (!*nr)
		return strata_fail(error, "the list of rules is empty");
	if (target_bytes >= sizeof(rule->target))
		return strata_fail(error, "%s: too long", target);
	*rules = rule = calloc(*nr, sizeof(*rule));
	if (!rule)
		return strata_fail(error, "out of memory");
	while (*list) {
		const size_t length = first_length(kind, list);

		if (length >= sizeof(rule->text)) {
			free(*rules);
			return strata_fail(error, "%s: too long", list);
		}
		if (length) {
			rule->kind = kind;
			memcpy(rule->text, list, length);
			if (target)
				memcpy(rule->target, target, target_bytes);
			rule++;
		}
		list += length + (list[length] == ',');
	}
	return 0;
}

int rule_list_add(enum strata_domain domain, enum strata_rule_kind kind, const char *target,
		  const char *list, rule_list_adder *add, void *to, struct strata_error *error)
{
	struct strata_rule *rules;
	int result = 0;
	size_t nr, i;

	if (rule_list_check(domain, kind, error) ||
	    rule_list_make(kind, target, list, &rules, &nr, error))
		return -1;
	for (i = 0; !result && i < nr; i++)
		result = add(to, domain, &rules[i], error);
	free(rules);
	return result;
}
