/* SPDX-License-Identifier: MIT */
/*
 * platform.h - picks the platform header of the environment ("home") that is being
 * compiled.
 *
 * Each home (Xen, Linux, user space) supplies the same few operations; the
 * core is written against them and against nothing else:
 *
 *   strata_local_cmpxchg(p, old, new)    returns the old *p.  Atomic against
 *   strata_local_cmpxchg64(p, old, new)  interrupts and NMIs on this CPU, and
 *   strata_local_add_return(p, n)        compiler barriers; no order between
 *                                        CPUs is implied in Xen and Linux.
 *   strata_cmpxchg(p, old, new)          returns the old *p.  Atomic against
 *   strata_fetch_add(p, n)               other CPUs and domains; full barriers.
 *                                        fetch_add is one instruction or a loop
 *                                        that a hostile writer of *p cannot keep
 *                                        turning for ever
 *   strata_read_once(p)                  one load, no more, never torn
 *   strata_equals(p, v)                  whether *p is v, by one load as above
 *   strata_write_once(p, v)              one store, never torn
 *   strata_load_acquire(p)               later accesses stay behind it
 *   strata_store_release(p, v)           earlier accesses stay before it
 *   strata_read_barrier()                earlier loads stay before later ones
 *   strata_barrier()                     for the compiler alone
 *   strata_likely(x), strata_unlikely(x)
 *   strata_clock()                       raw ticks of this CPU, NMI-safe.  64 bits:
 *                                        it never wraps.  The TSC on x86; elsewhere
 *                                        (user space only) CLOCK_MONOTONIC, which
 *                                        the kernel widens from its own counter
 *   strata_copy(to, from, bytes)         memcpy that cannot fault or sleep
 *   STRATA_WRITERS_SHARE_CPU             1: all writers of a ring run on one CPU,
 *                                        one nested in another; 0: threads may
 *                                        write to a ring at the same time
 *
 * and the C99 names uint8_t..uint64_t, size_t, bool, true and false.
 *
 * A checker or a test may name a header of its own in STRATA_PLATFORM_HEADER.
 */
#ifndef STRATA_PLATFORM_PLATFORM_H
#define STRATA_PLATFORM_PLATFORM_H

#if defined(STRATA_PLATFORM_HEADER)
#include STRATA_PLATFORM_HEADER
#elif defined(__XEN__)
#include <strata/platform/xen.h>
#elif defined(__KERNEL__)
#include <strata/platform/linux.h>
#else
#include <strata/platform/user.h>
#endif

/* A home whose compiler does not compare with a volatile word in memory may say how. */
#ifndef strata_equals
#define strata_equals(p, v) (strata_read_once(p) == (v))
#endif

#endif /* STRATA_PLATFORM_PLATFORM_H */
