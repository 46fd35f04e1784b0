/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - a time divided by its causes, as a tree whose leaves sum to the whole: each piece of the
 * time is added once, with the path of its causes from the coarsest to the finest.
 *
 * Bounds: each end of a piece has a bound, its largest error. Of pieces that follow each other
 * without a gap (a run), only the outer ends count; so the bound of a node is the sum of the bounds
 * of its runs' ends.
 */
#ifndef STRATA_MERGE_WHY_TREE_H
#define STRATA_MERGE_WHY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The causes of a time. strata_why_key() names them all. */
enum strata_why_what {
	STRATA_WHY_WHOLE,
	/* Of a task that wants to run: */
	STRATA_WHY_RAN,         /* it has the CPU, in its guest */
	STRATA_WHY_IRQ,         /* `name` has its CPU */
	STRATA_WHY_SOFTIRQ,     /* `name` has its CPU */
	STRATA_WHY_XEN,         /* Xen works for its vCPU: */
	STRATA_WHY_EXIT,        /* a VM exit; `name` is the reason */
	STRATA_WHY_HYPERCALL,   /* `name` */
	STRATA_WHY_QUEUED,      /* it waits for a CPU of its kernel, which is occupied by: */
	STRATA_WHY_BEHIND_TASK, /* task `name` */
	STRATA_WHY_SWITCHING,   /* the kernel's idle task, which is about to switch */
	STRATA_WHY_PREEMPTED,   /* its vCPU, `name`, lost its physical CPU and waits for one: */
	STRATA_WHY_WAKES,       /* its vCPU was woken and waits for its first physical CPU: */
	STRATA_WHY_BEHIND_VCPU, /* while `name` ran there */
	STRATA_WHY_ASLEEP,      /* the task is woken, but its vCPU, `name`, is still blocked */
	STRATA_WHY_SPINS,       /* it has the CPU and spins on a lock */
	STRATA_WHY_HALTED,      /* it has the CPU and halts its vCPU to wait for a lock */
	STRATA_WHY_HOLDER,      /* vCPU `name`, which may hold the lock, is preempted meanwhile */
	STRATA_WHY_PAUSED,      /* its vCPU is offline */
	/* Of a blocked task: */
	STRATA_WHY_BLOCKED,
	STRATA_WHY_SYSCALL,     /* in system call `name` */
	STRATA_WHY_WAITS_TASK,  /* until task `name` woke it; followed by what that task did */
	STRATA_WHY_WAITS_OTHER, /* the same for a task of another domain */
	STRATA_WHY_WAITS_IRQ,   /* until interrupt `name` woke it */
	STRATA_WHY_DELIVERED,   /* that interrupt was pending; followed by what delayed it */
	STRATA_WHY_DUE,    /* a timer was due, with function `name`; followed by what delayed it */
	STRATA_WHY_WAKING, /* the kernel handles the interrupt */
	STRATA_WHY_WOKEN_WHILE, /* until it was woken while task `name` had the CPU */
	STRATA_WHY_VCPU_IDLE,   /* vCPU `name`, for which it waits, was blocked */
	STRATA_WHY_WAITS_MORE,  /* the chain of wake-ups is longer than STRATA_WHY_DEPTH */
	STRATA_WHY_OTHERS,      /* causes beyond STRATA_WHY_CHILDREN */
	STRATA_WHY_REST,        /* the part of a node's time that its other children do not cover */
	/* Unknown: */
	STRATA_WHY_UNKNOWN,
	STRATA_WHY_UNKNOWN_TASK, /* the state of the task */
	STRATA_WHY_UNKNOWN_VCPU, /* the state of its vCPU, `name` */
	STRATA_WHY_UNKNOWN_WHO,  /* what occupies the CPU */
	STRATA_NR_WHATS,
};

/* One cause on a path. */
struct strata_why_step {
	enum strata_why_what what;
	uint32_t name; /* a number of the recall's names; 0: none */
};

#define STRATA_WHY_PATH     40u
#define STRATA_WHY_CHILDREN 256u /* per node: a hostile trace may have a million causes */

struct strata_why_path {
	struct strata_why_step steps[STRATA_WHY_PATH];
	size_t nr; /* steps beyond the array are dropped */
};

struct strata_why_node {
	struct strata_why_step step;
	uint64_t ns;
	uint64_t times; /* number of runs (pieces without a gap) */
	uint64_t bound_ns;
	uint64_t last_to_ns, last_bound_ns; /* of the last run */
	size_t parent;
	size_t child, next; /* the first child; the next child of the same parent; 0: none */
	size_t nr_children;
};

/* All-zero is empty. nodes[0] is the whole. */
struct strata_why_tree {
	struct strata_why_node *nodes;
	size_t nr, room;
	bool no_memory;
};

/* Appends a step to a path. */
static inline void strata_why_add_step(struct strata_why_path *path, enum strata_why_what what,
				       uint32_t name)
{
	if (path->nr < STRATA_WHY_PATH)
		path->steps[path->nr++] = (struct strata_why_step){ what, name };
}

/* Adds a piece; pieces come in order of time. @from_bound, @to_bound: of its ends */
void strata_why_tree_add(struct strata_why_tree *tree, const struct strata_why_path *path,
			 uint64_t from_ns, uint64_t to_ns, uint64_t from_bound, uint64_t to_bound);

/* Adds another tree, which covers another time, with its bounds. */
void strata_why_tree_merge(struct strata_why_tree *tree, const struct strata_why_tree *other);

/* Sorts the children of each node by time, longest first, and limits each bound to what the whole
 * leaves open. */
void strata_why_tree_finish(struct strata_why_tree *tree, uint64_t bound_ns);

void strata_why_tree_clear(struct strata_why_tree *tree);

/* Returns the sum of two bounds; UINT64_MAX: not known. */
static inline uint64_t strata_why_bounds(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif /* STRATA_MERGE_WHY_TREE_H */
