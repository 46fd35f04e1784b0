/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_world.h - hosts on which the time of a task is explained (merge/why/): what happens is told
 * to the state (state_world.h), whose spans the recall remembers.
 */
#ifndef STRATA_TEST_WHY_WORLD_H
#define STRATA_TEST_WHY_WORLD_H

#include "state_world.h"

#include "why/answer.h"
#include "why/explain.h"
#include "why/moment.h"

#define PORT 9u
#define IRQ  72u

/* Kernels of g1 (domain 1, traces[1]) and dom0 (domain 0, traces[2]); Xen is traces[0]. */
struct question {
	struct world *world;
	struct strata_span_listener *listeners[2];
	struct strata_ctf_trace traces[4];
	struct strata_ctf_trace *of_set[4];
	struct strata_trace_set set;
	struct strata_shown_source sources[4];
	size_t holders[4];
	struct strata_shown shown;
	struct strata_why_names names;
	struct strata_why_recall *recall;
	struct strata_why_instance instance;
	struct strata_why_tree tree;
	struct strata_why_findings findings;
};

/* Asks about a task of a kernel from a time to another; what happens follows. */
static inline struct question *ask(size_t kernel, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
				   size_t most)
{
	static const char *const names[] = { "xen", "g1", "dom0", "other" };
	const struct strata_why_window window = { from_ns, to_ns };
	struct question *question = calloc(1, sizeof(*question));
	size_t i;

	assert_non_null(question);
	for (i = 0; i < 4; i++) {
		question->sources[i].name = names[i];
		question->holders[i] = i;
		question->of_set[i] = &question->traces[i];
	}
	question->set.traces = question->of_set;
	question->set.nr_traces = question->shown.nr_sources = 4;
	question->shown.set = &question->set;
	question->shown.sources = question->sources;
	question->shown.holders.of = question->holders;
	question->recall =
		strata_why_recall_new(&window, 1, most, &question->shown, &question->names);
	assert_non_null(question->recall);
	question->world = begin();
	question->listeners[0] = &question->world->listener;
	question->listeners[1] = &question->recall->listener;
	question->world->spans = strata_spans_of(question->listeners, 2);
	question->instance = (struct strata_why_instance){
		.of = STRATA_WHY_OF_REQUEST,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.from_bound_ns = 2,
		.to_bound_ns = 2,
		.bound_ns = 4,
		.has_task = true,
		.kernel = kernel,
		.tid = tid,
	};
	return question;
}

/* Nodes sum to their parents, everywhere. */
static inline void expect_sums(const struct strata_why_tree *tree)
{
	size_t i, child;

	for (i = 0; i < tree->nr; i++) {
		uint64_t sum = 0, last = UINT64_MAX;

		for (child = tree->nodes[i].child; child; child = tree->nodes[child].next) {
			assert_true(tree->nodes[child].ns <= last);
			last = tree->nodes[child].ns;
			sum += last;
		}
		if (tree->nodes[i].child)
			assert_int_equal(sum, tree->nodes[i].ns);
	}
}

static inline void answer(struct question *question, uint64_t end_ns)
{
	uint64_t sum = question->findings.others_ns;
	size_t i;

	finish(question->world, end_ns);
	assert_int_equal(strata_why_recall_finish(question->recall), 0);
	assert_int_equal(strata_why_explain(question->recall, &question->instance, &question->tree),
			 0);
	strata_why_find(&question->findings, &question->tree, &question->names);
	expect_sums(&question->tree);
	for (i = 0; i < question->findings.nr; i++)
		sum += question->findings.all[i].ns;
	assert_int_equal(sum, question->instance.to_ns - question->instance.from_ns);
}

static inline void forget(struct question *question)
{
	end(question->world);
	strata_why_recall_free(question->recall);
	strata_why_tree_clear(&question->tree);
	strata_why_names_clear(&question->names);
	free(question);
}

/* The node at the end of a path; its name is looked at if one is given. */
static inline const struct strata_why_node *node(const struct question *question,
						 const enum strata_why_what *path, size_t nr)
{
	const struct strata_why_tree *tree = &question->tree;
	size_t at = 0, i;

	for (i = 0; i < nr; i++) {
		at = tree->nodes[at].child;
		while (at && tree->nodes[at].step.what != path[i])
			at = tree->nodes[at].next;
		if (!at)
			return NULL;
	}
	return &tree->nodes[at];
}

static inline void expect(const struct question *question, uint64_t ns, const char *name,
			  const enum strata_why_what *path, size_t nr)
{
	const struct strata_why_node *found = node(question, path, nr);

	assert_non_null(found);
	assert_int_equal(found->ns, ns);
	if (name)
		assert_string_equal(strata_why_name(&question->names, found->step.name), name);
}

#define PATH(...)                                                       \
	((const enum strata_why_what[]){ __VA_ARGS__ }),                \
		sizeof((const enum strata_why_what[]){ __VA_ARGS__ }) / \
			sizeof(enum strata_why_what)

static inline void expect_blame(const struct question *question, size_t at, const char *blame,
				const char *by, uint64_t ns)
{
	const struct strata_why_finding *finding = &question->findings.all[at];

	assert_true(at < question->findings.nr);
	assert_string_equal(strata_why_blame_key(finding->blame), blame);
	assert_string_equal(strata_why_name(&question->names, finding->by), by);
	assert_int_equal(finding->ns, ns);
}

static inline void wake_by(struct world *world, struct strata_task *task,
			   const struct strata_task *by, uint64_t ns)
{
	const struct strata_waker waker = { .task = by, .cpu = 0 };
	const struct strata_moment now = at(ns);

	strata_tasks_wake(&world->tasks, task, 0, &waker, &now);
}

static inline void syscall_of(struct world *world, struct strata_task *task, uint64_t number,
			      uint64_t ns)
{
	const struct strata_moment now = at(ns);

	if (number)
		strata_tasks_syscall(&world->tasks, task, number, NULL, &now);
	else
		strata_tasks_syscall_end(&world->tasks, task, &now);
}

/* A kernel's vCPU that runs, and its idle task. */
static inline struct strata_task *boot(struct question *question, size_t trace, uint32_t domain,
				       struct strata_kernel **kernel)
{
	struct world *world = question->world;

	change(world, vcpu_of(world, domain, 0), UNKNOWN, GUEST, domain == 0 ? 0 : 1, 0);
	*kernel = strata_tasks_kernel(&world->tasks, trace, 0, domain);
	return task_of(world, *kernel, 0, 0);
}

/* A server of dom0, which waits for its CPU, sends; g1's vCPU sleeps, is woken, waits behind g2 and
 * takes the interrupt, which wakes the task. */
static inline struct question *ask_of_another_domain(void)
{
	struct question *question = ask(1, 70, 10, 200, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1, *dom0;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_task *idle0 = boot(question, 2, 0, &dom0);
	struct strata_task *server = task_of(world, dom0, 300, 0),
			   *hog = task_of(world, dom0, 301, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *v0 = vcpu_of(world, 0, 0);
	struct strata_vcpu *g2 = vcpu_of(world, 2, 0);
	const struct strata_xen_place sends = {
		.vcpu = v0, .kernel = dom0, .task = server, .pcpu = 0
	};
	struct strata_moment now;

	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	switch_to(world, idle0, T_RUNNABLE, server, 0, 5);
	syscall_of(world, t, 1, 8);
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	take_over(world, v, BLOCKED, g2, 1, 20);
	switch_to(world, server, T_RUNNABLE, hog, 0, 40);
	switch_to(world, hog, T_BLOCKED, server, 0, 90);
	now = at(100);
	strata_evtchns_send(&world->evtchns, &sends, 1, PORT, &now);
	now = at(102);
	strata_evtchns_pending(&world->evtchns, &sends, v, PORT, &now);
	now = at(105);
	strata_vcpus_wake(&world->vcpus, v, BLOCKED, &sends, &now);
	take_over(world, g2, RUNNABLE, v, 1, 140);
	now = at(150);
	strata_evtchns_upcall(&world->evtchns, g1, 0, PORT, IRQ, &now);
	irq(world, g1, IRQ, 153);
	wake_by(world, t, idle, 158);
	irq_end(world, g1, IRQ, 160);
	switch_to(world, idle, T_RUNNABLE, t, 0, 172);
	syscall_of(world, t, 0, 180);
	return question;
}

#endif /* STRATA_TEST_WHY_WORLD_H */
