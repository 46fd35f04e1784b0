// SPDX-License-Identifier: GPL-2.0-or-later
/* test_id_map.c - a map of ids finds the same as a naive list, whatever is added and removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/id_map.h"

#define LIST_MAX 600u

/* The naive list. */
struct listed {
	uint64_t id;
	void *thing;
};

struct list {
	struct listed of[LIST_MAX];
	size_t nr;
};

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static struct listed *find_listed(struct list *list, uint64_t id)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (list->of[i].id == id)
			return &list->of[i];
	}
	return NULL;
}

static void one_operation(struct strata_id_map *map, struct list *list, uint64_t id, bool adds)
{
	/* Any address will do; each addition has one of its own. */
	static char things[1u << 20];
	static size_t nr_things;
	struct listed *listed = find_listed(list, id);

	assert_ptr_equal(strata_id_map_find(map, id), listed ? listed->thing : NULL);
	if (!adds) {
		assert_ptr_equal(strata_id_map_take(map, id), listed ? listed->thing : NULL);
		assert_null(strata_id_map_find(map, id));
		if (listed)
			*listed = list->of[--list->nr];
	} else if (!listed && list->nr < LIST_MAX) {
		listed = &list->of[list->nr++];
		*listed = (struct listed){ id, &things[nr_things++ % sizeof(things)] };
		assert_int_equal(strata_id_map_add(map, id, listed->thing), 0);
	}
	assert_int_equal(map->nr, list->nr);
}

/* @ids: how many different ones there are; @step: between them
 * @adds_of_8: additions of eight operations */
static void compare(uint64_t seed, uint64_t ids, uint64_t step, unsigned int adds_of_8)
{
	struct strata_id_map map = { NULL, 0, 0 };
	struct list list = { .nr = 0 };
	size_t i, round;

	for (round = 0; round < 20000; round++) {
		const uint64_t id = next_random(&seed) % ids * step;

		one_operation(&map, &list, id, next_random(&seed) % 8 < adds_of_8);
		if (round % 512 != 0)
			continue;
		for (i = 0; i < list.nr; i++)
			assert_ptr_equal(strata_id_map_find(&map, list.of[i].id), list.of[i].thing);
	}
	while (list.nr)
		one_operation(&map, &list, list.of[0].id, false);
	strata_id_map_clear(&map);
}

static void it_finds_what_a_list_finds(void **state)
{
	(void)state;
	compare(1, 700, 1, 4);
	compare(2, 700, 1, 6);
	compare(3, 40, 1, 4);
	compare(4, 5000, (uint64_t)1 << 32, 5);
	compare(5, 5000, (uint64_t)1 << 48, 5);
	compare(6, UINT64_MAX, 1, 7);
}

/* Of an odd factor F, each id k / F mod 2^64 is found at k: with k small all of them begin their
 * search at the same slot, so that every removal has to move others up. */
static void ids_that_collide_are_told_apart(void **state)
{
	uint64_t inverse = 1, i;

	(void)state;
	for (i = 0; i < 6; i++)
		inverse *= 2 - 0x9e3779b97f4a7c15ull * inverse;
	compare(7, 300, inverse, 4);
	compare(8, 60, inverse, 5);
}

static void an_empty_map_has_nothing(void **state)
{
	struct strata_id_map map = { NULL, 0, 0 };

	(void)state;
	assert_null(strata_id_map_find(&map, 0));
	assert_null(strata_id_map_take(&map, 0));
	assert_int_equal(strata_id_map_add(&map, 0, &map), 0);
	assert_int_equal(strata_id_map_add(&map, UINT64_MAX, &state), 0);
	assert_ptr_equal(strata_id_map_find(&map, 0), &map);
	assert_ptr_equal(strata_id_map_find(&map, UINT64_MAX), &state);
	strata_id_map_clear(&map);
	assert_null(strata_id_map_find(&map, 0));
	strata_id_map_clear(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_what_a_list_finds),
		cmocka_unit_test(ids_that_collide_are_told_apart),
		cmocka_unit_test(an_empty_map_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
