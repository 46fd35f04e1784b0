// SPDX-License-Identifier: GPL-2.0-or-later
/* holders.c - see holders.h. */
#include "timeline/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"

/* Finds the trace's holder among those before it, by @users: the first trace of each, plus 1. */
static int find_one(struct strata_holders *holders, const struct strata_trace_set *set,
		    struct strata_id_map *users, size_t trace)
{
	const uint64_t machine = strata_identity_add(0, set->traces[trace]->machine);
	uintptr_t first;
	int64_t uid;
	uint64_t id;

	holders->of[trace] = trace;
	if (!strata_ctf_env_number(set->traces[trace], "uid", &uid))
		return 0;
	id = strata_identity_add(machine, (uint64_t)uid);
	first = (uintptr_t)strata_id_map_find(users, id);
	if (!first)
		return strata_id_map_add(users, id, (void *)(trace + 1));
	holders->of[trace] = first - 1;
	return 0;
}

int strata_holders_find(struct strata_holders *holders, const struct strata_trace_set *set)
{
	size_t *of = reallocarray(holders->of, set->nr_traces + 1, sizeof(*of));
	struct strata_id_map users = { .slots = NULL };
	int status = of ? 0 : -1;
	size_t i;

	if (of)
		holders->of = of;
	for (i = 0; !status && i < set->nr_traces; i++)
		status = find_one(holders, set, &users, i);
	strata_id_map_clear(&users);
	if (!status)
		holders->nr = set->nr_traces;
	return status;
}

int strata_holders_mark(const struct strata_trace_set *set)
{
	struct strata_holders holders = { .of = NULL };
	const int status = strata_holders_find(&holders, set);
	size_t i;

	for (i = 0; !status && i < set->nr_traces; i++)
		set->traces[i]->holder = set->traces[holders.of[i]];
	strata_holders_clear(&holders);
	return status;
}

void strata_holders_clear(struct strata_holders *holders)
{
	free(holders->of);
	memset(holders, 0, sizeof(*holders));
}
