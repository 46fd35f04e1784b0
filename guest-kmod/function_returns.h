/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function_returns.h - hooks of the returns of functions that the function tracer has hooked, by
 * the kernel's rethook, as its fprobes do it.
 *
 * A call takes a node from a pool and replaces its return address on the stack; the kernel calls
 * the handler when the function returns, and gives the node back.
 */
#ifndef STRATA_KMOD_FUNCTION_RETURNS_H
#define STRATA_KMOD_FUNCTION_RETURNS_H

#include <linux/ptrace.h>
#include <linux/rethook.h>
#include <linux/types.h>

#include "function_set.h"

/* Number of calls of a pattern's functions that may be in progress at a time: they may sleep. */
#define STRATA_RETURNS_MAX 4096

/* A call in progress.  The kernel frees it by the address of its first member. */
struct strata_return {
	struct rethook_node node;
	const struct strata_function *function;
	unsigned long parent_ip; /* where it returns to */
};

/* Whether this kernel can hook returns.  One caller at a time; may sleep. */
bool strata_returns_possible(void);

/*
 * Makes a pool of hooks, where that is possible.
 * @handler: gets the node of a struct strata_return, @context, and the registers at the return;
 *           preemption off, any context
 * Returns it, or NULL: out of memory.  May sleep.
 */
struct rethook *strata_returns_open(rethook_handler_t handler, void *context);

/* Has the pool freed when the last of its calls has returned.  The handler is called no more.  No
 * call is being hooked.  May sleep. */
void strata_returns_close(struct rethook *pool);

/*
 * Hooks the return of a function that was just called.
 * @regs: at the call, with the return address on top of the stack
 * False: too many calls are in progress.  Preemption off, any context.
 */
bool strata_returns_hook(struct rethook *pool, const struct strata_function *function,
			 unsigned long parent_ip, struct pt_regs *regs);

/*
 * Where a function that was just called returns to, also where its return is hooked already: by
 * another hook, or for a caller that jumped to it (a tail call).
 * @parent_ip: the return address on the stack
 */
unsigned long strata_returns_parent(unsigned long parent_ip, const struct pt_regs *regs);

#endif /* STRATA_KMOD_FUNCTION_RETURNS_H */
