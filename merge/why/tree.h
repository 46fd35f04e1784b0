/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - a time divided by its causes, as a tree whose parts sum to the whole: each piece of the
 * time is added once, with the path of its causes from the coarsest to the finest.
 *
 * Bounds: the two ends of a piece are moments, each off by no more than its bound.  Of pieces that
 * follow each other without a gap only the outer ends count; so the bound of a part is the sum of
 * the bounds of the ends of its runs.
 */
#ifndef STRATA_MERGE_WHY_TREE_H
#define STRATA_MERGE_WHY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a time went into.  Names of the whole set of causes: strata_why_key(). */
enum strata_why_what {
	STRATA_WHY_WHOLE,
	/* Of a task that wants to run: */
	STRATA_WHY_RAN,         /* it has the CPU, in its guest */
	STRATA_WHY_IRQ,         /* `name` has its CPU */
	STRATA_WHY_SOFTIRQ,     /* likewise */
	STRATA_WHY_XEN,         /* Xen works for its vCPU: */
	STRATA_WHY_EXIT,        /* a VM exit, `name` is the reason */
	STRATA_WHY_HYPERCALL,   /* `name` */
	STRATA_WHY_QUEUED,      /* it waits for a CPU of its kernel, which runs: */
	STRATA_WHY_BEHIND_TASK, /* task `name` */
	STRATA_WHY_SWITCHING,   /* the kernel's idle task, which is about to give way */
	STRATA_WHY_PREEMPTED,   /* its vCPU, `name`, lost its physical CPU and waits for one: */
	STRATA_WHY_WAKES,       /* its vCPU was woken, and waits for its first one: */
	STRATA_WHY_BEHIND_VCPU, /* while `name` ran there */
	STRATA_WHY_ASLEEP,      /* the task is woken, its vCPU, `name`, is still blocked */
	STRATA_WHY_SPINS,       /* it has the CPU, and waits for a lock there */
	STRATA_WHY_HALTED,      /* the task runs and its vCPU blocks: it waits for a lock */
	STRATA_WHY_HOLDER,      /* vCPU `name`, which may have the lock, is preempted meanwhile */
	STRATA_WHY_PAUSED,      /* its vCPU is offline */
	/* Of a task that does not: */
	STRATA_WHY_BLOCKED,
	STRATA_WHY_SYSCALL,     /* in `name` */
	STRATA_WHY_WAITS_TASK,  /* until task `name` woke it: that one's time meanwhile */
	STRATA_WHY_WAITS_OTHER, /* the same, of another domain */
	STRATA_WHY_WAITS_IRQ,   /* until interrupt `name` woke it */
	STRATA_WHY_DELIVERED,   /* that one was pending: what held it up */
	STRATA_WHY_DUE,         /* the same of a timer that was due: its function is `name` */
	STRATA_WHY_WAKING,      /* the kernel handles it */
	STRATA_WHY_WOKEN_WHILE, /* until it was woken while task `name` had the CPU */
	STRATA_WHY_VCPU_IDLE,   /* the vCPU that it waits for, `name`, was blocked */
	STRATA_WHY_WAITS_MORE,  /* the chain of wake-ups is not followed further */
	STRATA_WHY_OTHERS,      /* more causes than are told apart */
	STRATA_WHY_REST,        /* of a cause with parts, what no part tells more of */
	/* Nobody knows: */
	STRATA_WHY_UNKNOWN,
	STRATA_WHY_UNKNOWN_TASK, /* in which state the task is */
	STRATA_WHY_UNKNOWN_VCPU, /* in which its vCPU, `name`, is */
	STRATA_WHY_UNKNOWN_WHO,  /* who has the CPU */
	STRATA_NR_WHATS,
};

/* One of the causes of a piece. */
struct strata_why_step {
	enum strata_why_what what;
	uint32_t name; /* of recall.h; 0: none */
};

#define STRATA_WHY_PATH     40u
#define STRATA_WHY_CHILDREN 256u /* of a node: a hostile trace may have a million causes */

struct strata_why_path {
	struct strata_why_step steps[STRATA_WHY_PATH];
	size_t nr; /* more than fit are left off */
};

struct strata_why_node {
	struct strata_why_step step;
	uint64_t ns;
	uint64_t times; /* runs of pieces without a gap */
	uint64_t bound_ns;
	uint64_t last_to_ns, last_bound_ns; /* of the last run's end */
	size_t parent;
	size_t child, next; /* the first child, the next one of the same parent; 0: none */
	size_t nr_children;
};

/* Zero-initialised is empty.  nodes[0] is the whole. */
struct strata_why_tree {
	struct strata_why_node *nodes;
	size_t nr, room;
	bool no_memory;
};

/* Adds a step to a path. */
static inline void strata_why_add_step(struct strata_why_path *path, enum strata_why_what what,
				       uint32_t name)
{
	if (path->nr < STRATA_WHY_PATH)
		path->steps[path->nr++] = (struct strata_why_step){ what, name };
}

/* Adds a piece; pieces come in the order of time.  @from_bound, @to_bound: of its ends */
void strata_why_tree_add(struct strata_why_tree *tree, const struct strata_why_path *path,
			 uint64_t from_ns, uint64_t to_ns, uint64_t from_bound, uint64_t to_bound);

/* Adds the whole of another tree, of another time, with its bounds. */
void strata_why_tree_merge(struct strata_why_tree *tree, const struct strata_why_tree *other);

/* Puts the children of each node in the order of their times, the longest first, and limits bounds
 * to what the whole leaves open. */
void strata_why_tree_finish(struct strata_why_tree *tree, uint64_t bound_ns);

void strata_why_tree_clear(struct strata_why_tree *tree);

/* The sum of two bounds; UINT64_MAX: not known. */
static inline uint64_t strata_why_bounds(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif /* STRATA_MERGE_WHY_TREE_H */
