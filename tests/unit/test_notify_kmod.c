// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_notify_kmod.c - the module's event channels across a suspend: after it, their old numbers
 * may belong to other drivers, so no event goes to one, also when Xen has no new channel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/shim.h>

#include <strata/ring_writer.h>

/* Kernel code does not keep to these. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What notify.c needs of a kernel of one CPU. */
typedef uint32_t evtchn_port_t;

#define READ_ONCE(x)                (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)        ((void)(*(volatile __typeof__(x) *)&(x) = (value)))
#define xchg(place, value)          __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
#define smp_mb()                    __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define likely(x)                   (x)
#define DECLARE_PER_CPU(type, name) extern type name
#define DEFINE_PER_CPU(type, name)  type name
#define per_cpu(name, cpu)          (*((void)(cpu), &(name)))
#define per_cpu_ptr(place, cpu)     ((void)(cpu), (place))
#define this_cpu_ptr(place)         (place)
#define this_cpu_read(name)         (name)
#define for_each_possible_cpu(cpu)  for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define irq_work_queue(work)        ((work)->run(work))
#define irq_work_sync(work)         ((void)(work))
#define pr_err(...)                 ((void)0)
#define pr_warn(...)                ((void)0)

struct irq_work {
	void (*run)(struct irq_work *work);
};
#define IRQ_WORK_INIT_HARD(function) ((struct irq_work){ .run = (function) })

/* And of Xen. */
#define DOMID_SELF             0x7ff0
#define EVTCHNSTAT_unbound     1
#define EVTCHNSTAT_interdomain 2

enum { EVTCHNOP_alloc_unbound, EVTCHNOP_status, EVTCHNOP_close };

struct evtchn_alloc_unbound {
	uint16_t dom, remote_dom;
	evtchn_port_t port;
};

struct evtchn_status {
	uint16_t dom;
	evtchn_port_t port;
	uint32_t status;
	struct {
		struct {
			uint16_t dom;
		} unbound, interdomain;
	} u;
};

struct evtchn_close {
	evtchn_port_t port;
};

static int alloc_error;
static evtchn_port_t next_port = 11, sent_to, closed;
static unsigned int nr_sent, nr_closed;

static int HYPERVISOR_event_channel_op(int op, void *argument)
{
	struct evtchn_status *status = argument;

	switch (op) {
	case EVTCHNOP_alloc_unbound:
		if (!alloc_error)
			((struct evtchn_alloc_unbound *)argument)->port = next_port++;
		return alloc_error;
	case EVTCHNOP_status:
		status->status = EVTCHNSTAT_unbound;
		status->u.unbound.dom = 0;
		return 0;
	default:
		closed = ((struct evtchn_close *)argument)->port;
		nr_closed++;
		return 0;
	}
}

static void notify_remote_via_evtchn(evtchn_port_t port)
{
	sent_to = port;
	nr_sent++;
}

/* The rest of the module, in place of its header. */
#include <strata/abi/guest.h>

#define STRATA_KMOD_BUFFERS_H
struct strata_cpu_rings {
	struct strata_ring *ring[STRATA_GUEST_CHANNELS_MAX];
};
static DEFINE_PER_CPU(struct strata_cpu_rings, strata_cpu_rings);

#undef __always_inline
#define __always_inline inline
#include "../../guest-kmod/notify.c"

static struct strata_ring_reader_area reader;
static struct strata_ring ring = { .geo = { 12, 2 }, .reader = &reader };

/* A sub-buffer of channel @channel becomes ready.  Returns how many events were sent for it. */
static unsigned int deliver(unsigned int channel)
{
	const unsigned int before = nr_sent;

	ring.delivered = true;
	strata_notify_now(channel, &ring);
	return nr_sent - before;
}

static void events_go_to_the_port_of_their_channel(void **state)
{
	(void)state;
	assert_int_equal(strata_notify_open(0), 11);
	assert_int_equal(strata_notify_open(1), 12);
	assert_true(strata_notify_survived());
	assert_int_equal(deliver(0), 1);
	assert_int_equal(sent_to, 11);
	assert_int_equal(deliver(1), 1);
	assert_int_equal(sent_to, 12);
}

static void after_a_suspend_no_event_goes_to_an_old_port(void **state)
{
	(void)state;
	/* Given that Xen has no event channel left, nothing is sent, and nothing closed. */
	alloc_error = -ENOSPC;
	assert_int_equal(strata_notify_renew(), -ENOSPC);
	assert_false(strata_notify_survived());
	assert_int_equal(deliver(0), 0);
	assert_int_equal(deliver(1), 0);
	strata_notify_close(0);
	strata_notify_close(1);
	assert_int_equal(nr_closed, 0);
	/* When it has one again, channel 0 has that one, and channel 1 none until it is opened. */
	alloc_error = 0;
	assert_int_equal(strata_notify_renew(), 13);
	assert_int_equal(deliver(0), 1);
	assert_int_equal(sent_to, 13);
	assert_int_equal(deliver(1), 0);
	strata_notify_close(0);
	assert_int_equal(nr_closed, 1);
	assert_int_equal(closed, 13);
	/* A closed port is an old one, too. */
	assert_int_equal(deliver(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_go_to_the_port_of_their_channel),
		cmocka_unit_test(after_a_suspend_no_event_goes_to_an_old_port),
	};

	strata_notify_init();
	return cmocka_run_group_tests_name("notify_kmod", tests, NULL, NULL);
}
