/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moment.h - a moment of an instance that is explained (explain.h), shared by the parts of that: of
 * tasks and their CPUs in explain.c, of wake-ups in explain_wake.c.
 */
#ifndef STRATA_MERGE_WHY_MOMENT_H
#define STRATA_MERGE_WHY_MOMENT_H

#include "why/recall.h"
#include "why/tree.h"

/* Wake-ups by wake-ups that are followed. */
#define STRATA_WHY_DEPTH 8u

struct strata_why_moment {
	const struct strata_why_recall *recall;
	uint64_t ns;
	/* Until when what is found of the moment holds, and the bound of that time. */
	uint64_t until_ns, until_bound_ns;
	struct strata_why_path path; /* what is found */
	unsigned int depth;          /* of wake-ups */
	/* Since when the interrupt was pending that ended this state; found once. */
	struct strata_why_since {
		const struct strata_why_span *of;
		const struct strata_why_wake *woken_by; /* the vCPU that took it; NULL: not known */
		uint64_t ns, bound_ns;
	} since[STRATA_WHY_DEPTH + 1];
};

/* A CPU of a kernel, and the vCPU that it is. */
struct strata_why_cpu {
	size_t trace, machine;
	uint32_t domain, number;
};

/* What somebody wants of a CPU. */
enum strata_why_want {
	STRATA_WHY_HAS_CPU,   /* a task that runs on it */
	STRATA_WHY_SPINS_ON,  /* likewise, and waits for a lock */
	STRATA_WHY_WANTS_CPU, /* a task that is to run on it */
	STRATA_WHY_WAKES_CPU, /* an interrupt that is to wake a task */
};

static inline const struct strata_why_span *strata_why_look_now(struct strata_why_moment *moment,
								const struct strata_why_lane *lane)
{
	return strata_why_look(lane, moment->ns, &moment->until_ns, &moment->until_bound_ns);
}

static inline const struct strata_why_span *strata_why_look_at_cpu(struct strata_why_moment *moment,
								   enum strata_why_lane_kind kind,
								   const struct strata_why_cpu *cpu)
{
	return strata_why_look_now(moment,
				   strata_why_lane(moment->recall, kind, cpu->trace, cpu->number));
}

static inline const struct strata_why_lane *
strata_why_lane_of_vcpu(const struct strata_why_moment *moment, enum strata_why_lane_kind kind,
			const struct strata_why_cpu *cpu)
{
	return strata_why_vcpu_lane(moment->recall, kind, cpu->machine, cpu->domain, cpu->number);
}

static inline void strata_why_step(struct strata_why_moment *moment, enum strata_why_what what,
				   const struct strata_why_span *span)
{
	strata_why_add_step(&moment->path, what, span ? span->name : 0);
}

/* The answer does not hold beyond a moment. */
static inline void strata_why_only_until(struct strata_why_moment *moment, uint64_t ns,
					 uint64_t bound_ns)
{
	if (ns >= moment->until_ns)
		return;
	moment->until_ns = ns;
	moment->until_bound_ns = bound_ns;
}

/* Adds what a task does. @kernel: the trace of its kernel */
void strata_why_explain_task(struct strata_why_moment *moment, size_t kernel, uint32_t tid);

/* Adds what becomes of somebody who wants a CPU. */
void strata_why_wants_to_run(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
			     enum strata_why_want want);

/* Adds what a blocked task waits for. @cpu: the kernel's, any CPU; @state: the task's span */
void strata_why_explain_blocked(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
				uint32_t tid, const struct strata_why_span *state);

#endif /* STRATA_MERGE_WHY_MOMENT_H */
