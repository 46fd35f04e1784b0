// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint_probes.c - see tracepoint_probes.h.
 *
 * A trace point calls its probe with the parameters that its own kernel declares.  By the x86-64
 * ABI a function with more parameters finds those where it expects them, and whatever else is in
 * the other registers and on the stack.  What BTF describes is recorded of them, and without BTF
 * what the number of a parameter asks for.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probe_cpu.h"
#include "probes.h"
#include "tracepoint_probes.h"

struct tracepoint_probe {
	struct strata_probe probe;
	struct tracepoint *tracepoint;
	struct module *module; /* that has it, held; NULL: the kernel itself */
};

static void on_event(void *data, unsigned long arg1, unsigned long arg2, unsigned long arg3,
		     unsigned long arg4, unsigned long arg5, unsigned long arg6, unsigned long arg7,
		     unsigned long arg8, unsigned long arg9, unsigned long arg10,
		     unsigned long arg11, unsigned long arg12)
{
	const unsigned long parameters[STRATA_TRACEPOINT_PARAMETERS_MAX] = {
		arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11, arg12
	};
	static const struct strata_probe_hit nothing_more;

	strata_probe_pin();
	strata_probe_record(data, parameters, &nothing_more);
	strata_probe_unpin();
}

static struct tracepoint_probe *probe_of(struct strata_event *event)
{
	return container_of(event, struct tracepoint_probe, probe.event);
}

static int attach(struct strata_event *event)
{
	struct tracepoint_probe *one = probe_of(event);

	return tracepoint_probe_register(one->tracepoint, (void *)on_event, &one->probe);
}

static void detach(struct strata_event *event)
{
	struct tracepoint_probe *one = probe_of(event);

	/* It fails only for a probe that is not there. */
	if (tracepoint_probe_unregister(one->tracepoint, (void *)on_event, &one->probe))
		pr_warn("trace point %s had no probe of ours to detach\n", one->tracepoint->name);
}

static void release(struct tracepoint_probe *one)
{
	strata_probe_clear(&one->probe);
	module_put(one->module);
	kfree(one);
}

static void remove(struct strata_probe *probe)
{
	/* strata_events_deselect() waited for its last event. */
	release(container_of(probe, struct tracepoint_probe, probe));
}

/* A search for a trace point.  The kernel has no other way to its modules' trace points than to
 * register for those to come: it tells of those that are there at once. */
struct search {
	struct notifier_block notifier;
	const char *name;
	struct tracepoint *tracepoint; /* NULL: not found */
	struct module *module;         /* that has it, held */
};

static void look_at(struct tracepoint *tracepoint, void *data)
{
	struct search *search = data;

	if (!search->tracepoint && !strcmp(tracepoint->name, search->name))
		search->tracepoint = tracepoint;
}

static int look_at_module(struct notifier_block *notifier, unsigned long state, void *data)
{
	struct search *search = container_of(notifier, struct search, notifier);
	struct module *module = ((struct tp_module *)data)->mod;
	unsigned int i;

	if (state != MODULE_STATE_COMING || search->tracepoint)
		return NOTIFY_DONE;
	for (i = 0; i < module->num_tracepoints; i++)
		look_at(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]), search);
	if (!search->tracepoint)
		return NOTIFY_DONE;
	/* Whatever holds it, the kernel frees a module whose start fails. */
	if (module->state == MODULE_STATE_LIVE && try_module_get(module))
		search->module = module;
	else
		search->tracepoint = NULL;
	return NOTIFY_DONE;
}

/* Finds it, and holds its module.  0 or a negative error. */
static int find(struct search *search)
{
	int err;

	for_each_kernel_tracepoint(look_at, search);
	if (search->tracepoint)
		return 0;
	search->notifier.notifier_call = look_at_module;
	err = register_tracepoint_module_notifier(&search->notifier);
	if (err)
		return err;
	unregister_tracepoint_module_notifier(&search->notifier);
	return search->tracepoint ? 0 : -ENOENT;
}

/* Takes the module's reference from the search. */
static int add(const struct strata_probe_request *request, struct search *search)
{
	struct tracepoint_probe *one;
	int err;

	if (!strata_probes_have_room(1))
		return -ENOSPC;
	one = kzalloc(sizeof(*one), GFP_KERNEL);
	if (!one)
		return -ENOMEM;
	err = strata_probe_init(&one->probe, request);
	if (err) {
		kfree(one);
		return err;
	}
	one->tracepoint = search->tracepoint;
	one->module = search->module;
	search->module = NULL;
	one->probe.event.attach = attach;
	one->probe.event.detach = detach;
	one->probe.remove = remove;
	strata_probes_add(&one->probe);
	return 0;
}

/* Adds it unless it exists.  0 or a negative error. */
static int find_or_add(const struct strata_probe_request *request)
{
	struct search search = { .name = request->place };
	struct strata_probe *probe;
	int err = strata_probe_find(request, &probe);

	if (err || probe)
		return err;
	err = find(&search);
	if (err == -ENOENT)
		strata_probe_refuse(
			request,
			"neither the kernel nor a loaded module has this trace point; load the module that has it");
	if (err)
		return err;
	err = add(request, &search);
	module_put(search.module);
	return err;
}

int strata_tracepoint_probes_add(const char *group, const char *name, char *place)
{
	char *words = place;
	const char *tracepoint = strsep(&words, " ");
	const struct strata_probe_request request = {
		.group = group,
		.name = name,
		.place = tracepoint,
		.words = words,
		.function = tracepoint,
		.kind = STRATA_PROBE_TRACEPOINT,
	};
	int err = -EINVAL;

	/* Its arguments read the kernel's memory, as those of kprobes do. */
	if (security_locked_down(LOCKDOWN_KPROBES)) {
		pr_warn("no %s: this kernel is locked down\n", group);
		return -EPERM;
	}
	if (IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI)) {
		/* It would take the one probe for an attack: no trace point has its prototype. */
		strata_probe_refuse(
			&request, "this kernel checks the prototypes of calls (CFI); use --kprobe");
		return -EOPNOTSUPP;
	}
	if (strata_probe_is_name(name) && *tracepoint)
		err = find_or_add(&request);
	if (err)
		pr_warn("no %s %s with \"%s\" (error %d)\n", group, tracepoint, words ?: "", err);
	return err;
}
