/* SPDX-License-Identifier: MIT */
/*
 * xen.h - the platform operations for the hypervisor (x86).
 *
 * Xen is not preemptible: a probe stays on its CPU, interrupts and NMIs may
 * nest.  Xen's own cmpxchg_local_() lacks a memory clobber and answers ~old
 * for a size that it does not know, hence the few lines of assembly here.
 */
#ifndef STRATA_PLATFORM_XEN_H
#define STRATA_PLATFORM_XEN_H

#include <xen/compiler.h>
#include <xen/lib.h>
#include <xen/string.h>
#include <xen/types.h>
#include <asm/msr.h>
#include <asm/system.h>

#define STRATA_WRITERS_SHARE_CPU 1

#define strata_likely(x)   likely(x)
#define strata_unlikely(x) unlikely(x)

#define strata_barrier()        __asm__ __volatile__ ( "" : : : "memory" )
#define strata_read_barrier()   smp_rmb()
#define strata_read_once(p)     (*(const volatile __typeof__(*(p)) *)(p))
#define strata_write_once(p, v) ((void)(*(volatile __typeof__(*(p)) *)(p) = (v)))

/* x86 keeps loads behind loads and stores behind stores: the compiler is all to be told. */
#define strata_load_acquire(p)                                  \
    ({                                                          \
        __typeof__(*(p)) strata_loaded_ = strata_read_once(p);  \
                                                                \
        strata_barrier();                                       \
        strata_loaded_;                                         \
    })
#define strata_store_release(p, v)  \
    do {                            \
        strata_barrier();           \
        strata_write_once(p, v);    \
    } while ( 0 )

/* The compiler does not compare with a volatile word in memory: it would load it first. */
static always_inline bool strata_word_equals(const unsigned long *p, unsigned long v)
{
    bool equal;

    __asm__ __volatile__ ( "cmp %2, %1" : "=@cce" (equal) : "m" (*p), "r" (v) );
    return equal;
}
#define strata_equals(p, v) strata_word_equals(p, v)

/* The flags say whether it succeeded: callers that compare with @old need no instruction. */
static always_inline unsigned long strata_local_cmpxchg(unsigned long *p, unsigned long old,
                                                        unsigned long new_value)
{
    unsigned long was;
    bool done;

    __asm__ __volatile__ ( "cmpxchg %3, %1"
                           : "=a" (was), "+m" (*p), "=@ccz" (done)
                           : "r" (new_value), "0" (old)
                           : "memory" );
    if ( done )
        return old;
    if ( was == old )
        __builtin_unreachable();
    return was;
}

static always_inline uint64_t strata_local_cmpxchg64(uint64_t *p, uint64_t old, uint64_t new_value)
{
    return strata_local_cmpxchg(p, old, new_value);
}

static inline unsigned long strata_local_add_return(unsigned long *p, unsigned long n)
{
    unsigned long was = n;

    __asm__ __volatile__ ( "xadd %0, %1" : "+r" (was), "+m" (*p) : : "memory" );
    return was + n;
}

static inline unsigned long strata_fetch_add(unsigned long *p, unsigned long n)
{
    unsigned long was = n;

    __asm__ __volatile__ ( "lock xadd %0, %1"
                           : "+r" (was), "+m" (*p) : : "memory" );
    return was;
}

static inline unsigned long strata_cmpxchg(unsigned long *p, unsigned long old,
                                           unsigned long new_value)
{
    unsigned long was;

    __asm__ __volatile__ ( "lock cmpxchg %2, %1"
                           : "=a" (was), "+m" (*p)
                           : "r" (new_value), "0" (old)
                           : "memory" );
    return was;
}

/* As rdtsc_ordered(), which clears the halves' upper bits once more. */
static always_inline uint64_t strata_clock(void)
{
    unsigned long low, high;

    alternative("lfence", "mfence", X86_FEATURE_MFENCE_RDTSC);
    __asm__ __volatile__ ( "rdtsc" : "=a" (low), "=d" (high) );
    return high << 32 | low;
}

static inline void strata_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#endif /* STRATA_PLATFORM_XEN_H */
