// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_forms.c - see tcp_forms.h. */
#include "inputs/tcp/tcp_forms.h"

void strata_tcp_form_set_add(struct strata_tcp_form_set *set, uint32_t form)
{
	size_t i;

	for (i = 0; i < set->nr; i++) {
		if (set->forms[i] == form)
			return;
	}
	if (set->nr < STRATA_TCP_FORMS_MAX)
		set->forms[set->nr++] = form;
}

/* Returns the fields that two forms have in common: raw flags only if both write them in the same
 * way. */
static uint32_t in_common(uint32_t one, uint32_t other)
{
	const uint32_t raw = STRATA_TCP_DIALECT | STRATA_TCP_HAS_RAW_FLAGS;
	const bool same = ((one ^ other) & raw) == 0;

	return one & other & (same ? UINT32_MAX : ~raw);
}

bool strata_tcp_form_becomes(uint32_t form, uint32_t other)
{
	const uint32_t state = STRATA_TCP_HAS_STATE;

	return (in_common(form, other) | (other & state)) == other && !(form & ~other & state);
}

/* Whether another form of the set is a superset of this one. */
static bool is_contained(const struct strata_tcp_form_set *set, uint32_t form)
{
	size_t i;

	for (i = 0; i < set->nr; i++) {
		if (set->forms[i] != form && in_common(form, set->forms[i]) == form)
			return true;
	}
	return false;
}

void strata_tcp_forms_between(const struct strata_tcp_forms *sender,
			      const struct strata_tcp_forms *receiver,
			      struct strata_tcp_form_set *common)
{
	struct strata_tcp_form_set all = { .nr = 0 };
	size_t i, j;

	for (i = 0; i < sender->sent.nr; i++) {
		for (j = 0; j < receiver->received.nr; j++) {
			const uint32_t sent = sender->sent.forms[i];
			const uint32_t received = receiver->received.forms[j];
			/* If either form has a state, both are compared as states. */
			const uint32_t form = in_common(sent, received) |
					      ((sent | received) & STRATA_TCP_HAS_STATE);

			if (strata_tcp_form_is_enough(form))
				strata_tcp_form_set_add(&all, form);
		}
	}
	common->nr = 0;
	for (i = 0; i < all.nr; i++) {
		if (!is_contained(&all, all.forms[i]))
			strata_tcp_form_set_add(common, all.forms[i]);
	}
}

void strata_tcp_forms_find(struct strata_tcp_forms *machines, size_t nr)
{
	struct strata_tcp_form_set common;
	size_t i, j, k;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < nr; j++) {
			if (i == j)
				continue;
			strata_tcp_forms_between(&machines[i], &machines[j], &common);
			for (k = 0; k < common.nr; k++) {
				strata_tcp_form_set_add(&machines[i].wanted_sent, common.forms[k]);
				strata_tcp_form_set_add(&machines[j].wanted_received,
							common.forms[k]);
			}
		}
	}
}
