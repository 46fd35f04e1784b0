// SPDX-License-Identifier: GPL-2.0-or-later
/* requests.c - see requests.h. */
#include "state/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/identity.h"

struct request {
	size_t trace;
	const char *name;
	uint64_t key;
	struct strata_moment since;
	struct strata_task_snapshot snapshot; /* of the task that began it, if it is known */
};

/* Two with the same id are told apart by what they are: the second is not followed. */
static uint64_t id_of(size_t trace, const char *name, uint64_t key)
{
	const uint64_t id = strata_identity_add(strata_identity_add(0, trace), key);

	return strata_identity_add_text(id, name, strlen(name));
}

static bool is_it(const struct request *request, size_t trace, const char *name, uint64_t key)
{
	return request->trace == trace && request->key == key && strcmp(request->name, name) == 0;
}

static void end_request(struct request *request)
{
	strata_snapshot_drop(&request->snapshot);
	free(request);
}

static struct request *add(struct strata_requests *requests, size_t trace, const char *name,
			   uint64_t key)
{
	struct request *request;

	if (requests->open.nr >= STRATA_REQUESTS_MAX)
		return NULL;
	request = calloc(1, sizeof(*request));
	if (!request)
		return NULL;
	request->trace = trace;
	request->name = name;
	request->key = key;
	if (!strata_id_map_add(&requests->open, id_of(trace, name, key), request))
		return request;
	free(request);
	return NULL;
}

void strata_requests_begin(struct strata_requests *requests, struct strata_tasks *tasks,
			   struct strata_task *task, size_t trace, const char *name, uint64_t key,
			   const struct strata_moment *now)
{
	struct request *request = strata_id_map_find(&requests->open, id_of(trace, name, key));

	if (!request)
		request = add(requests, trace, name, key);
	else if (is_it(request, trace, name, key))
		requests->without_end++;
	else
		request = NULL;
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
	struct request *request = strata_id_map_find(&requests->open, id_of(trace, name, key));
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

	if (!request || !is_it(request, trace, name, key)) {
		requests->without_begin++;
		return;
	}
	strata_id_map_take(&requests->open, id_of(trace, name, key));
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

void strata_requests_lose(struct strata_requests *requests, size_t trace)
{
	size_t i = 0;

	while (i < requests->open.room) {
		struct request *request = requests->open.slots[i].thing;

		/* Another one may have moved into the slot then. */
		if (request && request->trace == trace) {
			strata_id_map_take(&requests->open, requests->open.slots[i].id);
			end_request(request);
			requests->without_end++;
		} else {
			i++;
		}
	}
}

void strata_requests_clear(struct strata_requests *requests)
{
	strata_id_map_free(&requests->open);
}
