/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moment.h - state of the walk through an instance's time (explain.h) at one moment. Shared by
 * explain.c, which follows tasks and their CPUs, and explain_wake.c, which follows wake-ups.
 */
#ifndef STRATA_MERGE_WHY_MOMENT_H
#define STRATA_MERGE_WHY_MOMENT_H

#include "why/recall.h"
#include "why/tree.h"

/* Largest number of consecutive wake-ups to follow. */
#define STRATA_WHY_DEPTH 8u

struct strata_why_moment {
	const struct strata_why_recall *recall;
	uint64_t ns;
	/* The end of the piece for which the causes hold, and the bound of that time. */
	uint64_t until_ns, until_bound_ns;
	struct strata_why_path path; /* the causes found so far */
	unsigned int depth;          /* wake-ups followed so far */
	/* When the interrupt that ended this state became pending; cached per state. */
	struct strata_why_since {
		const struct strata_why_span *of;
		const struct strata_why_wake *woken_by; /* the vCPU that took it; NULL: not known */
		uint64_t ns, bound_ns;
	} since[STRATA_WHY_DEPTH + 1];
};

/* A CPU of a kernel, and its vCPU. */
struct strata_why_cpu {
	size_t trace, machine;
	uint32_t domain, number;
};

/* Why a CPU is needed. */
enum strata_why_want {
	STRATA_WHY_HAS_CPU,   /* a task runs on it */
	STRATA_WHY_SPINS_ON,  /* a task runs on it and waits for a lock */
	STRATA_WHY_WANTS_CPU, /* a runnable task waits for it */
	STRATA_WHY_WAKES_CPU, /* an interrupt is to wake a task on it */
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

/* Ends the piece at this moment, if it does not end earlier. */
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

/* Adds what a CPU does, given why it is needed. */
void strata_why_wants_to_run(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
			     enum strata_why_want want);

/* Adds what a blocked task waits for. @cpu: of the kernel, any CPU; @state: the task's span */
void strata_why_explain_blocked(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
				uint32_t tid, const struct strata_why_span *state);

#endif /* STRATA_MERGE_WHY_MOMENT_H */
