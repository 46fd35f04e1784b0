// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state.c - the state of hosts whose answer is known by construction: what is told to the
 * state, and the spans that must come of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "state/requests.h"

#define SPANS_MAX 4096u

struct recorded {
	struct strata_span span;
	struct strata_split split;
};

struct world {
	struct strata_span_listener listener, *listeners[1];
	struct strata_spans spans;
	struct strata_vcpus vcpus;
	struct strata_tasks tasks;
	struct strata_requests requests;
	struct recorded recorded[SPANS_MAX];
	size_t nr;
};

static struct strata_moment at(uint64_t ns)
{
	return (struct strata_moment){ ns, 2 };
}

static uint64_t sum_of(const struct strata_split *split)
{
	uint64_t sum = 0;
	size_t i, j;

	for (i = 0; i < STRATA_NR_TASK_STATES; i++) {
		for (j = 0; j < STRATA_NR_VCPU_STATES; j++)
			sum += split->ns[i][j];
	}
	return sum;
}

/* Records a span; whatever it is, its parts are its length. */
static void record(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct world *world = (struct world *)listener;
	struct recorded *recorded = &world->recorded[world->nr++];
	size_t i;

	assert_true(world->nr <= SPANS_MAX);
	assert_true(span->from_ns <= span->to_ns);
	recorded->span = *span;
	if (!span->split)
		return;
	assert_int_equal(sum_of(span->split), span->to_ns - span->from_ns);
	for (i = 0; i < STRATA_NR_TASK_STATES * STRATA_NR_VCPU_STATES; i++)
		assert_true(span->split->ns[i / STRATA_NR_VCPU_STATES][i % STRATA_NR_VCPU_STATES] <=
			    span->to_ns - span->from_ns);
	recorded->split = *span->split;
	recorded->span.split = &recorded->split;
}

static struct world *begin(void)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->listener.span = record;
	world->listeners[0] = &world->listener;
	world->spans = (struct strata_spans){ world->listeners, 1 };
	world->vcpus.spans = world->tasks.spans = world->requests.spans = &world->spans;
	world->tasks.vcpus = &world->vcpus;
	world->tasks.kernels = calloc(4, sizeof(*world->tasks.kernels));
	world->tasks.nr_traces = 4;
	return world;
}

static void end(struct world *world)
{
	strata_requests_clear(&world->requests);
	strata_tasks_clear(&world->tasks);
	strata_vcpus_clear(&world->vcpus);
	free(world);
}

static void finish(struct world *world, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_finish(&world->tasks, &now);
	strata_vcpus_finish(&world->vcpus, &now);
}

/* The span of a kind at @nr among those of that kind; NULL: there are fewer. */
static const struct strata_span *nth(const struct world *world, enum strata_span_kind kind,
				     size_t nr)
{
	size_t i;

	for (i = 0; i < world->nr; i++) {
		if (world->recorded[i].span.kind == kind && nr-- == 0)
			return &world->recorded[i].span;
	}
	return NULL;
}

static size_t count(const struct world *world, enum strata_span_kind kind)
{
	size_t nr = 0;

	while (nth(world, kind, nr))
		nr++;
	return nr;
}

static const struct strata_span *expect_at(const struct strata_span *span, uint64_t from,
					   uint64_t to, uint64_t number)
{
	assert_non_null(span);
	assert_int_equal(span->from_ns, from);
	assert_int_equal(span->to_ns, to);
	assert_int_equal(span->number, number);
	return span;
}

/* The spans of a vCPU's or a task's states, one after the other without a gap.
 * @times: when each begins, and when the last one ends */
static void expect_states(const struct world *world, const void *of, size_t nr,
			  const unsigned int *states, const uint64_t *times)
{
	size_t i, at_nr = 0;

	for (i = 0; i < world->nr; i++) {
		const struct strata_span *span = &world->recorded[i].span;

		if ((span->kind != STRATA_SPAN_VCPU || span->vcpu != of) &&
		    (span->kind != STRATA_SPAN_TASK || span->task != of))
			continue;
		assert_true(at_nr < nr);
		expect_at(span, times[at_nr], times[at_nr + 1], states[at_nr]);
		at_nr++;
	}
	assert_int_equal(at_nr, nr);
}

#define EXPECT_STATES(world, of, states, times) \
	expect_states(world, of, sizeof(states) / sizeof((states)[0]), states, times)

/* Shorter calls. */
static struct strata_vcpu *vcpu_of(struct world *world, uint32_t domain, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	return strata_vcpus_get(&world->vcpus, 0, domain, 0, &now);
}

static void change(struct world *world, struct strata_vcpu *vcpu, enum strata_vcpu_state before,
		   enum strata_vcpu_state after, uint32_t pcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_change(&world->vcpus, vcpu, before, after, pcpu, 0, &now);
}

#define GUEST    STRATA_VCPU_GUEST
#define IN_XEN   STRATA_VCPU_XEN
#define RUNNABLE STRATA_VCPU_RUNNABLE
#define BLOCKED  STRATA_VCPU_BLOCKED
#define OFFLINE  STRATA_VCPU_OFFLINE
#define UNKNOWN  STRATA_VCPU_UNKNOWN

/* One vCPU takes the CPU from another, as Xen's scheduler tells it. */
static void take_over(struct world *world, struct strata_vcpu *before,
		      enum strata_vcpu_state becomes, struct strata_vcpu *after, uint32_t pcpu,
		      uint64_t ns)
{
	change(world, before, GUEST, becomes, pcpu, ns);
	change(world, after, RUNNABLE, GUEST, pcpu, ns);
}

static void lose(struct world *world, uint32_t pcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_lose(&world->vcpus, 0, pcpu, 0, &now);
}

static void seen(struct world *world, struct strata_vcpu *vcpu, uint32_t pcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_seen(&world->vcpus, vcpu, pcpu, 0, &now);
}

static void vm_exit(struct world *world, struct strata_vcpu *vcpu, uint64_t reason, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_exit(&world->vcpus, vcpu, reason, &now);
}

static void vm_entry(struct world *world, struct strata_vcpu *vcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_entry(&world->vcpus, vcpu, 0, &now);
}

static void hypercall(struct world *world, struct strata_vcpu *vcpu, uint64_t op, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_hypercall(&world->vcpus, vcpu, op, &now);
}

static void preempt(struct world *world, struct strata_vcpu *vcpu, uint64_t op, uint64_t ns)
{
	(void)ns;
	strata_vcpus_preempt(&world->vcpus, vcpu, op);
}

static void returns(struct world *world, struct strata_vcpu *vcpu, uint64_t op, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_return(&world->vcpus, vcpu, op, 0, &now);
}

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

/* Of more stretches than are remembered only the last ones are told; none is made up. */
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

/* Which return another call's was, nobody knows: nothing is told of either. */
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

/* What runs once another call has returned without a word is the guest. */
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
	/* Neither the exit that began before it, nor whom somebody waited behind. */
	assert_int_equal(count(world, STRATA_SPAN_EXIT), 0);
	assert_int_equal(count(world, STRATA_SPAN_BEHIND), 0);
	assert_int_equal(world->vcpus.contradictions, 0);
	end(world);
}

/* A loss on a CPU that nobody knows may hide anything. */
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

/* An event that tells another state than the one that was known: it is counted, and what was
 * told until then is not told as known. */
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

/* At the end of all, too, where no event says it. */
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

/* Kernels and tasks. */
static struct strata_kernel *kernel_of(struct world *world, uint32_t domain)
{
	return strata_tasks_kernel(&world->tasks, 1, 0, domain);
}

static struct strata_task *task_of(struct world *world, struct strata_kernel *kernel, uint32_t tid,
				   uint64_t ns)
{
	const struct strata_moment now = at(ns);

	return strata_tasks_get(&world->tasks, kernel, tid, 0, &now);
}

static void switch_to(struct world *world, struct strata_task *before,
		      enum strata_task_state becomes, struct strata_task *after, uint32_t cpu,
		      uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_switch(&world->tasks, before, becomes, after, cpu, &now);
}

static void wake(struct world *world, struct strata_task *task, uint32_t cpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_wake(&world->tasks, task, cpu, &now);
}

static void migrate(struct world *world, struct strata_task *task, uint32_t cpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_migrate(&world->tasks, task, cpu, &now);
}

static void lose_kernel(struct world *world, struct strata_kernel *kernel, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_lose(&world->tasks, kernel, &now);
}

static uint64_t part(const struct strata_span *span, enum strata_task_state task,
		     enum strata_vcpu_state vcpu)
{
	assert_non_null(span->split);
	return span->split->ns[task][vcpu];
}

#define T_RUNNING  STRATA_TASK_RUNNING
#define T_RUNNABLE STRATA_TASK_RUNNABLE
#define T_BLOCKED  STRATA_TASK_BLOCKED
#define T_UNKNOWN  STRATA_TASK_UNKNOWN

/* The vCPU sleeps, is woken, waits for a CPU, runs, and switches to the task. */
static void a_wakeup_while_the_vcpu_sleeps(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *other = vcpu_of(world, 2, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0);
	struct strata_task *t = task_of(world, kernel, 70, 0);
	const struct strata_span *wakeup;

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	take_over(world, v, BLOCKED, other, 0, 100);
	/* Woken by another CPU of the guest. */
	wake(world, t, 0, 200);
	change(world, v, BLOCKED, RUNNABLE, 0, 230);
	take_over(world, other, RUNNABLE, v, 0, 300);
	switch_to(world, idle, T_RUNNABLE, t, 0, 310);
	finish(world, 400);
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 1);
	wakeup = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 200, 310, STRATA_SPAN_WAKEUP);
	assert_ptr_equal(wakeup->task, t);
	assert_int_equal(part(wakeup, T_RUNNABLE, BLOCKED), 30);
	assert_int_equal(part(wakeup, T_RUNNABLE, RUNNABLE), 70);
	assert_int_equal(part(wakeup, T_RUNNABLE, GUEST), 10);
	EXPECT_STATES(world, t,
		      ((const unsigned int[]){ T_UNKNOWN, T_BLOCKED, T_RUNNABLE, T_RUNNING }),
		      ((const uint64_t[]){ 0, 10, 200, 310, 400 }));
	assert_int_equal(count(world, STRATA_SPAN_PREEMPTED), 0);
	end(world);
}

static void a_wakeup_while_another_task_runs(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *s = task_of(world, kernel, 71, 0);
	struct strata_task *t = task_of(world, kernel, 70, 0);
	const struct strata_span *wait;

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	switch_to(world, t, T_BLOCKED, s, 0, 10);
	wake(world, t, 0, 100);
	/* sched_waking, sched_wakeup: one wake-up */
	wake(world, t, 0, 102);
	vm_exit(world, v, 1, 110);
	vm_entry(world, v, 150);
	switch_to(world, s, T_RUNNABLE, t, 0, 200);
	/* Woken while it runs: it waits for nothing. */
	wake(world, t, 0, 210);
	switch_to(world, t, T_BLOCKED, s, 0, 260);
	switch_to(world, s, T_BLOCKED, idle, 0, 300);
	wait = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 200, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(wait, T_RUNNABLE, GUEST), 60);
	assert_int_equal(part(wait, T_RUNNABLE, IN_XEN), 40);
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 1);
	wait = expect_at(nth(world, STRATA_SPAN_PREEMPTED, 0), 200, 260, STRATA_SPAN_PREEMPTED);
	assert_ptr_equal(wait->task, s);
	assert_int_equal(count(world, STRATA_SPAN_PREEMPTED), 1);
	assert_ptr_equal(strata_tasks_current(kernel, 0), idle);
	end(world);
}

static void a_task_that_migrates_waits_for_its_new_cpu(void **state)
{
	struct world *world = begin();
	const struct strata_moment begins = at(0);
	struct strata_vcpu *v0 = vcpu_of(world, 1, 0);
	struct strata_vcpu *v1 = strata_vcpus_get(&world->vcpus, 0, 1, 1, &begins);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *s = task_of(world, kernel, 71, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *idle = strata_tasks_get(&world->tasks, kernel, 0, 1, &begins);
	const struct strata_span *wait;

	(void)state;
	change(world, v0, UNKNOWN, GUEST, 0, 0);
	change(world, v1, UNKNOWN, BLOCKED, 1, 0);
	switch_to(world, t, T_BLOCKED, s, 0, 10);
	wake(world, t, 0, 100);
	migrate(world, t, 1, 130);
	wake(world, t, 1, 131);
	change(world, v1, BLOCKED, RUNNABLE, 1, 140);
	change(world, v1, RUNNABLE, GUEST, 1, 145);
	switch_to(world, idle, T_RUNNABLE, t, 1, 160);
	wait = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 160, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(wait, T_RUNNABLE, GUEST), 30 + 15);
	assert_int_equal(part(wait, T_RUNNABLE, BLOCKED), 10);
	assert_int_equal(part(wait, T_RUNNABLE, RUNNABLE), 5);
	assert_ptr_equal(strata_tasks_current(kernel, 1), t);
	assert_ptr_equal(strata_tasks_current(kernel, 0), s);
	/* One that does not wait is not moved. */
	migrate(world, s, 1, 170);
	assert_int_equal(s->cpu, 0);
	end(world);
}

/* Without a hypervisor each CPU is there all of the time. */
static void a_kernel_without_a_hypervisor(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	const struct strata_span *span;

	(void)state;
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	wake(world, t, 0, 100);
	switch_to(world, idle, T_RUNNABLE, t, 0, 130);
	finish(world, 200);
	span = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 130, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 30);
	end(world);
}

/* A guest of which the hypervisor told nothing (yet): where its times went, nobody knows. */
static void a_kernel_whose_vcpu_nobody_knows(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_vcpu *v;
	const struct strata_span *span;

	(void)state;
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	wake(world, t, 0, 100);
	v = vcpu_of(world, 1, 110);
	change(world, v, UNKNOWN, GUEST, 0, 125);
	switch_to(world, idle, T_RUNNABLE, t, 0, 130);
	span = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 130, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(span, T_RUNNABLE, UNKNOWN), 25);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 5);
	end(world);
}

static void a_system_call_is_divided(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *other = vcpu_of(world, 2, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_moment now;
	const struct strata_span *call;

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	now = at(100);
	strata_tasks_syscall(&world->tasks, t, 35, NULL, &now);
	switch_to(world, t, T_BLOCKED, idle, 0, 110);
	wake(world, t, 0, 150);
	take_over(world, v, RUNNABLE, other, 0, 160);
	take_over(world, other, RUNNABLE, v, 0, 180);
	switch_to(world, idle, T_RUNNABLE, t, 0, 185);
	now = at(200);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	call = expect_at(nth(world, STRATA_SPAN_SYSCALL, 0), 100, 200, 35);
	assert_ptr_equal(call->task, t);
	assert_int_equal(part(call, T_RUNNING, GUEST), 10 + 15);
	assert_int_equal(part(call, T_BLOCKED, GUEST), 40);
	assert_int_equal(part(call, T_RUNNABLE, GUEST), 10 + 5);
	assert_int_equal(part(call, T_RUNNABLE, RUNNABLE), 20);
	/* An end without a beginning is nothing; of two beginnings the last one counts. */
	now = at(210);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	strata_tasks_syscall(&world->tasks, t, 1, NULL, &now);
	now = at(220);
	strata_tasks_syscall(&world->tasks, t, 2, NULL, &now);
	now = at(230);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	assert_int_equal(count(world, STRATA_SPAN_SYSCALL), 2);
	expect_at(nth(world, STRATA_SPAN_SYSCALL, 1), 220, 230, 2);
	end(world);
}

static void a_loss_of_a_kernel(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *s = task_of(world, kernel, 71, 0);
	struct strata_moment now = at(40);

	(void)state;
	switch_to(world, s, T_BLOCKED, t, 0, 10);
	strata_tasks_syscall(&world->tasks, t, 35, NULL, &now);
	wake(world, s, 0, 50);
	lose_kernel(world, kernel, 100);
	assert_null(strata_tasks_current(kernel, 0));
	switch_to(world, t, T_BLOCKED, s, 0, 130);
	now = at(140);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	switch_to(world, s, T_BLOCKED, idle, 0, 150);
	finish(world, 200);
	/* It ran until the loss; since when it waited anew, nobody knows. */
	EXPECT_STATES(world, t,
		      ((const unsigned int[]){ T_UNKNOWN, T_RUNNING, T_UNKNOWN, T_BLOCKED }),
		      ((const uint64_t[]){ 0, 10, 100, 130, 200 }));
	/* Neither the wait nor the call, whose ends may have been lost, and others begun. */
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 0);
	assert_int_equal(count(world, STRATA_SPAN_PREEMPTED), 0);
	assert_int_equal(count(world, STRATA_SPAN_SYSCALL), 0);
	end(world);
}

static void irq(struct world *world, struct strata_kernel *kernel, uint64_t number, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_irq(&world->tasks, kernel, 0, number, "eth0", 4, &now);
}

static void irq_end(struct world *world, struct strata_kernel *kernel, uint64_t number, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_irq_end(&world->tasks, kernel, 0, number, &now);
}

static void interrupts_within_interrupts(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *other = vcpu_of(world, 2, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	const struct strata_span *span;
	struct strata_moment now = at(90);

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	strata_tasks_softirq(&world->tasks, kernel, 0, 3, &now);
	irq(world, kernel, 16, 100);
	irq(world, kernel, 17, 110);
	take_over(world, v, RUNNABLE, other, 0, 115);
	take_over(world, other, RUNNABLE, v, 0, 125);
	irq_end(world, kernel, 17, 130);
	irq_end(world, kernel, 16, 150);
	now = at(160);
	strata_tasks_softirq_end(&world->tasks, kernel, 0, 3, &now);
	strata_tasks_softirq_end(&world->tasks, kernel, 0, 3, &now);
	span = expect_at(nth(world, STRATA_SPAN_IRQ, 0), 110, 130, 17);
	assert_int_equal(part(span, T_RUNNING, RUNNABLE), 10);
	assert_int_equal(span->name_bytes, 4);
	assert_memory_equal(span->name, "eth0", 4);
	expect_at(nth(world, STRATA_SPAN_IRQ, 1), 100, 150, 16);
	assert_int_equal(count(world, STRATA_SPAN_IRQ), 2);
	expect_at(nth(world, STRATA_SPAN_SOFTIRQ, 0), 90, 160, 3);
	assert_int_equal(count(world, STRATA_SPAN_SOFTIRQ), 1);
	end(world);
}

/* An end of one that never began takes nothing from those that go on. */
static void an_interrupts_end_without_a_beginning(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);

	(void)state;
	irq_end(world, kernel, 99, 50);
	irq(world, kernel, 16, 100);
	irq_end(world, kernel, 99, 110);
	irq_end(world, kernel, 16, 150);
	assert_int_equal(count(world, STRATA_SPAN_IRQ), 1);
	expect_at(nth(world, STRATA_SPAN_IRQ, 0), 100, 150, 16);
	end(world);
}

/* Deeper than is followed: what is told is right, also of a number that is there twice. */
static void interrupts_that_nest_too_deep(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	unsigned int i;

	(void)state;
	for (i = 0; i < STRATA_IRQ_DEPTH; i++)
		irq(world, kernel, 1 + i, 100 + i);
	irq(world, kernel, 1, 200);
	irq(world, kernel, 9, 201);
	irq_end(world, kernel, 9, 210);
	irq_end(world, kernel, 1, 211);
	for (i = STRATA_IRQ_DEPTH; i-- > 0;)
		irq_end(world, kernel, 1 + i, 300 - i);
	assert_int_equal(count(world, STRATA_SPAN_IRQ), STRATA_IRQ_DEPTH);
	for (i = 0; i < STRATA_IRQ_DEPTH; i++)
		expect_at(nth(world, STRATA_SPAN_IRQ, STRATA_IRQ_DEPTH - 1 - i), 100 + i, 300 - i,
			  1 + i);
	end(world);
}

static void request(struct world *world, bool begins, struct strata_task *task, uint64_t key,
		    uint64_t ns)
{
	const struct strata_moment now = at(ns);

	if (begins)
		strata_requests_begin(&world->requests, &world->tasks, task, 2, "serve", key, &now);
	else
		strata_requests_end(&world->requests, &world->tasks, task, 2, "serve", key, &now);
}

static void requests_by_their_keys(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *s = task_of(world, kernel, 71, 0);
	const struct strata_span *span;

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	request(world, true, t, 1, 100);
	request(world, true, t, 2, 110);
	switch_to(world, t, T_BLOCKED, s, 0, 120);
	wake(world, t, 0, 150);
	switch_to(world, s, T_BLOCKED, t, 0, 160);
	request(world, false, t, 1, 170);
	request(world, false, s, 2, 180);
	/* An end without a beginning, and a beginning anew. */
	request(world, false, t, 1, 190);
	request(world, true, t, 3, 200);
	request(world, true, t, 3, 210);
	request(world, false, t, 3, 215);
	assert_int_equal(count(world, STRATA_SPAN_REQUEST), 3);
	span = expect_at(nth(world, STRATA_SPAN_REQUEST, 0), 100, 170, 1);
	assert_int_equal(part(span, T_RUNNING, GUEST), 20 + 10);
	assert_int_equal(part(span, T_BLOCKED, GUEST), 30);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 10);
	assert_int_equal(span->name_bytes, 5);
	assert_memory_equal(span->name, "serve", 5);
	/* Begun by one task and ended by another: neither's times divide it. */
	span = expect_at(nth(world, STRATA_SPAN_REQUEST, 1), 110, 180, 2);
	assert_null(span->split);
	expect_at(nth(world, STRATA_SPAN_REQUEST, 2), 210, 215, 3);
	assert_int_equal(world->requests.without_begin, 1);
	assert_int_equal(world->requests.without_end, 1);
	end(world);
}

static void requests_of_nobody(void **state)
{
	struct world *world = begin();

	(void)state;
	request(world, true, NULL, 1, 100);
	request(world, false, NULL, 1, 150);
	assert_null(expect_at(nth(world, STRATA_SPAN_REQUEST, 0), 100, 150, 1)->split);
	end(world);
}

/* Around a loss of the kernel's events: parts that are right, or none; never more than the whole,
 * which record() checks. */
static void a_request_around_a_loss_of_the_kernel(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *s = task_of(world, kernel, 71, 0);
	const struct strata_span *span;

	(void)state;
	switch_to(world, t, T_BLOCKED, s, 0, 10);
	/* The kernel's events say that it sleeps; the application says that it works. */
	request(world, true, t, 1, 100);
	switch_to(world, s, T_RUNNABLE, idle, 0, 120);
	lose_kernel(world, kernel, 150);
	wake(world, t, 0, 160);
	switch_to(world, idle, T_RUNNABLE, t, 0, 170);
	request(world, false, t, 1, 200);
	span = expect_at(nth(world, STRATA_SPAN_REQUEST, 0), 100, 200, 1);
	if (span->split)
		assert_true(part(span, T_BLOCKED, GUEST) <= 100);
	end(world);
}

static void a_loss_forgets_requests_of_its_trace(void **state)
{
	struct world *world = begin();
	const struct strata_moment now = at(100);
	uint64_t i;

	(void)state;
	for (i = 0; i < 500; i++)
		strata_requests_begin(&world->requests, &world->tasks, NULL, i % 2, "serve", i,
				      &now);
	strata_requests_lose(&world->requests, 0);
	for (i = 0; i < 500; i++)
		strata_requests_end(&world->requests, &world->tasks, NULL, i % 2, "serve", i, &now);
	assert_int_equal(count(world, STRATA_SPAN_REQUEST), 250);
	assert_int_equal(world->requests.without_end, 250);
	assert_int_equal(world->requests.without_begin, 250);
	end(world);
}

static void too_many_requests_are_counted(void **state)
{
	struct world *world = begin();
	uint64_t i;

	(void)state;
	for (i = 0; i < STRATA_REQUESTS_MAX + 10; i++)
		request(world, true, NULL, i, 100);
	assert_int_equal(world->requests.not_followed, 10);
	request(world, false, NULL, 5, 200);
	request(world, true, NULL, STRATA_REQUESTS_MAX + 20, 300);
	assert_int_equal(world->requests.not_followed, 10);
	end(world);
}

/* Whatever happens, parts sum to the length (record() checks it), and states follow each other. */
static void anything_in_any_order(void **state)
{
	uint64_t seed = 1, ns, round, i;

	(void)state;
	for (round = 0; round < 300; round++) {
		struct world *world = begin();
		struct strata_kernel *kernel = kernel_of(world, 1);

		for (i = 0, ns = 0; i < 400; i++) {
			struct strata_vcpu *v;
			struct strata_task *t, *s;
			struct strata_moment now;
			uint32_t cpu;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* The clock may stand still, but does not go back. */
			ns += seed % 4 * (seed >> 8) % 64;
			now = at(ns);
			cpu = (uint32_t)(seed >> 50) % 2;
			v = strata_vcpus_get(&world->vcpus, 0, (uint32_t)(seed >> 16) % 2 + 1, cpu,
					     &now);
			t = strata_tasks_get(&world->tasks, kernel, (uint32_t)(seed >> 20) % 4, cpu,
					     &now);
			s = strata_tasks_get(&world->tasks, kernel, (uint32_t)(seed >> 24) % 4, cpu,
					     &now);
			switch (seed >> 32 & 15) {
			case 0:
			case 1:
			case 2:
				change(world, v, (enum strata_vcpu_state)(seed >> 36) % 6,
				       (enum strata_vcpu_state)((seed >> 40) % 6),
				       (uint32_t)(seed >> 44) % 2, ns);
				break;
			case 3:
				seen(world, v, (uint32_t)(seed >> 44) % 2, ns);
				vm_exit(world, v, seed >> 48 & 3, ns);
				break;
			case 4:
				vm_entry(world, v, ns);
				break;
			case 5:
				hypercall(world, v, seed >> 48 & 3, ns);
				break;
			case 6:
				returns(world, v, seed >> 48 & 3, ns);
				break;
			case 7:
				if (seed >> 44 & 1)
					lose(world, (uint32_t)(seed >> 45) % 2, ns);
				break;
			case 8:
			case 9:
				if (s != t)
					switch_to(world, s, seed >> 44 & 1 ? T_BLOCKED : T_RUNNABLE,
						  t, cpu, ns);
				break;
			case 10:
				wake(world, t, cpu, ns);
				break;
			case 11:
				migrate(world, t, cpu, ns);
				break;
			case 12:
				strata_tasks_syscall(&world->tasks, t, seed >> 48, NULL, &now);
				break;
			case 13:
				strata_tasks_syscall_end(&world->tasks, t, &now);
				break;
			case 14:
				request(world, seed >> 44 & 1, t, seed >> 46 & 3, ns);
				break;
			case 15:
				if ((seed >> 44 & 7) == 0)
					lose_kernel(world, kernel, ns);
				else if (seed >> 47 & 1)
					irq(world, kernel, seed >> 48 & 3, ns);
				else
					irq_end(world, kernel, seed >> 48 & 3, ns);
				break;
			}
		}
		finish(world, ns + 10);
		end(world);
	}
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
		cmocka_unit_test(a_wakeup_while_the_vcpu_sleeps),
		cmocka_unit_test(a_wakeup_while_another_task_runs),
		cmocka_unit_test(a_task_that_migrates_waits_for_its_new_cpu),
		cmocka_unit_test(a_kernel_without_a_hypervisor),
		cmocka_unit_test(a_kernel_whose_vcpu_nobody_knows),
		cmocka_unit_test(a_system_call_is_divided),
		cmocka_unit_test(a_loss_of_a_kernel),
		cmocka_unit_test(interrupts_within_interrupts),
		cmocka_unit_test(an_interrupts_end_without_a_beginning),
		cmocka_unit_test(interrupts_that_nest_too_deep),
		cmocka_unit_test(requests_by_their_keys),
		cmocka_unit_test(requests_of_nobody),
		cmocka_unit_test(a_request_around_a_loss_of_the_kernel),
		cmocka_unit_test(a_loss_forgets_requests_of_its_trace),
		cmocka_unit_test(too_many_requests_are_counted),
		cmocka_unit_test(anything_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
