// SPDX-License-Identifier: GPL-2.0-only
/*
 * evtchn.c - see evtchn.h: the function tracer's hook on the function in which the kernel begins to
 * handle one port.  Not a kprobe: upcalls interrupt anything, the handlers of other kprobes
 * included, and the kernel skips a kprobe that is reached from within a handler.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <xen/events.h>

#include "events.h"
#include "evtchn.h"
#include "record.h"

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

/* Called with interrupts off.  What it calls is not hooked, so it needs no protection against
 * recursion. */
static void notrace on_upcall(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct strata_open_record record;
	struct upcall_payload *payload;
	evtchn_port_t port;

	if (!regs || !strata_filter_passes())
		return;
	payload = strata_record_begin(&record, upcall.id, sizeof(*payload));
	if (!payload)
		return;
	port = regs_get_kernel_argument(regs, 0);
	payload->port = port;
	payload->irq = irq_from_evtchn(port);
	strata_record_end(&record);
}

static struct ftrace_ops hook = { .func = on_upcall, .flags = FTRACE_OPS_FL_SAVE_REGS };

static int attach(struct strata_event *event)
{
	return register_ftrace_function(&hook);
}

/* Returns when no CPU is in the hook any more. */
static void detach(struct strata_event *event)
{
	unregister_ftrace_function(&hook);
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
	err = ftrace_set_filter(&hook, function, strlen(function), 1);
	if (!err)
		err = strata_events_add(&upcall);
	opened = !err;
	if (!opened)
		pr_info("cannot record upcalls of event channels on this kernel (error %d)\n", err);
}

void strata_evtchn_close(void)
{
	if (opened)
		ftrace_free_filter(&hook);
	opened = false;
}
