// SPDX-License-Identifier: GPL-2.0-only
/* evtchn.c - see evtchn.h: a kprobe where the kernel begins to handle one port. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <xen/events.h>

#include "evtchn.h"
#include "kprobes.h"
#include "record.h"

struct upcall_payload {
	u32 port;
	s32 irq; /* -1: the port has none */
} __packed __aligned(4);

static const struct strata_field_desc fields[] = {
	{ "port", STRATA_FIELD_UNSIGNED, 4, 1 },
	{ "irq", STRATA_FIELD_SIGNED, 4, 1 },
};

static struct strata_kprobe upcall;
static bool opened;

static int on_upcall(struct kprobe *kp, struct pt_regs *regs)
{
	evtchn_port_t port = regs_get_kernel_argument(regs, 0);
	struct strata_open_record record;
	struct upcall_payload *payload;

	if (!strata_filter_passes())
		return 0;
	payload = strata_record_begin(&record, upcall.event.id, sizeof(*payload));
	if (!payload)
		return 0;
	payload->port = port;
	payload->irq = irq_from_evtchn(port);
	strata_record_end(&record);
	return 0;
}

void strata_evtchn_open(void)
{
	int err;

	upcall = (struct strata_kprobe){
		.event = { .name = "xen_evtchn_upcall",
			   .group = "xen",
			   .fields = fields,
			   .nr_fields = ARRAY_SIZE(fields) },
		.kretprobe.kp = { .symbol_name = "handle_irq_for_port", .pre_handler = on_upcall },
	};
	err = strata_kprobe_register(&upcall);
	if (!err && strata_events_add(&upcall.event))
		strata_kprobe_unregister(&upcall);
	else
		opened = !err;
	if (!opened)
		pr_info("cannot record upcalls of event channels on this kernel (error %d)\n", err);
}

void strata_evtchn_close(void)
{
	if (opened)
		strata_kprobe_unregister(&upcall);
	opened = false;
}
