// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ctf2_metadata_wrong.c - the messages for wrong metadata of CTF 2, and the limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/trace/ctf_metadata_read.h"
#include "ctf_maker.h"

#define RS             "\x1e"
#define PREAMBLE       RS "{\"type\":\"preamble\",\"version\":2}\n"
#define STREAM         RS "{\"type\":\"data-stream-class\"}\n"
#define HEAD           PREAMBLE STREAM
#define U8             "\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"big-endian\""
#define M(name, class) "{\"name\":\"" name "\",\"field-class\":{" class "}}"
/* The third fragment: an event with these members. */
#define EVENT(members)                                                                               \
	HEAD RS "{\"type\":\"event-record-class\",\"name\":\"e\",\"payload-field-class\":{\"type\":" \
		"\"structure\",\"member-classes\":[" members "]}}\n"
#define SEQUENCE(path) "\"type\":\"dynamic-length-blob\",\"length-field-location\":{" path "}"
#define OPTION(ranges) "{\"selector-field-ranges\":[" ranges "],\"field-class\":{" U8 "}}"

static const struct {
	const char *text, *error;
} wrong[] = {
	{ "{\"type\":\"preamble\",\"version\":2}", "no record separator" },
	{ RS, "metadata: fragment 1 (line 1): there is no preamble" },
	{ RS "\n", "fragment 1 (line 1): there is no JSON text" },
	{ RS "[]", "fragment 1 (line 1): a fragment must be a JSON object" },
	{ RS "{}", "the property \"type\" is missing" },
	{ RS "{\"type\":1}", "\"type\" must be a string" },
	{ RS "{\"type\":\"trace-class\"}", "the first fragment must be a preamble" },
	{ RS "{\"type\":\"preamble\"}", "in preamble: the property \"version\" is missing" },
	{ RS "{\"type\":\"preamble\",\"version\":3}", "metadata of CTF 3, but only" },
	{ RS "{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2]}", "an array of 16 integers" },
	{ RS "{\"type\":\"preamble\",\"version\":2,\"extensions\":{\"my.tracer\":{\"piano\":{}}}}",
	  "needs the extension piano of my.tracer" },
	{ RS "{\"type\":\"preamble\",\"version\":2,\"colour\":2}",
	  "\"colour\" is not one of CTF 2" },
	{ PREAMBLE, "metadata: fragment 1 (line 1): there is no data stream class" },
	{ PREAMBLE PREAMBLE, "metadata: fragment 2 (line 2): in preamble: a second preamble" },
	{ PREAMBLE RS "{\"type\":\"trace\"}" STREAM, "fragment 2 (line 2): CTF 2 has no fragment" },
	{ PREAMBLE RS "{\"type\":" STREAM,
	  "fragment 2 (line 2): the JSON text of this fragment does" },
	{ PREAMBLE RS "{\"type\":nil}" STREAM, "fragment 2 (line 2): byte 9 of this fragment" },
	{ PREAMBLE RS "{\"type\":\"\xff\"}" STREAM, "fragment 2 (line 2): byte" },
	{ HEAD RS "{\"type\":\"trace-class\"}", "must stand before the first data stream class" },
	{ PREAMBLE RS "{\"type\":\"trace-class\"}" RS "{\"type\":\"trace-class\"}",
	  "fragment 3 (line 2): in trace-class: a second trace class" },
	{ PREAMBLE RS "{\"type\":\"trace-class\",\"environment\":{\"a\":1.5}}",
	  "a in \"environment\"" },
	{ PREAMBLE RS "{\"type\":\"trace-class\",\"environment\":{\"a\":\"\\u0000\"}}",
	  "a zero byte" },
	{ PREAMBLE RS "{\"type\":\"trace-class\",\"packet-header-field-class\":{" U8 "}}",
	  "\"packet-header-field-class\" must be a structure" },
	{ PREAMBLE RS "{\"type\":\"trace-class\",\"packet-header-field-class\":\"head\"}",
	  "the field class head is not declared" },
	{ PREAMBLE RS
	  "{\"type\":\"trace-class\",\"packet-header-field-class\":{\"type\":\"structure\","
	  "\"member-classes\":[" M("x", U8) "," M("m", U8 ",\"roles\":["
							  "\"packet-magic-number\"]") "]}}",
	  "packet-header-field-class / m / field-class: a packet-magic-number must be" },
	{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\"}", "\"frequency\" is missing" },
	{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":0}",
	  "\"frequency\" is 0" },
	{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":5,"
		      "\"offset-from-origin\":{\"cycles\":5}}",
	  "in clock-class / offset-from-origin: \"cycles\" is 5, but must be from 0 to 4" },
	{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":5,\"origin\":\"bang\"}",
	  "\"origin\" must be \"unix-epoch\"" },
	{ PREAMBLE RS
	  "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":5,\"origin\":{\"uid\":\"\"}}",
	  "in clock-class / origin: the property \"name\" is missing" },
	{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":5}" RS
		      "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":5}",
	  "a second clock class of the id c" },
	{ PREAMBLE RS "{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"c\"}",
	  "no clock class with the id c" },
	{ HEAD STREAM, "fragment 3 (line 3): a second stream of id 0" },
	{ HEAD RS "{\"type\":\"event-record-class\",\"data-stream-class-id\":4}",
	  "fragment 3 (line 3): this event's stream 4 is not there" },
	{ HEAD RS "{\"type\":\"event-record-class\"}" RS "{\"type\":\"event-record-class\"}",
	  "fragment 4 (line 3): a second event of id 0" },
	{ PREAMBLE RS
	  "{\"type\":\"data-stream-class\",\"event-record-header-field-class\":{\"type\":"
	  "\"structure\",\"member-classes\":[" M("t", U8 ",\"roles\":["
							 "\"default-clock-timestamp\"]") "]}}",
	  "its data stream class has no default-clock-class-id" },
	{ EVENT(M("x", U8 ",\"roles\":[\"event-record-class-id\"]")), "cannot have" },
	{ EVENT(M("x", U8 ",\"roles\":[\"king\"]")), "an integer cannot have the role king" },
	{ EVENT(M("x", U8) "," M("x", U8)), "a second field of the name x" },
	{ EVENT("{\"name\":\"x\"}"),
	  "in event-record-class / e / payload-field-class / x: the property" },
	{ EVENT(M("x", "\"type\":\"quaternion\"")), "CTF 2 has no field class \"quaternion\"" },
	{ EVENT(M("x", "\"type\":\"fixed-length-bit-array\",\"length\":65,\"byte-order\":"
		       "\"big-endian\"")),
	  "\"length\" is 65, but must be from 1 to 64" },
	{ EVENT(M("x", "\"type\":\"fixed-length-bit-array\",\"length\":8")),
	  "\"byte-order\" is missing" },
	{ EVENT(M("x", U8 ",\"bit-order\":\"up\"")), "\"bit-order\" has the unknown value \"up\"" },
	{ EVENT(M("x", U8 ",\"alignment\":12")),
	  "\"alignment\" is 12, but must be a power of two" },
	{ EVENT(M("x", U8 ",\"alignment\":65536")), "up to 32768" },
	{ EVENT(M("x", U8 ",\"preferred-display-base\":7")), "must be 2, 8, 10 or 16" },
	{ EVENT(M("x", U8 ",\"mappings\":{\"a\":[]}")), "ranges must be an array of one range" },
	{ EVENT(M("x", U8 ",\"mappings\":{\"a\":[[1]]}")),
	  "a range must be an array of two integers" },
	{ EVENT(M("x", U8 ",\"mappings\":{\"a\":[[2,1]]}")),
	  "a range of \"a\" ends before it begins" },
	{ EVENT(M("x", U8 ",\"mappings\":{\"a\":[[1,1.0]]}")), "must be an integer" },
	{ EVENT(M("x",
		  "\"type\":\"fixed-length-bit-map\",\"length\":8,\"byte-order\":\"big-endian\"")),
	  "\"flags\" is missing" },
	{ EVENT(M("x",
		  "\"type\":\"fixed-length-bit-map\",\"length\":8,\"byte-order\":\"big-endian\","
		  "\"flags\":{\"a\":[[3,8]]}")),
	  "the flag \"a\" is of bit 8, but there are only 8" },
	{ EVENT(M("x",
		  "\"type\":\"fixed-length-floating-point-number\",\"length\":16,\"byte-order\":"
		  "\"big-endian\"")),
	  "a floating point number of 16 bits" },
	{ EVENT(M("x", "\"type\":\"null-terminated-string\",\"encoding\":\"ebcdic\"")),
	  "unknown value \"ebcdic\"" },
	{ EVENT(M("x", "\"type\":\"static-length-string\",\"length\":-1")), "\"length\" is -1" },
	{ EVENT(M("x", "\"type\":\"static-length-blob\",\"length\":16,\"roles\":["
		       "\"metadata-stream-uuid\"]")),
	  "the preamble has no \"uuid\"" },
	{ EVENT(M("x", SEQUENCE("\"path\":[]"))), "must end with a name" },
	{ EVENT(M("x", SEQUENCE("\"path\":[\"a\",null]"))), "must end with a name" },
	{ EVENT(M("x", SEQUENCE("\"path\":[1]"))), "must be a string or null" },
	{ EVENT(M("x", SEQUENCE("\"path\":[\"x\"]"))), "a field that is not read before" },
	{ EVENT(M("x", SEQUENCE("\"path\":[\"n\"]")) "," M("n", U8)),
	  "location n leads to a field" },
	{ EVENT(M("n", U8) "," M("x", SEQUENCE("\"path\":[\"n\",\"m\"]"))), "n.m leads beyond an" },
	{ EVENT(M("n", U8) "," M("x", SEQUENCE("\"path\":[null,\"n\"]"))), "null.n begins in a" },
	{ EVENT(M("n", U8) "," M("x", SEQUENCE("\"origin\":\"moon\",\"path\":[\"n\"]"))),
	  "\"moon\"" },
	{ EVENT(M("n", U8) "," M("x", SEQUENCE("\"origin\":\"packet-context\",\"path\":[\"n\"]"))),
	  "begins in a structure that is not there" },
	{ EVENT(M("n", "\"type\":\"null-terminated-string\"") "," M("x",
								    SEQUENCE("\"path\":[\"n\"]"))),
	  "leads to a field that is not an integer" },
	{ EVENT(M("n", "\"type\":\"variable-length-signed-integer\"") "," M(
		  "x", SEQUENCE("\"path\":[\"n\"]"))),
	  "must be an integer without a sign" },
	{ EVENT(M("a", "\"type\":\"static-length-array\",\"length\":2,\"element-field-class\":{" U8
		       "}") "," M("x", SEQUENCE("\"path\":[\"a\"]"))),
	  "leads into an array from outside" },
	{ EVENT(M("n", U8) "," M("x",
				 "\"type\":\"optional\",\"selector-field-location\":{\"path\":["
				 "\"n\"]},\"field-class\":{" U8 "}")),
	  "has no selector-field-ranges, but its selector field is an integer" },
	{ EVENT(M("n", U8) "," M("x", "\"type\":\"variant\",\"selector-field-location\":{\"path\":["
				      "\"n\"]},\"options\":[]")),
	  "one option or more" },
	{ EVENT(M("n", U8) "," M("x",
				 "\"type\":\"variant\",\"selector-field-location\":{\"path\":["
				 "\"n\"]},\"options\":[" OPTION("[1,5]") "," OPTION("[5,6]") "]")),
	  "two options of a variant have ranges that intersect" },
	{ EVENT(M("n", U8) "," M("x", "\"type\":\"variant\",\"selector-field-location\":{\"path\":["
				      "\"n\"]},\"options\":[" OPTION("[6,5]") "]")),
	  "ends before it begins" },
	{ EVENT(M("\\u001b[31m", U8) "," M("\\u001b[31m", U8)), "of the name \\x1b[31m" },
};

static int parse(const char *text, size_t size, struct strata_error *error,
		 struct complaints *heard)
{
	struct strata_ctf_metadata metadata;
	const int result = strata_ctf_metadata_parse(&metadata, "metadata", text, size,
						     heard ? complaints_hear : NULL, heard, error);

	strata_ctf_metadata_clear(&metadata);
	return result;
}

static void wrong_metadata_is_answered_with_its_fragment_and_what_is_wrong(void **data)
{
	size_t i;

	(void)data;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct strata_error error = { "" };

		if (!parse(wrong[i].text, strlen(wrong[i].text), &error, NULL))
			fail_msg("this was taken: %s", wrong[i].text);
		if (!strstr(error.text, wrong[i].error) || strncmp(error.text, "metadata: ", 10))
			fail_msg("%s: %s: expected %s", wrong[i].text, error.text, wrong[i].error);
	}
}

/* Each byte that is lost or changed: it is refused, or read; nothing else happens. */
static void damaged_metadata_is_refused_or_read(void **data)
{
	char text[] = EVENT(M("n", U8) "," M("x", SEQUENCE("\"path\":[\"n\"]")));
	struct strata_error error;
	size_t i;

	(void)data;
	assert_int_equal(parse(text, strlen(text), &error, NULL), 0);
	for (i = 0; i < strlen(text); i++) {
		const char was = text[i];
		int byte;

		parse(text, i, &error, NULL);
		for (byte = 0; byte < 256; byte += 5) {
			text[i] = (char)byte;
			parse(text, sizeof(text) - 1, &error, NULL);
		}
		text[i] = was;
	}
}

static void a_last_fragment_that_is_cut_off_is_left_out(void **data)
{
	static const char text[] = HEAD RS "{\"type\":\"event-record-class\",\"na";
	static struct complaints heard;
	struct strata_error error = { "" };

	(void)data;
	assert_int_equal(parse(text, strlen(text), &error, &heard), 0);
	assert_string_equal(heard.all, "metadata: fragment 3 (line 3): the end of the metadata is "
				       "lost: what begins here is left out\n");
}

/* @nr times @before, then @middle, then as often @after. */
static char *nest(const char *begin, size_t nr, const char *before, const char *middle,
		  const char *after, const char *end)
{
	char *text = malloc(strlen(begin) + nr * (strlen(before) + strlen(after)) + strlen(middle) +
			    strlen(end) + 1);
	char *at = text;
	size_t i;

	assert_non_null(text);
	at = stpcpy(at, begin);
	for (i = 0; i < nr; i++)
		at = stpcpy(at, before);
	at = stpcpy(at, middle);
	for (i = 0; i < nr; i++)
		at = stpcpy(at, after);
	stpcpy(at, end);
	return text;
}

static void expect(char *text, const char *wanted)
{
	struct strata_error error = { "" };

	if (!parse(text, strlen(text), &error, NULL) ? wanted != NULL
						     : !wanted || !strstr(error.text, wanted))
		fail_msg("%s: expected %s", error.text, wanted ? wanted : "none");
	free(text);
}

#define ARRAY "{\"type\":\"static-length-array\",\"length\":1,\"element-field-class\":"
#define ALIAS(name, of)                                                                       \
	RS "{\"type\":\"field-class-alias\",\"name\":\"" name "\",\"field-class\":{\"type\":" \
	   "\"structure\",\"member-classes\":[{\"name\":\"a\",\"field-class\":\"" of "\"},"   \
	   "{\"name\":\"b\",\"field-class\":\"" of "\"}]}}"

static void depth_and_size_have_limits(void **data)
{
	(void)data;
	/* The structure around is one, the integer another. */
	expect(nest(HEAD RS "{\"type\":\"event-record-class\",\"payload-field-class\":{\"type\":"
			    "\"structure\",\"member-classes\":[{\"name\":\"x\",\"field-class\":",
		    30, ARRAY, "{" U8 "}", "}", "}]}}"),
	       NULL);
	expect(nest(HEAD RS "{\"type\":\"event-record-class\",\"payload-field-class\":{\"type\":"
			    "\"structure\",\"member-classes\":[{\"name\":\"x\",\"field-class\":",
		    31, ARRAY, "{" U8 "}", "}", "}]}}"),
	       "more than 32 deep");
	expect(nest(HEAD RS "{\"attributes\":", 100000, "[", "", "]", "}"), "fragment 3");
	expect(nest(HEAD RS "{\"type\":\"event-record-class\",\"attributes\":{\"a\":[1", 1200000,
		    ",1", "", "", "]}}"),
	       "more values than the metadata of a trace has");
	expect(nest(HEAD RS "{\"type\":\"event-record-class\",\"attributes\":{\"a\":[1", 1000, ",1",
		    "", "", "]}}"),
	       NULL);
}

static void types_that_multiply_end_at_the_limit_of_memory(void **data)
{
	static const char text[] = PREAMBLE RS
		"{\"type\":\"field-class-alias\",\"name\":\"t0\",\"field-class\":{" U8
		"}}" ALIAS("t1", "t0") ALIAS("t2", "t1") ALIAS("t3", "t2") ALIAS("t4", "t3")
			ALIAS("t5", "t4") ALIAS("t6", "t5") ALIAS("t7", "t6") ALIAS("t8", "t7")
				ALIAS("t9", "t8") ALIAS("ta", "t9") ALIAS("tb", "ta")
					ALIAS("tc", "tb") ALIAS("td", "tc") ALIAS("te", "td")
						ALIAS("tf", "te") ALIAS("tg", "tf")
							ALIAS("th", "tg") ALIAS("ti", "th")
								ALIAS("tj", "ti") ALIAS("tk", "tj")
									ALIAS("tl", "tk")
										ALIAS("tm", "tl")
											STREAM RS
		"{\"type\":\"event-record-class\",\"payload-field-class\":\"tm\"}";
	struct strata_error error = { "" };

	(void)data;
	assert_int_equal(parse(text, strlen(text), &error, NULL), -1);
	assert_non_null(strstr(error.text, "out of memory for the types described here"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_metadata_is_answered_with_its_fragment_and_what_is_wrong),
		cmocka_unit_test(damaged_metadata_is_refused_or_read),
		cmocka_unit_test(a_last_fragment_that_is_cut_off_is_left_out),
		cmocka_unit_test(depth_and_size_have_limits),
		cmocka_unit_test(types_that_multiply_end_at_the_limit_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
