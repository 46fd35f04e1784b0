/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h - requests of applications: from an event that begins one to the event that ends it,
 * of the same name and key.
 */
#ifndef STRATA_MERGE_STATE_REQUESTS_H
#define STRATA_MERGE_STATE_REQUESTS_H

#include "base/fair_share.h"
#include "state/tasks.h"
#include "timeline/holders.h"

/* Open at once, over all sources, of one user or kernel alone half of them (fair_share.h): beyond
 * that, new ones are not followed. */
#define STRATA_REQUESTS_MAX 131072u

/* Zero-initialised is empty; `spans` is the owner's. */
struct strata_requests {
	const struct strata_spans *spans;
	struct strata_id_map *open; /* of each trace of the set, by a hash of name and key */
	size_t nr_traces;
	struct strata_shares shares;   /* of the open ones, by the traces' holders */
	struct strata_holders holders; /* of all traces of the set */
	uint64_t without_begin;        /* ends of which no begin was seen */
	uint64_t without_end;
	uint64_t not_followed;
};

/* Prepares for the traces of a set, which may have grown.  0, or -1: out of memory. */
int strata_requests_set(struct strata_requests *requests, const struct strata_trace_set *set);

/* @task: that begins it; NULL: unknown.  @name: stays */
void strata_requests_begin(struct strata_requests *requests, struct strata_tasks *tasks,
			   struct strata_task *task, size_t trace, const char *name, uint64_t key,
			   const struct strata_moment *now);

void strata_requests_end(struct strata_requests *requests, struct strata_tasks *tasks,
			 struct strata_task *task, size_t trace, const char *name, uint64_t key,
			 const struct strata_moment *now);

/* Ends of a trace's requests may be missing: forgets those that are open, in a time that does not
 * depend on other traces. */
void strata_requests_lose(struct strata_requests *requests, size_t trace);

void strata_requests_clear(struct strata_requests *requests);

#endif /* STRATA_MERGE_STATE_REQUESTS_H */
