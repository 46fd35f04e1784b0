// SPDX-License-Identifier: GPL-2.0-or-later
/* instances.c - see instances.h. */
#include "why/instances.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/array.h"
#include "why/matches.h"
#include "why/tree.h"

/* A task's current stretch of work, since it became runnable. */
struct strata_why_episode {
	bool is_open, began_before, was_known;
	uint64_t from_ns, to_ns, from_bound_ns, to_bound_ns;
	uint64_t parts[STRATA_NR_PARTS];
	size_t kernel;
	uint32_t tid, task;
	struct strata_why_episode *next; /* of the task that was first seen after this one */
};

/* Remembers a name that did not match, to suggest it if nothing does. */
static void see(struct strata_why_instances *all, uint32_t name)
{
	size_t i;

	for (i = 0; i < all->nr_names_seen; i++) {
		if (all->names_seen[i] == name)
			return;
	}
	if (all->nr_names_seen < STRATA_WHY_SEEN)
		all->names_seen[all->nr_names_seen++] = name;
}

static uint64_t length(const struct strata_why_instance *instance)
{
	return instance->to_ns - instance->from_ns;
}

/* Of two instances of equal length the earlier one sorts as the longer. */
static bool is_longer(const struct strata_why_instance *a, const struct strata_why_instance *b)
{
	return length(a) != length(b) ? length(a) > length(b) : a->number < b->number;
}

static void swap(struct strata_why_instance *a, struct strata_why_instance *b)
{
	const struct strata_why_instance kept = *a;

	*a = *b;
	*b = kept;
}

/* Restores the min-heap of the first @nr after its root was replaced. */
static void sift_down(struct strata_why_instance *heap, size_t nr)
{
	size_t at = 0;

	for (;;) {
		size_t least = at, child = 2 * at + 1, i;

		for (i = child; i < nr && i < child + 2; i++) {
			if (is_longer(&heap[least], &heap[i]))
				least = i;
		}
		if (least == at)
			return;
		swap(&heap[at], &heap[least]);
		at = least;
	}
}

static void keep_worst(struct strata_why_instances *all, const struct strata_why_instance *instance)
{
	struct strata_why_instance *heap = all->worst;
	size_t at;

	if (all->nr_worst < all->question->worst) {
		heap[at = all->nr_worst++] = *instance;
		for (; at && is_longer(&heap[(at - 1) / 2], &heap[at]); at = (at - 1) / 2)
			swap(&heap[at], &heap[(at - 1) / 2]);
	} else if (all->nr_worst && is_longer(instance, &heap[0])) {
		heap[0] = *instance;
		sift_down(heap, all->nr_worst);
	}
}

/* Keeps a uniform random sample of all instances (Vitter's algorithm R). */
static void keep_sample(struct strata_why_instances *all,
			const struct strata_why_instance *instance)
{
	uint64_t at;

	if (all->nr_sample < STRATA_WHY_SAMPLE) {
		if (STRATA_GROW(all->sample, all->nr_sample, all->sample_room))
			all->sample[all->nr_sample++] = *instance;
		else
			all->no_memory = true;
		return;
	}
	/* The generator has a fixed seed, so the answer is the same in each run. */
	all->random ^= all->random << 13;
	all->random ^= all->random >> 7;
	all->random ^= all->random << 17;
	at = all->random % all->nr;
	if (at < STRATA_WHY_SAMPLE)
		all->sample[at] = *instance;
}

static void add(struct strata_why_instances *all, struct strata_why_instance *instance,
		const uint64_t parts[STRATA_NR_PARTS])
{
	const struct strata_why_question *question = all->question;
	size_t i;

	if (instance->from_ns < question->from_ns || instance->to_ns > question->to_ns ||
	    (question->has_at &&
	     (question->at_ns < instance->from_ns || question->at_ns > instance->to_ns)) ||
	    length(instance) < question->longer_ns)
		return;
	instance->number = ++all->nr;
	all->sum_ns += length(instance);
	for (i = 0; i < STRATA_NR_PARTS; i++)
		all->parts[i] += parts[i];
	keep_worst(all, instance);
	keep_sample(all, instance);
}

static uint32_t name_task(struct strata_why_instances *all, const struct strata_task *task)
{
	char text[STRATA_REPORT_NAME];

	return strata_why_names_add(all->names, strata_report_task_name(text, task), NULL,
				    strata_report_owner(all->shown, task->kernel->trace, NULL));
}

static bool is_asked_for(struct strata_why_instances *all, const struct strata_span *span,
			 enum strata_why_of of, uint32_t name)
{
	const struct strata_why_question *question = all->question;
	const bool by_name = of == STRATA_WHY_OF_REQUEST || of == STRATA_WHY_OF_SYSCALL;

	if ((!by_name || strata_why_name_fits(question->name, strata_why_name(all->names, name))) &&
	    strata_why_source_fits(question->source, all->shown->sources[span->trace].name) &&
	    (!question->task || (span->task && strata_why_task_fits(question->task, span->task))))
		return true;
	see(all, by_name || !span->task ? name : name_task(all, span->task));
	return false;
}

/* Takes a span that is itself an instance. */
static void take_span(struct strata_why_instances *all, const struct strata_span *span,
		      enum strata_why_of of)
{
	struct strata_why_instance instance = {
		.of = of,
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.from_bound_ns = span->from_bound_ns,
		.to_bound_ns = strata_span_to_bound(span),
		.bound_ns = span->bound_ns,
		.trace = span->trace,
		.has_task = span->task != NULL,
		.key = span->number,
	};
	uint64_t parts[STRATA_NR_PARTS] = { 0 };
	char text[STRATA_REPORT_NAME];

	strata_report_span_name(text, all->shown, span);
	instance.name = strata_why_names_add(all->names, text, NULL,
					     strata_report_span_owner(all->shown, span));
	if (!is_asked_for(all, span, of, instance.name))
		return;
	if (span->task) {
		instance.kernel = span->task->kernel->trace;
		instance.tid = span->task->tid;
		instance.task = name_task(all, span->task);
	}
	if (span->split)
		strata_parts_add(parts, span->split);
	else
		parts[STRATA_PART_UNKNOWN] = span->to_ns - span->from_ns;
	add(all, &instance, parts);
}

static struct strata_why_episode *episode_of(struct strata_why_instances *all,
					     const struct strata_task *task)
{
	const uint64_t id = (uint64_t)task->kernel->trace << 32 | task->tid;
	struct strata_why_episode *episode = strata_id_map_find(&all->episodes, id);

	if (episode)
		return episode;
	episode = calloc(1, sizeof(*episode));
	if (episode && !strata_id_map_add(&all->episodes, id, episode)) {
		episode->kernel = task->kernel->trace;
		episode->tid = task->tid;
		*(all->last_episode ? &all->last_episode->next : &all->first_episode) = episode;
		all->last_episode = episode;
		return episode;
	}
	free(episode);
	all->no_memory = true;
	return NULL;
}

/* @goes_on: its end is unknown */
static void end_episode(struct strata_why_instances *all, struct strata_why_episode *episode,
			bool goes_on)
{
	struct strata_why_instance instance = {
		.of = STRATA_WHY_OF_TASK,
		.from_ns = episode->from_ns,
		.to_ns = episode->to_ns,
		.from_bound_ns = episode->from_bound_ns,
		.to_bound_ns = episode->to_bound_ns,
		.bound_ns = strata_why_bounds(episode->from_bound_ns, episode->to_bound_ns),
		.trace = episode->kernel,
		.has_task = true,
		.kernel = episode->kernel,
		.tid = episode->tid,
		.task = episode->task,
		.began_before = episode->began_before,
		.goes_on = goes_on,
	};

	if (episode->is_open)
		add(all, &instance, episode->parts);
	episode->is_open = false;
}

/* Takes a state of a task: consecutive states in which it wants to run form one episode. */
static void take_state(struct strata_why_instances *all, const struct strata_span *span)
{
	struct strata_why_episode *episode;

	if (span->task->tid == 0)
		return;
	episode = episode_of(all, span->task);
	if (!episode)
		return;
	if (span->number != STRATA_TASK_RUNNING && span->number != STRATA_TASK_RUNNABLE) {
		end_episode(all, episode, span->number == STRATA_TASK_UNKNOWN);
		episode->was_known = span->number == STRATA_TASK_BLOCKED;
		return;
	}
	if (!episode->is_open) {
		episode->task = name_task(all, span->task);
		if (!is_asked_for(all, span, STRATA_WHY_OF_TASK, episode->task))
			return;
		episode->is_open = true;
		episode->began_before = !episode->was_known;
		episode->from_ns = span->from_ns;
		episode->from_bound_ns = span->from_bound_ns;
		memset(episode->parts, 0, sizeof(episode->parts));
	}
	episode->was_known = true;
	episode->to_ns = span->to_ns;
	episode->to_bound_ns = strata_span_to_bound(span);
	strata_parts_add(episode->parts, span->split);
}

static void take(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct strata_why_instances *all = (struct strata_why_instances *)listener;
	enum strata_why_of of;

	switch (span->kind) {
	case STRATA_SPAN_REQUEST:
		of = STRATA_WHY_OF_REQUEST;
		break;
	case STRATA_SPAN_TASK:
		of = STRATA_WHY_OF_TASK;
		break;
	case STRATA_SPAN_WAKEUP:
		of = STRATA_WHY_OF_WAKEUP;
		break;
	case STRATA_SPAN_SYSCALL:
		of = STRATA_WHY_OF_SYSCALL;
		break;
	default:
		return;
	}
	all->seen[of]++;
	if (!(all->question->of & 1u << of))
		return;
	if (of == STRATA_WHY_OF_TASK)
		take_state(all, span);
	else
		take_span(all, span, of);
}

struct strata_why_instances *strata_why_instances_new(const struct strata_why_question *question,
						      const struct strata_shown *shown,
						      struct strata_why_names *names)
{
	struct strata_why_instances *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->listener.span = take;
	all->question = question;
	all->shown = shown;
	all->names = names;
	all->random = 88172645463325252u;
	all->worst = calloc(question->worst + 1, sizeof(*all->worst));
	if (all->worst)
		return all;
	free(all);
	return NULL;
}

int strata_why_instances_finish(struct strata_why_instances *all)
{
	struct strata_why_episode *episode;
	size_t nr;

	for (episode = all->first_episode; episode; episode = episode->next)
		end_episode(all, episode, true);
	/* Heap sort: moves the shortest of the rest to the end. */
	for (nr = all->nr_worst; nr > 1; nr--) {
		swap(&all->worst[0], &all->worst[nr - 1]);
		sift_down(all->worst, nr - 1);
	}
	return all->no_memory || all->names->no_memory ? -1 : 0;
}

static int by_length(const void *a, const void *b)
{
	return is_longer(a, b) ? 1 : is_longer(b, a) ? -1 : 0;
}

const struct strata_why_instance *
strata_why_instances_median(const struct strata_why_instances *all)
{
	if (!all->nr_sample)
		return NULL;
	qsort(all->sample, all->nr_sample, sizeof(*all->sample), by_length);
	return &all->sample[(all->nr_sample - 1) / 2];
}

void strata_why_instances_free(struct strata_why_instances *all)
{
	if (!all)
		return;
	strata_id_map_free(&all->episodes);
	free(all->worst);
	free(all->sample);
	free(all);
}

const char *strata_why_of_name(unsigned int of, bool several)
{
	static const char *const names[STRATA_NR_WHY_OF][2] = {
		[STRATA_WHY_OF_REQUEST] = { "request", "requests" },
		[STRATA_WHY_OF_TASK] = { "stretch of work", "stretches of work" },
		[STRATA_WHY_OF_WAKEUP] = { "wake-up", "wake-ups" },
		[STRATA_WHY_OF_SYSCALL] = { "system call", "system calls" },
	};
	size_t i;

	for (i = 0; i < STRATA_NR_WHY_OF; i++) {
		if (of == 1u << i)
			return names[i][several];
	}
	return several ? "requests and stretches of work" : "request or stretch of work";
}
