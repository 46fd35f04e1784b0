/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib.h - the little of Xen's headers that xen-patch/src/common/strata/selection.c
 * stands on, for a unit test that compiles that very file in user space.  The
 * other headers in this directory are those that it asks for by name.
 */
#ifndef TESTS_XEN_SHIM_LIB_H
#define TESTS_XEN_SHIM_LIB_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __read_mostly
#define always_inline __attribute__((__always_inline__)) inline
#define unlikely(x)   __builtin_expect(!!(x), 0)

#define ARRAY_SIZE(x)         (sizeof(x) / sizeof((x)[0]))
#define BITS_PER_LONG         64
#define BITS_TO_LONGS(bits)   (((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define max_t(type, a, b)     ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define smp_wmb()             __asm__ __volatile__("" : : : "memory")
#define xchg(place, value)    __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
#define find_first_set_bit(x) ((unsigned int)__builtin_ctzl(x))
#define vzalloc(bytes)        calloc(1, bytes)
#define vfree(address)        free(address)
#define __set_bit(nr, map)    ((map)[(nr) / 64] |= 1ul << (nr) % 64)
#define __clear_bit(nr, map)  ((map)[(nr) / 64] &= ~(1ul << (nr) % 64))

#define TRC_CLS_SHIFT             16
#define TRC_SCHED_RUNSTATE_CHANGE 0x00021001

struct domain {
	uint16_t domain_id;
};

struct vcpu {
	struct domain *domain;
	unsigned int vcpu_id;
};

#endif /* TESTS_XEN_SHIM_LIB_H */
