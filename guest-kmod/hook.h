/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hook.h - a hook of the function tracer that is set when it is wanted, and removed a while after.
 *
 * To remove a hook, the kernel waits until every task has left the kernel or yielded its CPU
 * voluntarily (synchronize_rcu_tasks), because a preempted task may be inside the trampoline.  In a
 * busy guest that takes seconds.  So a hook that is no longer wanted stays for a while, and its
 * owner closes a gate in it.
 *
 *	want, release	one caller at a time, which may sleep
 *	the removal	runs later, in a worker; want() waits for one in progress
 */
#ifndef STRATA_KMOD_HOOK_H
#define STRATA_KMOD_HOOK_H

#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct strata_hook {
	struct ftrace_ops ops; /* its owner sets func and flags */
	unsigned int keep_ms;  /* how long it stays when it is not wanted any more */
	/* Called under the lock, and may sleep.  NULL: there is nothing to do. */
	int (*prepare)(struct strata_hook *hook); /* sets the filter; 0 or a negative error */
	void (*clear)(struct strata_hook *hook);  /* no function calls the hook any more */
	struct mutex lock;
	struct delayed_work unhook_later;
	bool hooked, wanted; /* under the lock */
};

/* Completes a hook whose first members are set. */
void strata_hook_init(struct strata_hook *hook);

/* Sets the hook, unless it is there still.  0 or a negative error. */
int strata_hook_want(struct strata_hook *hook);

/* Has it removed in a while. */
void strata_hook_release(struct strata_hook *hook);

/* Removes it now, and waits for its last call. */
void strata_hook_close(struct strata_hook *hook);

#endif /* STRATA_KMOD_HOOK_H */
