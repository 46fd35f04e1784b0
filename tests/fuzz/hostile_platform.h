/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile_platform.h - the platform of the fuzzed programs, in front of every
 * file of them: the clock is virtual, so that ten seconds of waiting cost none;
 * all writers of a ring share one CPU; and whoever shares a word may change it
 * just before it is loaded.
 */
#ifndef STRATA_TESTS_HOSTILE_PLATFORM_H
#define STRATA_TESTS_HOSTILE_PLATFORM_H

#include <stdint.h>

/* One tick a nanosecond; each look is a tick later than the one before. */
uint64_t virtual_clock(void);

/* The program's: a word of @bytes at @word is about to be loaded. */
void before_load(const volatile void *word, uint32_t bytes);

#define strata_clock()           virtual_clock()
#define STRATA_WRITERS_SHARE_CPU 1

#include <strata/platform/user.h>

#define HOSTILE(p, operation)                             \
	__extension__({                                   \
		before_load((p), (uint32_t)sizeof(*(p))); \
		operation;                                \
	})

#undef strata_read_once
#undef strata_load_acquire
#define strata_read_once(p)    HOSTILE(p, __atomic_load_n((p), __ATOMIC_RELAXED))
#define strata_load_acquire(p) HOSTILE(p, __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define strata_fetch_add(p, n) HOSTILE(p, __atomic_fetch_add((p), (n), __ATOMIC_SEQ_CST))
/* The function of that name, with a look before it. */
#define strata_cmpxchg(p, old, now) HOSTILE(p, strata_cmpxchg((p), (old), (now)))

#endif /* STRATA_TESTS_HOSTILE_PLATFORM_H */
