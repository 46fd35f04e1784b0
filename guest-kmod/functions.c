// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - see functions.h.
 *
 * The kernel calls on_call() at the beginning of each of these functions, in any context.  What it
 * calls to record may be among them: the kernel's own mark of the context (task, softirq,
 * interrupt, NMI) keeps that call from being recorded in turn, and from coming here without end.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>

#include "functions.h"
#include "probes.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

struct strata_functions {
	struct strata_probe probe;
	struct ftrace_ops ops;
};

static void notrace on_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	const struct strata_functions *functions = container_of(ops, struct strata_functions, ops);
	/* Preemption is off until it is unlocked. */
	int context = ftrace_test_recursion_trylock(ip, parent_ip);

	if (context < 0)
		return;
	strata_probe_record(&functions->probe, ftrace_get_regs(fregs), ip, parent_ip);
	ftrace_test_recursion_unlock(context);
}

static int attach(struct strata_event *event)
{
	struct strata_functions *functions =
		container_of(event, struct strata_functions, probe.event);

	return register_ftrace_function(&functions->ops);
}

static void detach(struct strata_event *event)
{
	struct strata_functions *functions =
		container_of(event, struct strata_functions, probe.event);

	unregister_ftrace_function(&functions->ops);
}

static void remove(struct strata_probe *probe)
{
	struct strata_functions *functions = container_of(probe, struct strata_functions, probe);

	ftrace_free_filter(&functions->ops);
	strata_probe_clear(probe);
	kfree(functions);
}

/* A pattern of names: the kernel knows further notations, which mean other things. */
static bool is_pattern(const char *text)
{
	const char *c;

	for (c = text; *c; c++)
		if (!isascii(*c) || !(isalnum(*c) || strchr("_.*?", *c)))
			return false;
	return *text && !isdigit(*text);
}

/* Sets which functions they are.  0; -EINVAL: there are none; or another negative error. */
static int set_filter(struct strata_functions *functions, const char *pattern)
{
	char *copy = kstrdup(pattern, GFP_KERNEL);
	int err;

	if (!copy)
		return -ENOMEM;
	err = ftrace_set_filter(&functions->ops, (unsigned char *)copy, (int)strlen(copy), 1);
	kfree(copy);
	return err;
}

static int add(const struct strata_probe_request *request)
{
	struct strata_functions *functions;
	int err;

	if (!strata_probes_have_room())
		return -ENOSPC;
	functions = kzalloc(sizeof(*functions), GFP_KERNEL);
	if (!functions)
		return -ENOMEM;
	err = strata_probe_init(&functions->probe, request);
	if (err) {
		kfree(functions);
		return err;
	}
	functions->ops.func = on_call;
	/* Not while RCU does not watch, as in the idle loop: stop waits for probes by RCU.  All
	 * registers are saved only where an argument needs them. */
	functions->ops.flags = FTRACE_OPS_FL_RCU | (request->words ? FTRACE_OPS_FL_SAVE_REGS : 0);
	functions->probe.event.attach = attach;
	functions->probe.event.detach = detach;
	functions->probe.remove = remove;
	err = set_filter(functions, request->place);
	if (err) {
		remove(&functions->probe);
		return err;
	}
	strata_probes_add(&functions->probe);
	return 0;
}

static int find_or_add(const struct strata_probe_request *request)
{
	struct strata_probe *probe;
	int err;

	if (!strata_probe_is_name(request->name) || !is_pattern(request->place))
		return -EINVAL;
	err = strata_probe_find(request, &probe);
	return err || probe ? err : add(request);
}

#else

static int find_or_add(const struct strata_probe_request *request)
{
	(void)request;
	return -EOPNOTSUPP;
}

#endif

int strata_functions_add(const char *group, const char *name, char *place)
{
	char *words = place;
	const struct strata_probe_request request = {
		.group = group,
		.name = name,
		.place = strsep(&words, " "),
		.words = words,
		.kind = STRATA_PROBE_CALL,
	};
	int err;

	/* As for kprobes. */
	if (security_locked_down(LOCKDOWN_KPROBES)) {
		pr_warn("no %s: this kernel is locked down\n", group);
		return -EPERM;
	}
	err = find_or_add(&request);
	if (err)
		pr_warn("no %s %s with \"%s\" (error %d)\n", group, request.place, words ?: "",
			err);
	return err;
}
