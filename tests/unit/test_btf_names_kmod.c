// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_btf_names_kmod.c - the arguments of the module's kprobes by their names in C, found in a
 * kernel's BTF.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "btf_made.h"

static void names_are_registers_and_what_lies_behind_them(void **state)
{
	(void)state;
	assert_int_equal(parse("vfs_read",
			       "file->inode->i_ino count fd file->pair.b low=file->low "
			       "file->both file->mode file->error",
			       false),
			 0);
	is_field(0, "file_inode_i_ino", STRATA_FIELD_UNSIGNED, 8);
	leads_to(0, offsetof(struct pt_regs, di), 2, 8, 8, 0);
	is_field(1, "count", STRATA_FIELD_UNSIGNED, 8);
	leads_to(1, offsetof(struct pt_regs, dx), 0, 0, 0, 0);
	is_field(2, "fd", STRATA_FIELD_SIGNED, 4);
	leads_to(2, offsetof(struct pt_regs, cx), 0, 0, 0, 0);
	is_field(3, "file_pair_b", STRATA_FIELD_SIGNED, 4);
	leads_to(3, offsetof(struct pt_regs, di), 1, 20, 0, 0);
	is_field(4, "low", STRATA_FIELD_UNSIGNED, 1);
	leads_to(4, offsetof(struct pt_regs, di), 1, 25, 0, 0);
	is_field(5, "file_both", STRATA_FIELD_SIGNED, 2);
	leads_to(5, offsetof(struct pt_regs, di), 1, 24, 0, 0);
	is_field(6, "file_mode", STRATA_FIELD_UNSIGNED, 4);
	is_field(7, "file_error", STRATA_FIELD_SIGNED, 4);
	assert_int_equal(parse("vfs_read", "$arg1->pos a=file:u16 secret", false), 0);
	is_field(0, "arg1_pos", STRATA_FIELD_SIGNED, 8);
	leads_to(0, offsetof(struct pt_regs, di), 1, 0, 0, 0);
	is_field(1, "a", STRATA_FIELD_UNSIGNED, 2);
	is_field(2, "secret", STRATA_FIELD_HEX, 8);
	assert_int_equal(parse("vfs_read", "$retval->next->pair.a $retval", true), 0);
	is_field(0, "retval_next_pair_a", STRATA_FIELD_SIGNED, 4);
	leads_to(0, offsetof(struct pt_regs, ax), 2, 32, 16, 0);
	is_field(1, "arg2", STRATA_FIELD_HEX, 8);
	assert_int_equal(parse("two", "$arg* %di", false), 0);
	assert_int_equal(args.nr, 3);
	is_field(1, "error", STRATA_FIELD_SIGNED, 4);
	leads_to(1, offsetof(struct pt_regs, si), 0, 0, 0, 0);
	assert_int_equal(parse("none", "$arg*", false), 0);
	assert_int_equal(args.nr, 0);
}

static void text_is_an_array_or_behind_a_pointer(void **state)
{
	(void)state;
	assert_int_equal(parse("vfs_read",
			       "file->inode->name:string[8] file->inode->link:string path:string "
			       "l=file->inode->link:ustring",
			       false),
			 0);
	is_field(0, "file_inode_name", STRATA_FIELD_TEXT, 1);
	assert_int_equal(fields[0].count, 8);
	leads_to(0, offsetof(struct pt_regs, di), 2, 8, 16, 0);
	leads_to(1, offsetof(struct pt_regs, di), 3, 8, 32, 0);
	assert_false(args.arg[1].deref[2].user);
	leads_to(2, offsetof(struct pt_regs, si), 1, 0, 0, 0);
	assert_true(args.arg[2].deref[0].user);
	assert_false(args.arg[3].deref[1].user);
	assert_true(args.arg[3].deref[2].user);
}

static void refusals_say_what_to_do(void **state)
{
	static const struct {
		const char *place, *text;
		bool returns;
		const char *why;
	} wrong[] = {
		{ "vfs_read", "fil", false,
		  "'vfs_read' has no parameter 'fil'; its parameters: file, path, count, fd, secret, flag, seventh, eighth" },
		{ "vfs_read", "file->ino", false,
		  "struct file has no member 'ino'; its members: pos, inode, pair, low, odd, both, next, array, mode, wide, error" },
		{ "none", "x", false, "'none' has no parameters" },
		{ "vfs_read", "$arg9->pos", false, "has no parameter '$arg9'" },
		{ "vfs_read", "file.pos", false, "'file' is a pointer; use '->'" },
		{ "vfs_read", "file->pair->a", false,
		  "'pair' is a struct, not a pointer; use '.'" },
		{ "vfs_read", "count->a", false, "'count' is no pointer" },
		{ "vfs_read", "path->a", false, "'path' points to no struct" },
		{ "vfs_read", "secret->a", false, "not known to the kernel's BTF" },
		{ "vfs_read", "file->pos.a", false, "'pos' is no struct" },
		{ "vfs_read", "file->pair", false, "'pair' is a struct, not a number" },
		{ "vfs_read", "file->array", false, "'file->array' is an array" },
		{ "vfs_read", "file->inode->name", false, "record its text with :string" },
		{ "vfs_read", "file->inode->f", false, "'f' is a bit field" },
		{ "vfs_read", "file->inode->g", false, "'g' is a bit field" },
		{ "vfs_read", "file->odd", false, "'odd' is a bit field" },
		{ "vfs_read", "file->wide", false, "a number of 16 bytes" },
		{ "vfs_read", "count:string", false, "'count' is no text" },
		{ "vfs_read", "count:u24", false, "'u24' is no type" },
		{ "vfs_read", "file->", false, "a name is missing" },
		{ "vfs_read", "file->$arg1", false, "a name is missing" },
		{ "vfs_read", "file-pos", false, "join names by '->' or '.'" },
		{ "vfs_read", "file->next->next->next->inode->i_ino", false,
		  "more than 4 pointers" },
		{ "vfs_read", "file->next->next->next->inode->i_inode", false, "name it: FIELD=" },
		{ "vfs_read", "a=file->next->next->next->next->pos", false,
		  "more than 4 pointers" },
		{ "vfs_read", "a=file->next->next->inode->link:string", false,
		  "more than 4 pointers" },
		{ "vfs_read", "count count", false, "two fields are called 'count'" },
		{ "vfs_read", "seventh", false,
		  "'seventh' of 'vfs_read' is on the stack, not in a register; use +8(%sp)" },
		{ "vfs_read", "eighth", false, "use +16(%sp)" },
		{ "vfs_read", "$arg*", false, "'seventh' of 'vfs_read' is on the stack" },
		{ "vfs_read", "%di %di %di %di %di %di %di %di count", false,
		  "more than 8 arguments" },
		{ "vfs_read", "count", true, "is lost when the function returns" },
		{ "vfs_read", "$arg*", true, "are lost when the function returns" },
		{ "vfs_read", "$retval->pos", false, "only a function's return has $retval" },
		{ "two", "$retval->a", true, "returns a struct" },
		{ "by_value", "$retval->a", true, "returns nothing" },
		{ "by_value", "pair.a", false, "'pair' of 'by_value' is passed by value" },
		{ "by_value", "after", false, "'pair' of 'by_value' is passed by value" },
		{ "twice", "count", false, "2 functions 'twice' with different parameters" },
		{ "vfs_read+0x4", "count", false, "not at vfs_read+0x4" },
		{ "vfs_*", "count", false, "'vfs_*' is a pattern" },
		{ "vfs_read.isra.0", "count", false, "a variant of a function" },
		{ "module_write", "count", false,
		  "the BTF of the kernel's module ext4 does not describe 'module_write'" },
		{ "known_read", "count", false,
		  "the BTF of the kernel does not describe 'known_read'" },
		{ "no_read", "count", false, "the kernel has no function 'no_read'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (parse(wrong[i].place, wrong[i].text, wrong[i].returns) != -EINVAL)
			fail_msg("\"%s %s\" is taken", wrong[i].place, wrong[i].text);
		if (!strstr(found.why, wrong[i].why))
			fail_msg("\"%s %s\": \"%s\"", wrong[i].place, wrong[i].text, found.why);
	}
}

static void other_notation_needs_no_btf(void **state)
{
	(void)state;
	module_btf = NULL;
	assert_int_equal(parse("module_read", "$arg1 %di", false), 0);
	assert_int_equal(parse("module_read", "count", false), -EINVAL);
	assert_non_null(strstr(
		found.why,
		"of module ext4, whose BTF is not in /sys/kernel/btf/ext4, or that is not of this kernel"));
	kernel_btf = NULL;
	assert_int_equal(parse("vfs_read", "$arg1 +8(%di):x32 %ax", false), 0);
	assert_int_equal(parse("vfs_read", "count", false), -EINVAL);
	assert_non_null(strstr(found.why, "no BTF (CONFIG_DEBUG_INFO_BTF)"));
	kernel_btf = &blob;
}

static void set_kernel(void *data, size_t bytes)
{
	kernel_btf = data;
	kernel_btf_bytes = bytes;
}

static void parse_more(void)
{
	parse("vfs_read", "file->inode->i_ino file->nothing", false);
	parse("vfs_read", "$retval->next->pair.a", true);
}

static void damaged_btf_is_never_read_beyond_its_end(void **state)
{
	(void)state;
	damage(&blob, kernel_btf_bytes, set_kernel, "vfs_read", parse_more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(names_are_registers_and_what_lies_behind_them, make_world),
		cmocka_unit_test_setup(text_is_an_array_or_behind_a_pointer, make_world),
		cmocka_unit_test_setup(refusals_say_what_to_do, make_world),
		cmocka_unit_test_setup(other_notation_needs_no_btf, make_world),
		cmocka_unit_test_setup(damaged_btf_is_never_read_beyond_its_end, make_world),
	};

	return cmocka_run_group_tests_name("btf_names_kmod", tests, NULL, NULL);
}
