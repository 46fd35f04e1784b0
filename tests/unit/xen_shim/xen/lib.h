/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib.h - the part of Xen's headers that the files of xen-patch/src/common/strata/ need, for unit
 * tests that compile these files in user space.  The other headers here are the ones that they
 * include by name.
 *
 * A test may define shim_step(), which then runs at every step of a file that another CPU or an
 * interrupt could observe; and shim_alloc() and shim_free(), which vzalloc() and vfree() then call.
 */
#ifndef TESTS_XEN_SHIM_LIB_H
#define TESTS_XEN_SHIM_LIB_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef shim_step
#define shim_step() ((void)0)
#endif
#ifndef shim_alloc
#define shim_alloc(bytes)  aligned_alloc_zeroed(bytes)
#define shim_free(address) free(address)
#endif

#define __read_mostly
#define __init
#define cf_check
#define __aligned(bytes)        __attribute__((__aligned__(bytes)))
#define __cacheline_aligned     __aligned(64)
#define noinline                __attribute__((__noinline__))
#define always_inline           __attribute__((__always_inline__)) inline
#define likely(x)               __builtin_expect(!!(x), 1)
#define unlikely(x)             __builtin_expect(!!(x), 0)
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)

#define ARRAY_SIZE(x)         (sizeof(x) / sizeof((x)[0]))
#define BITS_PER_LONG         64
#define BITS_TO_LONGS(bits)   (((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define max_t(type, a, b)     ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define min_t(type, a, b)     ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define DIV_ROUND_UP(x, by)   (((x) + (by)-1) / (by))
#define ROUNDUP(x, to)        (((x) + (to)-1) & ~((to)-1))
#define find_first_set_bit(x) ((unsigned int)__builtin_ctzl(x))
#define vzalloc(bytes)        shim_alloc(bytes)
#define vfree(address)        shim_free(address)
#define __set_bit(nr, map)    ((map)[(nr) / 64] |= 1ul << (nr) % 64)
#define __clear_bit(nr, map)  ((map)[(nr) / 64] &= ~(1ul << (nr) % 64))
#define set_bit(nr, word)     ((void)(*(word) |= 1 << (nr)))
#define clear_bit(nr, word)   ((void)(*(word) &= ~(1 << (nr))))

/* The test's machine has one CPU at a time: for the compiler alone. */
#define barrier()                                        \
	do {                                             \
		__asm__ __volatile__("" : : : "memory"); \
		shim_step();                             \
	} while (0)
#define smp_rmb() barrier()
#define smp_wmb() barrier()
#define xchg(place, value)                                                                       \
	({                                                                                       \
		__typeof__(*(place)) was_ = __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST); \
		shim_step();                                                                     \
		was_;                                                                            \
	})
#define ACCESS_ONCE(x)               (*(volatile __typeof__(x) *)&(x))
#define read_atomic(place)           ACCESS_ONCE(*(place))
#define write_atomic(place, x)       (ACCESS_ONCE(*(place)) = (x), shim_step())
#define cmpxchg(place, old, x)       __sync_val_compare_and_swap(place, old, x)
#define arch_fetch_and_add(place, x) __atomic_fetch_add(place, x, __ATOMIC_SEQ_CST)
/* Returns how many bytes were not copied: none can be to address 0. */
#define raw_copy_to_guest(to, from, bytes) \
	((to) ? (memcpy((to), (from), (bytes)), 0u) : (unsigned int)(bytes))
#define OPTIMIZER_HIDE_VAR(x) __asm__("" : "+r"(x))

#define TRC_CLS_SHIFT             16
#define TRC_SCHED_RUNSTATE_CHANGE 0x00021001
#define RUNSTATE_running          0
#define RUNSTATE_runnable         1
#define TRC_64_FLAG               0x100
#define TRC_HVM_NESTEDFLAG        0x400
#define TRC_GUEST                 0x0800f000
#define TRC_HVM_VMENTRY           0x00081001
#define TRC_HVM_VMEXIT            0x00081002
#define TRC_HVM_VMEXIT64          0x00081102
#define TRC_HVM                   0x00080000
#define TRACE_EXTRA_MAX           7
#define TRACE_EXTRA_SHIFT         28
#define TRC_HD_TO_EVENT(x)        ((x)&0x0fffffff)

typedef int64_t s_time_t;
typedef uint32_t evtchn_port_t;

#define ASSERT(condition)      ((condition) ? (void)0 : abort())
#define local_irq_is_enabled() false
#define cpu_online(cpu)        ((cpu) < shim_online_cpus)
#define NOW()                  shim_now
#define MILLISECS(ms)          ((s_time_t)(ms)*1000000)
#define __initcall(function) \
	static __attribute__((__unused__)) int (*initcall_of_##function)(void) = (function)
#define presmp_initcall(function) __initcall(function)
#define xzalloc_array(type, nr)   ((type *)aligned_alloc_zeroed(sizeof(type) * (nr)))
#define xfree(address)            free(address)
#define rcu_read_lock(lock)       ((void)(lock))
#define rcu_read_unlock(lock)     ((void)(lock))
#define smp_processor_id()        shim_cpu
#define nr_cpu_ids                SHIM_CPUS
#define NR_CPUS                   SHIM_CPUS
#define xzalloc_flex_struct(type, member, nr) \
	((type *)aligned_alloc_zeroed(offsetof(type, member[nr])))
#define _xzalloc(bytes, align) aligned_alloc_zeroed(bytes)
#define DOMID_FIRST_RESERVED   0x7ff0
#define for_each_vcpu(d, v) \
	for (unsigned int i_ = 0; i_ < (d)->max_vcpus && ((v) = (d)->vcpu[i_]); i_++)
#define for_each_domain(d) for ((d) = shim_domains; (d); (d) = (d)->next_in_list)

#define CONFIG_STRATA 1
#define TB_STRATA     2
#define _TB_STRATA    1
#define SHIM_CPUS     4u

struct strata_budget;
struct strata_cpu;
struct strata_domain;

/* The members of a CPU's information, of a domain and of a vCPU that the files use. */
struct cpu_info {
	unsigned long strata_nesting;
	struct strata_cpu *strata_cpu;
};

struct vcpu {
	struct domain *domain;
	unsigned int vcpu_id;
	unsigned int processor;
	struct {
		unsigned int state;
	} runstate;
	struct {
		unsigned long runner;
		struct strata_budget *budgets;
		uint32_t context;
		uint64_t opened[8];
	} strata;
	struct {
		struct {
			uint64_t cache_tsc_offset;
			uint64_t stime_offset;
		} hvm;
	} arch;
};

struct pl_time {
	uint64_t stime_offset;
	uint64_t last_guest_time;
};

struct domain {
	uint16_t domain_id;
	bool is_privileged;
	bool creation_finished;
	struct strata_domain *strata;
	struct domain *next_in_list;
	unsigned int max_vcpus;
	struct vcpu **vcpu;
	struct {
		uint32_t tsc_mode, tsc_khz, incarnation;
		bool vtsc;
		struct {
			uint32_t mul_frac;
			int32_t shift;
		} ns_to_vtsc;
		uint64_t vtsc_offset, vtsc_last;
		struct {
			struct pl_time *pl_time;
		} hvm;
	} arch;
};

#define is_hvm_domain(d)              ((d)->arch.hvm.pl_time != NULL)
#define hvm_tsc_scaling_supported     false
#define hvm_tsc_scaling_ratio(d)      ((void)(d), 1u)
#define hvm_default_tsc_scaling_ratio 1u
#define hvm_funcs                     shim_hvm_funcs

static __attribute__((__unused__)) struct {
	struct {
		uint8_t ratio_frac_bits;
	} tsc_scaling;
} shim_hvm_funcs;

typedef int spinlock_t;

#define spin_lock_init(lock)                (*(lock) = 0)
#define spin_lock(lock)                     ((void)++*(lock))
#define spin_unlock(lock)                   ((void)--*(lock))
#define spin_lock_irqsave(lock, flags)      ((flags) = 0, (void)++*(lock))
#define spin_unlock_irqrestore(lock, flags) ((void)(flags), (void)--*(lock))

typedef struct {
	unsigned long mfn;
} mfn_t;

#define current shim_current
/* Without the start of a CPU, which would store where strata_cpus[] is. */
#define get_cpu_info() \
	(shim_info[shim_cpu].strata_cpu = &strata_cpus[shim_cpu], &shim_info[shim_cpu])
#define in_irq() shim_in_irq

/* A test sets its CPU, the CPUs that are online, and the time. */
static __attribute__((__unused__)) unsigned int shim_cpu, shim_online_cpus = 2;
static __attribute__((__unused__)) s_time_t shim_now;
static __attribute__((__unused__)) struct vcpu *shim_current;
static __attribute__((__unused__)) struct cpu_info shim_info[SHIM_CPUS];
static __attribute__((__unused__)) bool shim_in_irq;
static __attribute__((__unused__)) struct domain *shim_domains, *hardware_domain;
static __attribute__((__unused__)) unsigned long cpu_khz;
static __attribute__((__unused__)) int domlist_read_lock, tb_init_done;

static __attribute__((__unused__)) bool shim_no_memory;

static __attribute__((__unused__)) void *aligned_alloc_zeroed(size_t bytes)
{
	void *memory = shim_no_memory ? NULL : aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	return memory ? memset(memory, 0, bytes) : NULL;
}

#endif /* TESTS_XEN_SHIM_LIB_H */
