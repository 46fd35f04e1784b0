// SPDX-License-Identifier: GPL-2.0-or-later
/* What `strata why` remembers is bounded, and shared out among the sources. */
#include "why_world.h"

/* What does not fit into the memory is counted and unknown; the sums stay. */
static void memory_is_bounded(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 6);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	uint64_t i;

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	for (i = 20; i < 200; i += 10) {
		irq(world, g1, IRQ, i);
		irq_end(world, g1, IRQ, i + 5);
	}
	answer(question, 400);
	assert_true(question->recall->not_remembered > 10);
	/* Half, and one of the vCPU, which the hypervisor's trace tells. */
	assert_int_equal(question->recall->shares.nr, 3 + 1);
	expect(question, 290, NULL, PATH(STRATA_WHY_UNKNOWN));
	forget(question);
}

/* A kernel that has more spans than are remembered. */
static void one_that_fills_the_memory_leaves_room_for_others(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 6);
	struct world *world = question->world;
	struct strata_kernel *hostile, *g1;
	uint64_t i;

	(void)state;
	boot(question, 2, 0, &hostile);
	boot(question, 1, 1, &g1);
	for (i = 20; i < 200; i += 10) {
		irq(world, hostile, IRQ, i);
		irq_end(world, hostile, IRQ, i + 5);
	}
	irq(world, g1, IRQ, 210);
	irq_end(world, g1, IRQ, 215);
	assert_non_null(strata_why_lane(question->recall, STRATA_WHY_LANE_IRQ, 1, 0));
	forget(question);
}

/* Nor do names and wake-ups of a hostile trace take any amount of it. */
static void memory_of_names_and_wakes_is_bounded(void **state)
{
	struct question *question = ask(1, 70, 0, 10000000, 2000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	uint64_t i;

	(void)state;
	/* The world would record each span. */
	world->spans = strata_spans_of(&question->listeners[1], 1);
	for (i = 0; i < STRATA_WHY_NAMES_MAX + 1000; i++) {
		irq(world, g1, i, 10 * i);
		irq_end(world, g1, i, 10 * i + 2);
		/* The idle task sleeps, and is woken. */
		switch_to(world, idle, T_BLOCKED, t, 0, 10 * i + 3);
		wake_by(world, idle, t, 10 * i + 4);
		switch_to(world, t, T_RUNNABLE, idle, 0, 10 * i + 5);
	}
	answer(question, 10000000);
	assert_int_equal(question->recall->shares.nr, 1000 + 1);
	assert_true(question->recall->nr_wakes <= 2 * 1000 + 1);
	assert_int_equal(question->recall->span_names.nr, STRATA_WHY_NAMES_MAX);
	assert_in_range(question->names.nr, 1000, STRATA_WHY_NAMES_MAX / 2 + 10);
	forget(question);
}

/* A kernel that names interrupts without end. */
static void one_that_names_without_end_leaves_names_to_others(void **state)
{
	struct question *question = ask(1, 70, 0, 10000000, 2000);
	struct world *world = question->world;
	struct strata_kernel *hostile, *g1;
	const struct strata_why_lane *lane;
	uint64_t i;

	(void)state;
	world->spans = strata_spans_of(&question->listeners[1], 1);
	boot(question, 2, 0, &hostile);
	boot(question, 1, 1, &g1);
	for (i = 0; i < STRATA_WHY_NAMES_MAX + 1000; i++) {
		irq(world, hostile, i, 10 * i);
		irq_end(world, hostile, i, 10 * i + 2);
	}
	/* Of a number that the other one has not used. */
	irq(world, g1, 100000, 10 * i);
	irq_end(world, g1, 100000, 10 * i + 5);
	assert_int_equal(question->names.shares.nr, STRATA_WHY_NAMES_MAX / 2 + 1);
	lane = strata_why_lane(question->recall, STRATA_WHY_LANE_IRQ, 1, 0);
	assert_non_null(lane);
	assert_string_equal(strata_why_name(&question->names, lane->spans[0].name),
			    "irq 100000 eth0");
	lane = strata_why_lane(question->recall, STRATA_WHY_LANE_IRQ, 2, 0);
	assert_string_equal(strata_why_name(&question->names, lane->spans[0].name), "irq 0 eth0");
	forget(question);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(one_that_fills_the_memory_leaves_room_for_others),
		cmocka_unit_test(memory_of_names_and_wakes_is_bounded),
		cmocka_unit_test(one_that_names_without_end_leaves_names_to_others),
	};

	return cmocka_run_group_tests_name("why_memory", tests, NULL, NULL);
}
