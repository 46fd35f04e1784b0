/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_case.h - a case: what the ring holds when it begins, who writes and who
 * reads.  It holds if no order of their steps goes wrong, and a weakness is refuted
 * if one does, in the way that is expected.
 */
#ifndef STRATA_TESTS_RING_CASE_H
#define STRATA_TESTS_RING_CASE_H

#include <stdlib.h>
#include <time.h>

#include "checked_ring.h"
#include "ring_words.h"
#include "weaken.h"

#define CONTEXTS(...)                                                      \
	.nr_contexts = sizeof((struct explore_context[]){ __VA_ARGS__ }) / \
		       sizeof(struct explore_context),                     \
	.contexts = { __VA_ARGS__ }

struct ring_case {
	struct explore_plan plan;
	void (*prepare)(void);
	bool overwrite;
	bool clock_steps_back; /* packets may overlap in time */
	bool may_lose;         /* though the next sub-buffer is free */
	bool deep; /* takes long: only where CHECK_DEEP is in the environment, a number of runs */
};

static inline int open_the_ring(void **state)
{
	(void)state;
	arena = guarded_pages(ARENA_PAGES);
	fixture.ring = (struct strata_ring *)arena;
	fixture.writer_area = (struct strata_ring_writer_area *)(arena + STRATA_PAGE_BYTES);
	fixture.reader_area = (struct strata_ring_reader_area *)(arena + 2 * STRATA_PAGE_BYTES);
	fixture.data = arena + 3 * STRATA_PAGE_BYTES;
	explore_share(arena, ARENA_PAGES * STRATA_PAGE_BYTES);
	ring_fixture_reset(&fixture, two_small, 0);
	audit_open(&audit, fixture.ring, RECORDS_MAX);
	return 0;
}

static inline int close_the_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	guarded_free(arena, ARENA_PAGES);
	return 0;
}

/* Makes the state in which the case begins, one buffer before the counters wrap, and keeps it. */
static inline void prepare(const struct ring_case *one)
{
	unsigned int i;

	memset(fixture.data, 0, strata_data_bytes(two_small));
	explore_set_clock(CLOCK_START);
	ring_fixture_reset(&fixture, two_small, wraps_after(two_small, 1));
	fixture.ring->overwrite = one->overwrite;
	fixture.reader.overwrite = one->overwrite;
	audit_reset(&audit, fixture.ring);
	audit.clock_steps_back = one->clock_steps_back;
	one->prepare();
	if (audit.errors)
		fail_msg("%s: before it begins: %s", one->plan.name, audit.first_error);

	memcpy(start.arena, arena, sizeof(start.arena));
	start.fixture = fixture;
	start.audit = audit;
	start.write_count = fixture.ring->write_count;
	start.roomy = !one->overwrite && !one->may_lose &&
		      strata_subbuf_align_up(two_small, start.write_count) != 0;
	for (i = 0; i < AUDIT_LEVELS; i++) {
		memcpy(start.fate[i], audit.fate[i], RECORDS_MAX);
		memcpy(start.went_to[i], audit.went_to[i], sizeof(start.went_to[i]));
	}
	start.ticks = strata_clock();
}

static inline void begin(void)
{
	unsigned int i;

	memset(audit.read, 0, audit_place(&audit, audit.sequence) + 1);
	memcpy(arena, start.arena, sizeof(start.arena));
	fixture = start.fixture;
	audit = start.audit;
	for (i = 0; i < AUDIT_LEVELS; i++) {
		memcpy(audit.fate[i], start.fate[i], RECORDS_MAX);
		memset(audit.found[i], 0, RECORDS_MAX);
		memcpy(audit.went_to[i], start.went_to[i], sizeof(start.went_to[i]));
	}
	explore_set_clock(start.ticks);
}

/* The states that memory was in at the end: a set of their hashes. */
#define OUTCOMES_MAX (1u << 16)

static struct {
	bool wanted;
	uint64_t hash[OUTCOMES_MAX];
	unsigned long nr;
} outcomes;

static inline void enter_outcome(void)
{
	const uint64_t *word = (const uint64_t *)arena;
	uint64_t hash = 14695981039346656037u;
	size_t i, at;

	for (i = 0; i < sizeof(start.arena) / sizeof(*word); i++)
		hash = (hash ^ word[i]) * 1099511628211u;
	for (i = 0; i < AUDIT_LEVELS * RECORDS_MAX; i++)
		hash = (hash ^ audit.found[i / RECORDS_MAX][i % RECORDS_MAX]) * 1099511628211u;
	hash |= 1;
	for (at = hash >> 48; outcomes.hash[at] && outcomes.hash[at] != hash; at++)
		at %= OUTCOMES_MAX - 1;
	outcomes.nr += outcomes.hash[at] != hash;
	outcomes.hash[at] = hash;
}

/* Everybody is done: nothing is left undelivered, and all records have their fate. */
static inline void end(void)
{
	if (outcomes.wanted)
		enter_outcome();
	audit_commit_counts(&audit, &fixture);
	audit_balance(&audit, &fixture);
	complain_of_the_books();
	if (start.roomy &&
	    fixture.ring->lost[STRATA_LOST_FULL] + fixture.ring->lost[STRATA_LOST_NESTED])
		explore_complain("a record is lost though there is room");
}

static inline void search(const struct ring_case *one, struct explore_result *result)
{
	struct explore_plan plan = one->plan;

	prepare(one);
	plan.begin = begin;
	plan.end = end;
	plan.name_of = name_of;
	explore(&plan, result);
}

static inline const char *memory_name(enum explore_memory memory)
{
	static const char *const names[] = { "stores land at once", "x86's store buffers, of 4",
					     "one store at a time is held back" };

	return names[memory];
}

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline const char *how_far(const struct explore_plan *plan,
				  const struct explore_result *result)
{
	static char text[80];

	if (!result->exhaustive)
		return "bounded: the limit of runs was reached";
	if (!plan->switches)
		return "exhaustive";
	snprintf(text, sizeof(text), "bounded: all in which an agent that can go on is left %s",
		 plan->switches == 1 ? "once" : "twice");
	return text;
}

/* The case holds in each order of its steps. */
static inline void assert_holds(const struct ring_case *one)
{
	struct explore_result result;
	double began = seconds();

	struct ring_case limited = *one;

	if (one->deep && !getenv("CHECK_DEEP"))
		return;
	if (one->deep)
		limited.plan.limit = strtoul(getenv("CHECK_DEEP"), NULL, 10);
	weakened = NULL;
	search(&limited, &result);
	printf("# %s (%s): %lu interleavings, %lu prefixes left off, %s; at most %u steps; %.2f s\n",
	       one->plan.name, memory_name(one->plan.memory), result.complete, result.left_off,
	       how_far(&one->plan, &result), result.most_steps, seconds() - began);
	if (result.violation[0]) {
		explore_print();
		fail_msg("%s: %s", one->plan.name, result.violation);
	}
	if (result.complete < 2)
		fail_msg("%s: %lu interleavings are no search", one->plan.name, result.complete);
}

/* All orders lead to no more states than those that are not left off. */
static inline void assert_nothing_missed(const struct ring_case *one)
{
	struct ring_case searched = *one;
	struct explore_result result[2];
	unsigned long nr;

	memset(&outcomes, 0, sizeof(outcomes));
	outcomes.wanted = true;
	search(&searched, &result[0]);
	nr = outcomes.nr;
	searched.plan.all = true;
	search(&searched, &result[1]);
	outcomes.wanted = false;
	printf("# %s: %lu states after %lu interleavings, and %lu after all %lu\n", one->plan.name,
	       nr, result[0].complete, outcomes.nr, result[1].complete);
	assert_true(result[0].exhaustive && result[1].exhaustive);
	assert_true(nr > 1 && result[1].complete > result[0].complete);
	assert_int_equal(outcomes.nr, nr);
}

/* A case with a weakened operation, and a part of the expected message. */
struct twin {
	const struct ring_case *of;
	const char *violation;
	struct weakness weakness;
};

static inline void assert_refuted(const struct twin *twin)
{
	struct explore_result result;

	weakened = &twin->weakness;
	search(twin->of, &result);
	weakened = NULL;
	printf("# %s; %s: after %lu interleavings: %s\n", twin->of->plan.name, twin->weakness.name,
	       result.complete, result.violation[0] ? result.violation : "no violation");
	if (!result.violation[0] || !strstr(result.violation, twin->violation))
		fail_msg("%s: %s: expected \"%s\", found \"%s\"", twin->of->plan.name,
			 twin->weakness.name, twin->violation, result.violation);
	explore_print();
}

#endif /* STRATA_TESTS_RING_CASE_H */
