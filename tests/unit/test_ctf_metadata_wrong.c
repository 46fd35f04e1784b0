// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ctf_metadata_wrong.c - the messages for wrong texts of CTF 1.8 metadata, and the limits. */
#include <time.h>

#include <limits.h>
#include <malloc.h>

#include "ctf_metadata_given.h"

static const struct {
	const char *text, *error;
} wrong[] = {
	{ "", "metadata: the file is empty" },
	{ " \n", "metadata:2:1: no trace block" },
	{ "/* CTF 1.9 */\n" LE,
	  "metadata:1:1: metadata of CTF 1.9, but only CTF 1.8 and CTF 2 can be" },
	{ "/* CTF 2.0 */\n" LE, "metadata:1:1: metadata of CTF 2.0, but only" },
	{ "trace { major = 1;\n minor = 9; };", "metadata:2:2: the trace's minor version is 9" },
	{ "trace { major = 1; minor = 8; };", "metadata:1:1: the trace block has no byte_order" },
	{ LE LE, "metadata:2:1: a second trace block" },
	{ LE "stream { id = 1; }; stream { id = 1; };", "metadata:2:21: a second stream of id 1" },
	{ LE "stream { id = 1; }; stream { };", "metadata:2:21: this stream has no id" },
	{ LE "event { name = a; id = 3; };\nevent { name = b; id = 3; };",
	  "metadata:3:1: a second event of id 3 in stream 0: remove one" },
	{ LE "event { name = a; stream_id = 4; };", "metadata:2:1: this event's stream 4 is not" },
	{ LE "stream { id = 1; }; stream { id = 2; }; event { name = a; };",
	  "metadata:2:41: this event does not say to which of the 2 streams" },
	{ LE "clock { name = a; }; clock { name = a; };", "metadata:2:22: a second clock" },
	{ LE "clock { freq = 5; };", "metadata:2:1: this clock has no name" },
	{ LE "clock { name = a; freq = 0; };", "metadata:2:26: freq is 0" },
	{ LE "clock { name = a; uuid = \"123\"; };", "metadata:2:26: uuid must be 8-4-4-4-12" },
	{ LE TYPES
	  "event { name = a; fields := struct { integer { size = 8;\n map = clock.b.value; "
	  "} x; }; };",
	  "metadata:5:8: unknown clock b: the text needs \"clock { name = b;" },
	{ LE TYPES "event { name = a; fields := struct { u8 x;\n u9 y; }; };",
	  "metadata:5:2: the type u9 is not declared" },
	{ LE TYPES "event { name = a; fields := u8; };", "fields must be a structure" },
	{ LE TYPES "event { name = a; fields := struct { u8 x; u8 x; }; };",
	  "metadata:4:47: a second field of the name x" },
	{ LE TYPES "typealias s32 := u8;", "metadata:4:18: u8 is declared a second time" },
	{ LE "struct a { struct a b; };", "metadata:2:12: struct a is not declared before" },
	{ LE TYPES "struct a { u8 x : 4; };", "metadata:4:17: bit fields cannot be read" },
	{ LE "struct a { integer { size = 65; } x; };", "metadata:2:29: an integer of 65 bits" },
	{ LE "struct a { integer { align = 8; } x; };", "metadata:2:12: this integer has no size" },
	{ LE "struct a { integer { size = 8; align = 12; } x; };",
	  "metadata:2:40: align is 12, but must be a power of two" },
	/* Windows of a packet begin at a multiple of this many bits. */
	{ LE "struct a { integer { size = 8; align = 65536; } x; };",
	  "metadata:2:40: align is 65536, but must be a power of two of bits, up to 32768" },
	{ LE "struct a { integer { size = 8; base = 7; } x; };", "metadata:2:39: base must be" },
	{ LE "struct a { floating_point { exp_dig = 5; mant_dig = 11; } x; };",
	  "metadata:2:12: a floating_point must have exp_dig = 8" },
	{ LE "struct a { enum { A } x; };", "metadata:2:17: an enumeration without \": TYPE\"" },
	{ LE TYPES "struct a { enum : u8 { A = -1 } x; };", "metadata:4:28: a label's value" },
	{ LE TYPES "struct a { enum : u8 { A = 3 ... 2 } x; };", "metadata:4:24: the range of" },
	{ LE "typedef string text; struct a { enum : text { A } x; };",
	  "an enumeration can only be an integer" },
	{ LE TYPES "event { name = a; fields := struct { u8 x[n]; u8 n; }; };",
	  "metadata:4:43: no field n precedes the field that refers to it" },
	{ LE TYPES "event { name = a; fields := struct { u8 x[env.n]; }; };",
	  "metadata:4:43: no field env.n precedes" },
	{ LE TYPES "event { name = a; fields := struct { string n; u8 x[n]; }; };",
	  "metadata:4:53: n is not an integer" },
	{ LE TYPES "event { name = a; fields := struct { s32 n; u8 x[n]; }; };",
	  "metadata:4:50: the length of a sequence must be an integer without a sign" },
	{ LE TYPES "event { name = a; fields := struct { u8 n; variant <n> { u8 a; } v; }; };",
	  "metadata:4:53: the tag of a variant must be an enumeration" },
	{ LE TYPES "event { name = a; fields := struct { variant { u8 a; } v; }; };",
	  "metadata:4:38: this variant has no tag" },
	{ LE TYPES "event { name = a; fields := struct { enum : u8 { A } t; variant <t> {"
		   " struct { u8 n; } A; } v; u8 x[v.A.n]; }; };",
	  "no field v.A.n precedes" },
	{ LE "env { a = 99999999999999999999; };", "metadata:2:11: this number does not fit" },
	{ LE "env { a = 08; };", "metadata:2:12: '8' is not a digit in base 8" },
	{ LE "env { a = \"b; };\n", "metadata:2:11: this string does not end" },
	{ LE "env { a = \"\\0\"; };\n", "metadata:2:12: a zero byte in a string" },
	{ LE "/* no end", "metadata:2:1: this comment does not end" },
	{ LE "env { a = 1 }", "metadata:2:13: ; is missing before '}'" },
	{ LE "env { a = 1;", "metadata:2:13: the text ends where a name should stand" },
	{ LE "env { a = $; };", "metadata:2:11: the byte 0x24 cannot stand here" },
	{ LE "trance;", "metadata:2:1: 'trance' does not begin anything in CTF 1.8" },
};

static void a_wrong_text_is_answered_with_its_place_and_what_to_do(void **state)
{
	struct given given;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(parse_bytes(&given, wrong[i].text, strlen(wrong[i].text)), -1);
		if (!strstr(given.error.text, wrong[i].error))
			fail_msg("%s: expected %s", given.error.text, wrong[i].error);
		assert_null(given.metadata.arena);
		clear(&given);
	}
}

static void every_beginning_of_a_text_is_refused_or_read(void **state)
{
	static const char text[] = SCOPES
		"enum e : s32 { A = -1 ... 5, \"\\x41\" };"
		"clock { name = c; offset = -1; }; callsite { };"
		"event { name = y; id = 9; stream_id = 7; fields := struct { enum e t;"
		" variant <event.fields.t> { string A; } v; } align(8); };";
	struct given given;
	size_t size;
	char *copy;

	(void)state;
	for (size = 0; size < sizeof(text); size++) {
		/* On the heap: a checker of memory sees the byte after the end. */
		copy = malloc(size + 1);
		assert_non_null(copy);
		memcpy(copy, text, size);
		copy = realloc(copy, size ? size : 1);
		if (parse_bytes(&given, copy, size))
			assert_memory_equal(given.error.text, "metadata:", 9);
		clear(&given);
		free(copy);
	}
}

static void types_within_types_have_a_limit(void **state)
{
	static char text[65536];
	struct given given;
	unsigned int i, depth;

	(void)state;
	for (depth = STRATA_CTF_DEPTH_MAX - 1; depth <= STRATA_CTF_DEPTH_MAX; depth++) {
		strcpy(text, LE "event { name = x; fields := ");
		for (i = 0; i < depth; i++)
			strcat(text, "struct { ");
		strcat(text, "string s; ");
		for (i = 0; i < depth; i++)
			strcat(text, i < depth - 1 ? "} s; " : "}; };");
		if (depth < STRATA_CTF_DEPTH_MAX) {
			parse(&given, text);
		} else {
			assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
			assert_non_null(strstr(given.error.text, "more than 32 deep"));
		}
		clear(&given);
	}

	/* By names, and by dimensions, no deeper. */
	strcpy(text, LE "struct s0 { string s; };");
	for (i = 1; i < 40; i++)
		sprintf(text + strlen(text), "struct s%u { struct s%u s; };\n", i, i - 1);
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "metadata:32:1: types within types"));
	strcpy(text, LE "struct s0 { string s");
	for (i = 1; i < 40; i++)
		strcat(text, "[1]");
	strcat(text, "; };");
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "more than 32 dimensions"));

	/* 100,000 nested braces, which do not exhaust the stack. */
	memset(text, 0, sizeof(text));
	for (i = 0; i < 9000; i++)
		memcpy(text + i * 7, "struct{", 7);
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "more than 32 deep"));
}

static void types_that_multiply_run_into_a_limit(void **state)
{
	struct given given;
	char text[4096];
	unsigned int i;

	(void)state;
	strcpy(text, LE "struct s0 { string a; string b; };");
	for (i = 1; i < 31; i++)
		sprintf(text + strlen(text), "struct s%u { struct s%u a; struct s%u b; };\n", i,
			i - 1, i - 1);
	strcat(text, "event { name = x; fields := struct s30; };");
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "out of memory for the types described here"));

	/* A length costs nothing. */
	parse_fields(&given, "u8 a[18446744073709551615][4294967296];");
	assert_true(field(&given, "a")->length == UINT64_MAX);
	clear(&given);
}

static void more_references_than_slots_are_refused(void **state)
{
	static char text[65536];
	struct given given;
	unsigned int i, nr;

	(void)state;
	for (nr = STRATA_CTF_SLOTS_MAX; nr <= STRATA_CTF_SLOTS_MAX + 1; nr++) {
		strcpy(text, LE TYPES "event { name = x; fields := struct {\n");
		for (i = 0; i < nr; i++)
			sprintf(text + strlen(text), "u8 n%u; u8 a%u[n%u];\n", i, i, i);
		strcat(text, "}; };");
		assert_int_equal(parse_bytes(&given, text, strlen(text)),
				 nr > STRATA_CTF_SLOTS_MAX ? -1 : 0);
		if (nr > STRATA_CTF_SLOTS_MAX)
			assert_non_null(strstr(given.error.text,
					       "metadata:261:18: more than 256 integers that"));
		clear(&given);
	}
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Prints the piece for numbers up to @nr behind the text. */
static char *repeat(char *end, unsigned int nr, const char *format)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		end += sprintf(end, format, i, i, i);
	return end;
}

/* The seconds of CPU that it takes to read @nr events, types, labels and fields. */
static double seconds_for(char *text, unsigned int nr)
{
	struct given given;
	char *end = text;
	double start, took;

	end += sprintf(end, LE TYPES);
	end = repeat(end, nr, "typealias integer { size = 8; } := t%u;\n");
	end += sprintf(end, "stream { event.header := struct { enum : u8 {");
	end = repeat(end, nr, "l%u = %u,");
	end += sprintf(end, "} tag; }; };");
	end = repeat(end, nr,
		     "event { name = \"e%u\"; id = %u; fields := struct { t%u n; u8 list[n];"
		     " variant <stream.event.header.tag> { u8 l1; u8 l2; } v; }; };\n");
	/* And one event with as many fields and references. */
	end += sprintf(end, "event { name = all; id = %u; fields := struct { u8 n;", nr);
	end = repeat(end, nr, "u8 f%u[n];\n");
	end += sprintf(end, "}; };");
	start = seconds_now();
	assert_int_equal(parse_bytes(&given, text, (size_t)(end - text)), 0);
	took = seconds_now() - start;
	assert_int_equal(given.metadata.nr_events, nr + 1);
	assert_int_equal(given.metadata.streams[0].events[nr].payload->nr_fields, nr + 1);
	clear(&given);
	return took;
}

/* Of several, the least: others on the machine only add to it. */
static double least_seconds_for(char *text, unsigned int nr)
{
	double least = seconds_for(text, nr), took;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		took = seconds_for(text, nr);
		least = took < least ? took : least;
	}
	return least;
}

static void the_time_grows_with_the_text_and_not_faster(void **state)
{
	const unsigned int nr = 500, times = 16;
	char *text = malloc(16u << 20);
	double few, many;

	(void)state;
	assert_non_null(text);
	/* The pages that a turn has used are there for the next: on a machine whose own memory is
	 * paged, new ones take longer than the text. */
	assert_int_equal(mallopt(M_MMAP_MAX, 0), 1);
	assert_int_equal(mallopt(M_TRIM_THRESHOLD, INT_MAX), 1);
	few = least_seconds_for(text, nr);
	many = least_seconds_for(text, nr * times);
	/* As the text is times as long, so is the time; a square would be 16 times that. */
	print_message("%u events, types, labels and fields: %.2f ms; %u times as many: %.1f ms\n",
		      nr, few * 1e3, times, many * 1e3);
	assert_true(many < 4 * times * few);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_text_is_answered_with_its_place_and_what_to_do),
		cmocka_unit_test(every_beginning_of_a_text_is_refused_or_read),
		cmocka_unit_test(types_within_types_have_a_limit),
		cmocka_unit_test(types_that_multiply_run_into_a_limit),
		cmocka_unit_test(more_references_than_slots_are_refused),
		cmocka_unit_test(the_time_grows_with_the_text_and_not_faster),
	};

	return cmocka_run_group_tests_name("ctf_metadata_wrong", tests, NULL, NULL);
}
