// SPDX-License-Identifier: GPL-2.0-or-later
/* participants_asked.c - compares the domains that the user named with those that run; see
 * participants.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stratad/domains/participant.h"

/* Whether a selected domain has not been found. `--kernel none` selects none. */
static bool is_missing(const struct kernel_selection *selection)
{
	return !selection->found &&
	       (selection->kind != SELECT_EVENTS || strcmp(selection->domain, "none"));
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

static int no_such_domain(const struct kernel_selection *selection, struct strata_error *error)
{
	return strata_fail(error,
			   "%s: no domain \"%s\" runs here; `strata list` shows them, and --wait "
			   "waits for it",
			   select_option_name(selection->kind), selection->domain);
}

int participants_domains(const struct participants *all, struct guest **guests, size_t *nr,
			 struct strata_error *error)
{
	struct guest *list;
	size_t i;

	if (!all->requests)
		return guests_find(all->xenstore, all->channel, guests, nr, error);
	list = calloc(all->nr + 1, sizeof(*list));
	if (!list)
		return strata_fail(error, "out of memory");
	for (i = 0; i < all->nr; i++) {
		list[i].domain = all->list[i].domain;
		snprintf(list[i].name, sizeof(list[i].name), "%s", all->list[i].name);
	}
	*guests = list;
	*nr = all->nr;
	return 0;
}

int participants_check_names(const struct participants *all, struct strata_error *error)
{
	struct guest *guests;
	size_t nr, i, j;
	int result = 0;

	if (all->wait)
		return 0;
	if (participants_domains(all, &guests, &nr, error))
		return -1;
	for (i = 0; i < all->nr_selections && !result; i++) {
		const struct kernel_selection *selection = &all->selections[i];

		if (!is_missing(selection) || is_pattern(selection->domain))
			continue;
		for (j = 0; j < nr; j++)
			if (select_matches_domain(selection, guests[j].domain, guests[j].name))
				break;
		if (j == nr)
			result = no_such_domain(selection, error);
	}
	free(guests);
	return result;
}

int participants_check_found(const struct participants *all, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < all->nr_selections; i++) {
		const struct kernel_selection *selection = &all->selections[i];

		if (!is_missing(selection))
			continue;
		if (!all->wait && !is_pattern(selection->domain))
			return no_such_domain(selection, error);
		fprintf(stderr,
			"strata: no domain \"%s\" runs here yet; it is recorded once it does\n",
			selection->domain);
	}
	return 0;
}

bool participants_expected(const struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr_selections; i++)
		if (is_missing(&all->selections[i]))
			return true;
	for (i = 0; i < all->nr; i++)
		if (all->list[i].awaited || all->list[i].step != PARTICIPANT_NONE)
			return true;
	return all->wait;
}

void participants_name_missing(struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr_selections; i++) {
		if (!is_missing(&all->selections[i]))
			continue;
		fprintf(stderr, "strata: no domain \"%s\" appeared\n", all->selections[i].domain);
		all->left_out += !all->may_miss;
	}
	for (i = 0; i < all->nr; i++) {
		struct participant *one = &all->list[i];
		struct strata_error why = { "" };

		/* A participant that is still ready could not be started, which was reported. */
		if (one->step == PARTICIPANT_NONE || one->step == PARTICIPANT_READY ||
		    (one->step == PARTICIPANT_STOPPED && one->recorded))
			continue;
		if (!one->recorded) {
			strata_fail(&why, "its module never confirmed that it records; %s",
				    one->life == DOMAIN_RUNS ? "record again"
							     : "the domain does not run");
			participant_leave_out(all, one, &why);
			continue;
		}
		fprintf(stderr,
			"strata: domain %u: its last packet is recorded up to the last committed record: %s\n",
			one->domain,
			one->life == DOMAIN_RUNS
				? "its module did not confirm in time that it stopped"
				: "the domain is paused or shut down");
		all->left_out++;
	}
}
