/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_channels_xen.h - softirqs, and the event channels between Xen and dom0, for tests that
 * compile notify.c.
 */
#ifndef STRATA_TESTS_EVENT_CHANNELS_XEN_H
#define STRATA_TESTS_EVENT_CHANNELS_XEN_H

#include <xen/lib.h>

#define STRATA_SOFTIRQ             5
#define raise_softirq(nr)          (assert_int_equal(nr, STRATA_SOFTIRQ), softirqs_raised++)
#define open_softirq(nr, function) (softirq_handler = (function))

#define PORTS_MAX 16

static bool port_is_open[PORTS_MAX];
static unsigned int port_events[PORTS_MAX], ports_left, softirqs_raised;
static void (*softirq_handler)(void);

static inline int alloc_unbound_xen_event_channel(struct domain *d, unsigned int vcpu,
						  uint16_t remote,
						  void (*on_event)(struct vcpu *, unsigned int))
{
	int port = 1;

	assert_ptr_equal(d, hardware_domain);
	assert_int_equal(vcpu, 0);
	assert_int_equal(remote, d->domain_id);
	assert_non_null(on_event);
	if (!ports_left)
		return -ENOSPC;
	ports_left--;
	while (port_is_open[port])
		port++;
	port_is_open[port] = true;
	port_events[port] = 0;
	return port;
}

static inline void free_xen_event_channel(struct domain *d, int port)
{
	assert_ptr_equal(d, hardware_domain);
	assert_true(port_is_open[port]);
	port_is_open[port] = false;
	ports_left++;
}

static inline void notify_via_xen_event_channel(struct domain *d, int port)
{
	assert_ptr_equal(d, hardware_domain);
	assert_true(port_is_open[port]);
	port_events[port]++;
}

#endif /* STRATA_TESTS_EVENT_CHANNELS_XEN_H */
