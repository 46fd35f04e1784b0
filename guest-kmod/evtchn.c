// SPDX-License-Identifier: GPL-2.0-only
/*
 * evtchn.c - see evtchn.h: the function tracer's hook on the function in which the kernel begins to
 * handle one port.  Not a kprobe: upcalls interrupt anything, the handlers of other kprobes
 * included, and the kernel skips a kprobe that is reached from within a handler.
 *
 * A stop only closes the gate in front of the hook (upcall.channels): the hook writes nothing once
 * an RCU grace period has passed, and strata_events_deselect() waits for one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <xen/events.h>

#include "assembled.h"
#include "events.h"
#include "evtchn.h"
#include "hook.h"
#include "record.h"

/* Consecutive recordings find the hook in place. */
#define KEEP_MS 60000u

struct upcall_payload {
	u32 port;
	s32 irq; /* -1: the port has none */
} __packed __aligned(4);

static const struct strata_field_desc fields[] = {
	{ "port", STRATA_FIELD_UNSIGNED, 4, 1 },
	{ "irq", STRATA_FIELD_SIGNED, 4, 1 },
};

static struct strata_event upcall;
static bool opened;

static __always_inline void fill(struct upcall_payload *payload, evtchn_port_t port)
{
	payload->port = port;
	payload->irq = irq_from_evtchn(port);
}

/* Called with interrupts off.  What it calls is not hooked, so it needs no protection against
 * recursion. */
static void notrace on_upcall(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct strata_open_record record __uninitialized;
	unsigned long channels = strata_event_channels(&upcall);
	struct upcall_payload *payload;
	unsigned long channel;
	evtchn_port_t port;
	u64 ticks;

	if (!regs || !channels || !strata_probe_enter(channels))
		return;
	port = regs_get_kernel_argument(regs, 0);
	ticks = strata_clock();
	if (unlikely(strata_channels_ask(channels))) {
		payload = strata_assembled_begin(sizeof(*payload));
		fill(payload, port);
		strata_assembled_record(&upcall, channels, payload, sizeof(*payload), ticks);
		channels = 0;
	}
	strata_for_each_channel (channel, channels) {
		if (!strata_record_begin(&record, channel, upcall.id, sizeof(*payload), ticks))
			continue;
		fill(record.payload, port);
		strata_record_end(&record);
	}
	strata_probe_exit();
}

static struct strata_hook hook = {
	.ops = { .func = on_upcall, .flags = FTRACE_OPS_FL_SAVE_REGS },
	.keep_ms = KEEP_MS,
};

/* events.c opens the gate after this. */
static int attach(struct strata_event *event)
{
	return strata_hook_want(&hook);
}

/* events.c has closed the gate. */
static void detach(struct strata_event *event)
{
	strata_hook_release(&hook);
}

void strata_evtchn_open(void)
{
	char function[] = "handle_irq_for_port";
	int err;

	upcall = (struct strata_event){
		.name = "xen_evtchn_upcall",
		.group = "xen",
		.fields = fields,
		.nr_fields = ARRAY_SIZE(fields),
		.attach = attach,
		.detach = detach,
	};
	strata_hook_init(&hook);
	err = ftrace_set_filter(&hook.ops, function, strlen(function), 1);
	if (!err) {
		err = strata_events_add(&upcall);
		/* strata_evtchn_close() does nothing for what was not opened. */
		if (err)
			ftrace_free_filter(&hook.ops);
	}
	opened = !err;
	if (!opened)
		pr_info("cannot record upcalls of event channels on this kernel (error %d)\n", err);
}

void strata_evtchn_close(void)
{
	if (!opened)
		return;
	opened = false;
	strata_hook_close(&hook);
	ftrace_free_filter(&hook.ops);
}
