/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_world.h - the parts of the state of hosts (merge/state/), which tests feed with events, and
 * the resulting spans and links.
 */
#ifndef STRATA_TEST_STATE_WORLD_H
#define STRATA_TEST_STATE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "state/evtchns.h"
#include "state/requests.h"

#define SPANS_MAX 4096u
#define LINKS_MAX 4096u

/* A span, and the objects that it points to during the call only. */
struct recorded {
	struct strata_span span;
	struct strata_split split;
	struct strata_link wake;
	struct strata_task_block block;
};

/* A link, and up to two that caused it. */
struct recorded_link {
	struct strata_link link, cause, first_cause;
	char name[STRATA_IRQ_NAME_BYTES + 1];
};

struct world {
	struct strata_span_listener listener, *listeners[1];
	struct strata_spans spans;
	struct strata_vcpus vcpus;
	struct strata_tasks tasks;
	struct strata_evtchns evtchns;
	struct strata_requests requests;
	struct recorded recorded[SPANS_MAX];
	size_t nr;
	struct recorded_link links[LINKS_MAX];
	size_t nr_links;
};

static inline struct strata_moment at(uint64_t ns)
{
	return (struct strata_moment){ ns, 2 };
}

static inline uint64_t sum_of(const struct strata_split *split)
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
static inline void record(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct world *world = (struct world *)listener;
	struct recorded *recorded = &world->recorded[world->nr++];
	size_t i;

	assert_true(world->nr <= SPANS_MAX);
	assert_true(span->from_ns <= span->to_ns);
	/* As at() has it. */
	assert_int_equal(span->from_bound_ns, 2);
	assert_int_equal(span->bound_ns, span->kind == STRATA_SPAN_GRANT_COPY ? 2 : 4);
	recorded->span = *span;
	if (span->wake) {
		recorded->wake = *span->wake;
		recorded->span.wake = &recorded->wake;
	}
	if (span->block) {
		recorded->block = *span->block;
		recorded->span.block = &recorded->block;
	}
	if (!span->split)
		return;
	assert_int_equal(sum_of(span->split), span->to_ns - span->from_ns);
	for (i = 0; i < STRATA_NR_TASK_STATES * STRATA_NR_VCPU_STATES; i++)
		assert_true(span->split->ns[i / STRATA_NR_VCPU_STATES][i % STRATA_NR_VCPU_STATES] <=
			    span->to_ns - span->from_ns);
	recorded->split = *span->split;
	recorded->span.split = &recorded->split;
}

/* Records a link; an effect is not before its cause. */
static inline void record_link(struct strata_span_listener *listener,
			       const struct strata_link *link)
{
	struct world *world = (struct world *)listener;
	struct recorded_link *recorded = &world->links[world->nr_links++];

	assert_true(world->nr_links <= LINKS_MAX);
	assert_true(link->from.at.ns <= link->to.at.ns);
	recorded->link = *link;
	if (link->name_bytes) {
		assert_true(link->name_bytes < sizeof(recorded->name));
		memcpy(recorded->name, link->name, link->name_bytes);
	}
	recorded->link.name = recorded->name;
	if (!link->cause)
		return;
	assert_true(link->cause->to.at.ns <= link->to.at.ns);
	recorded->cause = *link->cause;
	recorded->link.cause = &recorded->cause;
	if (!link->cause->cause)
		return;
	recorded->first_cause = *link->cause->cause;
	recorded->cause.cause = &recorded->first_cause;
}

/* The link of a kind at @nr among those of that kind; NULL: there are fewer. */
static inline const struct strata_link *nth_link(const struct world *world,
						 enum strata_link_kind kind, size_t nr)
{
	size_t i;

	for (i = 0; i < world->nr_links; i++) {
		if (world->links[i].link.kind == kind && nr-- == 0)
			return &world->links[i].link;
	}
	return NULL;
}

static inline struct world *begin(void)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->listener.span = record;
	world->listener.link = record_link;
	world->listeners[0] = &world->listener;
	world->spans = strata_spans_of(world->listeners, 1);
	world->vcpus.spans = world->tasks.spans = world->requests.spans = &world->spans;
	world->evtchns.spans = &world->spans;
	world->tasks.vcpus = world->evtchns.vcpus = &world->vcpus;
	world->evtchns.tasks = &world->tasks;
	world->tasks.kernels = calloc(4, sizeof(*world->tasks.kernels));
	world->tasks.nr_traces = 4;
	world->requests.open = calloc(4, sizeof(*world->requests.open));
	world->requests.nr_traces = 4;
	world->requests.holders.of = calloc(4, sizeof(*world->requests.holders.of));
	for (world->requests.holders.nr = 0; world->requests.holders.nr < 4;
	     world->requests.holders.nr++)
		world->requests.holders.of[world->requests.holders.nr] = world->requests.holders.nr;
	return world;
}

static inline void end(struct world *world)
{
	strata_evtchns_clear(&world->evtchns);
	strata_requests_clear(&world->requests);
	strata_tasks_clear(&world->tasks);
	strata_vcpus_clear(&world->vcpus);
	free(world);
}

static inline void finish(struct world *world, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_tell_open(&world->tasks, &world->spans, &now);
	strata_vcpus_tell_open(&world->vcpus, &world->spans, &now);
}

/* The span of a kind at @nr among those of that kind; NULL: there are fewer. */
static inline const struct strata_span *nth(const struct world *world, enum strata_span_kind kind,
					    size_t nr)
{
	size_t i;

	for (i = 0; i < world->nr; i++) {
		if (world->recorded[i].span.kind == kind && nr-- == 0)
			return &world->recorded[i].span;
	}
	return NULL;
}

static inline size_t count(const struct world *world, enum strata_span_kind kind)
{
	size_t nr = 0;

	while (nth(world, kind, nr))
		nr++;
	return nr;
}

static inline const struct strata_span *expect_at(const struct strata_span *span, uint64_t from,
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
static inline void expect_states(const struct world *world, const void *of, size_t nr,
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
static inline struct strata_vcpu *vcpu_of(struct world *world, uint32_t domain, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	return strata_vcpus_get(&world->vcpus, 0, domain, 0, &now);
}

static inline void change(struct world *world, struct strata_vcpu *vcpu,
			  enum strata_vcpu_state before, enum strata_vcpu_state after,
			  uint32_t pcpu, uint64_t ns)
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
static inline void take_over(struct world *world, struct strata_vcpu *before,
			     enum strata_vcpu_state becomes, struct strata_vcpu *after,
			     uint32_t pcpu, uint64_t ns)
{
	change(world, before, GUEST, becomes, pcpu, ns);
	change(world, after, RUNNABLE, GUEST, pcpu, ns);
}

static inline void lose(struct world *world, uint32_t pcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_lose(&world->vcpus, 0, pcpu, 0, &now);
}

static inline void seen(struct world *world, struct strata_vcpu *vcpu, uint32_t pcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_seen(&world->vcpus, vcpu, pcpu, 0, &now);
}

static inline void vm_exit(struct world *world, struct strata_vcpu *vcpu, uint64_t reason,
			   uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_exit(&world->vcpus, vcpu, reason, &now);
}

static inline void vm_entry(struct world *world, struct strata_vcpu *vcpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_entry(&world->vcpus, vcpu, 0, &now);
}

static inline void hypercall(struct world *world, struct strata_vcpu *vcpu, uint64_t op,
			     uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_hypercall(&world->vcpus, vcpu, op, &now);
}

static inline void preempt(struct world *world, struct strata_vcpu *vcpu, uint64_t op, uint64_t ns)
{
	(void)ns;
	strata_vcpus_preempt(&world->vcpus, vcpu, op);
}

static inline void returns(struct world *world, struct strata_vcpu *vcpu, uint64_t op, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_vcpus_return(&world->vcpus, vcpu, op, 0, &now);
}

/* Kernels and tasks. */
static inline struct strata_kernel *kernel_of(struct world *world, uint32_t domain)
{
	return strata_tasks_kernel(&world->tasks, 1, 0, domain);
}

static inline struct strata_task *task_of(struct world *world, struct strata_kernel *kernel,
					  uint32_t tid, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	return strata_tasks_get(&world->tasks, kernel, tid, 0, &now);
}

static inline void switch_to(struct world *world, struct strata_task *before,
			     enum strata_task_state becomes, struct strata_task *after,
			     uint32_t cpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_switch(&world->tasks, before, becomes, 1, after, cpu, &now);
}

static inline void wake(struct world *world, struct strata_task *task, uint32_t cpu, uint64_t ns)
{
	const struct strata_waker waker = { .cpu = STRATA_NO_CPU };
	const struct strata_moment now = at(ns);

	strata_tasks_wake(&world->tasks, task, cpu, &waker, &now);
}

static inline void migrate(struct world *world, struct strata_task *task, uint32_t cpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_migrate(&world->tasks, task, cpu, &now);
}

static inline void lose_kernel(struct world *world, struct strata_kernel *kernel, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_lose(&world->tasks, kernel, &now);
}

static inline uint64_t part(const struct strata_span *span, enum strata_task_state task,
			    enum strata_vcpu_state vcpu)
{
	assert_non_null(span->split);
	return span->split->ns[task][vcpu];
}

#define T_RUNNING  STRATA_TASK_RUNNING
#define T_RUNNABLE STRATA_TASK_RUNNABLE
#define T_BLOCKED  STRATA_TASK_BLOCKED
#define T_UNKNOWN  STRATA_TASK_UNKNOWN

static inline void irq(struct world *world, struct strata_kernel *kernel, uint64_t number,
		       uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_irq(&world->tasks, kernel, 0, number, "eth0", 4, &now);
}

static inline void irq_end(struct world *world, struct strata_kernel *kernel, uint64_t number,
			   uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_irq_end(&world->tasks, kernel, 0, number, &now);
}

static inline void request(struct world *world, bool begins, struct strata_task *task, uint64_t key,
			   uint64_t ns)
{
	const struct strata_moment now = at(ns);

	if (begins)
		strata_requests_begin(&world->requests, &world->tasks, task, 2, "serve", key, &now);
	else
		strata_requests_end(&world->requests, &world->tasks, task, 2, "serve", key, &now);
}

#endif /* STRATA_TEST_STATE_WORLD_H */
