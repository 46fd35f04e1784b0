// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_tracepoints.c - see module_tracepoints.h.
 *
 * The kernel calls the notifier in the thread that loads or unloads a module, before the module's
 * first instruction and after its last; control attaches and detaches in its own.  One lock is over
 * both.  The kernel's order of locks is: its list of modules, ours, its trace points.
 *
 * A probe reads the structures that its trace point is given as the kernel's headers describe them.
 * So only modules that were built with this kernel count: one from elsewhere may have a trace point
 * of the same name with other arguments, or other structures.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "module_tracepoints.h"
#include "tracepoints.h"

static DEFINE_MUTEX(lock);

static int register_probe(struct strata_tracepoint *one)
{
	return tracepoint_probe_register(one->tracepoint, one->probe, &one->event);
}

static void unregister_probe(struct strata_tracepoint *one)
{
	/* It fails only for a probe that is not there. */
	if (tracepoint_probe_unregister(one->tracepoint, one->probe, &one->event))
		pr_warn("trace point %s had no probe of ours to detach\n", one->event.name);
}

int strata_tracepoint_attach(struct strata_event *event)
{
	struct strata_tracepoint *one = container_of(event, struct strata_tracepoint, event);
	int err = 0;

	mutex_lock(&lock);
	if (one->tracepoint)
		err = register_probe(one);
	one->wanted = !err;
	mutex_unlock(&lock);
	return err;
}

void strata_tracepoint_detach(struct strata_event *event)
{
	struct strata_tracepoint *one = container_of(event, struct strata_tracepoint, event);

	mutex_lock(&lock);
	if (one->wanted && one->tracepoint)
		unregister_probe(one);
	one->wanted = false;
	mutex_unlock(&lock);
}

/* The group of a module's trace point; NULL: it is of no event. */
static const char *group_of(const struct module *module, const struct tracepoint *tracepoint)
{
	unsigned int i;

	for (i = 0; i < module->num_trace_events; i++) {
		const struct trace_event_call *call = module->trace_events[i];

		if (call->flags & TRACE_EVENT_FL_TRACEPOINT && call->tp == tracepoint)
			return call->class->system;
	}
	return NULL;
}

/* Finds the event that records a trace point of a module that is being loaded.  NULL: no event
 * does, or the event is attached to another trace point. */
static struct strata_tracepoint *find(const struct module *module,
				      const struct tracepoint *tracepoint)
{
	struct strata_tracepoint *const *entry;

	for (entry = strata_tracepoints_first; entry < strata_tracepoints_last; entry++) {
		const struct strata_event *event = &(*entry)->event;
		const char *group;

		if (!(*entry)->of_module || (*entry)->tracepoint ||
		    strcmp(event->name, tracepoint->name))
			continue;
		group = group_of(module, tracepoint);
		return group && !strcmp(event->group, group) ? *entry : NULL;
	}
	return NULL;
}

static void take(struct strata_tracepoint *one, struct module *module,
		 struct tracepoint *tracepoint)
{
	int err = 0;

	one->tracepoint = tracepoint;
	one->module = module;
	if (one->wanted)
		err = register_probe(one);
	if (!err)
		return;
	/* Nothing can refuse a module here, and the channel goes on without the event. */
	one->tracepoint = NULL;
	one->module = NULL;
	pr_err("cannot attach a probe to %s/%s of module %s (error %d): it is not recorded until the module is loaded again\n",
	       one->event.group, one->event.name, module->name, err);
}

static void come(struct module *module)
{
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++) {
		struct tracepoint *tracepoint = tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);
		struct strata_tracepoint *one = find(module, tracepoint);

		if (!one)
			continue;
		if (test_bit(TAINT_OOT_MODULE, &module->taints)) {
			pr_warn("module %s is not of this kernel: its trace point %s is not recorded\n",
				module->name, tracepoint->name);
			continue;
		}
		take(one, module, tracepoint);
	}
}

/* None of the module's code runs any more, and so none of the probes that it called. */
static void go(const struct module *module)
{
	struct strata_tracepoint *const *entry;

	for (entry = strata_tracepoints_first; entry < strata_tracepoints_last; entry++) {
		if ((*entry)->module != module)
			continue;
		if ((*entry)->wanted)
			unregister_probe(*entry);
		(*entry)->tracepoint = NULL;
		(*entry)->module = NULL;
	}
}

static int note(struct notifier_block *notifier, unsigned long state, void *data)
{
	struct module *module = ((struct tp_module *)data)->mod;

	mutex_lock(&lock);
	if (state == MODULE_STATE_COMING)
		come(module);
	else if (state == MODULE_STATE_GOING)
		go(module);
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = note };

int strata_module_tracepoints_open(void)
{
	int err = register_tracepoint_module_notifier(&notifier);

	if (err)
		pr_err("cannot follow the modules of this kernel (error %d)\n", err);
	return err;
}

void strata_module_tracepoints_close(void)
{
	unregister_tracepoint_module_notifier(&notifier);
}
