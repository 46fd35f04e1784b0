/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_made.h - makes the BTF of a kernel and of a module of it, and parses a probe's arguments by
 * them.
 */
#ifndef STRATA_TESTS_BTF_MADE_H
#define STRATA_TESTS_BTF_MADE_H

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

	assert_int_equal(arg->at, reg);
	assert_int_equal(arg->nr_derefs, nr_derefs);
	for (i = 0; i < nr_derefs; i++)
		assert_int_equal(arg->deref[i].offset, offsets[i]);
}

/* Parses "count", a parameter of a place, with each part of a BTF that ends too early, and more
 * with each of its bytes changed.  In memory of just its size, so that what reads behind it is
 * found.
 * @set: has the kernel, or its module, have that BTF */
static void damage(const union blob *made, size_t bytes, void (*set)(void *data, size_t bytes),
		   const char *place, void (*parse_changed)(void))
{
	size_t cut, i;

	for (cut = 0; cut <= bytes; cut++) {
		char *copy = malloc(cut ?: 1);

		memcpy(copy, made, cut);
		set(copy, cut);
		assert_int_equal(parse(place, "count", false), cut < bytes ? -EINVAL : 0);
		free(copy);
	}
	for (i = 0; i < bytes; i++) {
		char *copy = malloc(bytes);

		memcpy(copy, made, bytes);
		set(copy, bytes);
		copy[i] ^= 0x7f;
		parse_changed();
		free(copy);
	}
}

#endif /* STRATA_TESTS_BTF_MADE_H */
