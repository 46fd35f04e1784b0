/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib.h - the little of Xen's headers that xen-patch/src/common/strata/selection.c
 * and budget.c stand on, for unit tests that compile those very files in user
 * space.  The other headers in this directory are those that they ask for by
 * name.
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

typedef int64_t s_time_t;

#define __cacheline_aligned     __attribute__((__aligned__(64)))
#define ACCESS_ONCE(x)          (*(volatile __typeof__(x) *)&(x))
#define read_atomic(place)      ACCESS_ONCE(*(place))
#define write_atomic(place, x)  (ACCESS_ONCE(*(place)) = (x))
#define cmpxchg(place, old, x)  __sync_val_compare_and_swap(place, old, x)
#define xzalloc_array(type, nr) ((type *)aligned_alloc_zeroed(sizeof(type) * (nr)))
#define xfree(address)          free(address)
#define rcu_read_lock(lock)     ((void)(lock))
#define rcu_read_unlock(lock)   ((void)(lock))
#define smp_processor_id()      shim_cpu
#define nr_cpu_ids              SHIM_CPUS
#define NR_CPUS                 SHIM_CPUS
#define is_control_domain(d)    ((d)->domain_id == 0)
#define is_hardware_domain(d)   ((d)->domain_id == 0)
#define is_system_domain(d)     ((d)->domain_id >= 0x7ff0)
#define for_each_domain(d)      for ((d) = shim_domains; (d); (d) = (d)->next_in_list)

#define CONFIG_STRATA 1
#define TB_STRATA     2
#define SHIM_CPUS     4u

struct strata_budget;

struct domain {
	uint16_t domain_id;
	struct strata_budget *strata_budget;
	struct domain *next_in_list;
};

typedef struct {
	unsigned long mfn;
} mfn_t;

/* A test says where it runs, and what is there. */
static __attribute__((__unused__)) unsigned int shim_cpu;
static __attribute__((__unused__)) struct domain *shim_domains;
static __attribute__((__unused__)) unsigned long cpu_khz;
static __attribute__((__unused__)) int domlist_read_lock, tb_init_done;

static __attribute__((__unused__)) void *aligned_alloc_zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, bytes);

	return memory ? memset(memory, 0, bytes) : NULL;
}

struct vcpu {
	struct domain *domain;
	unsigned int vcpu_id;
};

#endif /* TESTS_XEN_SHIM_LIB_H */
