/* SPDX-License-Identifier: MIT */
/*
 * guest_context.h - the contexts that a kernel writes into each record of a channel on request.
 *
 * A set of contexts is a word with a bit for each.  They follow struct strata_guest_context and
 * precede the payload, each kind in the order of its bits: first those of fixed length; then the
 * counters, of 64 bits each; then a word of 32 bits for each call stack, 1 if it was cut: it lacks
 * frames; then the call stacks.  A call stack is a 32-bit number of frames, and an address of 64
 * bits for each frame, the innermost first; none of them is aligned to more than 4 bytes.
 *
 * Counters are those of Linux's perf_event_open(2).  Bit 16 + N is the counter in entry N of the
 * channel's table (struct strata_guest_counter, in its root page).
 */
#ifndef STRATA_ABI_GUEST_CONTEXT_H
#define STRATA_ABI_GUEST_CONTEXT_H

#include <strata/platform/platform.h>

/* All are of the task that ran on the CPU: for an interrupt, the interrupted one. */
enum strata_guest_context_bit {
	STRATA_CONTEXT_PROCNAME,        /* its name, zeros behind it */
	STRATA_CONTEXT_PID,             /* its process, in the kernel's first PID namespace */
	STRATA_CONTEXT_PRIO,            /* its priority, as the fields of sched_switch have it */
	STRATA_CONTEXT_NICE,            /* its nice value */
	STRATA_CONTEXT_NEED_RESCHEDULE, /* 1: the kernel will switch to another task soon */
	STRATA_CONTEXT_MIGRATABLE,      /* 1: it may migrate to another CPU */
	STRATA_CONTEXT_CALLSTACK_KERNEL,
	/* By frame pointers.  Empty for a thread that runs no program; empty and cut in an NMI (the
	 * kernel counts a kprobe by a breakpoint as one), and in a probe that is reached from
	 * within another one. */
	STRATA_CONTEXT_CALLSTACK_USER,
	/* Of the thread, since it began, the low 32 bits: */
	STRATA_CONTEXT_CPU_MIGRATIONS,
	STRATA_CONTEXT_CONTEXT_SWITCHES, /* voluntary ones and others */
	STRATA_CONTEXT_MINOR_FAULTS,     /* page faults that were served from memory */
	STRATA_CONTEXT_MAJOR_FAULTS,     /* those that waited for a file */
	STRATA_NR_CONTEXTS,
};

#define STRATA_CONTEXT_BIT(context) (1u << (context))
#define STRATA_CONTEXTS_ALL         (STRATA_CONTEXT_BIT(STRATA_NR_CONTEXTS) - 1u)

#define STRATA_CONTEXT_PROCNAME_BYTES 16u
#define STRATA_CONTEXT_FRAMES_MAX     32u /* of each stack */

#define STRATA_COUNTERS_MAX     16u /* of each channel */
#define STRATA_COUNTER_SHIFT    16u
#define STRATA_COUNTER_BIT(n)   (1u << (STRATA_COUNTER_SHIFT + (n)))
#define STRATA_COUNTERS_ALL     0xffff0000u
#define STRATA_COUNTER_BYTES    8u
#define STRATA_COUNTER_NO_VALUE 0xffffffffffffffffull /* the kernel did not count on that CPU */
#define STRATA_COUNTER_NO_TYPE  0xffffffffu           /* the entry of the table is free */

/* Counts on each CPU, whatever runs there.  Both numbers are those of perf_event_attr. */
struct strata_guest_counter {
	uint32_t type;     /* hardware 0, software 1, hardware cache 3, raw 4 */
	uint32_t reserved; /* zero */
	uint64_t config;
};

/* Of all contexts in a record. */
#define STRATA_CONTEXTS_BYTES_MAX                                                               \
	(STRATA_CONTEXT_PROCNAME_BYTES + 9u * 4u + STRATA_COUNTERS_MAX * STRATA_COUNTER_BYTES + \
	 2u * (4u + 4u + 8u * STRATA_CONTEXT_FRAMES_MAX))

/* Number of call stacks in a set. */
static inline uint32_t strata_guest_context_stacks(uint32_t contexts)
{
	return (contexts >> STRATA_CONTEXT_CALLSTACK_KERNEL & 1u) +
	       (contexts >> STRATA_CONTEXT_CALLSTACK_USER & 1u);
}

/* Bytes of the contexts of fixed length in a set, and of the words that say whether stacks were
 * cut. */
static inline uint32_t strata_guest_context_fixed_bytes(uint32_t contexts)
{
	uint32_t bytes = 4u * strata_guest_context_stacks(contexts), bit;

	for (bit = 0; bit < STRATA_NR_CONTEXTS; bit++)
		if (contexts & STRATA_CONTEXT_BIT(bit) && bit != STRATA_CONTEXT_CALLSTACK_KERNEL &&
		    bit != STRATA_CONTEXT_CALLSTACK_USER)
			bytes += bit == STRATA_CONTEXT_PROCNAME ? STRATA_CONTEXT_PROCNAME_BYTES
								: 4u;
	for (bit = 0; bit < STRATA_COUNTERS_MAX; bit++)
		if (contexts & STRATA_COUNTER_BIT(bit))
			bytes += STRATA_COUNTER_BYTES;
	return bytes;
}

/*
 * Returns the bytes of the contexts in a record, or -1: they run over its end, or a stack has too
 * many frames.
 * @at: @available readable bytes, hostile
 */
static inline int32_t strata_guest_context_bytes(uint32_t contexts, const unsigned char *at,
						 uint32_t available)
{
	uint32_t bytes = strata_guest_context_fixed_bytes(contexts);
	uint32_t stacks = strata_guest_context_stacks(contexts), frames;

	for (; stacks > 0; stacks--) {
		if (bytes + 4u > available)
			return -1;
		strata_copy(&frames, at + bytes, 4);
		if (frames > STRATA_CONTEXT_FRAMES_MAX)
			return -1;
		bytes += 4u + 8u * frames;
	}
	return bytes <= available ? (int32_t)bytes : -1;
}

#endif /* STRATA_ABI_GUEST_CONTEXT_H */
