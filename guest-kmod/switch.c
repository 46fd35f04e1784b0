// SPDX-License-Identifier: GPL-2.0-only
/*
 * switch.c - decides when each CPU checks its ring for the forced switch by time
 * (strata/ring_switch.h).
 *
 * A busy CPU checks in a timer, which is deferrable: an idle CPU is not woken for
 * it.  The kernel runs such timers in the tick only, and a CPU that sleeps and wakes
 * again, milliseconds later, may have no tick for hours.  So a CPU also checks on its
 * way to idle, after its last record.  Both run on the ring's own CPU, and share the
 * time of the last switch.
 *
 * A CPU that goes offline leaves a ring that another CPU hands over, once; when
 * it comes back, its timer does.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/timer.h>
#include <trace/events/power.h>

#include <strata/ring_switch.h>

#include "buffers.h"
#include "notify.h"
#include "probe_cpu.h"
#include "switch.h"

/* Behind a probe that records the same trace point. */
#define LAST_PRIORITY 0

struct cpu_switch {
	struct timer_list timer;
	/* Of each channel: jiffies when something was handed over. */
	unsigned long last[STRATA_GUEST_CHANNELS_MAX];
};

static DEFINE_PER_CPU(struct cpu_switch, switches);

static unsigned long periods[STRATA_GUEST_CHANNELS_MAX]; /* in jiffies; 0: never */
static unsigned long period;            /* the shortest of them; 0: no timer runs */
static int offline_state, online_state; /* of CPU hotplug */

/* On a fixed CPU, outside probes. Returns whether it handed anything over. */
static bool switch_if_due(unsigned int channel, struct strata_ring *ring)
{
	unsigned long *last = this_cpu_ptr(&switches.last[channel]);
	unsigned long its = READ_ONCE(periods[channel]);

	if (!ring || !its || time_before(jiffies, *last + its) || !strata_ring_switch(ring))
		return false;
	*last = jiffies;
	return true;
}

static void on_timer(struct timer_list *timer)
{
	unsigned int channel;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++) {
		struct strata_ring *ring = this_cpu_read(strata_cpu_rings.ring[channel]);

		if (switch_if_due(channel, ring))
			strata_notify_if_delivered(ring);
	}
	mod_timer(timer, jiffies + READ_ONCE(period));
}

/* With interrupts off, by the idle task: an interrupt to send the event from would end the sleep
 * that begins. */
static void on_idle(void *unused, unsigned int state, unsigned int cpu)
{
	unsigned int channel;

	if (state == PWR_EVENT_EXIT)
		return;
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++) {
		struct strata_ring *ring = this_cpu_read(strata_cpu_rings.ring[channel]);

		if (switch_if_due(channel, ring))
			strata_notify_now(channel, ring);
	}
}

static int on_offline(unsigned int cpu)
{
	strata_buffers_flush_offline(cpu);
	return 0;
}

static int arm(unsigned int cpu)
{
	struct cpu_switch *its = per_cpu_ptr(&switches, cpu);
	unsigned int channel;

	timer_setup(&its->timer, on_timer, TIMER_PINNED | TIMER_DEFERRABLE);
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		its->last[channel] = jiffies;
	its->timer.expires = jiffies + period;
	add_timer_on(&its->timer, cpu);
	return 0;
}

static int disarm(unsigned int cpu)
{
	del_timer_sync(&per_cpu_ptr(&switches, cpu)->timer);
	return 0;
}

static int begin(void)
{
	int err;

	/* Not for the present CPUs: none of them is offline now, nor at the end. */
	offline_state =
		cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "strata:offline", NULL, on_offline);
	if (offline_state < 0)
		return offline_state;
	online_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "strata:online", arm, disarm);
	if (online_state < 0) {
		err = online_state;
		goto remove_offline;
	}
	err = register_trace_prio_cpu_idle(on_idle, NULL, LAST_PRIORITY);
	if (!err)
		return 0;
	cpuhp_remove_state(online_state);
remove_offline:
	cpuhp_remove_state_nocalls(offline_state);
	return err;
}

static unsigned long shortest_period(void)
{
	unsigned long shortest = 0;
	unsigned int channel;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		if (periods[channel] && (!shortest || periods[channel] < shortest))
			shortest = periods[channel];
	return shortest;
}

static void end(void)
{
	unregister_trace_cpu_idle(on_idle, NULL);
	cpuhp_remove_state(online_state);
	cpuhp_remove_state_nocalls(offline_state);
	strata_await_probes();
}

int strata_switch_set(unsigned int channel, u32 period_ms)
{
	unsigned long before = period;
	int err;

	WRITE_ONCE(periods[channel], period_ms ? msecs_to_jiffies(period_ms) : 0);
	if (before && !shortest_period())
		end();
	/* Timers that run take a shorter period when they run next. */
	WRITE_ONCE(period, shortest_period());
	if (before || !period)
		return 0;
	err = begin();
	if (err) {
		period = 0;
		pr_err("cannot set a timer that hands over sub-buffers every %u ms (error %d)\n",
		       period_ms, err);
	}
	return err;
}
