/* SPDX-License-Identifier: MIT */
/*
 * linux.h - the platform operations for a Linux module.
 *
 * "Local" operations are the kernel's cmpxchg_local family: no LOCK prefix on
 * x86, atomic against interrupts and NMIs of the same CPU.  The caller holds
 * preemption off between reserve and commit.
 */
#ifndef STRATA_PLATFORM_LINUX_H
#define STRATA_PLATFORM_LINUX_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#include <asm/local.h>
#include <asm/msr.h>

#define STRATA_WRITERS_SHARE_CPU 1

#define strata_likely(x)   likely(x)
#define strata_unlikely(x) unlikely(x)

#define strata_barrier()           barrier()
#define strata_read_barrier()      smp_rmb()
#define strata_read_once(p)        READ_ONCE(*(p))
#define strata_write_once(p, v)    WRITE_ONCE(*(p), (v))
#define strata_load_acquire(p)     smp_load_acquire(p)
#define strata_store_release(p, v) smp_store_release(p, v)

static inline unsigned long strata_local_cmpxchg(unsigned long *p, unsigned long old,
						 unsigned long new_value)
{
	return cmpxchg_local(p, old, new_value);
}

static inline uint64_t strata_local_cmpxchg64(uint64_t *p, uint64_t old, uint64_t new_value)
{
	return cmpxchg64_local(p, old, new_value);
}

static inline unsigned long strata_local_add_return(unsigned long *p, unsigned long n)
{
	/* local_t is the kernel's name for exactly this: a long that one CPU owns. */
	return (unsigned long)local_add_return((long)n, (local_t *)p);
}

/* local_t and atomic_long_t are a long each; this is how the kernel spells it for a plain word. */
static inline unsigned long strata_fetch_add(unsigned long *p, unsigned long n)
{
	return (unsigned long)atomic_long_fetch_add((long)n, (atomic_long_t *)p);
}

static inline unsigned long strata_cmpxchg(unsigned long *p, unsigned long old,
					   unsigned long new_value)
{
	return cmpxchg(p, old, new_value);
}

static inline uint64_t strata_clock(void)
{
	return rdtsc_ordered();
}

static inline void strata_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

#endif /* STRATA_PLATFORM_LINUX_H */
