// SPDX-License-Identifier: GPL-2.0-only
/*
 * notify.c - the event channel to domain 0, and the irq_work that sends events.
 *
 * Probes run under the scheduler's locks and in NMIs, so they only queue work.
 * At most one event is sent for each complete sub-buffer, so the trace of the
 * interrupt that sends one cannot feed itself.  No event is sent while the reader
 * has not yet read what the last one announced: it is awake, and will see the rest.
 * Events from domain 0 have no purpose: no handler is bound, and the port stays masked.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <xen/events.h>
#include <xen/interface/xen.h>
#include <asm/xen/hypercall.h>

#include "buffers.h"
#include "notify.h"

/* Xen never allocates this port.  Without a channel the rings are polled. */
#define NO_PORT 0

static evtchn_port_t port;

static void notify(void)
{
	evtchn_port_t now = READ_ONCE(port);

	/* Xen drops it while the other end is unbound. */
	if (now != NO_PORT)
		notify_remote_via_evtchn(now);
}

/* Position of this CPU's ring at the last event to the reader. */
static DEFINE_PER_CPU(strata_count_t, told);

static void send_event(struct irq_work *work)
{
	const struct strata_ring *ring = this_cpu_read(strata_cpu_ring);
	strata_count_t read;

	/* The sub-buffer was published before its reader's position is read.  A reader that polls
	 * at the same moment may miss this event; it polls again soon. */
	smp_mb();
	read = READ_ONCE(ring->reader->read_count);
	/* Compares the sign, as counters wrap; a hostile reader's value costs only that reader
	 * events. */
	if ((long)(read - this_cpu_read(told)) < 0)
		return;
	this_cpu_write(told, strata_subbuf_start(ring->geo, READ_ONCE(ring->write_count)));
	notify();
}

void strata_notify_now(struct strata_ring *ring)
{
	if (strata_notify_due(ring))
		notify();
}

DEFINE_PER_CPU(struct irq_work, strata_notify_work);

int strata_notify_renew(void)
{
	struct evtchn_alloc_unbound alloc = { .dom = DOMID_SELF, .remote_dom = 0 };
	int err;

	/* That number may belong to another driver by now. */
	WRITE_ONCE(port, NO_PORT);
	err = HYPERVISOR_event_channel_op(EVTCHNOP_alloc_unbound, &alloc);
	if (err) {
		pr_err("cannot allocate an event channel (error %d)\n", err);
		return err;
	}
	WRITE_ONCE(port, alloc.port);
	return alloc.port;
}

int strata_notify_open(void)
{
	unsigned int cpu;

	/* Not by an initialiser: in a module's per-CPU data the kernel relocates no pointers. */
	for_each_possible_cpu (cpu)
		per_cpu(strata_notify_work, cpu) = IRQ_WORK_INIT_HARD(send_event);
	return strata_notify_renew();
}

bool strata_notify_survived(void)
{
	struct evtchn_status status = { .dom = DOMID_SELF, .port = port };

	if (port == NO_PORT || HYPERVISOR_event_channel_op(EVTCHNOP_status, &status))
		return false;
	/* The kernel's own channels, which were assigned low numbers again, are neither. */
	return (status.status == EVTCHNSTAT_unbound && status.u.unbound.dom == 0) ||
	       (status.status == EVTCHNSTAT_interdomain && status.u.interdomain.dom == 0);
}

void strata_notify_close(void)
{
	struct evtchn_close close = { .port = port };
	unsigned int cpu;
	int err;

	for_each_possible_cpu (cpu)
		irq_work_sync(per_cpu_ptr(&strata_notify_work, cpu));
	if (port == NO_PORT)
		return;
	err = HYPERVISOR_event_channel_op(EVTCHNOP_close, &close);
	if (err)
		pr_warn("cannot close event channel %u (error %d)\n", port, err);
}
