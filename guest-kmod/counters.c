// SPDX-License-Identifier: GPL-2.0-only
/*
 * counters.c - see counters.h.
 *
 * A counter is a kernel counter of perf for each CPU.  It is pinned: it counts all the time, or not
 * at all.  So its count never lacks the time when others had the processor's counters.
 *
 * Why a read is safe in any context: perf's own update of a count is a loop around compare-and-swap
 * that an NMI may interrupt, but two readings of a clock must not overlap.  So a probe that
 * interrupts a reading on its CPU takes the count as it is.  The same while perf programs the
 * counter again: then its count is up to date, and its register is not.
 *
 * Perf takes the lock of CPU hotplug when it makes or releases some counters, so that a callback of
 * CPU hotplug must not: a work item does it soon after.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "counters.h"
#include "probe_cpu.h"

#ifdef CONFIG_PERF_EVENTS

struct cpu_counters {
	struct perf_event *event[STRATA_GUEST_CHANNELS_MAX][STRATA_COUNTERS_MAX];
	bool reading;
};

static DEFINE_PER_CPU(struct cpu_counters, counters);

/* Of each channel. */
static struct {
	struct strata_guest_root *root;
	struct strata_guest_counter entry[STRATA_COUNTERS_MAX];
	u64 asked[STRATA_COUNTERS_MAX]; /* a number that rises with each request */
	u32 counting;                   /* STRATA_COUNTER_BIT()s of those that have begun */
} tables[STRATA_GUEST_CHANNELS_MAX];

static u64 requests;

/* Between the thread that obeys commands, and the work. */
static DEFINE_MUTEX(lock);

static int offline_state, online_state; /* of CPU hotplug; 0: not watched */

u64 strata_counter_read(unsigned int channel, unsigned int number)
{
	struct perf_event *event = READ_ONCE(*this_cpu_ptr(&counters.event[channel][number]));
	enum perf_event_state state;

	if (!event)
		return STRATA_COUNTER_NO_VALUE;
	state = READ_ONCE(event->state);
	/* Off, or pinned in vain: its count stands still. */
	if (state < PERF_EVENT_STATE_INACTIVE)
		return STRATA_COUNTER_NO_VALUE;
	/* Inactive: perf moves it, and has counted up to now. */
	if (state == PERF_EVENT_STATE_ACTIVE && !this_cpu_read(counters.reading) &&
	    !(READ_ONCE(event->hw.state) & (PERF_HES_STOPPED | PERF_HES_UPTODATE))) {
		this_cpu_write(counters.reading, true);
		barrier();
		event->pmu->read(event);
		barrier();
		this_cpu_write(counters.reading, false);
	}
	return local64_read(&event->count);
}

/* Begins to count on a CPU.  An event or an error. */
static struct perf_event *begin_on(unsigned int cpu, const struct strata_guest_counter *counter)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counter->type,
		.config = counter->config,
		.pinned = true,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event) || READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE)
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-EBUSY);
}

/* Ends it on a CPU.  @probed: probes there may read it */
static void end_on(unsigned int cpu, unsigned int channel, unsigned int number, bool probed)
{
	struct perf_event **place = &per_cpu(counters, cpu).event[channel][number];
	struct perf_event *event = *place;

	if (!event)
		return;
	WRITE_ONCE(*place, NULL);
	if (probed)
		strata_await_probes();
	perf_event_release_kernel(event);
}

/* Perf turns off what counts on a CPU that goes offline. */
static bool is_off(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_OFF;
}

/* Has a counter on a CPU exactly if that is online.  0 or an error. */
static int adjust(unsigned int cpu, unsigned int channel, unsigned int number)
{
	struct perf_event **place = &per_cpu(counters, cpu).event[channel][number];
	struct perf_event *event;

	if (*place && (!cpu_online(cpu) || is_off(*place)))
		end_on(cpu, channel, number, true);
	if (*place || !cpu_online(cpu))
		return 0;
	event = begin_on(cpu, &tables[channel].entry[number]);
	/* The CPU has gone meanwhile. */
	if (IS_ERR(event) && !cpu_online(cpu))
		return 0;
	if (IS_ERR(event))
		return PTR_ERR(event);
	/* Release: pairs with the dependent loads of strata_counter_read(), which finds it whole.
	 */
	smp_store_release(place, event);
	return 0;
}

/* A CPU came or went. */
static void adjust_all(struct work_struct *unused)
{
	unsigned int channel, number, cpu;

	mutex_lock(&lock);
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		for (number = 0; number < STRATA_COUNTERS_MAX; number++) {
			if (!(tables[channel].counting & STRATA_COUNTER_BIT(number)))
				continue;
			for_each_possible_cpu (cpu)
				if (adjust(cpu, channel, number))
					pr_warn_ratelimited(
						"CPU %u does not count type %u config %#llx: its events have no value of it\n",
						cpu, tables[channel].entry[number].type,
						tables[channel].entry[number].config);
		}
	mutex_unlock(&lock);
}

static DECLARE_WORK(adjusting, adjust_all);

static int on_change(unsigned int cpu)
{
	schedule_work(&adjusting);
	return 0;
}

/* Without the lock: the callbacks do not take it, but the work does. */
static int watch_cpus(void)
{
	int state;

	if (online_state)
		return 0;
	/* A CPU that goes offline is offline then. */
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "strata:counters-off", NULL,
					  on_change);
	if (state < 0)
		return state;
	offline_state = state;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "strata:counters-on", on_change,
					  NULL);
	if (state < 0) {
		cpuhp_remove_state_nocalls(offline_state);
		return state;
	}
	online_state = state;
	return 0;
}

static void unwatch_cpus(void)
{
	unsigned int channel;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		if (tables[channel].counting)
			return;
	if (!online_state)
		return;
	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(offline_state);
	online_state = offline_state = 0;
	cancel_work_sync(&adjusting);
}

/* Ends a counter that no probe reads. */
static void end(unsigned int channel, unsigned int number)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		end_on(cpu, channel, number, false);
	tables[channel].counting &= ~STRATA_COUNTER_BIT(number);
}

/* Begins a counter of the table on each CPU, or nowhere. */
static int begin(unsigned int channel, unsigned int number)
{
	unsigned int cpu;
	int err = watch_cpus();

	if (err)
		return err;
	mutex_lock(&lock);
	tables[channel].counting |= STRATA_COUNTER_BIT(number);
	for_each_possible_cpu (cpu) {
		err = adjust(cpu, channel, number);
		if (err)
			break;
	}
	if (err)
		end(channel, number);
	mutex_unlock(&lock);
	unwatch_cpus();
	return err;
}

static void set_entry(unsigned int channel, unsigned int number, struct strata_guest_counter entry)
{
	tables[channel].entry[number] = entry;
	tables[channel].root->counters[number] = entry;
}

void strata_counters_open(unsigned int channel, struct strata_guest_root *root)
{
	unsigned int number;

	tables[channel].root = root;
	for (number = 0; number < STRATA_COUNTERS_MAX; number++) {
		tables[channel].asked[number] = 0;
		set_entry(channel, number,
			  (struct strata_guest_counter){ .type = STRATA_COUNTER_NO_TYPE });
	}
}

void strata_counters_close(unsigned int channel)
{
	strata_counters_keep(channel, 0);
}

static bool is_known_type(u32 type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE ||
	       type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* The number of an equal entry, else of the one to replace; -ENOSPC: all are in use. */
static int find_entry(unsigned int channel, u32 type, u64 config)
{
	int oldest = -ENOSPC;
	unsigned int number;

	for (number = 0; number < STRATA_COUNTERS_MAX; number++) {
		const struct strata_guest_counter *entry = &tables[channel].entry[number];

		if (entry->type == type && entry->config == config)
			return number;
		if (!(tables[channel].counting & STRATA_COUNTER_BIT(number)) &&
		    (oldest < 0 || tables[channel].asked[number] < tables[channel].asked[oldest]))
			oldest = number;
	}
	return oldest;
}

int strata_counters_add(unsigned int channel, u32 type, u64 config)
{
	const int number = is_known_type(type) ? find_entry(channel, type, config) : -EINVAL;
	struct strata_guest_counter before;
	int err;

	if (number < 0)
		return number;
	before = tables[channel].entry[number];
	set_entry(channel, number, (struct strata_guest_counter){ .type = type, .config = config });
	err = begin(channel, number);
	if (err)
		set_entry(channel, number, before);
	else
		tables[channel].asked[number] = ++requests;
	return err;
}

int strata_counters_resume(unsigned int channel, u32 contexts)
{
	unsigned int number;

	for (number = 0; number < STRATA_COUNTERS_MAX; number++) {
		const bool is_asked = contexts & STRATA_COUNTER_BIT(number);
		int err = 0;

		if (is_asked && tables[channel].entry[number].type == STRATA_COUNTER_NO_TYPE)
			err = -EINVAL;
		else if (is_asked && !(tables[channel].counting & STRATA_COUNTER_BIT(number)))
			err = begin(channel, number);
		if (err)
			return err;
	}
	return 0;
}

void strata_counters_keep(unsigned int channel, u32 contexts)
{
	unsigned int number;

	mutex_lock(&lock);
	for (number = 0; number < STRATA_COUNTERS_MAX; number++)
		if (tables[channel].counting & ~contexts & STRATA_COUNTER_BIT(number))
			end(channel, number);
	mutex_unlock(&lock);
	unwatch_cpus();
}

#else /* CONFIG_PERF_EVENTS */

void strata_counters_open(unsigned int channel, struct strata_guest_root *root)
{
	unsigned int number;

	for (number = 0; number < STRATA_COUNTERS_MAX; number++)
		root->counters[number] =
			(struct strata_guest_counter){ .type = STRATA_COUNTER_NO_TYPE };
}

void strata_counters_close(unsigned int channel)
{
}

int strata_counters_add(unsigned int channel, u32 type, u64 config)
{
	return -ENOENT;
}

int strata_counters_resume(unsigned int channel, u32 contexts)
{
	return contexts & STRATA_COUNTERS_ALL ? -EINVAL : 0;
}

void strata_counters_keep(unsigned int channel, u32 contexts)
{
}

u64 strata_counter_read(unsigned int channel, unsigned int number)
{
	return STRATA_COUNTER_NO_VALUE;
}

#endif /* CONFIG_PERF_EVENTS */
