// SPDX-License-Identifier: GPL-2.0-only
/*
 * strata_count.c - how many instructions a loop takes that causes events.
 *
 * For a host that QEMU runs with -icount: there the time stamp counter advances
 * with instructions, by a constant that is measured here with a loop of a known
 * number of them.  Loading the module runs what=... 20 times, and prints a line
 * for each:
 *
 *   what=hypercalls  10,000 calls of xen_version, which Xen traces as they begin
 *                    and as they return: 20,000 events, of 4 and 12 bytes in turns
 *   what=softirqs    10,000 yields: a hypercall each, and a softirq of the scheduler's
 *   what=tracepoint  the trace point cpu_frequency, 8 bytes, 20,000 times, with
 *                    whatever probes are on it
 *
 * In between it sleeps, so that whoever reads what was recorded keeps up.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <trace/events/power.h>

#include <asm/msr.h>
#include <asm/xen/hypercall.h>

#include <xen/interface/sched.h>

#define LOOPS       20
#define EVENTS      20000
#define CALIBRATION 1000000

static char *what = "";
module_param(what, charp, 0444);
static char *variant = "";
module_param(variant, charp, 0444);

static noinline void make_hypercalls(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS / 2; i++)
		HYPERVISOR_xen_version(0, NULL);
}

/* Xen finds nobody else to run, and comes back. */
static noinline void make_softirqs(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS / 2; i++)
		HYPERVISOR_sched_op(SCHEDOP_yield, NULL);
}

static noinline void pass_tracepoint(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		trace_cpu_frequency(i, 0);
}

/* Two instructions a turn. */
static noinline void calibrate(void)
{
	unsigned long turns = CALIBRATION / 2;

	asm volatile("1: sub $1, %0; jnz 1b" : "+r"(turns) : : "cc");
}

static u64 ticks_of(void (*loop)(void))
{
	unsigned long flags;
	u64 ticks;

	local_irq_save(flags);
	ticks = rdtsc_ordered();
	loop();
	ticks = rdtsc_ordered() - ticks;
	local_irq_restore(flags);
	return ticks;
}

static void measure(void (*loop)(void))
{
	u64 million = U64_MAX, hundredths;
	unsigned int i;

	for (i = 0; i < LOOPS; i++)
		million = min(million, ticks_of(calibrate));
	pr_info("%u instructions take %llu ticks\n", CALIBRATION, million);
	for (i = 0; i < LOOPS; i++) {
		msleep(100);
		hundredths = ticks_of(loop) * (100 * (CALIBRATION / EVENTS)) / million;
		pr_info("%s %s instructions %llu.%02llu\n", what, variant, hundredths / 100,
			hundredths % 100);
	}
}

static int __init strata_count_init(void)
{
	if (!strcmp(what, "hypercalls"))
		measure(make_hypercalls);
	else if (!strcmp(what, "softirqs"))
		measure(make_softirqs);
	else if (!strcmp(what, "tracepoint"))
		measure(pass_tracepoint);
	else
		return -EINVAL;
	return 0;
}

static void __exit strata_count_exit(void)
{
}

module_init(strata_count_init);
module_exit(strata_count_exit);

MODULE_AUTHOR("The Strata developers");
MODULE_DESCRIPTION("Strata: counts the instructions of an event on an emulated host");
MODULE_LICENSE("GPL");
