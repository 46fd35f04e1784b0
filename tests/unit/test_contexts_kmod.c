// SPDX-License-Identifier: GPL-2.0-only
/* test_contexts_kmod.c - the contexts that the module writes into records: their layout, which is
 * what the recorder checks and describes, and how a program's stack is walked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/shim.h>

/* What the file needs of a kernel. */
typedef int32_t s32;
typedef uint32_t u32;
typedef uint64_t u64;
#define CONFIG_SMP              1
#define PF_KTHREAD              0x00200000u
#define PF_IO_WORKER            0x00000010u
#define THIS_MODULE             NULL
#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#define IS_ALIGNED(x, bytes)    (((x) & ((bytes)-1)) == 0)
#define min(a, b)               ((a) < (b) ? (a) : (b))

static struct {
	char comm[16];
	s32 pid, tgid, prio;
	unsigned int flags;
	void *mm;
	unsigned short migration_disabled;
	struct {
		u64 nr_migrations;
	} se;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
} task, *current = &task;

static struct pt_regs entry;
static bool from_user, is_64bit, nmi, reschedule;
static unsigned long kernel_stack[64];
static unsigned int kernel_frames;

#define task_pt_regs(task)           (&entry)
#define user_mode(regs)              from_user
#define user_64bit_mode(regs)        is_64bit
#define in_nmi()                     nmi
#define task_nice(task)              (-3)
#define test_tsk_need_resched(task)  reschedule
#define within_module(address, self) ((address) < 0x1000)

static unsigned int stack_trace_save(unsigned long *store, unsigned int size, unsigned int skip)
{
	const unsigned int nr = min(size, kernel_frames);

	assert_int_equal(skip, 0);
	memcpy(store, kernel_stack, nr * sizeof(*store));
	return nr;
}

/* A program's stack; behind it lies a page that is absent. */
static unsigned long stack[128];

long copy_from_user_nofault(void *to, const void *from, size_t bytes)
{
	const uintptr_t at = (uintptr_t)from, begin = (uintptr_t)stack;

	if (at < begin || at - begin > sizeof(stack) - bytes)
		return -EFAULT;
	memcpy(to, from, bytes);
	return 0;
}

/* Counters have a test of their own (test_counters_kmod.c). */
#define STRATA_KMOD_COUNTERS_H
#define strata_counter_read(channel, number) (((u64)(channel) << 32) + 100 + (number))

#include "../../guest-kmod/contexts.c"

#include "recording/kernel_context.h"

#define ALL STRATA_CONTEXTS_ALL

static const struct strata_counter_fields counter_fields = {
	.field = { [2] = "perf_cpu_cycles", [15] = "perf_cpu_page_faults" },
};

static unsigned char written[STRATA_CONTEXTS_BYTES_MAX + 8];

/* Writes contexts; the bytes behind them stay 0xee. */
static u32 write_all(u32 contexts, u32 room, bool nested)
{
	u32 bytes;

	memset(written, 0xee, sizeof(written));
	bytes = strata_contexts_write(3, contexts, written, room, nested);
	assert_in_range(bytes, 0, STRATA_CONTEXTS_BYTES_MAX);
	assert_int_equal(written[bytes], 0xee);
	/* The recorder agrees. */
	assert_int_equal(strata_guest_context_bytes(contexts, written, bytes), bytes);
	return bytes;
}

/* Finds a field of the written contexts as readers do. */
static struct strata_field_place find(u32 contexts, const char *name)
{
	struct strata_event_desc desc = { .nr_fields = 0 };
	struct strata_field_place place;
	uint32_t offset = 0;
	unsigned int i;

	strata_kernel_context_describe(&desc, contexts, &counter_fields);
	for (i = 0; i < desc.nr_fields; i++) {
		assert_true(strata_field_find(&desc.fields[i], written, sizeof(written), &offset,
					      &place));
		if (!strcmp(desc.fields[i].name, name))
			return place;
	}
	fail_msg("no field %s", name);
	return place;
}

static s32 number(u32 contexts, const char *name)
{
	s32 value;

	memcpy(&value, written + find(contexts, name).offset, sizeof(value));
	return value;
}

static u64 frame(u32 contexts, const char *name, u32 index)
{
	const struct strata_field_place place = find(contexts, name);
	u64 address;

	assert_in_range(index, 0, place.count - 1);
	memcpy(&address, written + place.offset + index * sizeof(address), sizeof(address));
	return address;
}

static u32 frames(const char *name)
{
	return find(ALL, name).count;
}

/* Whether the stacks lack frames: bit 0 the kernel's, bit 1 the program's. */
static u32 cut(void)
{
	return number(ALL, "callstack_kernel_cut") | number(ALL, "callstack_user_cut") << 1;
}

/* Makes a frame at @index of the program's stack, whose caller's frame is at @next. */
static void make_frame(unsigned int index, unsigned int next, unsigned long ret)
{
	stack[index] = (unsigned long)&stack[next];
	stack[index + 1] = ret;
}

static int begin(void **state)
{
	unsigned int i;

	(void)state;
	memset(&task, 0, sizeof(task));
	strcpy(task.comm, "program");
	task.pid = 12;
	task.tgid = 11;
	task.prio = 117;
	task.mm = &task;
	task.se.nr_migrations = 0x100000007;
	task.nvcsw = 30;
	task.nivcsw = 4;
	task.min_flt = 500;
	task.maj_flt = 6;
	from_user = is_64bit = true;
	nmi = reschedule = false;
	kernel_frames = 5;
	for (i = 0; i < ARRAY_SIZE(kernel_stack); i++)
		kernel_stack[i] = 0xf000 + i;
	memset(stack, 0, sizeof(stack));
	entry.ip = 0x100;
	entry.sp = (unsigned long)stack;
	entry.bp = (unsigned long)&stack[4];
	make_frame(4, 10, 0x101);
	make_frame(10, 20, 0x102);
	return 0;
}

static void each_context_is_where_readers_look(void **state)
{
	u32 contexts;

	(void)state;
	reschedule = true;
	task.migration_disabled = 1;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_memory_equal(written + find(ALL, "procname").offset, task.comm, 16);
	assert_int_equal(number(ALL, "pid"), 11);
	assert_int_equal(number(ALL, "prio"), 117);
	assert_int_equal(number(ALL, "nice"), -3);
	assert_int_equal(number(ALL, "need_reschedule"), 1);
	assert_int_equal(number(ALL, "migratable"), 0);
	assert_int_equal(number(ALL, "cpu_migrations"), 7);
	assert_int_equal(number(ALL, "context_switches"), 34);
	assert_int_equal(number(ALL, "minor_faults"), 500);
	assert_int_equal(number(ALL, "major_faults"), 6);
	assert_int_equal(frames("callstack_kernel"), 5);
	assert_int_equal(frame(ALL, "callstack_kernel", 4), 0xf004);
	assert_int_equal(frames("callstack_user"), 3);
	assert_int_equal(frame(ALL, "callstack_user", 0), 0x100);
	assert_int_equal(frame(ALL, "callstack_user", 1), 0x101);
	assert_int_equal(frame(ALL, "callstack_user", 2), 0x102);
	assert_int_equal(cut(), 0);
	/* Any set. */
	task.migration_disabled = 0;
	for (contexts = 0; contexts <= ALL; contexts++) {
		write_all(contexts, STRATA_CONTEXTS_BYTES_MAX, false);
		if (contexts & STRATA_CONTEXT_BIT(STRATA_CONTEXT_MIGRATABLE))
			assert_int_equal(number(contexts, "migratable"), 1);
		if (contexts & STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_USER))
			assert_int_equal(frame(contexts, "callstack_user", 2), 0x102);
	}
}

static u64 counter(u32 contexts, const char *name)
{
	u64 value;

	memcpy(&value, written + find(contexts, name).offset, sizeof(value));
	return value;
}

/* By the entry of the channel's table, in front of the stacks. */
static void counters_are_those_of_the_channel(void **state)
{
	const u32 two = STRATA_COUNTER_BIT(2) | STRATA_COUNTER_BIT(15);

	(void)state;
	assert_int_equal(write_all(two, 16, false), 16);
	assert_int_equal(counter(two, "perf_cpu_cycles"), 3ull << 32 | 102);
	assert_int_equal(counter(two, "perf_cpu_page_faults"), 3ull << 32 | 115);
	write_all(ALL | two, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(counter(ALL | two, "perf_cpu_cycles"), 3ull << 32 | 102);
	assert_int_equal(number(ALL | two, "major_faults"), 6);
	assert_int_equal(frame(ALL | two, "callstack_user", 2), 0x102);
	/* All that there may be. */
	kernel_frames = STRATA_CONTEXT_FRAMES_MAX;
	write_all(ALL | STRATA_COUNTERS_ALL, STRATA_CONTEXTS_BYTES_MAX, false);
}

static void the_tracers_own_frames_are_left_out(void **state)
{
	(void)state;
	kernel_frames = ARRAY_SIZE(kernel_stack);
	kernel_stack[0] = kernel_stack[1] = kernel_stack[2] = 0x10;
	kernel_stack[4] = 0x10;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_kernel"), STRATA_CONTEXT_FRAMES_MAX);
	assert_int_equal(frame(ALL, "callstack_kernel", 0), 0xf003);
	assert_int_equal(frame(ALL, "callstack_kernel", 1), 0x10);
	kernel_frames = 3;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_kernel"), 0);
	assert_int_equal(cut(), 0);
}

static void a_cut_stack_is_marked(void **state)
{
	unsigned int own, i;

	(void)state;
	kernel_frames = STRATA_CONTEXT_FRAMES_MAX;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_kernel"), STRATA_CONTEXT_FRAMES_MAX);
	assert_int_equal(cut(), 0);
	kernel_frames++;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_kernel"), STRATA_CONTEXT_FRAMES_MAX);
	assert_int_equal(cut(), 1);
	kernel_frames = 5;
	/* The program's, with as many frames as fit, and one more. */
	for (i = 4; i < 4 + 2 * (STRATA_CONTEXT_FRAMES_MAX - 1); i += 2)
		make_frame(i, i + 2, 0x1000 + i);
	stack[i - 2] = 0;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_user"), STRATA_CONTEXT_FRAMES_MAX);
	assert_int_equal(cut(), 0);
	stack[i - 2] = (unsigned long)&stack[i];
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_user"), STRATA_CONTEXT_FRAMES_MAX);
	assert_int_equal(cut(), 2);
	write_all(ALL, 0, false);
	assert_int_equal(cut(), 3);
	/* As many of the tracer's as there may be, and a whole stack behind them. */
	for (i = 0; i < OWN_FRAMES; i++)
		kernel_stack[i] = 0x10;
	kernel_frames = OWN_FRAMES + STRATA_CONTEXT_FRAMES_MAX;
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
	assert_int_equal(frames("callstack_kernel"), STRATA_CONTEXT_FRAMES_MAX);
	assert_int_equal(cut(), 2);
	/* However many of the frames are the tracer's: what the unwinder did not look at counts. */
	kernel_frames = ARRAY_SIZE(kernel_stack);
	for (own = 0; own < 2 * OWN_FRAMES; own++) {
		kernel_stack[own] = 0x10;
		write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, false);
		assert_int_equal(cut(), 3);
	}
}

static void stacks_are_cut_to_the_room(void **state)
{
	const u32 fixed = strata_guest_context_fixed_bytes(ALL) + 4 + 4;
	u32 room;

	(void)state;
	kernel_frames = ARRAY_SIZE(kernel_stack);
	for (room = 0; room <= STRATA_CONTEXTS_BYTES_MAX; room++) {
		const u32 bytes = write_all(ALL, room, false);

		assert_in_range(bytes, fixed, room < fixed ? fixed : room);
		assert_in_range(frames("callstack_kernel"), 0, room / 8);
	}
	/* The kernel's stack has the room first. */
	write_all(ALL, fixed + 8, false);
	assert_int_equal(frames("callstack_kernel"), 1);
	assert_int_equal(frames("callstack_user"), 0);
	write_all(ALL, fixed + 32 * 8 + 8, false);
	assert_int_equal(frames("callstack_kernel"), 32);
	assert_int_equal(frames("callstack_user"), 1);
}

static u32 user_frames(bool nested)
{
	write_all(ALL, STRATA_CONTEXTS_BYTES_MAX, nested);
	assert_int_equal(frames("callstack_kernel"), 5);
	return frames("callstack_user");
}

static void a_programs_stack_is_read_only_where_that_is_safe(void **state)
{
	(void)state;
	assert_int_equal(user_frames(false), 3);
	assert_int_equal(cut(), 0);
	/* The program has a stack. */
	assert_int_equal(user_frames(true), 0);
	assert_int_equal(cut(), 2);
	nmi = true;
	assert_int_equal(user_frames(false), 0);
	assert_int_equal(cut(), 2);
	nmi = false;
	/* There is no program. */
	task.flags = PF_KTHREAD;
	assert_int_equal(user_frames(true), 0);
	assert_int_equal(cut(), 0);
	task.flags = PF_IO_WORKER;
	assert_int_equal(user_frames(false), 0);
	assert_int_equal(cut(), 0);
	task.flags = 0;
	task.mm = NULL;
	assert_int_equal(user_frames(false), 0);
	assert_int_equal(cut(), 0);
	task.mm = &task;
	from_user = false;
	assert_int_equal(user_frames(false), 0);
	assert_int_equal(cut(), 0);
}

static void a_walk_ends_where_no_frame_is(void **state)
{
	unsigned int i;

	(void)state;
	/* A program of 32 bits has other frames. */
	is_64bit = false;
	assert_int_equal(user_frames(false), 1);
	assert_int_equal(cut(), 2);
	is_64bit = true;
	/* Below the stack's end. */
	entry.sp = (unsigned long)&stack[5];
	assert_int_equal(user_frames(false), 1);
	entry.sp = (unsigned long)stack;
	/* No address. */
	entry.bp = (unsigned long)&stack[4] + 1;
	assert_int_equal(user_frames(false), 1);
	assert_int_equal(cut(), 0);
	/* A page that is absent. */
	entry.bp = (unsigned long)&stack[127];
	assert_int_equal(user_frames(false), 1);
	assert_int_equal(cut(), 2);
	entry.bp = (unsigned long)&stack[4];
	/* Back to itself. */
	make_frame(10, 10, 0x102);
	assert_int_equal(user_frames(false), 3);
	make_frame(10, 11, 0x102);
	assert_int_equal(user_frames(false), 3);
	make_frame(10, 12, 0x102);
	make_frame(12, 4, 0x103);
	assert_int_equal(user_frames(false), 4);
	/* More than a stack may have. */
	for (i = 4; i < 126; i += 2)
		make_frame(i, i + 2, 0x1000 + i);
	assert_int_equal(user_frames(false), STRATA_CONTEXT_FRAMES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_context_is_where_readers_look, begin),
		cmocka_unit_test_setup(counters_are_those_of_the_channel, begin),
		cmocka_unit_test_setup(the_tracers_own_frames_are_left_out, begin),
		cmocka_unit_test_setup(a_cut_stack_is_marked, begin),
		cmocka_unit_test_setup(stacks_are_cut_to_the_room, begin),
		cmocka_unit_test_setup(a_programs_stack_is_read_only_where_that_is_safe, begin),
		cmocka_unit_test_setup(a_walk_ends_where_no_frame_is, begin),
	};

	return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
