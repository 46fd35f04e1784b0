// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - see functions.h.
 *
 * One hook of the function tracer is on all functions of a pattern; it records the entry, and hooks
 * the return.  Neither records what it calls itself: see enter().
 *
 * The kernel does not call the hook where RCU does not watch (in parts of the idle loop): stop
 * waits by RCU for probes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "function_returns.h"
#include "function_set.h"
#include "functions.h"
#include "hook.h"
#include "probes.h"

/* The next recording of the same functions finds the hook in place, if it begins soon: each call of
 * the functions takes longer until then. */
#define KEEP_MS 10000u

#define ENTRY_SUFFIX "_entry"
#define EXIT_SUFFIX  "_exit"

/* Of one pattern. */
struct functions {
	struct strata_hook hook;
	struct strata_probe entry, exit;
	/* While the hook is set. */
	struct strata_function_set *set;
	struct rethook *returns;
	atomic_long_t missed; /* returns, since exit.event was attached or asked */
};

/* Bit n: an event is being recorded in context n of this CPU (task, softirq, interrupt, NMI). */
static DEFINE_PER_CPU(unsigned long, recording);

/*
 * Begins to record in this context, with preemption off; leave() ends it.
 * @context: OUT, its bit
 * False: an event is being recorded in it already, and makes this call.  An interrupt that comes
 * meanwhile is in the same context until the kernel has accounted for it; its calls until then are
 * left out, too.  The kernel's own ftrace_test_recursion_trylock() lets those pass, and with them
 * one call of the recording's.
 */
static __always_inline bool enter(unsigned long *context)
{
	preempt_disable_notrace();
	*context = BIT(interrupt_context_level());
	if (this_cpu_read(recording) & *context) {
		preempt_enable_notrace();
		return false;
	}
	this_cpu_or(recording, *context);
	return true;
}

static __always_inline void leave(unsigned long context)
{
	this_cpu_and(recording, ~context);
	preempt_enable_notrace();
}

static void on_call(struct functions *functions, const struct strata_function *function,
		    unsigned long parent_ip, struct pt_regs *regs)
{
	const struct strata_probe_hit hit = {
		.numbers = { function->address, strata_returns_parent(parent_ip, regs) },
		.function = function->name,
		.function_bytes = function->name_bytes,
	};

	strata_probe_record(&functions->entry, regs, &hit);
	if (READ_ONCE(functions->exit.event.channels) &&
	    !strata_returns_hook(functions->returns, function, hit.numbers[1], regs))
		atomic_long_inc(&functions->missed);
}

static void notrace on_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct functions *functions = container_of(ops, struct functions, hook.ops);
	const struct strata_function *function = strata_function_set_find(functions->set, ip);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	unsigned long context;

	if (!function || !regs || !enter(&context))
		return;
	on_call(functions, function, parent_ip, regs);
	leave(context);
}

/* A call that began while the event was attached may return after it was detached: to no channel.
 */
static void notrace on_return(struct rethook_node *node, void *data, struct pt_regs *regs)
{
	const struct strata_return *call = container_of(node, struct strata_return, node);
	struct functions *functions = data;
	const struct strata_probe_hit hit = {
		.numbers = { call->function->address, call->parent_ip, regs_return_value(regs) },
		.function = call->function->name,
		.function_bytes = call->function->name_bytes,
	};
	unsigned long context;

	/* An interrupt's return: the recording's own calls are not hooked. */
	if (!enter(&context)) {
		atomic_long_inc(&functions->missed);
		return;
	}
	strata_probe_record(&functions->exit, regs, &hit);
	leave(context);
}

/* Finds the functions of a pattern; a refusal is logged. */
static struct strata_function_set *find(const char *pattern)
{
	struct strata_function_set *set = strata_function_set_make(pattern);

	if (!IS_ERR(set))
		return set;
	if (PTR_ERR(set) == -ENOENT)
		pr_warn("no function %s: it matches no function that the function tracer of this kernel can hook\n",
			pattern);
	else if (PTR_ERR(set) == -E2BIG)
		pr_warn("no function %s: it matches more than %u functions\n", pattern,
			STRATA_GUEST_FUNCTIONS_MAX);
	else if (PTR_ERR(set) == -EOPNOTSUPP)
		pr_warn("no function %s: this kernel has no function tracer, or lists no functions\n",
			pattern);
	return set;
}

/* Has the function tracer call the hook from all functions of the set. */
static int set_filter(struct ftrace_ops *ops, const struct strata_function_set *set)
{
	unsigned long *hooks = kvmalloc_array(set->nr, sizeof(*hooks), GFP_KERNEL);
	u32 i;
	int err;

	if (!hooks)
		return -ENOMEM;
	for (i = 0; i < set->nr; i++)
		hooks[i] = set->functions[i].hook;
	err = ftrace_set_filter_ips(ops, hooks, set->nr, 0, 1);
	kvfree(hooks);
	return err;
}

static int prepare(struct strata_hook *hook)
{
	struct functions *functions = container_of(hook, struct functions, hook);
	int err;

	functions->set = find(functions->entry.place);
	if (IS_ERR(functions->set))
		return PTR_ERR(functions->set);
	functions->returns = strata_returns_open(on_return, functions);
	if (!functions->returns) {
		strata_function_set_free(functions->set);
		return -ENOMEM;
	}
	err = set_filter(&hook->ops, functions->set);
	if (err)
		hook->clear(hook);
	return err;
}

static void clear(struct strata_hook *hook)
{
	struct functions *functions = container_of(hook, struct functions, hook);

	strata_returns_close(functions->returns);
	strata_function_set_free(functions->set);
}

static void detach_from(struct functions *functions)
{
	if (!functions->entry.event.channels && !functions->exit.event.channels)
		strata_hook_release(&functions->hook);
}

static int attach_entry(struct strata_event *event)
{
	return strata_hook_want(&container_of(event, struct functions, entry.event)->hook);
}

static void detach_entry(struct strata_event *event)
{
	detach_from(container_of(event, struct functions, entry.event));
}

static int attach_exit(struct strata_event *event)
{
	struct functions *functions = container_of(event, struct functions, exit.event);

	atomic_long_set(&functions->missed, 0);
	return strata_hook_want(&functions->hook);
}

static void detach_exit(struct strata_event *event)
{
	detach_from(container_of(event, struct functions, exit.event));
}

static unsigned long missed(struct strata_event *event)
{
	struct functions *functions = container_of(event, struct functions, exit.event);

	return atomic_long_xchg(&functions->missed, 0);
}

/* The last added goes first: the exit before the entry. */
static void remove_exit(struct strata_probe *probe)
{
	strata_probe_clear(probe);
}

static void remove_entry(struct strata_probe *probe)
{
	struct functions *functions = container_of(probe, struct functions, entry);

	strata_hook_close(&functions->hook);
	ftrace_free_filter(&functions->hook.ops);
	strata_probe_clear(probe);
	kfree(functions);
}

static int init_probes(struct functions *functions, const struct strata_probe_request *entry,
		       const struct strata_probe_request *exit)
{
	int err = strata_probe_init(&functions->entry, entry);

	if (err)
		return err;
	err = strata_probe_init(&functions->exit, exit);
	if (err)
		strata_probe_clear(&functions->entry);
	return err;
}

static int add(const struct strata_probe_request *entry, const struct strata_probe_request *exit)
{
	struct functions *functions;
	int err;

	if (!strata_probes_have_room(2))
		return -ENOSPC;
	functions = kzalloc(sizeof(*functions), GFP_KERNEL);
	if (!functions)
		return -ENOMEM;
	err = init_probes(functions, entry, exit);
	if (err) {
		kfree(functions);
		return err;
	}
	functions->hook.ops.func = on_hook;
	functions->hook.ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RCU |
				    FTRACE_OPS_FL_PERMANENT;
	functions->hook.keep_ms = KEEP_MS;
	functions->hook.prepare = prepare;
	functions->hook.clear = clear;
	strata_hook_init(&functions->hook);
	functions->entry.event.attach = attach_entry;
	functions->entry.event.detach = detach_entry;
	functions->entry.remove = remove_entry;
	functions->exit.event.attach = attach_exit;
	functions->exit.event.detach = detach_exit;
	functions->exit.event.missed = missed;
	functions->exit.remove = remove_exit;
	strata_probes_add(&functions->entry);
	strata_probes_add(&functions->exit);
	return 0;
}

/* Adds both events unless they exist.  0 or a negative error. */
static int find_or_add(const struct strata_probe_request *entry,
		       const struct strata_probe_request *exit)
{
	struct strata_function_set *set;
	struct strata_probe *probe;
	int err = strata_probe_find(entry, &probe);

	if (err)
		pr_warn("no function %s: another pattern, or one with other arguments, has an event %s; give this one another name\n",
			entry->place, entry->name);
	if (err || probe)
		return err;
	if (!strata_returns_possible()) {
		pr_warn("no function %s: this kernel cannot hook the returns of functions\n",
			entry->place);
		return -EOPNOTSUPP;
	}
	/* A refusal is told now, and not only when the recording starts. */
	set = find(entry->place);
	if (IS_ERR(set))
		return PTR_ERR(set);
	pr_info("function %s: %u functions\n", entry->place, set->nr);
	strata_function_set_free(set);
	return add(entry, exit);
}

/* 0 or a negative error. */
static int add_named(const char *group, const char *name, const char *pattern, const char *words)
{
	char entry_name[STRATA_EVENT_NAME_BYTES], exit_name[STRATA_EVENT_NAME_BYTES];
	const struct strata_probe_request entry = { .group = group,
						    .name = entry_name,
						    .place = pattern,
						    .words = words,
						    .function = pattern,
						    .kind = STRATA_PROBE_ENTRY };
	const struct strata_probe_request exit = {
		.group = group, .name = exit_name, .place = pattern, .kind = STRATA_PROBE_EXIT
	};

	if (!strata_probe_is_name(name) || !*pattern ||
	    strlen(name) + sizeof(ENTRY_SUFFIX) > sizeof(entry_name))
		return -EINVAL;
	snprintf(entry_name, sizeof(entry_name), "%s" ENTRY_SUFFIX, name);
	snprintf(exit_name, sizeof(exit_name), "%s" EXIT_SUFFIX, name);
	return find_or_add(&entry, &exit);
}

int strata_functions_add(const char *group, const char *name, char *place)
{
	char *words = place;
	const char *pattern = strsep(&words, " ");
	int err;

	/* As for local users: the kernel's lockdown applies to domain 0 too. */
	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("no %s: this kernel is locked down\n", group);
		return -EPERM;
	}
	err = add_named(group, name, pattern, words);
	if (err)
		pr_warn("no %s %s with \"%s\" (error %d)\n", group, pattern, words ?: "", err);
	return err;
}
