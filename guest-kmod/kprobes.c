// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes.c - see kprobes.h.
 *
 * The kernel calls the handlers with preemption off.  It skips a probe that is reached
 * from within a handler, and a return when it has no room to remember the call; it
 * counts both, and they count as lost here.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kprobes.h"
#include "probes.h"

/* Number of calls of one function that may be in progress at a time: it may sleep. */
#define CALLS_MAX 1024

/* `kretprobe.kp` is all that one without a return uses. */
struct strata_kprobe {
	struct strata_probe probe;
	struct kretprobe kretprobe;
	unsigned long counted; /* of those that the kernel skipped since it was attached */
	char *symbol;
};

static void record(const struct strata_kprobe *kprobe, struct pt_regs *regs)
{
	/* A plain probe records the first number only. */
	const struct strata_probe_hit hit = { .numbers = { (unsigned long)kprobe->kretprobe.kp.addr,
							   regs_return_value(regs) } };

	strata_probe_record(&kprobe->probe, regs, &hit);
}

static int on_hit(struct kprobe *kp, struct pt_regs *regs)
{
	record(container_of(kp, struct strata_kprobe, kretprobe.kp), regs);
	return 0;
}

/* A call that began while it was enabled may return after it was disabled: to no channel. */
static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);

	/* NULL: it is being unregistered. */
	if (kretprobe)
		record(container_of(kretprobe, struct strata_kprobe, kretprobe), regs);
	return 0;
}

static struct strata_kprobe *kprobe_of(struct strata_event *event)
{
	return container_of(event, struct strata_kprobe, probe.event);
}

static bool returns(const struct strata_kprobe *kprobe)
{
	return kprobe->probe.kind == STRATA_PROBE_RETURN;
}

static int attach(struct strata_event *event)
{
	struct strata_kprobe *kprobe = kprobe_of(event);

	kprobe->kretprobe.nmissed = 0;
	kprobe->kretprobe.kp.nmissed = 0;
	kprobe->counted = 0;
	return returns(kprobe) ? enable_kretprobe(&kprobe->kretprobe)
			       : enable_kprobe(&kprobe->kretprobe.kp);
}

static void detach(struct strata_event *event)
{
	struct strata_kprobe *kprobe = kprobe_of(event);

	if (returns(kprobe))
		disable_kretprobe(&kprobe->kretprobe);
	else
		disable_kprobe(&kprobe->kretprobe.kp);
}

static unsigned long missed(struct strata_event *event)
{
	struct strata_kprobe *kprobe = kprobe_of(event);
	unsigned long before = kprobe->counted;

	kprobe->counted = kprobe->kretprobe.nmissed + kprobe->kretprobe.kp.nmissed;
	return kprobe->counted - before;
}

static void unregister(struct strata_kprobe *kprobe)
{
	if (returns(kprobe))
		unregister_kretprobe(&kprobe->kretprobe);
	else
		unregister_kprobe(&kprobe->kretprobe.kp);
}

/* Registers the probe without enabling it; attaching its event enables it.  0, or a negative error:
 * the symbol is unknown, or must not be probed. */
static int register_disabled(struct strata_kprobe *kprobe)
{
	struct kprobe *kp = &kprobe->kretprobe.kp;
	int err;

	kp->flags = KPROBE_FLAG_DISABLED;
	err = returns(kprobe) ? register_kretprobe(&kprobe->kretprobe) : register_kprobe(kp);
	if (err)
		return err;
	/* The recording code itself must not be recorded. */
	if (!within_module((unsigned long)kp->addr, THIS_MODULE))
		return 0;
	unregister(kprobe);
	return -EINVAL;
}

static void release(struct strata_kprobe *kprobe)
{
	strata_probe_clear(&kprobe->probe);
	kfree(kprobe->symbol);
	kfree(kprobe);
}

static void remove(struct strata_probe *probe)
{
	struct strata_kprobe *kprobe = container_of(probe, struct strata_kprobe, probe);

	unregister(kprobe);
	release(kprobe);
}

/* Fills in what the kernel wants to know. */
static int describe(struct strata_kprobe *kprobe, const char *symbol, unsigned int offset)
{
	kprobe->symbol = kstrdup(symbol, GFP_KERNEL);
	if (!kprobe->symbol)
		return -ENOMEM;
	kprobe->kretprobe.kp.symbol_name = kprobe->symbol;
	kprobe->kretprobe.kp.offset = offset;
	if (returns(kprobe)) {
		kprobe->kretprobe.handler = on_return;
		kprobe->kretprobe.maxactive = CALLS_MAX;
	} else {
		kprobe->kretprobe.kp.pre_handler = on_hit;
	}
	kprobe->probe.event.attach = attach;
	kprobe->probe.event.detach = detach;
	kprobe->probe.event.missed = missed;
	kprobe->probe.remove = remove;
	return 0;
}

static int add(const struct strata_probe_request *request, const char *symbol, unsigned int offset)
{
	struct strata_kprobe *kprobe;
	int err;

	if (!strata_probes_have_room(1))
		return -ENOSPC;
	kprobe = kzalloc(sizeof(*kprobe), GFP_KERNEL);
	if (!kprobe)
		return -ENOMEM;
	err = strata_probe_init(&kprobe->probe, request);
	if (err) {
		kfree(kprobe);
		return err;
	}
	err = describe(kprobe, symbol, offset);
	if (!err)
		err = register_disabled(kprobe);
	if (err) {
		release(kprobe);
		return err;
	}
	strata_probes_add(&kprobe->probe);
	return 0;
}

/* Adds it unless it exists.  0 or a negative error. */
static int find_or_add(struct strata_probe_request *request, const char *symbol,
		       unsigned int offset)
{
	char *place = kasprintf(GFP_KERNEL, "%s+%#x", symbol, offset);
	struct strata_probe *probe;
	int err;

	if (!place)
		return -ENOMEM;
	request->place = place;
	request->function = offset ? place : symbol;
	err = strata_probe_find(request, &probe);
	if (!err && !probe)
		err = add(request, symbol, offset);
	kfree(place);
	return err;
}

int strata_kprobes_add(const char *group, const char *name, char *place)
{
	bool of_return = !strcmp(group, "kretprobe");
	char *words = place;
	char *offset_text = strsep(&words, " ");
	const char *symbol = strsep(&offset_text, "+");
	struct strata_probe_request request = {
		.group = group,
		.name = name,
		.words = words,
		.kind = of_return ? STRATA_PROBE_RETURN : STRATA_PROBE_HIT,
	};
	unsigned int offset = 0;
	int err = -EINVAL;

	/* As for local users: the kernel's lockdown applies to domain 0 too. */
	if (security_locked_down(LOCKDOWN_KPROBES)) {
		pr_warn("no %s: this kernel is locked down\n", group);
		return -EPERM;
	}
	if (strata_probe_is_name(name) && *symbol &&
	    !(offset_text && (of_return || kstrtouint(offset_text, 0, &offset))))
		err = find_or_add(&request, symbol, offset);
	if (err)
		pr_warn("no %s on %s+%#x with \"%s\" (error %d)\n", group, symbol, offset,
			words ?: "", err);
	return err;
}
