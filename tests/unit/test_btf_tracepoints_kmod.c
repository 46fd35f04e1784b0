// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_btf_tracepoints_kmod.c - the parameters of trace points, and of functions of the kernel's
 * modules, by their names in C.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "btf_made.h"

static void functions_of_modules_have_names(void **state)
{
	(void)state;
	assert_int_equal(
		parse("module_read", "group->file->inode->i_ino group->number count", false), 0);
	is_field(0, "group_file_inode_i_ino", STRATA_FIELD_UNSIGNED, 8);
	leads_to(0, offsetof(struct pt_regs, di), 3, 8, 8, 8);
	is_field(1, "group_number", STRATA_FIELD_SIGNED, 4);
	leads_to(1, offsetof(struct pt_regs, di), 1, 0, 0, 0);
	is_field(2, "count", STRATA_FIELD_UNSIGNED, 8);
	leads_to(2, offsetof(struct pt_regs, si), 0, 0, 0, 0);
	assert_int_equal(parse("module_read", "$arg*", false), 0);
	assert_int_equal(args.nr, 2);
	assert_int_equal(parse("module_read", "grou", false), -EINVAL);
	assert_string_equal(found.why,
			    "'module_read' has no parameter 'grou'; its parameters: group, count");
	/* The kernel's functions are not looked for there. */
	assert_int_equal(parse("vfs_read", "count", false), 0);
}

/* A trace point's parameters come behind the probe's own. */
static void trace_points_have_parameters(void **state)
{
	unsigned long parameters[STRATA_TRACEPOINT_PARAMETERS_MAX], i;
	u8 payload[64];

	(void)state;
	assert_int_equal(parse_of("event", "$arg*", STRATA_ARGS_OF_TRACEPOINT), 0);
	assert_int_equal(args.nr, 2);
	is_field(0, "file", STRATA_FIELD_HEX, 8);
	is_field(1, "ret", STRATA_FIELD_SIGNED, 4);
	assert_int_equal(parse_of("module_event", "group->file p2 $arg3:u32 p12 last=$arg12:x16",
				  STRATA_ARGS_OF_TRACEPOINT),
			 0);
	is_field(0, "group_file", STRATA_FIELD_HEX, 8);
	is_field(1, "p2", STRATA_FIELD_SIGNED, 4);
	is_field(4, "last", STRATA_FIELD_HEX, 2);
	assert_int_equal(args.arg[3].at, args.arg[4].at);
	assert_int_equal(parse_of("module_event", "p2 $arg3:u32 p7 p12", STRATA_ARGS_OF_TRACEPOINT),
			 0);
	for (i = 0; i < STRATA_TRACEPOINT_PARAMETERS_MAX; i++)
		parameters[i] = 0xabc00000000ul + i + 1;
	memset(payload, 0xee, sizeof(payload));
	strata_probe_args_write(&args, parameters, payload, BEGIN);
	assert_memory_equal(payload + BEGIN, ((u32[]){ 2, 3, 7, 12 }), 16);
	assert_int_equal(payload[BEGIN + 16], 0xee);
}

static void refusals_of_trace_points_say_what_to_do(void **state)
{
	static const struct {
		const char *place, *text, *why;
	} wrong[] = {
		{ "event", "fil", "'event' has no parameter 'fil'; its parameters: file, ret" },
		{ "event", "__data", "'event' has no parameter '__data'" },
		{ "event", "$arg3->pos", "'event' has no parameter '$arg3'" },
		{ "event", "$retval->pos", "only a function's return has $retval" },
		{ "event", "%di",
		  "a trace point has no registers, but parameters, $arg1 to $arg12" },
		{ "event", "a=+8(%di):u32", "a trace point has no registers" },
		{ "event", "$retval", "" },
		{ "event", "$arg13", "" },
		{ "event", "$arg3", "'event' has 2 parameters" },
		{ "module_event", "x=+8($arg12) $arg0", "" },
		{ "by_value", "after", "behind it are not known" },
		{ "module_event", "p13",
		  "parameter 'p13' of 'module_event' is behind the first 12" },
		{ "known_event", "file", "the BTF of the kernel does not describe 'known_event'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (parse_of(wrong[i].place, wrong[i].text, STRATA_ARGS_OF_TRACEPOINT) != -EINVAL)
			fail_msg("\"%s %s\" is taken", wrong[i].place, wrong[i].text);
		if (!strstr(found.why, wrong[i].why))
			fail_msg("\"%s %s\": \"%s\"", wrong[i].place, wrong[i].text, found.why);
	}
	/* What BTF does not describe has all of them. */
	assert_int_equal(parse_of("known_event", "$arg12", STRATA_ARGS_OF_TRACEPOINT), 0);
	assert_string_equal(found.why, "");
	assert_int_equal(parse("vfs_read", "$arg7", false), -EINVAL);
}

static void set_module(void *data, size_t bytes)
{
	module_btf = data;
	module_btf_bytes = bytes;
}

static void parse_more(void)
{
	parse("module_read", "group->file->inode->i_ino group->nothing", false);
	parse_of("module_event", "group->number p7", STRATA_ARGS_OF_TRACEPOINT);
}

static void damaged_btf_of_a_module_is_never_read_beyond_its_end(void **state)
{
	(void)state;
	damage(&module_blob, module_btf_bytes, set_module, "module_read", parse_more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(functions_of_modules_have_names, make_world),
		cmocka_unit_test_setup(trace_points_have_parameters, make_world),
		cmocka_unit_test_setup(refusals_of_trace_points_say_what_to_do, make_world),
		cmocka_unit_test_setup(damaged_btf_of_a_module_is_never_read_beyond_its_end,
				       make_world),
	};

	return cmocka_run_group_tests_name("btf_tracepoints_kmod", tests, NULL, NULL);
}
