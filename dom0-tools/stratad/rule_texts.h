/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rule_texts.h - the rules of a channel as the words of a command line: those of one kind and
 * target are one word, "g1:sched_*,irq_*". */
#ifndef STRATA_STRATAD_RULE_TEXTS_H
#define STRATA_STRATAD_RULE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include <strata/control.h>

#include "base/error.h"

/* The words that were made. */
struct rule_texts {
	char **list;
	size_t nr;
};

/* @most: number of rules.  0, or -1: out of memory; rule_texts_end() is allowed then. */
int rule_texts_begin(struct rule_texts *texts, size_t most);

void rule_texts_end(struct rule_texts *texts);

/* Whether two rules of a channel are in one word. */
bool rule_texts_belong(const struct strata_rule *one, const struct strata_rule *other);

/*
 * Makes the word of a rule.
 * @skipped: OUT: whether an earlier rule has made it; NULL: it may begin anywhere
 * NULL: out of memory, or it was made.
 */
char *rule_texts_join(const struct strata_domain_channel *channel, const struct strata_rule *rule,
		      bool *skipped);

/* Makes the word of a rule, and keeps it.  @text: OUT, NULL: an earlier rule has it.  0, or -1: out
 * of memory. */
int rule_texts_take(struct rule_texts *texts, const struct strata_domain_channel *channel,
		    const struct strata_rule *rule, char **text, struct strata_error *error);

#endif /* STRATA_STRATAD_RULE_TEXTS_H */
