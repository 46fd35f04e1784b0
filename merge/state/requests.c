// SPDX-License-Identifier: GPL-2.0-or-later
/* requests.c - see requests.h. */
#include "state/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/identity.h"

struct request {
	const char *name;
	uint64_t key;
	struct strata_moment since;
	struct strata_task_snapshot snapshot; /* of the task that began it, if it is known */
};

/* Two of a trace with the same id are told apart by what they are: the second is not followed. */
static uint64_t id_of(const char *name, uint64_t key)
{
	return strata_identity_add_text(strata_identity_add(0, key), name, strlen(name));
}

static bool is_it(const struct request *request, const char *name, uint64_t key)
{
	return request->key == key && strcmp(request->name, name) == 0;
}

static void end_request(struct request *request)
{
	strata_snapshot_drop(&request->snapshot);
	free(request);
}

int strata_requests_set(struct strata_requests *requests, const struct strata_trace_set *set)
{
	struct strata_id_map *open =
		reallocarray(requests->open, set->nr_traces + 1, sizeof(*open));

	if (!open)
		return -1;
	requests->open = open;
	for (; requests->nr_traces < set->nr_traces; requests->nr_traces++)
		open[requests->nr_traces] = (struct strata_id_map){ .slots = NULL };
	return strata_holders_find(&requests->holders, set);
}

static struct request *add(struct strata_requests *requests, size_t trace, const char *name,
			   uint64_t key)
{
	struct request *request;

	if (!strata_shares_take(&requests->shares, requests->holders.of[trace],
				STRATA_REQUESTS_MAX))
		return NULL;
	request = calloc(1, sizeof(*request));
	if (request) {
		request->name = name;
		request->key = key;
		if (!strata_id_map_add(&requests->open[trace], id_of(name, key), request))
			return request;
	}
	strata_shares_give_back(&requests->shares, requests->holders.of[trace]);
	free(request);
	return NULL;
}

/* Returns the request, which is open from now on if it can be followed; NULL: it cannot. */
static struct request *begin(struct strata_requests *requests, size_t trace, const char *name,
			     uint64_t key)
{
	struct request *request = strata_id_map_find(&requests->open[trace], id_of(name, key));

	if (!request)
		return add(requests, trace, name, key);
	if (!is_it(request, name, key))
		return NULL;
	requests->without_end++;
	return request;
}

void strata_requests_begin(struct strata_requests *requests, struct strata_tasks *tasks,
			   struct strata_task *task, size_t trace, const char *name, uint64_t key,
			   const struct strata_moment *now)
{
	struct request *request = begin(requests, trace, name, key);

	if (!request) {
		requests->not_followed++;
		return;
	}
	request->since = *now;
	strata_snapshot_drop(&request->snapshot);
	if (task)
		strata_snapshot_take(&request->snapshot, tasks, task, now);
}

void strata_requests_end(struct strata_requests *requests, struct strata_tasks *tasks,
			 struct strata_task *task, size_t trace, const char *name, uint64_t key,
			 const struct strata_moment *now)
{
	struct request *request = strata_id_map_find(&requests->open[trace], id_of(name, key));
	struct strata_split split;
	struct strata_span span = {
		.kind = STRATA_SPAN_REQUEST,
		.to_ns = now->ns,
		.task = task,
		.trace = trace,
		.number = key,
		.name = name,
		.name_bytes = strlen(name),
	};

	if (!request || !is_it(request, name, key)) {
		requests->without_begin++;
		return;
	}
	strata_id_map_take(&requests->open[trace], id_of(name, key));
	strata_shares_give_back(&requests->shares, requests->holders.of[trace]);
	span.from_ns = request->since.ns;
	span.bound_ns = strata_moments_bound(&request->since, now);
	span.from_bound_ns = request->since.bound_ns;
	/* Another task's times would be no part of this. */
	if (task && task == request->snapshot.task) {
		strata_snapshot_since(&request->snapshot, tasks, now, &split);
		span.split = &split;
	}
	strata_spans_tell(requests->spans, &span);
	end_request(request);
}

static void end_all(struct strata_id_map *open)
{
	size_t i;

	for (i = 0; i < open->room; i++)
		if (open->slots[i].thing)
			end_request(open->slots[i].thing);
	strata_id_map_clear(open);
}

void strata_requests_lose(struct strata_requests *requests, size_t trace)
{
	size_t i;

	requests->without_end += requests->open[trace].nr;
	for (i = 0; i < requests->open[trace].nr; i++)
		strata_shares_give_back(&requests->shares, requests->holders.of[trace]);
	end_all(&requests->open[trace]);
}

void strata_requests_clear(struct strata_requests *requests)
{
	size_t i;

	for (i = 0; i < requests->nr_traces; i++)
		strata_id_map_free(&requests->open[i]);
	free(requests->open);
	strata_shares_clear(&requests->shares);
	strata_holders_clear(&requests->holders);
}
