/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - of which tasks events are recorded: asked by each probe before it
 * reserves anything.
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

/* Whether a record of what happens on this CPU now is wanted.  Any context, preemption off. */
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
 * Puts another filter in place of the one there is.
 * @text: "tid=N,N,..." or "pid=N,N,...", taken to pieces; NULL: let everything pass
 * 0, -EINVAL or -ENOMEM, and then nothing has changed.  May sleep: when it returns no probe sees
 * the old one.  One caller at a time.
 */
int strata_filter_set(char *text);

#endif /* STRATA_KMOD_FILTER_H */
