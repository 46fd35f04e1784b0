// SPDX-License-Identifier: GPL-2.0-or-later
/* finding.c - see finding.h. */
#include "why/finding.h"

#include <string.h>

struct search {
	struct strata_why_findings *findings;
	const struct strata_why_tree *tree;
	struct strata_why_names *names;
};

/* The blame derived from the part of the path walked so far. */
struct guilt {
	enum strata_why_blame blame;
	uint32_t by;
	bool is_fixed; /* finer causes do not change it */
	bool is_away;  /* another domain is waited for: of finer causes only a third domain changes
			  it */
	bool is_late;  /* a timer was late; finer causes do not change that */
	bool waits;    /* for another task, `for_task` */
	uint32_t for_task;
};

static uint32_t by_of(const struct search *search, uint32_t name)
{
	return strata_why_names_add_by(search->names, name);
}

/* Refines the blame by one step of the path. */
static void descend(const struct search *search, const struct strata_why_step *step,
		    struct guilt *guilt)
{
	static const enum strata_why_blame blames[STRATA_NR_WHATS] = {
		[STRATA_WHY_WHOLE] = STRATA_BLAME_UNKNOWN,
		[STRATA_WHY_RAN] = STRATA_BLAME_RUNNING,
		[STRATA_WHY_IRQ] = STRATA_BLAME_INTERRUPTS,
		[STRATA_WHY_SOFTIRQ] = STRATA_BLAME_SOFTIRQS,
		[STRATA_WHY_XEN] = STRATA_BLAME_VM_EXITS,
		[STRATA_WHY_EXIT] = STRATA_BLAME_VM_EXITS,
		[STRATA_WHY_HYPERCALL] = STRATA_BLAME_HYPERCALLS,
		[STRATA_WHY_QUEUED] = STRATA_BLAME_TASK_PREEMPTED,
		[STRATA_WHY_BEHIND_TASK] = STRATA_BLAME_TASK_PREEMPTED,
		[STRATA_WHY_SWITCHING] = STRATA_BLAME_SWITCHING,
		[STRATA_WHY_PREEMPTED] = STRATA_BLAME_VCPU_PREEMPTED,
		[STRATA_WHY_WAKES] = STRATA_BLAME_VCPU_WAKES_LATE,
		[STRATA_WHY_ASLEEP] = STRATA_BLAME_VCPU_WAKES_LATE,
		[STRATA_WHY_SPINS] = STRATA_BLAME_LOCK,
		[STRATA_WHY_HALTED] = STRATA_BLAME_LOCK,
		[STRATA_WHY_PAUSED] = STRATA_BLAME_VCPU_PAUSED,
		[STRATA_WHY_BLOCKED] = STRATA_BLAME_BLOCKED,
		[STRATA_WHY_OTHERS] = STRATA_BLAME_UNKNOWN,
		[STRATA_WHY_UNKNOWN] = STRATA_BLAME_UNKNOWN,
		[STRATA_WHY_UNKNOWN_TASK] = STRATA_BLAME_UNKNOWN,
		[STRATA_WHY_UNKNOWN_VCPU] = STRATA_BLAME_UNKNOWN,
	};

	if (guilt->is_away && step->what != STRATA_WHY_WAITS_OTHER)
		return;
	switch (step->what) {
	case STRATA_WHY_BEHIND_VCPU:
	case STRATA_WHY_SYSCALL:
	case STRATA_WHY_WAITS_IRQ:
	case STRATA_WHY_WOKEN_WHILE:
		/* The blame does not change. */
		guilt->by = by_of(search, step->name);
		break;
	case STRATA_WHY_WAITS_TASK:
		guilt->by = guilt->for_task = by_of(search, step->name);
		guilt->waits = true;
		break;
	case STRATA_WHY_WAITS_OTHER:
		guilt->blame = STRATA_BLAME_BACKEND_DOMAIN;
		guilt->by = by_of(search, step->name);
		guilt->is_away = true;
		break;
	case STRATA_WHY_HOLDER:
		guilt->blame = STRATA_BLAME_LOCK_HOLDER_PREEMPTED;
		guilt->by = 0;
		break;
	case STRATA_WHY_DELIVERED:
		/* Blames the interrupt unless a finer cause says what delayed it. */
		guilt->by = guilt->for_task = by_of(search, step->name);
		break;
	case STRATA_WHY_DUE:
		guilt->blame = STRATA_BLAME_TIMER_LATE;
		guilt->by = 0;
		guilt->is_late = true;
		break;
	case STRATA_WHY_WAKING:
	case STRATA_WHY_VCPU_IDLE:
	case STRATA_WHY_WAITS_MORE:
	case STRATA_WHY_REST:
	case STRATA_WHY_UNKNOWN_WHO:
	case STRATA_WHY_WHOLE:
		break;
	case STRATA_WHY_RAN:
		/* If it waits for another task, that task's running counts as its being blocked. */
		guilt->blame = guilt->waits ? STRATA_BLAME_BLOCKED : STRATA_BLAME_RUNNING;
		guilt->by = guilt->for_task;
		break;
	default:
		guilt->blame = guilt->is_late ? STRATA_BLAME_TIMER_LATE : blames[step->what];
		/* A task's own vCPU is not to blame for being preempted. */
		guilt->by = step->what == STRATA_WHY_PREEMPTED || step->what == STRATA_WHY_WAKES ||
					    step->what == STRATA_WHY_ASLEEP
				    ? 0
				    : by_of(search, step->name);
		/* Finer causes of what an interrupt or another task does on the CPU do not
		 * matter. */
		guilt->is_fixed =
			step->what == STRATA_WHY_IRQ || step->what == STRATA_WHY_SOFTIRQ ||
			step->what == STRATA_WHY_BEHIND_TASK || step->what == STRATA_WHY_UNKNOWN;
	}
}

static void accuse(struct strata_why_findings *findings, const struct guilt *guilt, uint64_t ns,
		   uint64_t bound_ns)
{
	struct strata_why_finding *finding;
	size_t i;

	for (i = 0; i < findings->nr; i++) {
		finding = &findings->all[i];
		if (finding->blame != guilt->blame || finding->by != guilt->by)
			continue;
		finding->ns += ns;
		finding->bound_ns = strata_why_bounds(finding->bound_ns, bound_ns);
		break;
	}
	if (i == findings->nr) {
		findings->all[findings->nr++] =
			(struct strata_why_finding){ guilt->blame, guilt->by, ns, bound_ns };
	}
	/* Sorts by time, longest first. If the table is full, the shortest goes into the others. */
	for (; i && findings->all[i].ns > findings->all[i - 1].ns; i--) {
		const struct strata_why_finding kept = findings->all[i];

		findings->all[i] = findings->all[i - 1];
		findings->all[i - 1] = kept;
	}
	if (findings->nr > STRATA_WHY_FINDINGS)
		findings->others_ns += findings->all[--findings->nr].ns;
}

/* Blames the causes of that part of a node's time which its children do not cover; then visits the
 * children. */
static void walk(const struct search *search, size_t at, struct guilt guilt)
{
	const struct strata_why_node *node = &search->tree->nodes[at];
	uint64_t rest = node->ns;
	size_t child;

	descend(search, &node->step, &guilt);
	if (guilt.is_fixed) {
		accuse(search->findings, &guilt, node->ns, node->bound_ns);
		return;
	}
	for (child = node->child; child; child = search->tree->nodes[child].next) {
		rest -= search->tree->nodes[child].ns;
		walk(search, child, guilt);
	}
	if (rest)
		accuse(search->findings, &guilt, rest, node->bound_ns);
}

void strata_why_find(struct strata_why_findings *findings, const struct strata_why_tree *tree,
		     struct strata_why_names *names)
{
	const struct search search = { findings, tree, names };

	memset(findings, 0, sizeof(*findings));
	if (tree->nr)
		walk(&search, 0, (struct guilt){ .blame = STRATA_BLAME_UNKNOWN });
}

const char *strata_why_blame_key(enum strata_why_blame blame)
{
	static const char *const keys[STRATA_NR_BLAMES] = {
		[STRATA_BLAME_RUNNING] = "running",
		[STRATA_BLAME_TASK_PREEMPTED] = "task_preempted",
		[STRATA_BLAME_SWITCHING] = "switching",
		[STRATA_BLAME_INTERRUPTS] = "interrupts",
		[STRATA_BLAME_SOFTIRQS] = "softirqs",
		[STRATA_BLAME_VM_EXITS] = "vm_exits",
		[STRATA_BLAME_HYPERCALLS] = "hypercalls",
		[STRATA_BLAME_VCPU_PREEMPTED] = "vcpu_preempted",
		[STRATA_BLAME_VCPU_WAKES_LATE] = "vcpu_wakes_late",
		[STRATA_BLAME_VCPU_PAUSED] = "vcpu_paused",
		[STRATA_BLAME_LOCK_HOLDER_PREEMPTED] = "lock_holder_preempted",
		[STRATA_BLAME_LOCK] = "lock",
		[STRATA_BLAME_TIMER_LATE] = "timer_late",
		[STRATA_BLAME_BACKEND_DOMAIN] = "backend_domain",
		[STRATA_BLAME_BLOCKED] = "blocked",
		[STRATA_BLAME_UNKNOWN] = "unknown",
	};

	return keys[blame];
}
