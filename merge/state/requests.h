/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h - requests of applications: from an event that begins one to the event that ends it,
 * of the same name and key.
 */
#ifndef STRATA_MERGE_STATE_REQUESTS_H
#define STRATA_MERGE_STATE_REQUESTS_H

#include "state/tasks.h"

/* Open at once, over all sources: beyond that, new ones are not followed. */
#define STRATA_REQUESTS_MAX 65536u

/* Zero-initialised is empty; `spans` is the owner's. */
struct strata_requests {
	const struct strata_spans *spans;
	struct strata_id_map open; /* by a hash of trace, name and key */
	uint64_t without_begin;    /* ends of which no begin was seen */
	uint64_t without_end;
	uint64_t not_followed;
};

/* @task: that begins it; NULL: nobody knows.  @name: stays */
void strata_requests_begin(struct strata_requests *requests, struct strata_tasks *tasks,
			   struct strata_task *task, size_t trace, const char *name, uint64_t key,
			   const struct strata_moment *now);

void strata_requests_end(struct strata_requests *requests, struct strata_tasks *tasks,
			 struct strata_task *task, size_t trace, const char *name, uint64_t key,
			 const struct strata_moment *now);

/* Ends of a trace's requests may be missing: forgets those that are open. */
void strata_requests_lose(struct strata_requests *requests, size_t trace);

void strata_requests_clear(struct strata_requests *requests);

#endif /* STRATA_MERGE_STATE_REQUESTS_H */
