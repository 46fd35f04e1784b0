// SPDX-License-Identifier: GPL-2.0-only
/* contexts.c - see contexts.h. */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "contexts.h"
#include "counters.h"

/* Frames of this module between a kernel function and the stack trace: they are left out. */
#define OWN_FRAMES 8u

u32 strata_contexts[STRATA_GUEST_CHANNELS_MAX];

struct writing {
	u32 contexts;
	unsigned char *at;
	unsigned char *end; /* of the record's room */
	unsigned char *cut; /* the word of the next call stack */
};

static bool has(const struct writing *writing, enum strata_guest_context_bit bit)
{
	return writing->contexts & STRATA_CONTEXT_BIT(bit);
}

static void put(struct writing *writing, enum strata_guest_context_bit bit, u32 value)
{
	if (!has(writing, bit))
		return;
	memcpy(writing->at, &value, sizeof(value));
	writing->at += sizeof(value);
}

static void put_counters(struct writing *writing, unsigned int channel)
{
	unsigned int number;

	for (number = 0; number < STRATA_COUNTERS_MAX; number++)
		if (writing->contexts & STRATA_COUNTER_BIT(number)) {
			const u64 value = strata_counter_read(channel, number);

			memcpy(writing->at, &value, sizeof(value));
			writing->at += sizeof(value);
		}
}

/* Copies the name as it is: a lock would keep the task from changing it meanwhile, but a probe
 * must take none. */
static void put_name(struct writing *writing)
{
	BUILD_BUG_ON(sizeof(current->comm) != STRATA_CONTEXT_PROCNAME_BYTES);
	if (!has(writing, STRATA_CONTEXT_PROCNAME))
		return;
	memcpy(writing->at, current->comm, STRATA_CONTEXT_PROCNAME_BYTES);
	writing->at += STRATA_CONTEXT_PROCNAME_BYTES;
}

/* Frames that the record has room for, where @stacks more stacks follow this one. */
static u32 frames_room(const struct writing *writing, u32 stacks)
{
	const long left = writing->end - writing->at - (long)((stacks + 1) * sizeof(u32));

	return left < 0 ? 0 : min_t(u32, left / sizeof(u64), STRATA_CONTEXT_FRAMES_MAX);
}

static void put_stack(struct writing *writing, const unsigned long *frames, u32 nr, u32 cut)
{
	u32 i;

	memcpy(writing->cut, &cut, sizeof(cut));
	writing->cut += sizeof(cut);
	memcpy(writing->at, &nr, sizeof(nr));
	writing->at += sizeof(nr);
	for (i = 0; i < nr; i++) {
		const u64 frame = frames[i];

		memcpy(writing->at, &frame, sizeof(frame));
		writing->at += sizeof(frame);
	}
}

/* The unwinder takes no lock, and may run in NMI context: perf uses it there. */
static void put_kernel_stack(struct writing *writing, u32 stacks)
{
	/* One more than fit: whether there are more is seen. */
	unsigned long frames[OWN_FRAMES + STRATA_CONTEXT_FRAMES_MAX + 1];
	u32 nr, own = 0, room;

	if (!has(writing, STRATA_CONTEXT_CALLSTACK_KERNEL))
		return;
	nr = stack_trace_save(frames, ARRAY_SIZE(frames), 0);
	while (own < nr && within_module(frames[own], THIS_MODULE))
		own++;
	room = frames_room(writing, stacks);
	put_stack(writing, frames + own, min(nr - own, room),
		  nr == ARRAY_SIZE(frames) || nr - own > room);
}

/* What a function with a frame pointer has on its stack. */
struct user_frame {
	unsigned long next; /* its caller's frame */
	unsigned long ret;
};

/* Reads the stack of a 64-bit program; of another one only the place that it is at.  Cut: there is
 * no room for the next frame, or it cannot be read. */
static u32 walk_user_stack(unsigned long *frames, u32 room, bool *cut)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long at = regs->bp, above = regs->sp;
	struct user_frame frame;
	u32 nr = 0;

	*cut = user_mode(regs);
	if (!room || !*cut)
		return 0;
	frames[nr++] = regs->ip;
	if (!user_64bit_mode(regs))
		return nr;
	while (at >= above && IS_ALIGNED(at, sizeof(at))) {
		/* The copy goes to our stack: usercopy's checks of other memory may take a lock. */
		if (nr == room ||
		    copy_from_user_nofault(&frame, (const void __user *)at, sizeof(frame)))
			return nr;
		if (!frame.ret)
			break;
		frames[nr++] = frame.ret;
		above = at + sizeof(frame);
		at = frame.next;
	}
	*cut = false;
	return nr;
}

/* A worker of io_uring has its creator's memory, and never ran a program: its registers are not
 * those of a stack. */
static bool runs_program(void)
{
	return current->mm && !(current->flags & (PF_KTHREAD | PF_IO_WORKER));
}

/*
 * Whether user memory may be read here.  A page that is absent causes an exception, which
 * has events of its own: their probes, nested in this one, must not read it again.
 */
static bool may_read_user(bool nested)
{
	return !nested && !in_nmi() && runs_program();
}

static void put_user_stack(struct writing *writing, bool nested)
{
	unsigned long frames[STRATA_CONTEXT_FRAMES_MAX];
	bool cut = runs_program();
	u32 nr = 0;

	if (!has(writing, STRATA_CONTEXT_CALLSTACK_USER))
		return;
	if (may_read_user(nested))
		nr = walk_user_stack(frames, frames_room(writing, 0), &cut);
	put_stack(writing, frames, nr, cut);
}

static bool is_migratable(void)
{
#ifdef CONFIG_SMP
	return !current->migration_disabled;
#else
	return false;
#endif
}

u32 strata_contexts_write(unsigned int channel, u32 contexts, void *to, u32 room, bool nested)
{
	struct writing writing = {
		.contexts = contexts,
		.at = to,
		.end = (unsigned char *)to + room,
	};

	put_name(&writing);
	put(&writing, STRATA_CONTEXT_PID, current->tgid);
	put(&writing, STRATA_CONTEXT_PRIO, current->prio);
	put(&writing, STRATA_CONTEXT_NICE, task_nice(current));
	put(&writing, STRATA_CONTEXT_NEED_RESCHEDULE, test_tsk_need_resched(current));
	put(&writing, STRATA_CONTEXT_MIGRATABLE, is_migratable());
	put(&writing, STRATA_CONTEXT_CPU_MIGRATIONS, current->se.nr_migrations);
	put(&writing, STRATA_CONTEXT_CONTEXT_SWITCHES, current->nvcsw + current->nivcsw);
	put(&writing, STRATA_CONTEXT_MINOR_FAULTS, current->min_flt);
	put(&writing, STRATA_CONTEXT_MAJOR_FAULTS, current->maj_flt);
	if (contexts & STRATA_COUNTERS_ALL)
		put_counters(&writing, channel);
	writing.cut = writing.at;
	writing.at += strata_guest_context_stacks(contexts) * sizeof(u32);
	put_kernel_stack(&writing, has(&writing, STRATA_CONTEXT_CALLSTACK_USER));
	put_user_stack(&writing, nested);
	return writing.at - (unsigned char *)to;
}
