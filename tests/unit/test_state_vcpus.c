// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state_vcpus.c - the state of vCPUs and physical CPUs whose answer is known by
 * construction.
 */
#include "state_world.h"

static void a_vcpu_is_preempted_and_gets_its_cpu_back(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 100), *b = vcpu_of(world, 2, 100);
	const struct strata_span *behind;
	const struct strata_moment now = at(600);
	uint64_t ns[STRATA_NR_VCPU_STATES];

	(void)state;
	change(world, a, UNKNOWN, GUEST, 3, 100);
	change(world, b, UNKNOWN, BLOCKED, 3, 100);
	change(world, b, BLOCKED, RUNNABLE, 3, 200);
	take_over(world, a, RUNNABLE, b, 3, 250);
	take_over(world, b, BLOCKED, a, 3, 400);
	strata_vcpu_times(a, &now, ns);
	assert_int_equal(ns[GUEST], 150 + 200);
	assert_int_equal(ns[RUNNABLE], 150);
	finish(world, 600);
	EXPECT_STATES(world, a, ((const unsigned int[]){ GUEST, RUNNABLE, GUEST }),
		      ((const uint64_t[]){ 100, 250, 400, 600 }));
	EXPECT_STATES(world, b, ((const unsigned int[]){ BLOCKED, RUNNABLE, GUEST, BLOCKED }),
		      ((const uint64_t[]){ 100, 200, 250, 400, 600 }));
	assert_int_equal(count(world, STRATA_SPAN_BEHIND), 2);
	behind = expect_at(nth(world, STRATA_SPAN_BEHIND, 0), 200, 250, 0);
	assert_ptr_equal(behind->vcpu, b);
	assert_ptr_equal(behind->other, a);
	assert_int_equal(behind->pcpu->number, 3);
	behind = expect_at(nth(world, STRATA_SPAN_BEHIND, 1), 250, 400, 0);
	assert_ptr_equal(behind->vcpu, a);
	assert_ptr_equal(behind->other, b);
	expect_at(nth(world, STRATA_SPAN_PCPU, 0), 100, 250, 0);
	expect_at(nth(world, STRATA_SPAN_PCPU, 1), 250, 400, 0);
	expect_at(nth(world, STRATA_SPAN_PCPU, 2), 400, 600, 0);
	assert_int_equal(count(world, STRATA_SPAN_PCPU), 3);
	assert_int_equal(world->vcpus.contradictions, 0);
	end(world);
}

/* A vCPU waits for the CPU that it gets in the end: others' on other CPUs did not hold it. */
static void a_vcpu_waits_behind_those_on_the_cpu_that_it_gets(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0), *b = vcpu_of(world, 2, 0);
	struct strata_vcpu *c = vcpu_of(world, 3, 0);

	(void)state;
	change(world, a, UNKNOWN, BLOCKED, 0, 0);
	change(world, b, UNKNOWN, GUEST, 0, 0);
	change(world, c, UNKNOWN, GUEST, 1, 0);
	/* Woken from CPU 0, it runs on CPU 1. */
	change(world, a, BLOCKED, RUNNABLE, 0, 100);
	take_over(world, c, BLOCKED, a, 1, 130);
	assert_int_equal(count(world, STRATA_SPAN_BEHIND), 1);
	assert_ptr_equal(expect_at(nth(world, STRATA_SPAN_BEHIND, 0), 100, 130, 0)->other, c);
	end(world);
}

/* If there are more stretches than the state remembers, only the last ones are told, and none is
 * made up. */
static void a_long_wait_behind_many(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0), *b = vcpu_of(world, 2, 0);
	struct strata_vcpu *c = vcpu_of(world, 3, 0);
	uint64_t sum = 0, last = 0, i;
	const struct strata_span *span;

	(void)state;
	change(world, a, UNKNOWN, RUNNABLE, 0, 0);
	change(world, b, UNKNOWN, GUEST, 0, 0);
	change(world, c, UNKNOWN, RUNNABLE, 0, 0);
	for (i = 1; i <= 500; i++)
		take_over(world, i % 2 ? b : c, RUNNABLE, i % 2 ? c : b, 0, 10 * i);
	take_over(world, b, RUNNABLE, a, 0, 5010);
	for (i = 0; (span = nth(world, STRATA_SPAN_BEHIND, i)); i++) {
		if (span->vcpu != a)
			continue;
		assert_int_equal(span->to_ns - span->from_ns, 10);
		assert_true(span->from_ns >= last);
		assert_ptr_equal(span->other, span->from_ns / 10 % 2 ? c : b);
		last = span->to_ns;
		sum += 10;
	}
	assert_int_equal(last, 5010);
	assert_int_equal(sum, 10 * STRATA_PCPU_PAST);
	end(world);
}

static void a_vcpu_halts_within_an_exit(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0), *b = vcpu_of(world, 2, 0);
	const struct strata_span *exits;
	uint64_t ns[STRATA_NR_VCPU_STATES];
	const struct strata_moment now = at(200);

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	vm_exit(world, a, 12, 100);
	take_over(world, a, BLOCKED, b, 0, 110);
	change(world, a, BLOCKED, RUNNABLE, 0, 150);
	take_over(world, b, RUNNABLE, a, 0, 170);
	vm_entry(world, a, 175);
	assert_int_equal(count(world, STRATA_SPAN_EXIT), 1);
	exits = expect_at(nth(world, STRATA_SPAN_EXIT, 0), 100, 175, 12);
	assert_ptr_equal(exits->vcpu, a);
	assert_int_equal(exits->split->ns[STRATA_TASK_RUNNING][IN_XEN], 10 + 5);
	assert_int_equal(exits->split->ns[STRATA_TASK_RUNNING][BLOCKED], 40);
	assert_int_equal(exits->split->ns[STRATA_TASK_RUNNING][RUNNABLE], 20);
	assert_int_equal(exits->bound_ns, 4);
	strata_vcpu_times(a, &now, ns);
	assert_int_equal(ns[GUEST], 100 + 25);
	finish(world, 200);
	/* In Xen and in the guest is one state to the scheduler. */
	EXPECT_STATES(world, a, ((const unsigned int[]){ GUEST, BLOCKED, RUNNABLE, GUEST }),
		      ((const uint64_t[]){ 0, 110, 150, 170, 200 }));
	end(world);
}

static void a_hypercall_within_an_exit(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	vm_exit(world, a, 18, 100);
	hypercall(world, a, 24, 105);
	returns(world, a, 24, 115);
	vm_entry(world, a, 120);
	expect_at(nth(world, STRATA_SPAN_HYPERCALL, 0), 105, 115, 24);
	expect_at(nth(world, STRATA_SPAN_EXIT, 0), 100, 120, 18);
	assert_int_equal(nth(world, STRATA_SPAN_EXIT, 0)->split->ns[STRATA_TASK_RUNNING][IN_XEN],
			 20);
	end(world);
}

/* Of a PV guest, which issues it again: it is one call. */
static void a_hypercall_is_preempted_and_goes_on(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0), *b = vcpu_of(world, 2, 0);
	const struct strata_span *call;

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	hypercall(world, a, 26, 100);
	preempt(world, a, 26, 118);
	take_over(world, a, RUNNABLE, b, 0, 120);
	take_over(world, b, RUNNABLE, a, 0, 150);
	hypercall(world, a, 26, 155);
	returns(world, a, 26, 160);
	assert_int_equal(count(world, STRATA_SPAN_HYPERCALL), 1);
	call = expect_at(nth(world, STRATA_SPAN_HYPERCALL, 0), 100, 160, 26);
	assert_int_equal(call->split->ns[STRATA_TASK_RUNNING][IN_XEN], 30);
	assert_int_equal(call->split->ns[STRATA_TASK_RUNNING][RUNNABLE], 30);
	end(world);
}

/* Of an HVM guest the same, which is entered to issue it again. */
static void a_hypercall_of_an_hvm_guest_is_preempted(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);
	const struct strata_span *call;

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	vm_exit(world, a, 18, 90);
	hypercall(world, a, 12, 100);
	preempt(world, a, 12, 130);
	vm_entry(world, a, 140);
	vm_exit(world, a, 18, 145);
	hypercall(world, a, 12, 150);
	returns(world, a, 12, 180);
	vm_entry(world, a, 190);
	assert_int_equal(count(world, STRATA_SPAN_EXIT), 2);
	assert_int_equal(count(world, STRATA_SPAN_HYPERCALL), 1);
	call = expect_at(nth(world, STRATA_SPAN_HYPERCALL, 0), 100, 180, 12);
	assert_int_equal(call->split->ns[STRATA_TASK_RUNNING][IN_XEN], 40 + 35);
	assert_int_equal(call->split->ns[STRATA_TASK_RUNNING][GUEST], 5);
	end(world);
}

/* One that never returned, and was not preempted, is not the one that begins anew. */
static void a_hypercall_that_never_returns(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	hypercall(world, a, 23, 100);
	hypercall(world, a, 23, 150);
	returns(world, a, 23, 160);
	assert_int_equal(count(world, STRATA_SPAN_HYPERCALL), 1);
	expect_at(nth(world, STRATA_SPAN_HYPERCALL, 0), 150, 160, 23);
	end(world);
}

/* Which call's return is missing is unknown: no span is told of either. */
static void a_return_of_another_hypercall_ends_none(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	returns(world, a, 26, 50);
	hypercall(world, a, 26, 100);
	returns(world, a, 1, 110);
	returns(world, a, 26, 120);
	assert_int_equal(count(world, STRATA_SPAN_HYPERCALL), 0);
	hypercall(world, a, 3, 130);
	hypercall(world, a, 4, 140);
	returns(world, a, 4, 150);
	returns(world, a, 3, 160);
	assert_int_equal(count(world, STRATA_SPAN_HYPERCALL), 1);
	expect_at(nth(world, STRATA_SPAN_HYPERCALL, 0), 140, 150, 4);
	end(world);
}

/* After the unrecorded return of another call, the guest runs. */
static void behind_a_return_the_guest_runs(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);
	const struct strata_moment now = at(200);
	uint64_t ns[STRATA_NR_VCPU_STATES];

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	hypercall(world, a, 26, 100);
	returns(world, a, 1, 110);
	strata_vcpu_times(a, &now, ns);
	assert_int_equal(ns[GUEST], 100 + 90);
	assert_int_equal(ns[IN_XEN], 10);
	end(world);
}

static void a_loss_makes_unknown_what_it_may_hide(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *here = vcpu_of(world, 1, 0), *elsewhere = vcpu_of(world, 2, 0);
	struct strata_vcpu *asleep = vcpu_of(world, 3, 0), *waits = vcpu_of(world, 4, 0);

	(void)state;
	change(world, here, UNKNOWN, GUEST, 0, 0);
	change(world, elsewhere, UNKNOWN, GUEST, 1, 0);
	change(world, asleep, UNKNOWN, BLOCKED, 0, 0);
	change(world, waits, UNKNOWN, RUNNABLE, 0, 0);
	vm_exit(world, here, 1, 90);
	lose(world, 0, 100);
	vm_entry(world, here, 150);
	seen(world, here, 0, 150);
	change(world, asleep, RUNNABLE, GUEST, 1, 180);
	finish(world, 200);
	EXPECT_STATES(world, here, ((const unsigned int[]){ GUEST, UNKNOWN, GUEST }),
		      ((const uint64_t[]){ 0, 100, 150, 200 }));
	EXPECT_STATES(world, asleep, ((const unsigned int[]){ BLOCKED, UNKNOWN, GUEST }),
		      ((const uint64_t[]){ 0, 100, 180, 200 }));
	EXPECT_STATES(world, waits, ((const unsigned int[]){ RUNNABLE, UNKNOWN }),
		      ((const uint64_t[]){ 0, 100, 200 }));
	EXPECT_STATES(world, elsewhere, ((const unsigned int[]){ GUEST }),
		      ((const uint64_t[]){ 0, 200 }));
	/* Neither the exit that began before the loss is told, nor a wait behind a vCPU. */
	assert_int_equal(count(world, STRATA_SPAN_EXIT), 0);
	assert_int_equal(count(world, STRATA_SPAN_BEHIND), 0);
	assert_int_equal(world->vcpus.contradictions, 0);
	end(world);
}

/* A loss on an unknown CPU may hide anything. */
static void a_loss_anywhere_makes_everything_unknown(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);

	(void)state;
	change(world, a, UNKNOWN, GUEST, 1, 0);
	lose(world, STRATA_NO_PCPU, 100);
	finish(world, 200);
	EXPECT_STATES(world, a, ((const unsigned int[]){ GUEST, UNKNOWN }),
		      ((const uint64_t[]){ 0, 100, 200 }));
	assert_int_equal(count(world, STRATA_SPAN_PCPU), 1);
	expect_at(nth(world, STRATA_SPAN_PCPU, 0), 0, 100, 0);
	end(world);
}

static void a_loss_is_of_one_machine(void **state)
{
	struct world *world = begin();
	struct strata_moment now = at(0);
	struct strata_vcpu *other = strata_vcpus_get(&world->vcpus, 1, 1, 0, &now);
	struct strata_vcpu *a = vcpu_of(world, 1, 0);

	(void)state;
	assert_ptr_not_equal(a, other);
	assert_ptr_equal(strata_vcpus_find(&world->vcpus, 1, 1, 0), other);
	change(world, a, UNKNOWN, GUEST, 0, 0);
	change(world, other, UNKNOWN, GUEST, 0, 0);
	lose(world, 0, 100);
	finish(world, 200);
	EXPECT_STATES(world, other, ((const unsigned int[]){ GUEST }),
		      ((const uint64_t[]){ 0, 200 }));
	end(world);
}

static void before_the_first_event_nothing_is_known(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 50);

	(void)state;
	assert_null(strata_vcpus_find(&world->vcpus, 0, 2, 0));
	change(world, a, RUNNABLE, GUEST, 0, 100);
	finish(world, 200);
	EXPECT_STATES(world, a, ((const unsigned int[]){ UNKNOWN, GUEST }),
		      ((const uint64_t[]){ 50, 100, 200 }));
	/* That it waited is known, but not since when, and behind whom. */
	assert_int_equal(count(world, STRATA_SPAN_BEHIND), 0);
	assert_int_equal(world->vcpus.contradictions, 0);
	end(world);
}

/* An event that tells another state than the known one is counted, and the time until then is not
 * told as known. */
static void a_contradiction_is_counted(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *a = vcpu_of(world, 1, 0);

	(void)state;
	change(world, a, UNKNOWN, GUEST, 0, 0);
	vm_exit(world, a, 7, 50);
	change(world, a, BLOCKED, RUNNABLE, 0, 100);
	change(world, a, RUNNABLE, GUEST, 0, 150);
	vm_entry(world, a, 160);
	change(world, a, RUNNABLE, GUEST, 0, 170);
	finish(world, 200);
	assert_int_equal(world->vcpus.contradictions, 2);
	assert_int_equal(count(world, STRATA_SPAN_EXIT), 0);
	end(world);
}

/* Also at the very end, where no event tells it. */
static void each_span_has_its_trace(void **state)
{
	struct world *world = begin();
	struct strata_moment now = at(0);
	struct strata_vcpu *a = strata_vcpus_get(&world->vcpus, 1, 1, 0, &now);

	(void)state;
	strata_vcpus_change(&world->vcpus, a, UNKNOWN, GUEST, 0, 3, &now);
	finish(world, 100);
	assert_int_equal(nth(world, STRATA_SPAN_VCPU, 0)->trace, 3);
	assert_int_equal(nth(world, STRATA_SPAN_PCPU, 0)->trace, 3);
	end(world);
}

/* As many numbers as fit into the fields of events, and none is taken for another. */
static void cpus_are_told_apart(void **state)
{
	struct world *world = begin();
	struct strata_moment now = at(0);
	struct strata_vcpu *a = strata_vcpus_get(&world->vcpus, 0, 0, 65535, &now);
	struct strata_vcpu *b = strata_vcpus_get(&world->vcpus, 0, 65535, 0, &now);
	struct strata_vcpu *c = strata_vcpus_get(&world->vcpus, 0, 1, 0, &now);

	(void)state;
	assert_true(a != b && b != c && a != c);
	change(world, a, UNKNOWN, GUEST, 65535, 0);
	change(world, b, UNKNOWN, GUEST, 0, 0);
	change(world, c, UNKNOWN, GUEST, 0x10000, 0);
	/* On a CPU that no event can name, it takes none from another. */
	change(world, c, GUEST, RUNNABLE, 0x10000, 10);
	change(world, c, RUNNABLE, GUEST, STRATA_NO_PCPU, 20);
	assert_int_equal(count(world, STRATA_SPAN_PCPU), 0);
	finish(world, 100);
	EXPECT_STATES(world, a, ((const unsigned int[]){ GUEST }), ((const uint64_t[]){ 0, 100 }));
	EXPECT_STATES(world, b, ((const unsigned int[]){ GUEST }), ((const uint64_t[]){ 0, 100 }));
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_vcpu_is_preempted_and_gets_its_cpu_back),
		cmocka_unit_test(a_vcpu_waits_behind_those_on_the_cpu_that_it_gets),
		cmocka_unit_test(a_long_wait_behind_many),
		cmocka_unit_test(a_vcpu_halts_within_an_exit),
		cmocka_unit_test(a_hypercall_within_an_exit),
		cmocka_unit_test(a_hypercall_is_preempted_and_goes_on),
		cmocka_unit_test(a_hypercall_of_an_hvm_guest_is_preempted),
		cmocka_unit_test(a_hypercall_that_never_returns),
		cmocka_unit_test(a_return_of_another_hypercall_ends_none),
		cmocka_unit_test(behind_a_return_the_guest_runs),
		cmocka_unit_test(a_loss_makes_unknown_what_it_may_hide),
		cmocka_unit_test(a_loss_anywhere_makes_everything_unknown),
		cmocka_unit_test(a_loss_is_of_one_machine),
		cmocka_unit_test(before_the_first_event_nothing_is_known),
		cmocka_unit_test(a_contradiction_is_counted),
		cmocka_unit_test(each_span_has_its_trace),
		cmocka_unit_test(cpus_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
