/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - finds the instances to explain among the spans of the state (state/span.h):
 * requests, system calls, wake-ups, and stretches of work of a task. It retains the longest ones, a
 * random sample for the median, and sums over all; its memory grows only with the number of tasks.
 *
 *     strata_why_instances_new
 *     instances->listener          must receive all spans
 *     strata_why_instances_finish  to be called after the last span
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

/* What the user asks for. */
struct strata_why_question {
	unsigned int of; /* bits of enum strata_why_of */
	/* Patterns as in filters; NULL: any. @source: of a request its source, of anything else the
	 * task's kernel; as shown, or without the "app-" of an application. @name: of a request or
	 * a system call. */
	const char *source, *name;
	const char *task; /* the task's name, its number, or both: "server", "239", "server-239" */
	bool has_at;
	uint64_t at_ns;          /* only instances in progress at this time */
	uint64_t longer_ns;      /* only instances longer than this */
	uint64_t from_ns, to_ns; /* only instances within this range */
	size_t worst;            /* number of instances to retain, the longest ones */
};

struct strata_why_instance {
	enum strata_why_of of;
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the two ends */
	uint64_t bound_ns;                   /* of the length: the sum of both */
	size_t trace;                        /* index in the set of the trace that contains it */
	bool has_task;
	size_t kernel;      /* the trace of the task's kernel */
	uint32_t tid, task; /* `task`: its name, a number of names */
	uint32_t name;      /* of the request or system call; a number of names */
	uint64_t key;       /* of a request */
	uint64_t number;    /* its position among all instances, by end time, from 1 */
	/* An end lies outside of the recording: the instance is longer than its known part. */
	bool began_before, goes_on;
};

/* Up to this many instances the median is exact; beyond, it is that of a random sample of this
 * size. */
#define STRATA_WHY_SAMPLE 16384u
#define STRATA_WHY_WORST  1000u /* upper limit of question->worst */
#define STRATA_WHY_SEEN   16u

struct strata_why_instances {
	struct strata_span_listener listener;
	const struct strata_why_question *question;
	const struct strata_shown *shown;
	struct strata_why_names *names;
	struct strata_why_instance *worst; /* a min-heap by length; after finish, longest first */
	size_t nr_worst;
	struct strata_why_instance *sample;
	size_t nr_sample, sample_room;
	uint64_t random;
	uint64_t nr, sum_ns;
	uint64_t parts[STRATA_NR_PARTS]; /* sums over all instances, by where the time went */
	uint64_t longest_ns;
	struct strata_id_map episodes; /* of tasks, by kernel and number */
	struct strata_why_episode *first_episode, *last_episode;
	uint64_t seen[STRATA_NR_WHY_OF];
	uint32_t names_seen[STRATA_WHY_SEEN]; /* names that the question does not match */
	size_t nr_names_seen;
	bool no_memory;
};

/* @question, @shown, @names: must outlive it. Returns NULL if out of memory. */
struct strata_why_instances *strata_why_instances_new(const struct strata_why_question *question,
						      const struct strata_shown *shown,
						      struct strata_why_names *names);

/* Returns 0, or -1: out of memory. */
int strata_why_instances_finish(struct strata_why_instances *instances);

/* Returns the instance of median length; NULL: no instance. Call it after finish. */
const struct strata_why_instance *
strata_why_instances_median(const struct strata_why_instances *instances);

void strata_why_instances_free(struct strata_why_instances *instances);

/* The noun for a set of kinds, singular or plural: "request", "tasks". @of: bits */
const char *strata_why_of_name(unsigned int of, bool several);

#endif /* STRATA_MERGE_WHY_INSTANCES_H */
