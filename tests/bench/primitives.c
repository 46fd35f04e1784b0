// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * primitives.c - what the operations cost that tracers are made of, as Desnoyers's
 * dissertation and its tables have them, in turns; x86-64.  Each in a loop, whose own cost
 * is `empty_loop`, on cached memory that nobody else writes.  For run.sh: prints lines of
 * "BENCH VARIANT UNIT VALUE", one a turn.
 *
 * Those between which a tracer may choose are there twice, as Desnoyers 2010, table I, has
 * them: alone, and around ten reads and a write (_operations).
 *
 * A program may not switch interrupts off: of saving and restoring their flag, pushf_popf leaves
 * out `cli`.  kernel/strata_primitives.c counts the instructions of the kernel's.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <strata/platform/rseq.h>

#define OPERATIONS 500000u
#define TURNS      9

/* Each has a cache line, and stays in its CPU's cache. */
static struct {
	uint64_t value;
	uint64_t seq;
	uint64_t pair[2];
	uint64_t words[11];
	uint32_t preempt_count;
	pthread_spinlock_t spinlock;
	uint32_t plain_lock;
	pthread_mutex_t mutex;
} __attribute__((aligned(128))) line = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Defines loop_NAME(), which does @operation OPERATIONS times. */
#define PRIMITIVE(name, operation)                                      \
	static void loop_##name(void)                                   \
	{                                                               \
		uint64_t i;                                             \
                                                                        \
		for (i = 0; i < OPERATIONS; i++) {                      \
			operation;                                      \
			__asm__ __volatile__("" : : "r"(i) : "memory"); \
		}                                                       \
	}

static inline void cmpxchg_local(uint64_t i)
{
	uint64_t old = i;

	__asm__ __volatile__("cmpxchgq %2, %1"
			     : "+a"(old), "+m"(line.value)
			     : "r"(i + 1)
			     : "memory", "cc");
}

static inline void xadd_local(void)
{
	uint64_t one = 1;

	__asm__ __volatile__("xaddq %0, %1" : "+r"(one), "+m"(line.value) : : "memory", "cc");
}

static inline void cmpxchg_lock(uint64_t i)
{
	__atomic_compare_exchange_n(&line.value, &i, i + 1, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

static inline void ten_reads_one_write(void)
{
	uint64_t sum = 0;
	unsigned int i;

#pragma GCC unroll 10
	for (i = 0; i < 10; i++)
		sum += __atomic_load_n(&line.words[i], __ATOMIC_RELAXED);
	__atomic_store_n(&line.words[10], sum, __ATOMIC_RELAXED);
}

static inline void nothing(void)
{
}

/* A test-and-set lock, as simple as one can be. */
static inline void plain_spin_lock(void (*work)(void))
{
	while (__atomic_exchange_n(&line.plain_lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	work();
	__atomic_store_n(&line.plain_lock, 0, __ATOMIC_RELEASE);
}

/* As a kernel's preempt_disable() and preempt_enable(), on a word of this thread. */
static inline void preempt_count(void (*work)(void))
{
	__asm__ __volatile__("incl %0" : "+m"(line.preempt_count) : : "memory", "cc");
	work();
	__asm__ goto("decl %0\n\tjs %l[reschedule]"
		     :
		     : "m"(line.preempt_count)
		     : "memory", "cc"
		     : reschedule);
reschedule:
	return;
}

static inline void pushf_popf(void (*work)(void))
{
	unsigned long long flags = __builtin_ia32_readeflags_u64();

	work();
	__builtin_ia32_writeeflags_u64(flags);
}

/* The reader's side, of two words; nobody writes. */
static inline void seqlock_read(void (*work)(void))
{
	uint64_t seq, words[2];

	do {
		seq = __atomic_load_n(&line.seq, __ATOMIC_ACQUIRE);
		words[0] = __atomic_load_n(&line.pair[0], __ATOMIC_RELAXED);
		words[1] = __atomic_load_n(&line.pair[1], __ATOMIC_RELAXED);
		work();
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || seq != __atomic_load_n(&line.seq, __ATOMIC_RELAXED));
	__asm__ __volatile__("" : : "r"(words[0]), "r"(words[1]));
}

static inline void clock_gettime_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	__asm__ __volatile__("" : : "m"(now));
}

/* Of the CPU's word, here the only one; an abort leaves the word as it was. */
static inline void rseq_add(void)
{
	ptrdiff_t rseq = strata_rseq();
	uint32_t cpu = strata_rseq_cpu(rseq);

	__asm__ goto(STRATA_RSEQ_ENTER "addq $1, %[word]\n\t" STRATA_RSEQ_LEAVE
		     :
		     : STRATA_RSEQ_OPERANDS(rseq, cpu), [word] "m"(line.value)
		     : "memory", "cc", "rax"
		     : aborted);
	return;
aborted:
	strata_rseq_clear(rseq);
}

static inline void rseq_compare_store(void)
{
	uint64_t old = __atomic_load_n(&line.value, __ATOMIC_RELAXED);
	ptrdiff_t rseq = strata_rseq();
	uint32_t cpu = strata_rseq_cpu(rseq);

	__asm__ goto(STRATA_RSEQ_ENTER "cmpq %[old], %[word]\n\t"
				       "jne %l[aborted]\n\t"
				       "movq %[new_value], %[word]\n\t" STRATA_RSEQ_LEAVE
		     :
		     : STRATA_RSEQ_OPERANDS(rseq, cpu), [word] "m"(line.value), [old] "r"(old),
		       [new_value] "r"(old + 1)
		     : "memory", "cc", "rax"
		     : aborted);
	return;
aborted:
	strata_rseq_clear(rseq);
}

/* The same, twice: @operation calls work(), which does nothing, or reads and writes. */
#define SECTION(name, operation)                                 \
	PRIMITIVE(name, void (*work)(void) = nothing; operation) \
	PRIMITIVE(name##_operations, void (*work)(void) = ten_reads_one_write; operation)

SECTION(empty_loop, work())
PRIMITIVE(add, __asm__ __volatile__("addq $1, %0" : "+m"(line.value) : : "cc"))
PRIMITIVE(add_lock, __asm__ __volatile__("lock addq $1, %0" : "+m"(line.value) : : "cc"))
PRIMITIVE(xadd, xadd_local())
PRIMITIVE(xadd_lock, __atomic_fetch_add(&line.value, 1, __ATOMIC_SEQ_CST))
SECTION(cmpxchg, cmpxchg_local(i); work())
SECTION(cmpxchg_lock, cmpxchg_lock(i); work())
PRIMITIVE(xchg, __atomic_exchange_n(&line.value, i, __ATOMIC_SEQ_CST))
PRIMITIVE(rseq_add, rseq_add())
PRIMITIVE(rseq_compare_store, rseq_compare_store())
PRIMITIVE(mfence, __asm__ __volatile__("mfence" : : : "memory"))
PRIMITIVE(lfence, __asm__ __volatile__("lfence" : : : "memory"))
PRIMITIVE(sfence, __asm__ __volatile__("sfence" : : : "memory"))
SECTION(spin_lock_plain, plain_spin_lock(work))
PRIMITIVE(spin_lock_pthread,
	  (pthread_spin_lock(&line.spinlock), pthread_spin_unlock(&line.spinlock)))
PRIMITIVE(mutex_pthread, (pthread_mutex_lock(&line.mutex), pthread_mutex_unlock(&line.mutex)))
SECTION(seqlock_read, seqlock_read(work))
SECTION(preempt_count, preempt_count(work))
SECTION(pushf_popf, pushf_popf(work))
PRIMITIVE(rdtsc, __builtin_ia32_rdtsc())
PRIMITIVE(rdtscp, unsigned int cpu; __builtin_ia32_rdtscp(&cpu))
PRIMITIVE(lfence_rdtsc, strata_clock())
PRIMITIVE(clock_gettime, clock_gettime_monotonic())
PRIMITIVE(rseq_cpu_id, strata_rseq_cpu(strata_rseq()))
PRIMITIVE(sched_getcpu, sched_getcpu())
PRIMITIVE(system_call, getppid())

#define ENTRY(name)                \
	{                          \
#name, loop_##name \
	}

static const struct {
	const char *name;
	void (*loop)(void);
} primitives[] = {
	ENTRY(empty_loop),
	ENTRY(empty_loop_operations),
	ENTRY(add),
	ENTRY(add_lock),
	ENTRY(xadd),
	ENTRY(xadd_lock),
	ENTRY(cmpxchg),
	ENTRY(cmpxchg_operations),
	ENTRY(cmpxchg_lock),
	ENTRY(cmpxchg_lock_operations),
	ENTRY(xchg),
	ENTRY(rseq_add),
	ENTRY(rseq_compare_store),
	ENTRY(mfence),
	ENTRY(lfence),
	ENTRY(sfence),
	ENTRY(spin_lock_plain),
	ENTRY(spin_lock_plain_operations),
	ENTRY(spin_lock_pthread),
	ENTRY(mutex_pthread),
	ENTRY(seqlock_read),
	ENTRY(seqlock_read_operations),
	ENTRY(preempt_count),
	ENTRY(preempt_count_operations),
	ENTRY(pushf_popf),
	ENTRY(pushf_popf_operations),
	ENTRY(rdtsc),
	ENTRY(rdtscp),
	ENTRY(lfence_rdtsc),
	ENTRY(clock_gettime),
	ENTRY(rseq_cpu_id),
	ENTRY(sched_getcpu),
	ENTRY(system_call),
};

int main(void)
{
	unsigned int turn, i;
	double begin;

	pthread_spin_init(&line.spinlock, PTHREAD_PROCESS_PRIVATE);
	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
			line.value = 0;
			begin = now_ns();
			primitives[i].loop();
			printf("primitive %s ns %.3f\n", primitives[i].name,
			       (now_ns() - begin) / OPERATIONS);
		}
	return 0;
}
