/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_world.h - tables of one CPU to count in, and an interrupt at any step of an update.
 * Included once, by a test.
 */
#ifndef STRATA_TESTS_AGGREGATE_WORLD_H
#define STRATA_TESTS_AGGREGATE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

static uint64_t clock_shows(void)
{
	return 0;
}

#include "interruptible_platform.h"

#include <strata/aggregate_threads.h>

#define BEGIN 0x81002u
#define END   0x81001u

static struct strata_aggregate aggregate;
static unsigned long *keys, *table;

/* What an interrupt does at one step of the update below it; threads have no interrupts. */
static __thread void (*interrupt)(void);
static __thread unsigned int steps_until_interrupt;

static void interruption_point(void)
{
	void (*function)(void) = interrupt;

	if (!function || --steps_until_interrupt)
		return;
	interrupt = NULL;
	function();
}

static void given(enum strata_aggregate_kind kind, bool by_owner, unsigned int row_bits)
{
	struct strata_aggregate_spec spec = { .version = STRATA_AGGREGATE_VERSION,
					      .kind = (uint8_t)kind,
					      .by_owner = by_owner,
					      .row_bits = (uint8_t)row_bits };

	if (kind == STRATA_AGGREGATE_TIME) {
		spec.begin = (struct strata_aggregate_event){ BEGIN, 0x0ffffeffu };
		spec.end = (struct strata_aggregate_event){ END, 0x0fffffffu };
	}
	assert_true(strata_aggregate_valid(&spec));
	free(keys);
	free(table);
	keys = calloc(strata_aggregate_rows(&spec), sizeof(*keys));
	table = calloc(strata_aggregate_table_words(&spec), sizeof(*table));
	assert_true(keys && table);
	strata_aggregate_init(&aggregate, &spec, keys);
}

/* The row with that key; NULL: there is none.  No key is in two rows. */
static const unsigned long *row_of(uint64_t key)
{
	const unsigned long *found = NULL;
	uint32_t row;

	for (row = 0; row < strata_aggregate_rows(&aggregate.spec); row++) {
		if (keys[row] != key)
			continue;
		assert_null(found);
		found = &table[STRATA_AGGREGATE_OTHERS +
			       row * strata_aggregate_row_words(&aggregate.spec)];
	}
	return found;
}

static unsigned long others(void)
{
	unsigned long sum = 0;

	for (unsigned int i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
		sum += table[i];
	return sum;
}

/* CPUs that do something at the same time. */
#define THREADS 4u

static pthread_barrier_t together;

#endif /* STRATA_TESTS_AGGREGATE_WORLD_H */
