// SPDX-License-Identifier: GPL-2.0-only
/* function_returns.c - see function_returns.h. */
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "function_returns.h"
#include "kernel_symbols.h"

/* The kernel's, which it does not export. */
static typeof(&rethook_alloc) alloc_pool;
static typeof(&rethook_free) free_pool;
static typeof(&rethook_add_node) add_node;
static typeof(&rethook_try_get) try_get;
static typeof(&rethook_hook) hook_return;

bool strata_returns_possible(void)
{
	return hook_return || (STRATA_KERNEL_FUNCTION(alloc_pool, rethook_alloc) &&
			       STRATA_KERNEL_FUNCTION(free_pool, rethook_free) &&
			       STRATA_KERNEL_FUNCTION(add_node, rethook_add_node) &&
			       STRATA_KERNEL_FUNCTION(try_get, rethook_try_get) &&
			       STRATA_KERNEL_FUNCTION(hook_return, rethook_hook));
}

/* False: out of memory. */
static bool add_nodes(struct rethook *pool)
{
	unsigned int i;

	for (i = 0; i < STRATA_RETURNS_MAX; i++) {
		struct strata_return *call = kzalloc(sizeof(*call), GFP_KERNEL);

		if (!call)
			return false;
		add_node(pool, &call->node);
	}
	return true;
}

struct rethook *strata_returns_open(rethook_handler_t handler, void *context)
{
	struct rethook *pool = alloc_pool(context, handler);

	static_assert(offsetof(struct strata_return, node) == 0);
	if (!pool || add_nodes(pool))
		return pool;
	free_pool(pool);
	return NULL;
}

void strata_returns_close(struct rethook *pool)
{
	/* It takes the handler away, which runs with preemption off. */
	free_pool(pool);
	synchronize_rcu();
}

bool strata_returns_hook(struct rethook *pool, const struct strata_function *function,
			 unsigned long parent_ip, struct pt_regs *regs)
{
	struct rethook_node *node = try_get(pool);
	struct strata_return *call;

	if (!node)
		return false;
	call = container_of(node, struct strata_return, node);
	call->function = function;
	call->parent_ip = parent_ip;
	hook_return(node, regs, true);
	return true;
}

unsigned long strata_returns_parent(unsigned long parent_ip, const struct pt_regs *regs)
{
	const struct llist_node *at;

	/* The innermost first.  Those of this call have the stack pointer of this call. */
	for (at = current->rethooks.first; at; at = at->next) {
		const struct rethook_node *node = llist_entry(at, struct rethook_node, llist);

		if (node->frame != regs->sp)
			break;
		parent_ip = node->ret_addr;
	}
	return parent_ip;
}
