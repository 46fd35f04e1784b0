// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes.c - attaches probes to the kernel's trace points and detaches them.
 *
 * The trace points are not exported to modules, so they are looked up by name;
 * that their arguments are what the probes expect is checked when this file is
 * compiled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/timer.h>

#include "events.h"
#include "probes.h"

struct probe {
	const char *tracepoint_name;
	void *function;
	struct tracepoint *tracepoint;
	bool attached;
};

#define PROBE(event, tracepoint, FIELDS) \
	[STRATA_EVENT_##event] = { #tracepoint, strata_probe_##event },

static struct probe probes[STRATA_NR_EVENTS] = { STRATA_GUEST_EVENTS(PROBE) };

#define CHECK_TYPE(event, tracepoint, FIELDS) \
	check_trace_callback_type_##tracepoint(strata_probe_##event);

static void take_if_wanted(struct tracepoint *tracepoint, void *unused)
{
	unsigned int id;

	for (id = 0; id < STRATA_NR_EVENTS; id++)
		if (!strcmp(probes[id].tracepoint_name, tracepoint->name))
			probes[id].tracepoint = tracepoint;
}

int strata_probes_find(void)
{
	unsigned int id;

	STRATA_GUEST_EVENTS(CHECK_TYPE)
	for_each_kernel_tracepoint(take_if_wanted, NULL);
	for (id = 0; id < STRATA_NR_EVENTS; id++) {
		if (!probes[id].tracepoint) {
			pr_err("this kernel has no trace point %s\n", probes[id].tracepoint_name);
			return -ENOENT;
		}
	}
	return 0;
}

static int attach(struct probe *probe)
{
	int err = tracepoint_probe_register(probe->tracepoint, probe->function, NULL);

	if (err) {
		pr_err("no probe on trace point %s (error %d)\n", probe->tracepoint_name, err);
		return err;
	}
	probe->attached = true;
	return 0;
}

static void detach(struct probe *probe)
{
	int err = tracepoint_probe_unregister(probe->tracepoint, probe->function, NULL);

	/* It fails only for a probe that is not there. */
	if (err)
		pr_warn("trace point %s had lost its probe (error %d)\n", probe->tracepoint_name,
			err);
	probe->attached = false;
}

int strata_probes_attach(u64 mask)
{
	unsigned int id;
	int err;

	for (id = 0; id < STRATA_NR_EVENTS; id++) {
		struct probe *probe = &probes[id];
		bool wanted = mask & BIT_ULL(id);

		if (wanted && !probe->attached) {
			err = attach(probe);
			if (err)
				return err;
		} else if (!wanted && probe->attached) {
			detach(probe);
		}
	}
	return 0;
}

void strata_probes_detach_all(void)
{
	unsigned int id;

	for (id = 0; id < STRATA_NR_EVENTS; id++)
		if (probes[id].attached)
			detach(&probes[id]);
	tracepoint_synchronize_unregister();
}
