// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes.c - see kprobes.h.
 *
 * The kernel calls the handlers with preemption off.  It skips a probe that is reached
 * from within a handler, and a return when it has no room to remember the call; it
 * counts both, and they count as lost here.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "assembled.h"
#include "event_table.h"
#include "events.h"
#include "kprobes.h"
#include "probe_args.h"
#include "record.h"

/* Number of calls of one function that may be in progress at a time: it may sleep. */
#define CALLS_MAX 1024

/* A kprobe and its event; `kretprobe.kp` is all that one without a return uses. */
struct strata_kprobe {
	struct strata_event event; /* name, group and fields are the maker's */
	struct kretprobe kretprobe;
	unsigned long counted; /* of those that the kernel skipped since it was attached */
	bool returns;
	struct strata_probe_args args;
	struct strata_field_desc fields[STRATA_KPROBE_FIELDS_MAX];
};

/* A probe that domain 0 asked for. */
struct dynamic_kprobe {
	struct strata_kprobe base;
	char *symbol;
	char *args; /* as they were given; NULL: none */
	char name[STRATA_EVENT_NAME_BYTES];
};

static struct dynamic_kprobe *dynamic[STRATA_GUEST_PROBES_MAX];
static u32 nr_dynamic;

struct hit_payload {
	u64 ip;
} __packed __aligned(4);

struct return_payload {
	u64 ip;
	u64 ret;
} __packed __aligned(4);

static const struct strata_field_desc hit_fields[] = {
	{ "ip", STRATA_FIELD_HEX, 8, 1 },
};

static const struct strata_field_desc return_fields[] = {
	{ "ip", STRATA_FIELD_HEX, 8, 1 },
	{ "ret", STRATA_FIELD_HEX, 8, 1 },
};

static void fill_hit(const struct strata_kprobe *kprobe, const struct pt_regs *regs,
		     struct hit_payload *payload)
{
	payload->ip = (unsigned long)kprobe->kretprobe.kp.addr;
	strata_probe_args_write(&kprobe->args, regs, payload, sizeof(*payload));
}

static void fill_return(const struct strata_kprobe *kprobe, struct pt_regs *regs,
			struct return_payload *payload)
{
	payload->ip = (unsigned long)kprobe->kretprobe.kp.addr;
	payload->ret = regs_return_value(regs);
	strata_probe_args_write(&kprobe->args, regs, payload, sizeof(*payload));
}

static void fill(const struct strata_kprobe *kprobe, struct pt_regs *regs, void *payload)
{
	if (kprobe->returns)
		fill_return(kprobe, regs, payload);
	else
		fill_hit(kprobe, regs, payload);
}

/* No payload is too long for a record: set_fields() sees to that. */
static void record_assembled(const struct strata_kprobe *kprobe, struct pt_regs *regs,
			     unsigned long channels, u64 ticks)
{
	void *payload = strata_assembled_begin(kprobe->args.end);

	fill(kprobe, regs, payload);
	strata_assembled_record(&kprobe->event, channels, payload, kprobe->args.end, ticks);
}

static void record_each(const struct strata_kprobe *kprobe, struct pt_regs *regs,
			unsigned long channels, u64 ticks)
{
	struct strata_open_record record __uninitialized;
	unsigned long channel;

	strata_for_each_channel (channel, channels) {
		if (!strata_record_begin(&record, channel, kprobe->event.id, kprobe->args.end,
					 ticks))
			continue;
		fill(kprobe, regs, record.payload);
		strata_record_end(&record);
	}
}

static void record(const struct strata_kprobe *kprobe, struct pt_regs *regs)
{
	unsigned long channels = strata_event_channels(&kprobe->event);
	u64 ticks;

	if (!strata_probe_enter(channels))
		return;
	ticks = strata_clock();
	if (unlikely(strata_channels_ask(channels)))
		record_assembled(kprobe, regs, channels, ticks);
	else
		record_each(kprobe, regs, channels, ticks);
	strata_probe_exit();
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
	return container_of(event, struct strata_kprobe, event);
}

static int attach(struct strata_event *event)
{
	struct strata_kprobe *kprobe = kprobe_of(event);

	kprobe->kretprobe.nmissed = 0;
	kprobe->kretprobe.kp.nmissed = 0;
	kprobe->counted = 0;
	return kprobe->returns ? enable_kretprobe(&kprobe->kretprobe)
			       : enable_kprobe(&kprobe->kretprobe.kp);
}

static void detach(struct strata_event *event)
{
	struct strata_kprobe *kprobe = kprobe_of(event);

	if (kprobe->returns)
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
	if (kprobe->returns)
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

	kprobe->event.attach = attach;
	kprobe->event.detach = detach;
	kprobe->event.missed = missed;
	kp->flags = KPROBE_FLAG_DISABLED;
	err = kprobe->returns ? register_kretprobe(&kprobe->kretprobe) : register_kprobe(kp);
	if (err)
		return err;
	/* The recording code itself must not be recorded. */
	if (!within_module((unsigned long)kp->addr, THIS_MODULE))
		return 0;
	unregister(kprobe);
	return -EINVAL;
}

static bool is_identifier(const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i < length; i++)
		if (!isascii(name[i]) || !(isalnum(name[i]) || name[i] == '_'))
			return false;
	return length > 0 && length < STRATA_EVENT_NAME_BYTES && !isdigit(name[0]);
}

static bool equal_args(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The existing event of that name, if it is at the same place and has the same arguments.  0,
 * -ENOENT or -EEXIST. */
static int find(const char *group, const char *name, const char *symbol, unsigned int offset,
		const char *args)
{
	u32 i;

	for (i = 0; i < nr_dynamic; i++) {
		const struct dynamic_kprobe *one = dynamic[i];

		if (strcmp(one->base.event.group, group) || strcmp(one->name, name))
			continue;
		if (strcmp(one->symbol, symbol) || one->base.kretprobe.kp.offset != offset ||
		    !equal_args(one->args, args))
			return -EEXIST;
		return 0;
	}
	return -ENOENT;
}

static void release(struct dynamic_kprobe *one)
{
	kfree(one->symbol);
	kfree(one->args);
	kfree(one);
}

/* Gives it its fields, and reads those that are arguments.  0 or a negative error. */
static int set_fields(struct strata_kprobe *kprobe, const char *args)
{
	const struct strata_field_desc *own = kprobe->returns ? return_fields : hit_fields;
	u32 nr = kprobe->returns ? ARRAY_SIZE(return_fields) : ARRAY_SIZE(hit_fields);
	unsigned int begin = kprobe->returns ? sizeof(struct return_payload)
					     : sizeof(struct hit_payload);
	char *words = args ? kstrdup(args, GFP_KERNEL) : NULL;
	int err;

	static_assert(ARRAY_SIZE(return_fields) + STRATA_PROBE_ARGS_MAX <=
		      STRATA_KPROBE_FIELDS_MAX);
	static_assert(STRATA_KPROBE_FIELDS_MAX <= STRATA_EVENT_FIELDS_MAX);
	if (args && !words)
		return -ENOMEM;
	memcpy(kprobe->fields, own, nr * sizeof(*own));
	err = strata_probe_args_parse(words, kprobe->returns, begin, &kprobe->args,
				      &kprobe->fields[nr]);
	kfree(words);
	if (!err &&
	    sizeof(struct strata_guest_context) + kprobe->args.end > STRATA_PAYLOAD_BYTES_MAX)
		err = -E2BIG;
	kprobe->event.fields = kprobe->fields;
	kprobe->event.nr_fields = nr + kprobe->args.nr;
	return err;
}

/* The event of a probe that is not registered yet; an ERR_PTR(). */
static struct dynamic_kprobe *make(bool returns, const char *name, const char *symbol,
				   unsigned int offset, const char *args)
{
	struct dynamic_kprobe *one = kzalloc(sizeof(*one), GFP_KERNEL);
	int err;

	if (!one)
		return ERR_PTR(-ENOMEM);
	one->symbol = kstrdup(symbol, GFP_KERNEL);
	one->args = args ? kstrdup(args, GFP_KERNEL) : NULL;
	one->base.returns = returns;
	err = one->symbol && (one->args || !args) ? set_fields(&one->base, args) : -ENOMEM;
	if (err) {
		release(one);
		return ERR_PTR(err);
	}
	strscpy(one->name, name, sizeof(one->name));
	one->base.event.name = one->name;
	one->base.event.group = returns ? "kretprobe" : "kprobe";
	one->base.kretprobe.kp.symbol_name = one->symbol;
	one->base.kretprobe.kp.offset = offset;
	if (returns) {
		one->base.kretprobe.handler = on_return;
		one->base.kretprobe.maxactive = CALLS_MAX;
	} else {
		one->base.kretprobe.kp.pre_handler = on_hit;
	}
	return one;
}

static int add(bool returns, const char *name, const char *symbol, unsigned int offset,
	       const char *args)
{
	struct dynamic_kprobe *one;
	int err;

	if (nr_dynamic == STRATA_GUEST_PROBES_MAX ||
	    strata_events_count() == STRATA_GUEST_EVENTS_MAX)
		return -ENOSPC;
	one = make(returns, name, symbol, offset, args);
	if (IS_ERR(one))
		return PTR_ERR(one);
	err = register_disabled(&one->base);
	if (err) {
		release(one);
		return err;
	}
	/* There is room in both. */
	strata_events_add(&one->base.event);
	strata_event_table_add(&one->base.event);
	dynamic[nr_dynamic++] = one;
	return 0;
}

int strata_kprobes_add(const char *group, const char *name, char *place)
{
	bool returns = !strcmp(group, "kretprobe");
	char *words = place;
	char *offset_text = strsep(&words, " ");
	const char *symbol = strsep(&offset_text, "+");
	unsigned int offset = 0;
	int err = -EINVAL;

	/* As for local users: the kernel's lockdown applies to domain 0 too. */
	if (security_locked_down(LOCKDOWN_KPROBES)) {
		pr_warn("no %s: this kernel is locked down\n", group);
		return -EPERM;
	}
	if (is_identifier(name) && *symbol &&
	    !(offset_text && (returns || kstrtouint(offset_text, 0, &offset))))
		err = find(group, name, symbol, offset, words);
	if (err == -ENOENT)
		err = add(returns, name, symbol, offset, words);
	if (err)
		pr_warn("no %s on %s+%#x with \"%s\" (error %d)\n", group, symbol, offset,
			words ?: "", err);
	return err;
}

void strata_kprobes_clear(void)
{
	while (nr_dynamic > 0) {
		unregister(&dynamic[--nr_dynamic]->base);
		release(dynamic[nr_dynamic]);
	}
}
