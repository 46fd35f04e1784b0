/* SPDX-License-Identifier: MIT */
/*
 * user.h - the platform operations for user space.
 *
 * A thread may migrate between two instructions, so "local" operations are
 * real atomic ones here (LOCK-prefixed on x86).  The clock is the TSC where
 * there is one, else CLOCK_MONOTONIC in nanoseconds.  A test may define
 * strata_clock before it includes this header.
 */
#ifndef STRATA_PLATFORM_USER_H
#define STRATA_PLATFORM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Threads may share a ring; a program with one thread per ring may define this first. */
#ifndef STRATA_WRITERS_SHARE_CPU
#define STRATA_WRITERS_SHARE_CPU 0
#endif

#define strata_likely(x)   __builtin_expect(!!(x), 1)
#define strata_unlikely(x) __builtin_expect(!!(x), 0)

#define strata_barrier()      __asm__ __volatile__("" : : : "memory")
#define strata_read_barrier() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define strata_full_barrier() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#define strata_read_once(p)        __atomic_load_n((p), __ATOMIC_RELAXED)
#define strata_write_once(p, v)    __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define strata_load_acquire(p)     __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define strata_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

static inline unsigned long strata_local_cmpxchg(unsigned long *p, unsigned long old,
						 unsigned long new_value)
{
	__atomic_compare_exchange_n(p, &old, new_value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

static inline uint64_t strata_local_cmpxchg64(uint64_t *p, uint64_t old, uint64_t new_value)
{
	__atomic_compare_exchange_n(p, &old, new_value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

static inline unsigned long strata_local_add_return(unsigned long *p, unsigned long n)
{
	return __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST);
}

static inline unsigned long strata_fetch_add(unsigned long *p, unsigned long n)
{
	return __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST);
}

static inline unsigned long strata_cmpxchg(unsigned long *p, unsigned long old,
					   unsigned long new_value)
{
	__atomic_compare_exchange_n(p, &old, new_value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

#ifndef strata_clock
#if defined(__x86_64__) || defined(__i386__)
/*
 * Fenced: otherwise the TSC may be read before preceding loads, and a thread that saw
 * another one's position could then have an older time than that one.
 */
static inline uint64_t strata_clock(void)
{
	__asm__ __volatile__("lfence" : : : "memory");
	return __builtin_ia32_rdtsc();
}
#else
#include <time.h>
static inline uint64_t strata_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif
#endif

static inline void strata_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

#endif /* STRATA_PLATFORM_USER_H */
