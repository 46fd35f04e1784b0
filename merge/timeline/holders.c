// SPDX-License-Identifier: GPL-2.0-or-later
/* holders.c - see holders.h. */
#include "timeline/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"

/* The id of what a trace was found in together with others: a recording, or a merge in one
 * directory; 0: it was found alone.  Only the recorder's or the merge's own word makes it so: a
 * trace elsewhere may claim the same merge. */
static uint64_t input_of(const struct strata_ctf_trace *trace)
{
	const char *merge = strata_ctf_env_text(trace, STRATA_CTF_MERGE);
	const char *name;
	uint64_t id;

	if (trace->recording)
		return strata_identity_add(0, (uint64_t)(uintptr_t)trace->recording);
	if (!merge)
		return 0;
	name = strrchr(trace->path, '/');
	if (!name)
		return 0;
	id = strata_identity_add_text(0, merge, strlen(merge));
	return strata_identity_add_text(id, trace->path, (uint64_t)(name - trace->path));
}

/* Finds the trace's holder among those before it, by @users: the first trace of each, plus 1. */
static int find_one(struct strata_holders *holders, const struct strata_trace_set *set,
		    struct strata_id_map *users, size_t trace)
{
	const uint64_t input = input_of(set->traces[trace]);
	uintptr_t first;
	int64_t uid;
	uint64_t id;

	holders->of[trace] = trace;
	if (!input || !strata_ctf_env_number(set->traces[trace], "uid", &uid))
		return 0;
	id = strata_identity_add(input, set->traces[trace]->machine);
	id = strata_identity_add(id, (uint64_t)uid);
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
