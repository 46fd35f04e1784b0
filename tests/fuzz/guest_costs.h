/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_costs.h - a guest that is silent, dies or comes again costs nobody else time, history or
 * room. */
#ifndef STRATA_TESTS_GUEST_COSTS_H
#define STRATA_TESTS_GUEST_COSTS_H

#include <stddef.h>

struct guest_cost {
	const char *name;
	/* NULL: it costs nobody else; or what it costs. */
	const char *(*check)(const char *raw);
};

extern const struct guest_cost guest_costs[];
extern const size_t nr_guest_costs;

#endif /* STRATA_TESTS_GUEST_COSTS_H */
