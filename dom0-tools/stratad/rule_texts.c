// SPDX-License-Identifier: GPL-2.0-or-later
/* rule_texts.c - see rule_texts.h. */
#include "stratad/rule_texts.h"

#include <stdlib.h>
#include <string.h>

#include "control/session_model.h"

int rule_texts_begin(struct rule_texts *texts, size_t most)
{
	*texts = (struct rule_texts){ .list = calloc(most + 1, sizeof(*texts->list)) };
	return texts->list ? 0 : -1;
}

void rule_texts_end(struct rule_texts *texts)
{
	size_t i;

	for (i = 0; i < texts->nr; i++)
		free(texts->list[i]);
	free(texts->list);
	*texts = (struct rule_texts){ .list = NULL };
}

bool rule_texts_belong(const struct strata_rule *one, const struct strata_rule *other)
{
	return one == other || (one->kind == other->kind && !session_model_is_alone(one->kind) &&
				!strcmp(one->target, other->target));
}

char *rule_texts_join(const struct strata_domain_channel *channel, const struct strata_rule *rule,
		      bool *skipped)
{
	size_t bytes = strlen(rule->target) + 2, i;
	char *text, *end;

	if (skipped)
		*skipped = false;
	for (i = 0; i < channel->nr_rules; i++) {
		const struct strata_rule *one = &channel->rules[i];

		if (!rule_texts_belong(rule, one))
			continue;
		if (skipped && one < rule) {
			*skipped = true;
			return NULL;
		}
		bytes += strlen(one->text) + 1;
	}
	text = malloc(bytes);
	if (!text)
		return NULL;
	end = stpcpy(text, rule->target);
	if (rule->target[0])
		end = stpcpy(end, ":");
	for (i = 0; i < channel->nr_rules; i++) {
		const struct strata_rule *one = &channel->rules[i];

		if (!rule_texts_belong(rule, one))
			continue;
		if (end != text && end[-1] != ':')
			end = stpcpy(end, ",");
		end = stpcpy(end, one->text);
	}
	*end = '\0';
	return text;
}

int rule_texts_take(struct rule_texts *texts, const struct strata_domain_channel *channel,
		    const struct strata_rule *rule, char **text, struct strata_error *error)
{
	bool skipped;

	*text = rule_texts_join(channel, rule, &skipped);
	if (!*text)
		return skipped ? 0 : strata_fail(error, "out of memory");
	texts->list[texts->nr++] = *text;
	return 0;
}
