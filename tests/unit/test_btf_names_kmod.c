// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_btf_names_kmod.c - the arguments of the module's kprobes by their names in C, found in a
 * kernel's BTF that is made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "btf_world.h"

#include "../../guest-kmod/probe_args.c"

/* Nothing is recorded here. */
long copy_from_kernel_nofault(void *to, const void *from, size_t bytes)
{
	(void)to, (void)from, (void)bytes;
	return -EFAULT;
}

long copy_from_user_nofault(void *to, const void *from, size_t bytes)
{
	return copy_from_kernel_nofault(to, from, bytes);
}

#define BEGIN 8u /* of the payload: ip */

/* A BTF while it is made, whose words and names follow each other. */
static u32 words[1024];
static char names[2048];
static u32 nr_words, names_bytes, nr_types;
/* Bytes of the kernel's names, while a module's BTF is made. */
static u32 names_before;
static union blob {
	struct btf_header header;
	char bytes[8192];
} blob, module_blob;

static u32 name(const char *text)
{
	const u32 at = names_bytes;

	if (!*text)
		return 0;
	strcpy(names + at, text);
	names_bytes += (u32)strlen(text) + 1;
	return names_before + at;
}

static void add(u32 word)
{
	words[nr_words++] = word;
}

/* Begins a type, and returns its id; its members, if any, follow. */
static u32 type(const char *called, u32 kind, u32 nr, bool flag, u32 size_or_type)
{
	add(name(called));
	add(nr | kind << 24 | (u32)flag << 31);
	add(size_or_type);
	return ++nr_types;
}

static u32 number(const char *called, u32 bytes, u32 encoding)
{
	const u32 id = type(called, BTF_KIND_INT, 0, false, bytes);

	add(encoding << 24 | bytes * 8);
	return id;
}

static void member(const char *called, u32 id, u32 bit_field, u32 bits)
{
	add(name(called));
	add(id);
	add(bit_field << 24 | bits);
}

static void parameter(const char *called, u32 id)
{
	add(name(called));
	add(id);
}

static u32 pointer(u32 id)
{
	return type("", BTF_KIND_PTR, 0, false, id);
}

static void function(const char *called, u32 prototype)
{
	type(called, BTF_KIND_FUNC, 0, false, prototype);
}

/* Writes what was made as the kernel has it in memory.  Returns its size. */
static size_t finish(union blob *to)
{
	to->header = (struct btf_header){ .magic = BTF_MAGIC,
					  .version = BTF_VERSION,
					  .hdr_len = sizeof(to->header),
					  .type_len = nr_words * sizeof(u32),
					  .str_off = nr_words * sizeof(u32),
					  .str_len = names_bytes };
	memcpy(to->bytes + sizeof(to->header), words, nr_words * sizeof(u32));
	memcpy(to->bytes + sizeof(to->header) + nr_words * sizeof(u32), names, names_bytes);
	return sizeof(to->header) + nr_words * sizeof(u32) + names_bytes;
}

/*
 * Continues the kernel's BTF:
 * struct group { int number; struct file *file; }; int module_read(struct group *, unsigned long);
 * and a trace point of 13 parameters, module_event(struct group *group, int p2, ... int p13).
 * @file: the type of a pointer to a struct file
 */
static void make_module(u32 int_id, u32 ulong_id, u32 file)
{
	char called[8];
	u32 group, proto, i;

	names_before = names_bytes;
	nr_words = 0;
	names_bytes = 1;
	group = type("group", BTF_KIND_STRUCT, 2, false, 16);
	member("number", int_id, 0, 0);
	member("file", file, 0, 64);
	group = pointer(group);
	proto = type("", BTF_KIND_FUNC_PROTO, 2, false, int_id);
	parameter("group", group);
	parameter("count", ulong_id);
	function("module_read", proto);
	proto = type("", BTF_KIND_FUNC_PROTO, 14, false, int_id);
	parameter("__data", ulong_id);
	parameter("group", group);
	for (i = 2; i <= 13; i++) {
		snprintf(called, sizeof(called), "p%u", i);
		parameter(called, int_id);
	}
	function("__traceiter_module_event", proto);
	module_btf_bytes = finish(&module_blob);
	module_btf = &module_blob;
}

/*
 * enum mode { }; enum error { } : signed;
 * struct pair { int a, b; };
 * struct inode { unsigned long i_ino; char name[16]; const char *link; unsigned int f:3, g:5; };
 * struct file { loff_t pos; struct inode *inode; struct pair pair; union { struct { u8 odd, low; };
 * short both; }; struct file *next; int array[4]; enum mode mode; __int128 wide; enum error error;
 * };
 */
static int make_world(void **state)
{
	u32 u8_id, int_id, char_id, ulong_id, loff, uint_id, short_id, wide, inode, pair, file,
		mode, inner, both, array, text, inode_pointer, file_pointer, text_pointer,
		user_text, unknown, error, const_file, proto;

	(void)state;
	nr_words = nr_types = 0;
	names_before = 0;
	names_bytes = 1;
	int_id = number("int", 4, BTF_INT_SIGNED);
	char_id = number("char", 1, BTF_INT_SIGNED);
	u8_id = number("unsigned char", 1, 0);
	ulong_id = number("unsigned long", 8, 0);
	uint_id = number("unsigned int", 4, 0);
	short_id = number("short", 2, BTF_INT_SIGNED);
	wide = number("__int128", 16, BTF_INT_SIGNED);
	loff = type("loff_t", BTF_KIND_TYPEDEF, 0, false, number("long long", 8, BTF_INT_SIGNED));
	mode = type("mode", BTF_KIND_ENUM, 0, false, 4);
	error = type("error", BTF_KIND_ENUM, 0, true, 4);
	text = type("", BTF_KIND_ARRAY, 0, false, 0);
	add(char_id);
	add(uint_id);
	add(16);
	array = type("", BTF_KIND_ARRAY, 0, false, 0);
	add(int_id);
	add(uint_id);
	add(4);
	text_pointer = pointer(type("", BTF_KIND_CONST, 0, false, char_id));
	user_text = pointer(type("user", BTF_KIND_TYPE_TAG, 0, false, char_id));
	pair = type("pair", BTF_KIND_STRUCT, 2, false, 8);
	member("a", int_id, 0, 0);
	member("b", int_id, 0, 32);
	inode = type("inode", BTF_KIND_STRUCT, 5, true, 48);
	member("i_ino", ulong_id, 0, 8 * 8);
	member("name", text, 0, 16 * 8);
	member("link", text_pointer, 0, 32 * 8);
	member("f", uint_id, 3, 40 * 8);
	member("g", uint_id, 5, 40 * 8 + 3);
	inode_pointer = pointer(inode);
	inner = type("", BTF_KIND_STRUCT, 2, false, 2);
	member("low", u8_id, 0, 8);
	member("odd", u8_id, 0, 1);
	both = type("", BTF_KIND_UNION, 2, false, 2);
	member("", inner, 0, 0);
	member("both", short_id, 0, 0);
	/* The type behind the struct is the pointer to it. */
	file = nr_types + 1;
	type("file", BTF_KIND_STRUCT, 9, true, 96);
	member("pos", loff, 0, 0);
	member("inode", inode_pointer, 0, 8 * 8);
	member("pair", pair, 0, 16 * 8);
	member("", both, 0, 24 * 8);
	member("next", file + 1, 0, 32 * 8);
	member("array", array, 0, 40 * 8);
	member("mode", mode, 0, 56 * 8);
	member("wide", wide, 0, 64 * 8);
	member("error", error, 0, 80 * 8);
	file_pointer = pointer(file);

	const_file = pointer(type("", BTF_KIND_CONST, 0, false, file));
	unknown = pointer(type("private", BTF_KIND_FWD, 0, false, 0));

	proto = type("", BTF_KIND_FUNC_PROTO, 8, false, file_pointer);
	parameter("file", const_file);
	parameter("path", user_text);
	parameter("count", ulong_id);
	parameter("fd", int_id);
	parameter("secret", unknown);
	parameter("flag", u8_id);
	parameter("seventh", int_id);
	parameter("eighth", int_id);
	function("vfs_read", proto);
	/* Once more, by the same prototype. */
	function("vfs_read", proto);
	proto = type("", BTF_KIND_FUNC_PROTO, 2, false, 0);
	parameter("pair", pair);
	parameter("after", int_id);
	function("by_value", proto);
	proto = type("", BTF_KIND_FUNC_PROTO, 2, false, pair);
	parameter("count", ulong_id);
	parameter("error", error);
	function("two", proto);
	function("twice", proto);
	proto = type("", BTF_KIND_FUNC_PROTO, 0, false, int_id);
	function("twice", proto);
	function("none", proto);
	proto = type("", BTF_KIND_FUNC_PROTO, 3, false, int_id);
	parameter("__data", ulong_id);
	parameter("file", file_pointer);
	parameter("ret", int_id);
	function("__traceiter_event", proto);
	proto = type("", BTF_KIND_FUNC_PROTO, 3, false, int_id);
	parameter("__data", ulong_id);
	parameter("pair", pair);
	parameter("after", int_id);
	function("__traceiter_by_value", proto);
	kernel_btf_bytes = finish(&blob);
	kernel_btf = &blob;
	make_module(int_id, ulong_id, file_pointer);
	return 0;
}

static struct strata_probe_args args;
static struct strata_field_desc fields[STRATA_PROBE_ARGS_MAX];
static struct strata_btf_names found;

static int parse_of(const char *place, const char *text, enum strata_probe_args_of of)
{
	char copy[512];
	int err;

	strcpy(copy, text);
	strata_btf_names_init(&found, place, of);
	err = strata_probe_args_parse(copy, of, &found, BEGIN, &args, fields);
	strata_btf_names_close(&found);
	assert_int_equal(module_held, 0);
	return err;
}

static int parse(const char *place, const char *text, bool returns)
{
	return parse_of(place, text, returns ? STRATA_ARGS_OF_RETURN : STRATA_ARGS_OF_PLACE);
}

static void is_field(u32 number_of, const char *called, u8 kind, u32 bytes)
{
	assert_string_equal(fields[number_of].name, called);
	assert_int_equal(fields[number_of].kind, kind);
	assert_int_equal(fields[number_of].bytes, bytes);
}

static void leads_to(u32 number_of, u32 reg, u32 nr_derefs, long first, long second, long third)
{
	const struct strata_probe_arg *arg = &args.arg[number_of];
	const long offsets[] = { first, second, third };
	u32 i;

	assert_int_equal(arg->reg, reg);
	assert_int_equal(arg->nr_derefs, nr_derefs);
	for (i = 0; i < nr_derefs; i++)
		assert_int_equal(arg->deref[i].offset, offsets[i]);
}

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
	struct pt_regs regs;
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
	assert_int_equal(args.arg[3].reg, args.arg[4].reg);
	assert_int_equal(parse_of("module_event", "p2 $arg3:u32 p7 p12", STRATA_ARGS_OF_TRACEPOINT),
			 0);
	for (i = 0; i < STRATA_TRACEPOINT_PARAMETERS_MAX; i++)
		parameters[i] = 0xabc00000000ul + i + 1;
	memset(&regs, 0xee, sizeof(regs));
	strata_probe_args_set(&regs, parameters);
	memset(payload, 0xee, sizeof(payload));
	strata_probe_args_write(&args, &regs, payload, BEGIN);
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

/* In memory of just its size, so that what reads behind it is found. */
static void damaged_btf_is_never_read_beyond_its_end(void **state)
{
	const size_t bytes = kernel_btf_bytes;
	size_t cut, i;

	(void)state;
	for (cut = 0; cut <= bytes; cut++) {
		char *copy = malloc(cut ?: 1);

		memcpy(copy, &blob, cut);
		kernel_btf = copy;
		kernel_btf_bytes = cut;
		assert_int_equal(parse("vfs_read", "count", false), cut < bytes ? -EINVAL : 0);
		free(copy);
	}
	for (i = 0; i < bytes; i++) {
		char *copy = malloc(bytes);

		memcpy(copy, &blob, bytes);
		kernel_btf = copy;
		copy[i] ^= 0x7f;
		parse("vfs_read", "file->inode->i_ino file->nothing", false);
		parse("vfs_read", "$retval->next->pair.a", true);
		free(copy);
	}
	kernel_btf = &blob;
}

static void damaged_btf_of_a_module_is_never_read_beyond_its_end(void **state)
{
	const size_t bytes = module_btf_bytes;
	size_t cut, i;

	(void)state;
	for (cut = 0; cut <= bytes; cut++) {
		char *copy = malloc(cut ?: 1);

		memcpy(copy, &module_blob, cut);
		module_btf = copy;
		module_btf_bytes = cut;
		assert_int_equal(parse("module_read", "count", false), cut < bytes ? -EINVAL : 0);
		free(copy);
	}
	for (i = 0; i < bytes; i++) {
		char *copy = malloc(bytes);

		memcpy(copy, &module_blob, bytes);
		module_btf = copy;
		copy[i] ^= 0x7f;
		parse("module_read", "group->file->inode->i_ino group->nothing", false);
		parse_of("module_event", "group->number p7", STRATA_ARGS_OF_TRACEPOINT);
		free(copy);
	}
	module_btf = &module_blob;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(names_are_registers_and_what_lies_behind_them, make_world),
		cmocka_unit_test_setup(functions_of_modules_have_names, make_world),
		cmocka_unit_test_setup(trace_points_have_parameters, make_world),
		cmocka_unit_test_setup(refusals_of_trace_points_say_what_to_do, make_world),
		cmocka_unit_test_setup(text_is_an_array_or_behind_a_pointer, make_world),
		cmocka_unit_test_setup(refusals_say_what_to_do, make_world),
		cmocka_unit_test_setup(other_notation_needs_no_btf, make_world),
		cmocka_unit_test_setup(damaged_btf_is_never_read_beyond_its_end, make_world),
		cmocka_unit_test_setup(damaged_btf_of_a_module_is_never_read_beyond_its_end,
				       make_world),
	};

	return cmocka_run_group_tests_name("btf_names_kmod", tests, NULL, NULL);
}
