/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_platform.h - the core's platform for the checker of interleavings: each operation
 * is a call, so that the checker decides which context runs next, what a load sees and
 * when a store lands.  STRATA_PLATFORM_HEADER names it.
 */
#ifndef STRATA_TESTS_CHECK_PLATFORM_H
#define STRATA_TESTS_CHECK_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The operations of platform.h, and the compiler's accesses for plain C. */
enum strata_check_kind {
	STRATA_CHECK_READ_ONCE,
	STRATA_CHECK_LOAD_ACQUIRE,
	STRATA_CHECK_WRITE_ONCE,
	STRATA_CHECK_STORE_RELEASE,
	STRATA_CHECK_LOCAL_CMPXCHG,
	STRATA_CHECK_LOCAL_ADD,
	STRATA_CHECK_CMPXCHG,
	STRATA_CHECK_FETCH_ADD,
	STRATA_CHECK_CLOCK,
	STRATA_CHECK_COPY,
	STRATA_CHECK_PLAIN_LOAD,
	STRATA_CHECK_PLAIN_STORE,
};

/* Loads 1, 2, 4 or 8 bytes. */
uint64_t strata_check_load(enum strata_check_kind kind, const volatile void *at, size_t bytes);

void strata_check_store(enum strata_check_kind kind, volatile void *at, size_t bytes,
			uint64_t value);

/* Both return the word's value before. */
uint64_t strata_check_cmpxchg(enum strata_check_kind kind, volatile void *at, size_t bytes,
			      uint64_t old, uint64_t new_value);
uint64_t strata_check_add(enum strata_check_kind kind, volatile void *at, size_t bytes,
			  uint64_t addend);

uint64_t strata_check_clock(void);
void strata_check_copy(void *to, const void *from, size_t bytes);

/* Which kind of home is checked: 1, writers nested on one CPU; 0, threads. */
extern bool strata_check_writers_share_cpu;

#define STRATA_WRITERS_SHARE_CPU strata_check_writers_share_cpu

#define strata_likely(x)   __builtin_expect(!!(x), 1)
#define strata_unlikely(x) __builtin_expect(!!(x), 0)

#define strata_barrier() __asm__ __volatile__("" : : : "memory")
/* Loads come in their order: the checker delays stores alone. */
#define strata_read_barrier() strata_barrier()

#define strata_read_once(p) \
	((__typeof__(*(p)))strata_check_load(STRATA_CHECK_READ_ONCE, (p), sizeof(*(p))))
#define strata_load_acquire(p) \
	((__typeof__(*(p)))strata_check_load(STRATA_CHECK_LOAD_ACQUIRE, (p), sizeof(*(p))))
#define strata_write_once(p, v) \
	strata_check_store(STRATA_CHECK_WRITE_ONCE, (p), sizeof(*(p)), (uint64_t)(v))
#define strata_store_release(p, v) \
	strata_check_store(STRATA_CHECK_STORE_RELEASE, (p), sizeof(*(p)), (uint64_t)(v))

static inline unsigned long strata_local_cmpxchg(unsigned long *p, unsigned long old,
						 unsigned long new_value)
{
	return (unsigned long)strata_check_cmpxchg(STRATA_CHECK_LOCAL_CMPXCHG, p, sizeof(*p), old,
						   new_value);
}

static inline uint64_t strata_local_cmpxchg64(uint64_t *p, uint64_t old, uint64_t new_value)
{
	return strata_check_cmpxchg(STRATA_CHECK_LOCAL_CMPXCHG, p, sizeof(*p), old, new_value);
}

static inline unsigned long strata_local_add_return(unsigned long *p, unsigned long n)
{
	return (unsigned long)strata_check_add(STRATA_CHECK_LOCAL_ADD, p, sizeof(*p), n) + n;
}

static inline unsigned long strata_cmpxchg(unsigned long *p, unsigned long old,
					   unsigned long new_value)
{
	return (unsigned long)strata_check_cmpxchg(STRATA_CHECK_CMPXCHG, p, sizeof(*p), old,
						   new_value);
}

static inline unsigned long strata_fetch_add(unsigned long *p, unsigned long n)
{
	return (unsigned long)strata_check_add(STRATA_CHECK_FETCH_ADD, p, sizeof(*p), n);
}

static inline uint64_t strata_clock(void)
{
	return strata_check_clock();
}

static inline void strata_copy(void *to, const void *from, size_t bytes)
{
	strata_check_copy(to, from, bytes);
}

#endif /* STRATA_TESTS_CHECK_PLATFORM_H */
