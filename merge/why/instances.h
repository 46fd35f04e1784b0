/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - finds the instances that are to be explained: requests, system calls, wake-ups and
 * stretches of work of a task that lie in the spans of the state (state/span.h).  It retains the
 * longest ones, a sample of all for the median, and sums over all of them; its memory does not grow
 * with the trace beyond the number of tasks.
 *
 *     strata_why_instances_new
 *     instances->listener          to be told of all spans
 *     strata_why_instances_finish  after them
 *     strata_why_instances_free
 */
#ifndef STRATA_MERGE_WHY_INSTANCES_H
#define STRATA_MERGE_WHY_INSTANCES_H

#include "base/histogram.h"
#include "outputs/shown.h"
#include "state/parts.h"
#include "state/tasks.h"
#include "why/names.h"

enum strata_why_of {
	STRATA_WHY_OF_REQUEST, /* from its begin to its end */
	STRATA_WHY_OF_TASK,    /* from when a task wants to run until it blocks again */
	STRATA_WHY_OF_WAKEUP,  /* from when a task is woken until it runs */
	STRATA_WHY_OF_SYSCALL,
	STRATA_NR_WHY_OF,
};

/* What is asked for. */
struct strata_why_question {
	unsigned int of; /* bits of enum strata_why_of */
	/* Patterns as of filters; NULL: any.  The source of a request and the kernel of a task: as
	 * it is shown, or an application's without "app-".  The name of a request or a system call.
	 */
	const char *source, *name;
	const char
		*task; /* a task by its name, its number, or both: "server", "239", "server-239" */
	bool has_at;
	uint64_t at_ns;          /* only what was going on then */
	uint64_t longer_ns;      /* only what took longer */
	uint64_t from_ns, to_ns; /* only what lies between */
	size_t worst;            /* as many, the longest ones */
};

struct strata_why_instance {
	enum strata_why_of of;
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the ends; */
	uint64_t bound_ns;                   /* of the length, so the sum of both */
	size_t trace;                        /* of the set, that tells of it */
	bool has_task;
	size_t kernel;              /* the trace of the task's kernel */
	uint32_t tid, task;         /* task: its name, a number of names */
	uint32_t name;              /* what the request or system call is; likewise */
	uint64_t key;               /* of a request */
	uint64_t number;            /* among all of them, by their ends, from 1 */
	bool began_before, goes_on; /* it is longer than what is known of the task */
};

/* Instances whose median is exact; of more, it is that of a random sample of this size. */
#define STRATA_WHY_SAMPLE 16384u
#define STRATA_WHY_WORST  1000u /* the most that may be asked for */
#define STRATA_WHY_SEEN   16u

struct strata_why_instances {
	struct strata_span_listener listener;
	const struct strata_why_question *question;
	const struct strata_shown *shown;
	struct strata_why_names *names;
	struct strata_why_instance
		*worst; /* a heap, the shortest first; at the end the longest first */
	size_t nr_worst;
	struct strata_why_instance *sample;
	size_t nr_sample, sample_room;
	uint64_t random;
	uint64_t nr, sum_ns;
	uint64_t parts[STRATA_NR_PARTS]; /* the time of all, where it went */
	uint64_t longest_ns;
	struct strata_id_map episodes; /* of tasks, by kernel and number */
	struct strata_why_episode *first_episode, *last_episode;
	uint64_t seen[STRATA_NR_WHY_OF];
	uint32_t names_seen[STRATA_WHY_SEEN]; /* of what the question does not match */
	size_t nr_names_seen;
	bool no_memory;
};

/* @question, @shown, @names: outlive it.  NULL: out of memory. */
struct strata_why_instances *strata_why_instances_new(const struct strata_why_question *question,
						      const struct strata_shown *shown,
						      struct strata_why_names *names);

/* 0, or -1: out of memory. */
int strata_why_instances_finish(struct strata_why_instances *instances);

/* Returns the instance of median length; NULL: none.  After finish. */
const struct strata_why_instance *
strata_why_instances_median(const struct strata_why_instances *instances);

void strata_why_instances_free(struct strata_why_instances *instances);

/* "request", "task", ...: of one, and of several. @of: bits */
const char *strata_why_of_name(unsigned int of, bool several);

#endif /* STRATA_MERGE_WHY_INSTANCES_H */
