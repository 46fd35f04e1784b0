/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_platform.h - the platform of a home, broken on purpose: each atomic
 * read-modify-write is a load and a store, as if no thread could come between.
 * A torture that does not find this out proves nothing.
 */
#ifndef STRATA_TESTS_PLAIN_PLATFORM_H
#define STRATA_TESTS_PLAIN_PLATFORM_H

/* In Xen and Linux, whoever wants theirs broken has it already. */
#if !defined(__XEN__) && !defined(__KERNEL__)
#include <strata/platform/user.h>
#endif

#define PLAIN_CMPXCHG(p, old, new_value)                      \
	__extension__({                                       \
		__typeof__(*(p)) held_ = strata_read_once(p); \
                                                              \
		if (held_ == (old))                           \
			strata_write_once(p, new_value);      \
		held_;                                        \
	})

/* @value is what is returned of the word as it was, held_. */
#define PLAIN_ADD(p, n, value)                                \
	__extension__({                                       \
		__typeof__(*(p)) held_ = strata_read_once(p); \
                                                              \
		strata_write_once(p, held_ + (n));            \
		(value);                                      \
	})

#define strata_local_cmpxchg(p, old, now)   PLAIN_CMPXCHG(p, old, now)
#define strata_local_cmpxchg64(p, old, now) PLAIN_CMPXCHG(p, old, now)
#define strata_cmpxchg(p, old, now)         PLAIN_CMPXCHG(p, old, now)
#define strata_local_add_return(p, n)       PLAIN_ADD(p, n, held_ + (n))
#define strata_fetch_add(p, n)              PLAIN_ADD(p, n, held_)

#endif /* STRATA_TESTS_PLAIN_PLATFORM_H */
