// SPDX-License-Identifier: GPL-2.0-or-later
/* test_critical_path.c - critical paths of tasks (merge/why/critical_path.h) on hosts whose answer
 * is known by construction. */
#include "why_world.h"

#include "why/critical_path.h"

struct expected {
	uint64_t from_ns;
	const char *who, *cause, *by;
	unsigned int wake_ups;
};

/* Segments are those, one after the other, until the end of the time. */
static void expect_segments(const struct question *question,
			    const struct strata_why_critical_path *path,
			    const struct expected *expected, size_t nr)
{
	uint64_t now = question->instance.from_ns;
	size_t i;

	for (i = 0; i < path->nr && i < nr; i++) {
		const struct strata_why_segment *segment = &path->segments[i];

		assert_int_equal(segment->from_ns, now);
		assert_int_equal(segment->from_ns, expected[i].from_ns);
		assert_string_equal(strata_why_name(&question->names, segment->who),
				    expected[i].who);
		assert_string_equal(strata_why_key(segment->cause.what), expected[i].cause);
		assert_string_equal(strata_why_name(&question->names, segment->by), expected[i].by);
		assert_int_equal(segment->wake_ups, expected[i].wake_ups);
		now = segment->to_ns;
	}
	assert_int_equal(path->nr, nr);
	assert_int_equal(now, question->instance.to_ns);
}

static void find(struct question *question, struct strata_why_critical_path *path, uint64_t end_ns)
{
	finish(question->world, end_ns);
	assert_int_equal(strata_why_recall_finish(question->recall), 0);
	question->instance.task =
		strata_why_names_add(&question->names, "ask-70", NULL, STRATA_WHY_OWN);
	assert_int_equal(strata_why_find_critical_path(question->recall, &question->instance, path),
			 0);
}

/* The path goes from the task to dom0's server, to the interrupt, and back. */
static void it_leads_through_another_domain(void **state)
{
	static const struct expected expected[] = {
		{ 10, "?-300 on d0/0", "ran", "", 1 },
		{ 40, "?-300 on d0/0", "queued", "?-301", 1 },
		{ 90, "?-300 on d0/0", "ran", "", 1 },
		{ 102, "irq 72 eth0", "vcpu_asleep", "", 0 },
		{ 105, "irq 72 eth0", "vcpu_wakes", "d2/0 on pCPU 1", 0 },
		{ 140, "irq 72 eth0", "waking", "", 0 },
		{ 153, "irq 72 eth0", "irq", "", 0 },
		{ 158, "ask-70", "irq", "", 0 },
		{ 160, "ask-70", "switching", "", 0 },
		{ 172, "ask-70", "ran", "", 0 },
	};
	struct question *question = ask_of_another_domain();
	struct strata_why_critical_path path = { .nr = 0 };
	size_t i;

	(void)state;
	question->instance.from_bound_ns = 7;
	find(question, &path, 300);
	assert_int_equal(path.segments[0].from_bound_ns, 7);
	assert_int_equal(path.segments[0].to_bound_ns, 2);
	assert_int_equal(path.segments[1].from_bound_ns, 2);
	expect_segments(question, &path, expected, sizeof(expected) / sizeof(expected[0]));
	/* Three levels: the task, what it did and what it waited behind; the sum is the whole. */
	assert_int_equal(path.sums.nodes[0].ns, 190);
	for (i = path.sums.nodes[0].child; i; i = path.sums.nodes[i].next) {
		const char *who = strata_why_name(&question->names, path.sums.nodes[i].step.name);

		if (strcmp(who, "ask-70") == 0)
			assert_int_equal(path.sums.nodes[i].ns, 42);
		else if (strcmp(who, "irq 72 eth0") == 0)
			assert_int_equal(path.sums.nodes[i].ns, 56);
		else
			assert_int_equal(path.sums.nodes[i].ns, 92);
	}
	strata_why_critical_path_clear(&path);
	forget(question);
}

/* Of a task that changes its state more often than segments are kept, the last one is the rest. */
static void its_memory_is_bounded(void **state)
{
	const uint64_t times = STRATA_WHY_SEGMENTS / 2 + 1000, end_ns = 1000 + 40 * times;
	struct question *question = ask(1, 70, 100, end_ns, 10 * times);
	struct strata_why_critical_path path = { .nr = 0 };
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	const struct strata_why_segment *last;
	uint64_t i;

	(void)state;
	/* The world records each span, too. */
	question->world->spans = strata_spans_of(question->listeners + 1, 1);
	for (i = 0; i < times; i++) {
		switch_to(world, idle, T_RUNNABLE, t, 0, 100 + 40 * i);
		switch_to(world, t, T_RUNNABLE, idle, 0, 120 + 40 * i);
	}
	find(question, &path, end_ns);
	assert_int_equal(path.nr, STRATA_WHY_SEGMENTS);
	last = &path.segments[path.nr - 1];
	assert_string_equal(strata_why_key(last->cause.what), "others");
	assert_int_equal(last->who, 0);
	assert_int_equal(last->to_ns, end_ns);
	assert_int_equal(last->from_ns, path.segments[path.nr - 2].to_ns);
	assert_int_equal(path.sums.nodes[0].ns, end_ns - 100);
	strata_why_critical_path_clear(&path);
	forget(question);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_leads_through_another_domain),
		cmocka_unit_test(its_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
