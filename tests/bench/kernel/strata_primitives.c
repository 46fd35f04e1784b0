// SPDX-License-Identifier: GPL-2.0-only
/*
 * strata_primitives.c - how many instructions a kernel's means of synchronization take: those that
 * a tracer may choose from (Desnoyers 2010, section 6).
 *
 * For a host that QEMU runs with -icount, as strata_count.c.  Loading it runs each in a loop, alone
 * and around ten reads and a write, as the paper's table I has it, and prints a line: the least
 * of all turns, less an empty loop's.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include <asm/cmpxchg.h>
#include <asm/msr.h>

#define TURNS       10
#define LOOPS       20000 /* as the paper has it */
#define CALIBRATION 1000000

static unsigned long word, words[11];
static DEFINE_SPINLOCK(lock);
static DEFINE_SEQLOCK(seqlock);

static __always_inline void ten_reads_one_write(void)
{
	unsigned long sum = 0;
	unsigned int i;

#pragma GCC unroll 10
	for (i = 0; i < 10; i++)
		sum += READ_ONCE(words[i]);
	WRITE_ONCE(words[10], sum);
}

static __always_inline void nothing(void)
{
}

/* Defines loop_NAME() and loop_NAME_operations(), which run @body with work() in it. */
// x
#define LOOP(name, body, work_of)                        \
	static noinline void name(void)                  \
	{                                                \
		void (*const work)(void) = work_of;      \
		unsigned long flags __maybe_unused;      \
		unsigned int seq __maybe_unused, i;      \
                                                         \
		for (i = 0; i < LOOPS; i++) {            \
			body;                            \
			asm volatile("" : : : "memory"); \
		}                                        \
	}
#define PRIMITIVE(name, body)            \
	LOOP(loop_##name, body, nothing) \
	LOOP(loop_##name##_operations, body, ten_reads_one_write)

PRIMITIVE(baseline, work())
PRIMITIVE(local_cas, (cmpxchg_local(&word, i, i + 1UL), work()))
PRIMITIVE(sync_cas, (cmpxchg(&word, i, i + 1UL), work()))
PRIMITIVE(irq_save_restore, local_irq_save(flags); work(); local_irq_restore(flags))
PRIMITIVE(spin_lock, spin_lock(&lock); work(); spin_unlock(&lock))
PRIMITIVE(spin_lock_irqsave, spin_lock_irqsave(&lock, flags); work();
	  spin_unlock_irqrestore(&lock, flags))
PRIMITIVE(
	seqlock_read, do {
		seq = read_seqbegin(&seqlock);
		work();
	} while (read_seqretry(&seqlock, seq)))
PRIMITIVE(preempt_disable, preempt_disable(); work(); preempt_enable())

#define ENTRY(name)                                           \
	{                                                     \
#name,                                        \
		{                                             \
			loop_##name, loop_##name##_operations \
		}                                             \
	}

static const struct {
	const char *name;
	void (*loops[2])(void); /* alone, and around operations */
} primitives[] = {
	ENTRY(baseline),  ENTRY(local_cas),         ENTRY(sync_cas),     ENTRY(irq_save_restore),
	ENTRY(spin_lock), ENTRY(spin_lock_irqsave), ENTRY(seqlock_read), ENTRY(preempt_disable),
};

/* Two instructions a turn. */
static noinline void calibrate(void)
{
	unsigned long turns = CALIBRATION / 2;

	asm volatile("1: sub $1, %0; jnz 1b" : "+r"(turns) : : "cc");
}

/* The least ticks of some turns, with interrupts on, so that they may be switched off. */
static u64 least_ticks(void (*loop)(void))
{
	u64 least = U64_MAX, ticks;
	unsigned int turn;

	for (turn = 0; turn < TURNS; turn++) {
		ticks = rdtsc_ordered();
		loop();
		least = min(least, rdtsc_ordered() - ticks);
	}
	return least;
}

static int __init strata_primitives_init(void)
{
	const u64 million = least_ticks(calibrate);
	u64 hundredths[2], empty = 0;
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(primitives); i++) {
		for (at = 0; at < 2; at++)
			hundredths[at] = least_ticks(primitives[i].loops[at]) *
					 (100 * (CALIBRATION / LOOPS)) / million;
		if (i == 0)
			empty = hundredths[0];
		pr_info("%s %llu.%02llu %llu.%02llu\n", primitives[i].name,
			(hundredths[0] - empty) / 100, (hundredths[0] - empty) % 100,
			(hundredths[1] - empty) / 100, (hundredths[1] - empty) % 100);
	}
	return 0;
}

static void __exit strata_primitives_exit(void)
{
}

module_init(strata_primitives_init);
module_exit(strata_primitives_exit);

MODULE_AUTHOR("The Strata developers");
MODULE_DESCRIPTION("Strata: counts the instructions of a kernel's synchronization");
MODULE_LICENSE("GPL");
