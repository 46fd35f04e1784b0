// SPDX-License-Identifier: GPL-2.0-only
/* test_probe_args_kmod.c - the arguments of the module's kprobes: their notation, and what is
 * recorded of registers and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "btf_world.h"

#include "../../guest-kmod/probe_args.c"

#define BEGIN 8u /* of the payload: ip */

/* The kernel's memory and a task's, each of which ends at a page that is not there. */
static unsigned char kernel[256], task[256];

static long copy_of(void *to, uintptr_t from, size_t bytes, const unsigned char *memory,
		    size_t size)
{
	const uintptr_t begin = (uintptr_t)memory;

	if (from < begin || bytes > size || from - begin > size - bytes) {
		/* What it could copy before the fault stays. */
		memset(to, 0xbb, bytes);
		return -EFAULT;
	}
	memcpy(to, (const void *)from, bytes);
	return 0;
}

long copy_from_kernel_nofault(void *to, const void *from, size_t bytes)
{
	return copy_of(to, (uintptr_t)from, bytes, kernel, sizeof(kernel));
}

long copy_from_user_nofault(void *to, const void *from, size_t bytes)
{
	return copy_of(to, (uintptr_t)from, bytes, task, sizeof(task));
}

static struct strata_probe_args args;
static struct strata_field_desc fields[STRATA_PROBE_ARGS_MAX];
static unsigned char payload[2048];

static int parse(const char *text, bool returns)
{
	char words[512];

	strcpy(words, text);
	memset(&args, 0xa5, sizeof(args));
	return strata_probe_args_parse(words,
				       returns ? STRATA_ARGS_OF_RETURN : STRATA_ARGS_OF_PLACE, NULL,
				       BEGIN, &args, fields);
}

/* Records what a probe's arguments are; the payload's other bytes stay 0xee. */
static void record(const char *text, const struct pt_regs *regs)
{
	assert_int_equal(parse(text, false), 0);
	memset(payload, 0xee, sizeof(payload));
	strata_probe_args_write(&args, regs, payload, BEGIN);
	assert_int_equal(payload[BEGIN - 1], 0xee);
	assert_int_equal(payload[args.end], 0xee);
}

static uint64_t value_at(unsigned int number, size_t bytes)
{
	uint64_t value = 0;

	assert_int_equal(args.arg[number].bytes, bytes);
	memcpy(&value, payload + args.arg[number].place, bytes);
	return value;
}

static const char *text_at(unsigned int number)
{
	assert_true(args.arg[number].text);
	return (const char *)payload + args.arg[number].place;
}

static void the_notation_of_kprobe_events_is_read(void **state)
{
	(void)state;
	assert_int_equal(
		strata_probe_args_parse(NULL, STRATA_ARGS_OF_PLACE, NULL, BEGIN, &args, fields), 0);
	assert_int_equal(args.nr, 0);
	assert_int_equal(args.end, BEGIN);
	assert_int_equal(
		parse("$arg1 fd=$arg6:s32 name=+u0($arg2):string[32] %r15:u8 _x2=-0x10(%sp):x16",
		      false),
		0);
	assert_int_equal(args.nr, 5);
	assert_string_equal(fields[0].name, "arg1");
	assert_int_equal(fields[0].kind, STRATA_FIELD_HEX);
	assert_int_equal(fields[0].bytes, 8);
	assert_string_equal(fields[1].name, "fd");
	assert_int_equal(fields[1].kind, STRATA_FIELD_SIGNED);
	assert_int_equal(fields[1].bytes, 4);
	assert_string_equal(fields[2].name, "name");
	assert_int_equal(fields[2].kind, STRATA_FIELD_TEXT);
	assert_int_equal(fields[2].count, 32);
	assert_string_equal(fields[3].name, "arg4");
	assert_int_equal(fields[3].kind, STRATA_FIELD_UNSIGNED);
	assert_string_equal(fields[4].name, "_x2");
	assert_int_equal(fields[4].bytes, 2);
	assert_int_equal(parse("$retval:s64 +8(%ax):string", true), 0);
	assert_int_equal(fields[1].count, 64);
	assert_int_equal(parse("%di %di %di %di %di %di %di %di", false), 0);
}

static void anything_else_is_refused(void **state)
{
	static const char *const calls[] = {
		"",
		"$arg0",
		"$arg7",
		"$arg",
		"$arg11",
		"$retval",
		"%",
		"%zz",
		"di",
		"$di",
		"%di ",
		" %di",
		"%di  %si",
		"%di:",
		"%di:u",
		"%di:u24",
		"%di:u128",
		"%di:z32",
		"%di:u32x",
		"%di:string",
		"+8(%di",
		"+8%di",
		"+8",
		"+8()",
		"+(%di)",
		"+8(%di))",
		"+8(%di)x",
		"+x(%di)",
		"+-8(%di)",
		"+8x(%di)",
		"=%di",
		"1a=%di",
		"a-b=%di",
		"a=",
		"a=b=%di",
		"tid=%di",
		"a=%di a=%si",
		"arg2=%di %si",
		"+uu8(%di)",
		"+4294967296(%di)",
		"+2147483648(%di)",
		"++8(%di)",
		"u8(%di)",
		"+0(%di):string[0]",
		"+0(%di):string[1]",
		"+0(%di):string[256]",
		"+0(%di):string[",
		"+0(%di):string[8",
		"+0(%di):string[8]x",
		"+0(%di):strings",
		"+0(%di):string[-8]",
		"+0(+0(+0(+0(+0(%di)))))",
		"%di %di %di %di %di %di %di %di %di",
		"a2345678901234567890123456789012=%di",
	};
	static const char *const returns[] = { "$arg1", "$retval2", "+8($arg1)" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (parse(calls[i], false) != -EINVAL)
			fail_msg("\"%s\" is taken", calls[i]);
	for (i = 0; i < ARRAY_SIZE(returns); i++)
		if (parse(returns[i], true) != -EINVAL)
			fail_msg("\"%s\" is taken of a return", returns[i]);
}

static void registers_are_those_that_are_named(void **state)
{
	const struct pt_regs regs = { .r15 = 15,
				      .r14 = 14,
				      .r13 = 13,
				      .r12 = 12,
				      .bp = 1,
				      .bx = 2,
				      .r11 = 11,
				      .r10 = 10,
				      .r9 = 9,
				      .r8 = 8,
				      .ax = 3,
				      .cx = 4,
				      .dx = 5,
				      .si = 6,
				      .di = 7,
				      .ip = 16,
				      .flags = 17,
				      .sp = 18,
				      .orig_ax = 99,
				      .cs = 99,
				      .ss = 99 };
	static const struct {
		const char *text;
		unsigned long value;
	} known[] = {
		{ "%r15", 15 }, { "%r14", 14 },   { "%r13", 13 }, { "%r12", 12 }, { "%bp", 1 },
		{ "%bx", 2 },   { "%r11", 11 },   { "%r10", 10 }, { "%r9", 9 },   { "%r8", 8 },
		{ "%ax", 3 },   { "%cx", 4 },     { "%dx", 5 },   { "%si", 6 },   { "%di", 7 },
		{ "%ip", 16 },  { "%flags", 17 }, { "%sp", 18 },  { "$arg1", 7 }, { "$arg2", 6 },
		{ "$arg3", 5 }, { "$arg4", 4 },   { "$arg5", 8 }, { "$arg6", 9 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		record(known[i].text, &regs);
		assert_int_equal(value_at(0, 8), known[i].value);
	}
	assert_int_equal(parse("$retval", true), 0);
	strata_probe_args_write(&args, &regs, payload, BEGIN);
	assert_int_equal(value_at(0, 8), 3);
}

static void fields_are_aligned_as_readers_expect_and_gaps_are_zero(void **state)
{
	const struct pt_regs regs = { .di = 0x1122334455667788ul };
	static const unsigned char expected[] = { 0x88, 0,    0x88, 0x77, 0x88, 0,    0,    0,
						  0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 };
	unsigned int end = BEGIN, i;

	(void)state;
	record("a=%di:u8 b=%di:x16 c=%di:s8 d=%di:u64", &regs);
	assert_int_equal(args.end, BEGIN + sizeof(expected));
	assert_memory_equal(payload + BEGIN, expected, sizeof(expected));
	for (i = 0; i < args.nr; i++) {
		struct strata_field_place place;

		assert_true(strata_field_find(&fields[i], payload, args.end, &end, &place));
		assert_int_equal(place.offset, args.arg[i].place);
	}
	assert_int_equal(end, args.end);
}

static void memory_is_followed_from_the_inside_out(void **state)
{
	const struct pt_regs regs = { .di = (unsigned long)&kernel[16],
				      .si = (unsigned long)&task[8] };
	unsigned long pointer = (unsigned long)&kernel[64], to_task = (unsigned long)&task[32];

	(void)state;
	memset(kernel, 0, sizeof(kernel));
	memset(task, 0, sizeof(task));
	memcpy(&kernel[24], &pointer, 8);
	memcpy(&kernel[60], &to_task, 8);
	memcpy(&task[35], "\x78\x56\x34\x12", 4);
	memcpy(&task[4], "\xfe\xff", 2);
	record("a=+u3(-4(+8(%di))):x32 b=-u4(%si):s16 c=+8(%di)", &regs);
	assert_int_equal(value_at(0, 4), 0x12345678);
	assert_int_equal(value_at(1, 2), 0xfffe);
	assert_int_equal(value_at(2, 8), pointer);
	/* Each space is its own. */
	record("a=+3(-4(+8(%di))):x32 b=-4(%si):s16 c=+u8(%di)", &regs);
	assert_int_equal(value_at(0, 4), 0);
	assert_int_equal(value_at(1, 2), 0);
	assert_int_equal(value_at(2, 8), 0);
}

static void memory_that_cannot_be_read_is_zero(void **state)
{
	const struct pt_regs regs = { .di = (unsigned long)&kernel[sizeof(kernel) - 8], .si = 5 };

	(void)state;
	memset(kernel, 0x77, sizeof(kernel));
	record("a=+0(%di) b=+1(%di) c=+8(%di):u8 d=+7(%di):u8 e=+0(+0(%si)) f=+0(+0(%si)):string[8] g=+0(%si):string[4]",
	       &regs);
	assert_int_equal(value_at(0, 8), 0x7777777777777777);
	assert_int_equal(value_at(1, 8), 0);
	assert_int_equal(value_at(2, 1), 0);
	assert_int_equal(value_at(3, 1), 0x77);
	assert_int_equal(value_at(4, 8), 0);
	assert_string_equal(text_at(5), "(fault)");
	assert_string_equal(text_at(6), "(fa");
}

static void text_is_cut_and_nothing_follows_its_end(void **state)
{
	struct pt_regs regs = { .di = (unsigned long)&kernel[3] };
	unsigned int i;

	(void)state;
	memset(kernel, 'k', sizeof(kernel));
	strcpy((char *)&kernel[3], "openat");
	record("+0(%di):string[32]", &regs);
	assert_string_equal(text_at(0), "openat");
	for (i = 6; i < 32; i++)
		assert_int_equal(text_at(0)[i], 0);
	record("+1(%di):string[4]", &regs);
	assert_string_equal(text_at(0), "pen");
	assert_int_equal(args.end, BEGIN + 4);
	/* The end of memory is no fault behind the end of a text, and is one before it. */
	regs.di = (unsigned long)&kernel[sizeof(kernel) - 12];
	strcpy((char *)&kernel[sizeof(kernel) - 12], "last of all");
	record("+0(%di):string", &regs);
	assert_string_equal(text_at(0), "last of all");
	kernel[sizeof(kernel) - 1] = '!';
	record("+0(%di):string", &regs);
	assert_string_equal(text_at(0), "(fault)");
	record("+0(%di):string[13]", &regs);
	assert_string_equal(text_at(0), "last of all!");
}

static void a_programs_memory_is_the_tasks(void **state)
{
	struct pt_regs regs = { .di = (unsigned long)task };

	(void)state;
	memset(task, 7, sizeof(task));
	record("a=+8($arg1):u8", &regs);
	assert_int_equal(payload[BEGIN], 0);
	strata_probe_args_of_program(&args);
	strata_probe_args_write(&args, &regs, payload, BEGIN);
	assert_int_equal(payload[BEGIN], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_notation_of_kprobe_events_is_read),
		cmocka_unit_test(a_programs_memory_is_the_tasks),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(registers_are_those_that_are_named),
		cmocka_unit_test(fields_are_aligned_as_readers_expect_and_gaps_are_zero),
		cmocka_unit_test(memory_is_followed_from_the_inside_out),
		cmocka_unit_test(memory_that_cannot_be_read_is_zero),
		cmocka_unit_test(text_is_cut_and_nothing_follows_its_end),
	};

	return cmocka_run_group_tests_name("probe_args_kmod", tests, NULL, NULL);
}
