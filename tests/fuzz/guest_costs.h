/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_costs.h - a guest that is silent, dies or comes again costs nobody else time, history or
 * room.  The checks record three honest guests, of which one costs what it can by its life alone;
 * times are the fake host's: a loaded machine changes nothing.
 */
#ifndef STRATA_TESTS_GUEST_COSTS_H
#define STRATA_TESTS_GUEST_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liars.h"

#define SILENT 0u /* the guest that costs, if it can */
#define DEAF   2u /* another one that does */

struct guest_cost {
	const char *name;
	/* NULL: it costs no other guest anything; else its cost. */
	const char *(*check)(const char *raw);
};

/* Each table ends with a NULL name. */
extern const struct guest_cost life_costs[], turn_costs[], answer_costs[];

/*
 * Begins a plain recording of three honest guests.
 * @turn: called in each wait instead of the guests' work, which it does with guests_work(); NULL:
 *        the guests work as usual
 */
struct plan cost_begin(bool overwrite, void (*turn)(void *data));

/* The same; draws the guests from *@seed, which it leaves behind the last seed that it tried. */
struct plan cost_begin_from(uint64_t *seed, bool overwrite, void (*turn)(void *data));

/* Does the guests' usual work in a wait. */
void guests_work(void *data);

/* Milliseconds of the fake host's time since the recording began. */
uint64_t ms_since_begin(void);

/* NULL: the recording @raw holds all that the honest guest wrote.  @wrong: not NULL: returned as it
 * is */
const char *honest_is_whole(const char *raw, const char *wrong);

#endif /* STRATA_TESTS_GUEST_COSTS_H */
