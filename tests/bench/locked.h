/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * locked.h - what the core would be if it kept others away, as tracers did before
 * it: a spin lock with interrupts off around each record, and plain loads and
 * stores where the core has atomic operations of its CPU.  For comparison alone:
 * an NMI that traces would wait for ever.  With STRATA_BENCH_IRQS_OFF interrupts are
 * off, but there is no lock, as Desnoyers 2012, section 5.8, has it.
 *
 * Compiled in front of what writes records in Xen (record.c) and in strata.ko
 * (trace_*.c), so that nothing else differs.
 */
#ifndef STRATA_BENCH_LOCKED_H
#define STRATA_BENCH_LOCKED_H

#include <strata/platform/platform.h>
#include "../torture/plain_platform.h"

/* What the reader touches, too, stays as it is. */
#undef strata_cmpxchg
#undef strata_fetch_add

#include <strata/ring_writer.h>

#ifdef __XEN__
#include <xen/percpu.h>
#include <xen/spinlock.h>

typedef spinlock_t locked_lock_t;
#define LOCKED_TAKE spin_lock_irqsave
#define LOCKED_DROP spin_unlock_irqrestore
#else
#include <linux/percpu.h>
#include <linux/spinlock.h>

typedef raw_spinlock_t locked_lock_t;
#ifdef STRATA_BENCH_IRQS_OFF
#define LOCKED_TAKE(lock, flags) local_irq_save(flags)
#define LOCKED_DROP(lock, flags) local_irq_restore(flags)
#else
#define LOCKED_TAKE raw_spin_lock_irqsave
#define LOCKED_DROP raw_spin_unlock_irqrestore
#endif
#define this_cpu(variable) (*this_cpu_ptr(&(variable)))
#endif

/* For each CPU, as xentrace has it.  A lock of zeros is free. */
struct locked {
	locked_lock_t lock;
	unsigned long flags;
};
static DEFINE_PER_CPU(struct locked, locked);

static inline void locked_take(void)
{
	struct locked *mine = &this_cpu(locked);
	unsigned long flags;

	LOCKED_TAKE(&mine->lock, flags);
	mine->flags = flags;
}

static inline void locked_drop(void)
{
	struct locked *mine = &this_cpu(locked);
	unsigned long flags = mine->flags;

	LOCKED_DROP(&mine->lock, flags);
}

/* The lock is kept until the commit, if there is anything to commit. */
static inline bool locked_kept(bool reserved)
{
	if (!reserved)
		locked_drop();
	return reserved;
}

static inline void locked_commit(struct strata_ring *ring, const struct strata_slot *slot)
{
	strata_ring_commit(ring, slot);
	locked_drop();
}

/* A delivery that follows is rare, and needs no lock. */
static inline bool locked_commit_completes(struct strata_ring *ring, const struct strata_slot *slot)
{
	bool complete = strata_ring_commit_completes(ring, slot);

	locked_drop();
	return complete;
}

#define strata_ring_try(...)     (locked_take(), locked_kept(strata_ring_try(__VA_ARGS__)))
#define strata_ring_try_at(...)  (locked_take(), locked_kept(strata_ring_try_at(__VA_ARGS__)))
#define strata_ring_reserve(...) (locked_take(), locked_kept(strata_ring_reserve(__VA_ARGS__)))
#define strata_ring_reserve_at(...) \
	(locked_take(), locked_kept(strata_ring_reserve_at(__VA_ARGS__)))
#define strata_ring_commit(...)           locked_commit(__VA_ARGS__)
#define strata_ring_commit_completes(...) locked_commit_completes(__VA_ARGS__)

#endif /* STRATA_BENCH_LOCKED_H */
