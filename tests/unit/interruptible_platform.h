/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interruptible_platform.h - the platform of user space in which a test may
 * step in before and after each operation of the core, as an interrupt may.
 *
 * Include it before any header of the ring.  What the compiler puts between two
 * operations (stores to fields of a sub-buffer) belongs to the one or the other.
 */
#ifndef STRATA_TESTS_INTERRUPTIBLE_PLATFORM_H
#define STRATA_TESTS_INTERRUPTIBLE_PLATFORM_H

#include <stdint.h>

/* The test's: called at each point where an interrupt may come. */
static void interruption_point(void);
/* Set by the test: the time that the clock shows. */
static uint64_t clock_shows(void);

static inline uint64_t interruptible_clock(void)
{
	uint64_t ticks;

	interruption_point();
	ticks = clock_shows();
	interruption_point();
	return ticks;
}

#define strata_clock() interruptible_clock()

#ifndef STRATA_WRITERS_SHARE_CPU
#define STRATA_WRITERS_SHARE_CPU 1
#endif

#include <strata/platform/user.h>

/* A control may have the core acquire another word than the one that it asks for. */
#ifndef INTERRUPTIBLE_SOURCE
#define INTERRUPTIBLE_SOURCE(p) (p)
#endif

#define INTERRUPTIBLE(operation)               \
	__extension__({                        \
		__typeof__(operation) result_; \
                                               \
		interruption_point();          \
		result_ = (operation);         \
		interruption_point();          \
		result_;                       \
	})

#define INTERRUPTIBLE_STORE(operation) \
	do {                           \
		interruption_point();  \
		operation;             \
		interruption_point();  \
	} while (false)

#undef strata_read_once
#undef strata_write_once
#undef strata_load_acquire
#undef strata_store_release
#define strata_read_once(p) INTERRUPTIBLE(__atomic_load_n((p), __ATOMIC_RELAXED))
#define strata_load_acquire(p) \
	INTERRUPTIBLE(__atomic_load_n((__typeof__(p))INTERRUPTIBLE_SOURCE(p), __ATOMIC_ACQUIRE))
#define strata_write_once(p, v)    INTERRUPTIBLE_STORE(__atomic_store_n((p), (v), __ATOMIC_RELAXED))
#define strata_store_release(p, v) INTERRUPTIBLE_STORE(__atomic_store_n((p), (v), __ATOMIC_RELEASE))

/* The parentheses keep the function of user.h from being this macro again. */
#define strata_local_cmpxchg(p, old, new_value) \
	INTERRUPTIBLE((strata_local_cmpxchg)((p), (old), (new_value)))
#define strata_local_cmpxchg64(p, old, new_value) \
	INTERRUPTIBLE((strata_local_cmpxchg64)((p), (old), (new_value)))
#define strata_local_add_return(p, n)     INTERRUPTIBLE((strata_local_add_return)((p), (n)))
#define strata_fetch_add(p, n)            INTERRUPTIBLE((strata_fetch_add)((p), (n)))
#define strata_cmpxchg(p, old, new_value) INTERRUPTIBLE((strata_cmpxchg)((p), (old), (new_value)))

#endif /* STRATA_TESTS_INTERRUPTIBLE_PLATFORM_H */
