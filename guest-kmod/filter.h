/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - selects the tasks whose events are recorded; each probe checks it before it
 * reserves.
 */
#ifndef STRATA_KMOD_FILTER_H
#define STRATA_KMOD_FILTER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <strata/abi/guest.h>

struct strata_filter {
	bool processes; /* the numbers are of processes, not of threads */
	u32 nr;
	u64 maybe; /* bit n: one of the numbers is n, modulo 64 */
	s32 number[STRATA_GUEST_FILTER_MAX];
};

/* NULL: everything passes. */
extern const struct strata_filter *strata_filter;

/* Whether events of the task on this CPU are recorded.  Any context, preemption off. */
static __always_inline bool strata_filter_passes(void)
{
	const struct strata_filter *filter = READ_ONCE(strata_filter);
	s32 number;
	u32 i;

	if (likely(!filter))
		return true;
	number = filter->processes ? current->tgid : current->pid;
	if (likely(!(filter->maybe >> (number & 63) & 1)))
		return false;
	for (i = 0; i < filter->nr; i++)
		if (filter->number[i] == number)
			return true;
	return false;
}

/*
 * Replaces the filter.
 * @text: "tid=N,N,..." or "pid=N,N,...", parsed in place; NULL: pass everything
 * Returns 0, or -EINVAL or -ENOMEM with nothing changed.  May sleep: when it returns no probe sees
 * the old filter.  One caller at a time.
 */
int strata_filter_set(char *text);

#endif /* STRATA_KMOD_FILTER_H */
