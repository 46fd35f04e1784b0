// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_questions.c - the list of questions to the helper processes that have not been answered:
 * looks at applications' processes, and orders of memory.
 *
 * Called by apps_look.c and apps_memory.c.  A user has a bounded number of questions of each kind,
 * because it can keep their answers waiting.
 */
#include "stratad/domains/apps_internal.h"

#include "base/array.h"

/* Open questions of one kind about a user's processes, at most. */
#define QUESTIONS_AT_ONCE 32u

unsigned int apps_nr_questions(const struct apps *apps, const struct principal *who, bool of_memory)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < apps->nr_asked; i++)
		nr += apps->asked[i].who == who && apps->asked[i].of_memory == of_memory;
	return nr;
}

bool apps_may_ask(const struct apps *apps, const struct principal *who, bool of_memory)
{
	return apps_nr_questions(apps, who, of_memory) < QUESTIONS_AT_ONCE &&
	       apps_now_ns() >= who->looks_from_ns;
}

static bool order(const struct apps *apps, uint64_t number, const struct principal *who,
		  size_t bytes)
{
	const struct memory_order order = {
		.number = number,
		.user = who->trusted ? MEMORY_OF_NO_USER : who->id,
		.recorder = apps->number,
		.bytes = bytes,
		.share = principal_share(who, PRINCIPAL_MEMORY_BYTES),
		.all_shares =
			principals_untrusted_share(apps_principals(apps), PRINCIPAL_MEMORY_BYTES),
	};

	return memory_makers_order(apps->makers, &order);
}

static bool ask(const struct apps *apps, uint64_t number, const struct application *one,
		size_t bytes)
{
	return bytes ? order(apps, number, one->who, bytes)
		     : peer_looks_ask(apps->looks, number, one->app.pid);
}

uint64_t apps_ask_about(struct apps *apps, const struct application *one, size_t bytes)
{
	const uint64_t number = apps->last_look + 1;

	if (!apps_may_ask(apps, one->who, bytes > 0) ||
	    !STRATA_GROW(apps->asked, apps->nr_asked, apps->asked_capacity) ||
	    !ask(apps, number, one, bytes))
		return 0;
	apps->asked[apps->nr_asked++] = (struct application_look){ .number = number,
								   .who = one->who,
								   .of_memory = bytes > 0 };
	return apps->last_look = number;
}

bool apps_close_question(struct apps *apps, uint64_t number, struct application_look *asked)
{
	size_t i = 0;

	while (i < apps->nr_asked && apps->asked[i].number != number)
		i++;
	if (i == apps->nr_asked)
		return false;
	*asked = apps->asked[i];
	apps->asked[i] = apps->asked[--apps->nr_asked];
	return true;
}
