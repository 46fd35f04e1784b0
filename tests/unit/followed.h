/* SPDX-License-Identifier: GPL-2.0-or-later */
/* followed.h - a recorder with one ring and one source, "one", whose progress a test follows. */
#ifndef STRATA_TESTS_FOLLOWED_H
#define STRATA_TESTS_FOLLOWED_H

#include "recorder_rings.h"

#include "live/live.h"
#include "live/live_table.h"

struct followed {
	char dir[32];
	struct recorder *recorder;
	struct test_ring ring;
	const struct strata_live_table *table;
	struct strata_error error;
};

void followed_begin(struct followed *followed, enum strata_header_form form);

/* Drains what is ready, once. */
void followed_drain(struct followed *followed);

/* Drains until this many events are in the file; the writer sleeps meanwhile. */
void followed_drain_until(struct followed *followed, uint64_t events);

/* Puts @nr records into the ring, numbered from *@number on, which is left behind the last. */
void followed_put(struct followed *followed, uint32_t *number, unsigned int nr);

/* Frees all but the recorder, which the test closes. */
void followed_end(struct followed *followed);

/* A follower's callback that does nothing. */
int followed_ignore_sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
			    struct strata_error *error);

#endif /* STRATA_TESTS_FOLLOWED_H */
