/* SPDX-License-Identifier: MIT */
/*
 * rseq.h - restartable sequences, for rings that are written by the threads of
 * whatever process runs on their CPU: x86-64, as glibc >= 2.35 registers them.
 *
 * A restartable section is a run of instructions that the kernel aborts when its
 * thread is preempted, migrated, or takes a signal in it. So only its last store takes
 * effect, or nothing at all; and on one CPU sections never overlap, whichever threads and
 * processes run them.
 *
 * A section accesses only user memory, calls nothing, and clears the thread's rseq_cs at
 * its end: otherwise the kernel could read the descriptor of an unloaded library.
 */
#ifndef STRATA_PLATFORM_RSEQ_H
#define STRATA_PLATFORM_RSEQ_H

#include <strata/platform/platform.h>

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define STRATA_HAS_RSEQ 1
#endif
#endif

#ifdef STRATA_HAS_RSEQ

/*
 * The calling thread's area, as its distance from the fs base: an access through fs needs
 * no preceding load. Valid only if strata_rseq_available().
 */
static inline ptrdiff_t strata_rseq(void)
{
	return __rseq_offset;
}

/* False if the kernel is too old, or another program (valgrind) runs this one. */
static inline bool strata_rseq_available(void)
{
	return __rseq_size != 0;
}

/* The CPU on which we probably run, below 2^32; 0 for a thread that was never registered. */
static inline uint32_t strata_rseq_cpu(ptrdiff_t rseq)
{
	uint32_t cpu;

	__asm__ __volatile__("movl %%fs:%c[start](%[rseq]), %[cpu]"
			     : [cpu] "=r"(cpu)
			     : [rseq] "r"(rseq), [start] "i"(offsetof(struct rseq, cpu_id_start)));
	return cpu;
}

/*
 * The frame of a section: its descriptor, its entry, and its end, after the committing
 * store.  ENTER is BEGIN for a section that knows its CPU: it leaves for the label
 * `aborted` if this is not the CPU %[cpu].  One that does not know it loads cpu_id after
 * BEGIN.  %[rseq] is the value of strata_rseq(); rax is clobbered.
 *
 * The sections are of the group of the function around them, if it has one: an inline
 * function of C++ is in many files, and where the linker drops one these go with it.
 * The bytes before the handler are the signature that the kernel wants to see
 * there, as the operand of an instruction that traps.
 */
#ifdef STRATA_RSEQ_NO_ABORT
/* For a test that shows why the sections are needed: nothing is ever aborted. */
#define STRATA_RSEQ_ARM ""
#else
#define STRATA_RSEQ_ARM             \
	"leaq 3b(%%rip), %%rax\n\t" \
	"movq %%rax, %%fs:%c[cs](%[rseq])\n\t"
#endif
#define STRATA_RSEQ_BEGIN                     \
	".pushsection __rseq_cs, \"aw?\"\n\t" \
	".balign 32\n\t"                      \
	"3:\n\t"                              \
	".long 0, 0\n\t"                      \
	".quad 1f, (2f - 1f), 4f\n\t"         \
	".popsection\n\t" STRATA_RSEQ_ARM "1:\n\t"
#define STRATA_RSEQ_ENTER                           \
	STRATA_RSEQ_BEGIN                           \
	"cmpl %[cpu], %%fs:%c[cpu_id](%[rseq])\n\t" \
	"jnz %l[aborted]\n\t"
#define STRATA_RSEQ_LEAVE                          \
	"2:\n\t"                                   \
	"movq $0, %%fs:%c[cs](%[rseq])\n\t"        \
	".pushsection __rseq_failure, \"ax?\"\n\t" \
	".byte 0x0f, 0xb9, 0x3d\n\t"               \
	".long %c[signature]\n\t"                  \
	"4:\n\t"                                   \
	"jmp %l[aborted]\n\t"                      \
	".popsection\n\t"
#define STRATA_RSEQ_OPERANDS(area, number)                                             \
	[rseq] "r"(area), [cpu] "r"(number), [cs] "i"(offsetof(struct rseq, rseq_cs)), \
		[cpu_id] "i"(offsetof(struct rseq, cpu_id)), [signature] "i"(RSEQ_SIG)

/* After a section that was left before its end. */
static inline void strata_rseq_clear(ptrdiff_t rseq)
{
	__asm__ __volatile__("movq $0, %%fs:%c[cs](%[rseq])"
			     :
			     : [rseq] "r"(rseq), [cs] "i"(offsetof(struct rseq, rseq_cs))
			     : "memory");
}

#endif /* STRATA_HAS_RSEQ */

#endif /* STRATA_PLATFORM_RSEQ_H */
