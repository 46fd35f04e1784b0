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
#include "switch.h"

/* Behind a probe that records the same trace point. */
#define LAST_PRIORITY 0

struct cpu_switch {
	struct timer_list timer;
	unsigned long last; /* jiffies when something was handed over */
};

static DEFINE_PER_CPU(struct cpu_switch, switches);

static u32 started_ms;                  /* 0: it is not started */
static unsigned long period;            /* the same in jiffies; changes only while nothing runs */
static int offline_state, online_state; /* of CPU hotplug */

/* On a fixed CPU, outside probes. Returns whether it handed anything over. */
static bool switch_if_due(struct strata_ring *ring)
{
	struct cpu_switch *mine = this_cpu_ptr(&switches);

	if (time_before(jiffies, mine->last + period) || !strata_ring_switch(ring))
		return false;
	mine->last = jiffies;
	return true;
}

static void on_timer(struct timer_list *timer)
{
	struct strata_ring *ring = this_cpu_read(strata_cpu_ring);

	if (switch_if_due(ring))
		strata_notify_if_delivered(ring);
	mod_timer(timer, jiffies + period);
}

/* With interrupts off, by the idle task: an interrupt to send the event from would end the sleep
 * that begins. */
static void on_idle(void *unused, unsigned int state, unsigned int cpu)
{
	struct strata_ring *ring = this_cpu_read(strata_cpu_ring);

	if (state != PWR_EVENT_EXIT && switch_if_due(ring))
		strata_notify_now(ring);
}

static int on_offline(unsigned int cpu)
{
	strata_buffers_flush_offline(cpu);
	return 0;
}

static int arm(unsigned int cpu)
{
	struct cpu_switch *its = per_cpu_ptr(&switches, cpu);

	timer_setup(&its->timer, on_timer, TIMER_PINNED | TIMER_DEFERRABLE);
	its->last = jiffies;
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

int strata_switch_start(u32 period_ms)
{
	int err;

	if (period_ms == started_ms)
		return 0;
	strata_switch_stop();
	if (!period_ms)
		return 0;
	period = msecs_to_jiffies(period_ms);
	err = begin();
	if (err) {
		pr_err("cannot set a timer that hands over sub-buffers every %u ms (error %d)\n",
		       period_ms, err);
		return err;
	}
	started_ms = period_ms;
	return 0;
}

void strata_switch_stop(void)
{
	if (!started_ms)
		return;
	started_ms = 0;
	unregister_trace_cpu_idle(on_idle, NULL);
	cpuhp_remove_state(online_state);
	cpuhp_remove_state_nocalls(offline_state);
	tracepoint_synchronize_unregister();
}
