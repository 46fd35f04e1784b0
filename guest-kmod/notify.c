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

/* Xen never allocates this port.  Without an event channel the rings are polled. */
#define NO_PORT 0

static evtchn_port_t ports[STRATA_GUEST_CHANNELS_MAX];

static void notify(unsigned int channel)
{
	evtchn_port_t now = READ_ONCE(ports[channel]);

	/* Xen drops it while the other end is unbound. */
	if (now != NO_PORT)
		notify_remote_via_evtchn(now);
}

/* Position of this CPU's ring of each channel at the last event to its reader. */
struct told {
	strata_count_t position[STRATA_GUEST_CHANNELS_MAX];
};
static DEFINE_PER_CPU(struct told, told);

/* Sends an event if @ring has delivered something since the last one. */
static void send_event_of(unsigned int channel, const struct strata_ring *ring)
{
	strata_count_t *last = this_cpu_ptr(&told.position[channel]);
	strata_count_t now = strata_subbuf_start(ring->geo, READ_ONCE(ring->write_count));
	strata_count_t read = READ_ONCE(ring->reader->read_count);

	/* Compares the sign, as counters wrap; a hostile reader's value costs only that reader
	 * events. */
	if (now == *last || (long)(read - *last) < 0)
		return;
	*last = now;
	notify(channel);
}

static void send_events(struct irq_work *work)
{
	unsigned int channel;

	/* The sub-buffer was published before its reader's position is read.  A reader that polls
	 * at the same moment may miss this event; it polls again soon. */
	smp_mb();
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++) {
		const struct strata_ring *ring = this_cpu_read(strata_cpu_rings.ring[channel]);

		if (ring && !READ_ONCE(ring->overwrite))
			send_event_of(channel, ring);
	}
}

void strata_notify_now(unsigned int channel, struct strata_ring *ring)
{
	if (strata_notify_due(ring))
		notify(channel);
}

DEFINE_PER_CPU(struct irq_work, strata_notify_work);

void strata_notify_init(void)
{
	unsigned int cpu;

	/* Not by an initialiser: in a module's per-CPU data the kernel relocates no pointers. */
	for_each_possible_cpu (cpu)
		per_cpu(strata_notify_work, cpu) = IRQ_WORK_INIT_HARD(send_events);
}

static int make_port(unsigned int channel)
{
	struct evtchn_alloc_unbound alloc = { .dom = DOMID_SELF, .remote_dom = 0 };
	int err = HYPERVISOR_event_channel_op(EVTCHNOP_alloc_unbound, &alloc);

	if (err) {
		pr_err("cannot allocate an event channel (error %d)\n", err);
		return err;
	}
	WRITE_ONCE(ports[channel], alloc.port);
	return alloc.port;
}

int strata_notify_renew(void)
{
	unsigned int channel;

	/* Their numbers may belong to other drivers by now. */
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		WRITE_ONCE(ports[channel], NO_PORT);
	return make_port(0);
}

int strata_notify_open(unsigned int channel)
{
	unsigned int cpu;

	/* An earlier channel of this number may have left a position. */
	for_each_possible_cpu (cpu)
		per_cpu(told, cpu).position[channel] = 0;
	return make_port(channel);
}

bool strata_notify_survived(void)
{
	struct evtchn_status status = { .dom = DOMID_SELF, .port = ports[0] };

	if (ports[0] == NO_PORT || HYPERVISOR_event_channel_op(EVTCHNOP_status, &status))
		return false;
	/* The kernel's own channels, which were assigned low numbers again, are neither. */
	return (status.status == EVTCHNSTAT_unbound && status.u.unbound.dom == 0) ||
	       (status.status == EVTCHNSTAT_interdomain && status.u.interdomain.dom == 0);
}

void strata_notify_close(unsigned int channel)
{
	struct evtchn_close close = { .port = xchg(&ports[channel], NO_PORT) };
	unsigned int cpu;
	int err;

	for_each_possible_cpu (cpu)
		irq_work_sync(per_cpu_ptr(&strata_notify_work, cpu));
	if (close.port == NO_PORT)
		return;
	err = HYPERVISOR_event_channel_op(EVTCHNOP_close, &close);
	if (err)
		pr_warn("cannot close event channel %u (error %d)\n", close.port, err);
}
