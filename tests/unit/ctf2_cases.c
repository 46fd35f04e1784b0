// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf2_cases.c - see ctf2_cases.h. */
#include "ctf2_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RS "\x1e"

/* A member; numbers of fixed size; a location in the payload. */
#define M(name, class) "{\"name\":\"" name "\",\"field-class\":{" class "}}"
#define T(type)        "\"type\":\"" type "\""
#define FL(type, bits, order) \
	T("fixed-length-" type) ",\"length\":" #bits ",\"byte-order\":\"" order "-endian\""
#define U8             FL("unsigned-integer", 8, "little") ",\"alignment\":8"
#define LENGTH(path)   "\"length-field-location\":{\"path\":[" path "]}"
#define SELECTOR(path) "\"selector-field-location\":{\"path\":[" path "]}"

const struct ctf2_case
	ctf2_cases
		[] = {
			{ "bit_array",
			  M("x", FL("bit-array", 12, "little")) "," M("y",
								      FL("bit-array", 4, "little")),
			  "34f2", "{ x = 0x234, y = 0xF }", "{\"x\":564,\"y\":15}" },
			{ "bit_array_be",
			  M("x", FL("bit-array", 3, "big")) "," M("y", FL("bit-array", 13, "big")),
			  "a5f0", "{ x = 0x5, y = 0x5F0 }", "{\"x\":5,\"y\":1520}" },
			{ "bit_map",
			  M("x",
			    FL("bit-map", 16,
			       "big") ",\"flags\":{\"RED\":[[0,2],[4,4],[10,10]],\"ORANGE\":[[6,6]],\"GREEN\":[[7,7],[9,9],"
				      "[11,11]],\"YELLOW\":[[9,9],[13,14]],\"BLUE\":[[15,15]]}"),
			  "4290", "{ x = 0x4290 { \"GREEN\", \"RED\", \"YELLOW\" } }",
			  "{\"x\":{\"flags\":[\"RED\",\"GREEN\",\"YELLOW\"],\"value\":17040}}" },
			{ "bit_map_none",
			  M("x", FL("bit-map", 8, "little") ",\"flags\":{\"a\":[[0,0]]}"), "02",
			  "{ x = 0x2 }", "{\"x\":{\"flags\":[],\"value\":2}}" },
			{ "boolean",
			  M("x", FL("boolean", 8, "little")) "," M(
				  "y", FL("boolean", 8, "little")) "," M("z",
									 FL("boolean", 16, "big")),
			  "00020100", "{ x = false, y = true, z = true }",
			  "{\"x\":false,\"y\":true,\"z\":true}" },
			{ "unsigned",
			  M("x", FL("unsigned-integer", 16,
				    "big")) "," M("y", FL("unsigned-integer", 32, "little") ",\"alignment\":32,"
											    "\"preferred-display-base\":16") "," M("z",
																   FL(
																	   "unsigned-integer", 8, "little") ",\"preferred-display-base\":8") "," M("w",
																										   FL(
																											   "unsigned-integer", 8, "little") ",\"preferred-display-base\":2"),
			  "0102ffff7856341209a5",
			  "{ x = 258, y = 0x12345678, z = 011, w = 0b10100101 }",
			  "{\"x\":258,\"y\":305419896,\"z\":9,\"w\":165}" },
			{ "signed",
			  M("x", FL("signed-integer", 8, "little")) "," M(
				  "y",
				  FL("signed-integer", 24,
				     "big")) "," M("z",
						   FL("signed-integer", 64, "little")),
			  "fffffffe0000000000000080",
			  "{ x = -1, y = -2, z = -9223372036854775808 }",
			  "{\"x\":-1,\"y\":-2,\"z\":\"-9223372036854775808\"}" },
			{ "mappings",
			  M("x", FL("signed-integer", 8, "little") ",\"mappings\":{\"low\":[[-128,-1]],\"some\":[[3,5],[4,7],[9,9]]}") "," M(
				  "y",
				  FL("unsigned-integer",
				     8, "little") ",\"mappings\":{\"two\":[[2,2]]}") "," M("z",
											   FL("signed-integer",
											      8, "little") ",\"mappings\":{\"some\":[[3,5],[4,7]]}"),
			  "fd0304",
			  "{ x = ( \"low\" : container = -3 ), y = ( <unknown> : container = 3 ), "
			  "z = ( \"some\" : container = 4 ) }",
			  "{\"x\":{\"label\":\"low\",\"value\":-3},\"y\":{\"label\":null,\"value\":3},"
			  "\"z\":{\"label\":\"some\",\"value\":4}}" },
			{ "bit_order",
			  M(
				  "x",
				  FL("unsigned-integer", 8, "little") ",\"bit-order\":\"last-to-first\"") "," M("y",
														FL("unsigned-integer", 16, "big") ",\"bit-order\":\"first-to-last\"") "," M("z",
																							    FL("signed-integer", 4, "little") ",\"bit-order\":\"last-to-first\"") "," M("w",
																																	FL(
																																		"unsigned-integer", 4, "little") ",\"bit-order\":\"first-to-last\""),
			  "01800171", "{ x = 128, y = 32769, z = -8, w = 7 }",
			  "{\"x\":128,\"y\":32769,\"z\":-8,\"w\":7}" },
			{ "floating_point",
			  M("x", FL("floating-point-number", 32, "little")) "," M(
				  "y",
				  FL("floating-point-number", 64,
				     "big")) "," M("z",
						   FL("floating-point-number", 32, "big") ",\"bit-order\":\"first-to-last\""),
			  "0000c03f"
			  "c004000000000000"
			  "000003fc",
			  "{ x = 1.5, y = -2.5, z = 1.5 }", "{\"x\":1.5,\"y\":-2.5,\"z\":1.5}" },
			{ "varint",
			  M("x", T("variable-length-unsigned-integer")) "," M("y", T("variable-length-signed-integer")) "," M(
				  "z",
				  T("variable-length-unsigned-integer")) "," M("w",
									       T("variable-length-unsigned-integer") ",\"preferred-display-base\":16"),
			  "b4c772"
			  "b4c772"
			  "ffffffffffffffffff01"
			  "80808000",
			  "{ x = 1876916, y = -220236, z = 18446744073709551615, w = 0x0 }",
			  "{\"x\":\"1876916\",\"y\":\"-220236\",\"z\":\"18446744073709551615\",\"w\":\"0\"}" },
			{ "varint_aligned",
			  M("a", FL("unsigned-integer", 3, "little")) "," M(
				  "x",
				  T("variable-length-signed-integer") ",\"mappings\":{\"lime\":[[-64,-60]]}"),
			  "0541", "{ a = 5, x = ( \"lime\" : container = -63 ) }",
			  "{\"a\":5,\"x\":{\"label\":\"lime\",\"value\":\"-63\"}}" },
			{ "strings",
			  M("x", T("null-terminated-string")) "," M("y", T("static-length-string") ",\"length\":5") "," M(
				  "n",
				  U8) "," M("z",
					    T("dynamic-length-string") "," LENGTH(
						    "\"n\"")) "," M("e",
								    T("static-length-string") ",\"length\":0"),
			  "68c3a900"
			  "6162006364"
			  "03"
			  "787a00",
			  "{ x = \"h\xc3\xa9\", y = \"ab\", n = 3, z = \"xz\", e = \"\" }",
			  "{\"x\":\"h\xc3\xa9\",\"y\":\"ab\",\"n\":3,\"z\":\"xz\",\"e\":\"\"}" },
			{ "utf16",
			  M("x", T("null-terminated-string") ",\"encoding\":\"utf-16le\"") "," M("y", T("null-terminated-string") ",\"encoding\":\"utf-16be\"") "," M(
				  "z",
				  T("static-length-string") ",\"length\":8,\"encoding\":\"utf-16le\"") "," M("n", U8) "," M("w",
															    T("dynamic-length-string") ",\"encoding\":\"utf-16be\"," LENGTH(
																    "\"n\"")),
			  "6800e9000001"
			  "0000"
			  "0068d83dde000000"
			  "610062000000ffff"
			  "04"
			  "00480049",
			  "{ x = \"h\xc3\xa9\xc4\x80\", y = \"h\xf0\x9f\x98\x80\", z = \"ab\", n = 4, w = \"HI\" }",
			  "{\"x\":\"h\xc3\xa9\xc4\x80\",\"y\":\"h\xf0\x9f\x98\x80\",\"z\":\"ab\",\"n\":4,\"w\":\"HI\"}" },
			{ "utf32",
			  M("x", T("null-terminated-string") ",\"encoding\":\"utf-32le\"") "," M(
				  "y",
				  T("static-length-string") ",\"length\":8,\"encoding\":\"utf-32be\""),
			  "68000000"
			  "00f60100"
			  "00000000"
			  "0000004100000042",
			  "{ x = \"h\xf0\x9f\x98\x80\", y = \"AB\" }",
			  "{\"x\":\"h\xf0\x9f\x98\x80\",\"y\":\"AB\"}" },
			{ "blobs",
			  M("x", T("static-length-blob") ",\"length\":3,\"media-type\":\"image/tiff\"") "," M(
				  "n",
				  U8) "," M("y",
					    T("dynamic-length-blob") "," LENGTH(
						    "\"n\"")) "," M("z",
								    T("static-length-blob") ",\"length\":0"),
			  "00ff7f"
			  "02"
			  "abcd",
			  "{ x = { 00 ff 7f }, n = 2, y = { ab cd }, z = { } }",
			  "{\"x\":\"00ff7f\",\"n\":2,\"y\":\"abcd\",\"z\":\"\"}" },
			{ "structures",
			  M("a", U8) "," M(
				  "s",
				  T("structure") ",\"minimum-alignment\":64,\"member-classes\":[" M(
					  "x",
					  U8) "," M("y",
						    T(
							    "structure")) "," M("z", U8) "]") "," M("b", U8),
			  "01"
			  "00000000000000"
			  "0203"
			  "04",
			  "{ a = 1, s = { x = 2, y = { }, z = 3 }, b = 4 }",
			  "{\"a\":1,\"s\":{\"x\":2,\"y\":{},\"z\":3},\"b\":4}" },
			{ "arrays",
			  M("x", T("static-length-array") ",\"length\":3,\"element-field-class\":{" U8 "}") "," M("n", T("variable-length-unsigned-integer")) "," M(
				  "y",
				  T("dynamic-length-array") "," LENGTH(
					  "\"n\"") ",\"minimum-alignment\":32,"
						   "\"element-field-class\":{" FL(
							   "boolean", 1, "little") "}") "," M("m",
											      U8) "," M("z",
													T("dynamic-length-array") "," LENGTH(
														"\"m\"") ",\"minimum-alignment\":16,"
															 "\"element-field-class\":{" T(
																 "null-terminated-string") "}"),
			  "010203"
			  "04"
			  "05"
			  "02"
			  "6100"
			  "6200",
			  "{ x = [ [0] = 1, [1] = 2, [2] = 3 ], n = 4, y = [ [0] = true, [1] = false, [2] = true, "
			  "[3] = false ], m = 2, z = [ [0] = \"a\", [1] = \"b\" ] }",
			  "{\"x\":[1,2,3],\"n\":\"4\",\"y\":[true,false,true,false],\"m\":2,\"z\":[\"a\",\"b\"]}" },
			{ "optionals",
			  M("b", FL("boolean", 8, "little")) "," M("i", FL("signed-integer",
									   8, "little")) "," M("x",
											       T(
												       "optional") "," SELECTOR("\"b\"") ",\"field-class\":{" U8 "}") "," M("y", T("optional") "," SELECTOR("\"i\"") ",\"selector-field-ranges\":[[-12,-12],[-5,0]],"
																										     "\"field-class\":{" T("null-terminated-string") "}") "," M("z", T("optional") "," SELECTOR("\"i\"") ",\"selector-field-ranges\":[[1,9]],"
																																							 "\"field-class\":{" U8 "}"),
			  "02fb"
			  "07"
			  "6f6b00",
			  "{ b = true, i = -5, x = { 7 }, y = { \"ok\" }, z = <none> }",
			  "{\"b\":true,\"i\":-5,\"x\":7,\"y\":\"ok\",\"z\":null}" },
			{ "variants",
			  M("t", U8) "," M("s", FL("signed-integer", 8, "little")) "," M(
				  "v",
				  T("variant") "," SELECTOR(
					  "\"t\"") ",\"options\":["
						   "{\"name\":\"a\",\"selector-field-ranges\":[[0,4],[6,9]],\"field-class\":{" U8
						   "}},"
						   "{\"selector-field-ranges\":[[5,5]],\"field-class\":{" T(
							   "null-terminated-string") "}}]") "," M("w",
												  T("variant") "," SELECTOR(
													  "\"s\"") ",\"options\":["
														   "{\"name\":\"neg\",\"selector-field-ranges\":[[-9,-1]],\"field-class\":{" U8
														   "}},"
														   "{\"name\":\"pos\",\"selector-field-ranges\":[[0,9]],\"field-class\":{" T(
															   "structure") "}}]"),
			  "05fe"
			  "686900"
			  "08",
			  "{ t = 5, s = -2, v = { \"hi\" }, w = { 8 } }",
			  "{\"t\":5,\"s\":-2,\"v\":\"hi\",\"w\":8}" },
			{ "any_of_a_variants_lengths",
			  M("t", U8) "," M(
				  "len", T("variant") "," SELECTOR(
						 "\"t\"") ",\"options\":["
							  "{\"selector-field-ranges\":[[0,0]],\"field-class\":{" U8
							  "}},"
							  "{\"selector-field-ranges\":[[1,1]],\"field-class\":{" FL(
								  "unsigned-integer", 16,
								  "little") "}}]") "," M("x",
											 T("dynamic-length-blob") "," LENGTH(
												 "\"len\"")) "," M("y",
														   T(
															   "dynamic-length-array") ",\"length-field-location\":{\"origin\":"
																		   "\"event-record-payload\",\"path\":[\"len\"]},\"element-field-class\":{" U8
																		   "}"),
			  "01"
			  "0200"
			  "aabb"
			  "0102",
			  "{ t = 1, len = { 2 }, x = { aa bb }, y = [ [0] = 1, [1] = 2 ] }",
			  "{\"t\":1,\"len\":2,\"x\":\"aabb\",\"y\":[1,2]}" },
			{ "lengths_in_elements",
			  M(
				  "nature", T(
						    "static-length-array") ",\"length\":2,\"element-field-class\":{" T("structure") ",\"member-classes\":[" M("laser",
																			      T(
																				      "variable-length-unsigned-integer")) "," M("in",
																										 T("structure") ",\"member-classes\":[" M("x", T("dynamic-length-string") "," LENGTH("null,\"laser\"")) "," M("y",
																																							      T("dynamic-length-string") ",\"length-field-location\":{\"origin\":"
																																											 "\"event-record-payload\",\"path\":[\"nature\",\"laser\"]}") "]") "]}"),
			  "01"
			  "61"
			  "62"
			  "02"
			  "6364"
			  "6566",
			  "{ nature = [ [0] = { laser = 1, in = { x = \"a\", y = \"b\" } }, [1] = { laser = 2, in = { "
			  "x = \"cd\", y = \"ef\" } } ] }",
			  "{\"nature\":[{\"laser\":\"1\",\"in\":{\"x\":\"a\",\"y\":\"b\"}},{\"laser\":\"2\",\"in\":{"
			  "\"x\":\"cd\",\"y\":\"ef\"}}]}" },
			{ "lengths_in_an_option",
			  M(
				  "t", U8) "," M("v",
						 T(
							 "variant") "," SELECTOR("\"t\"") ",\"options\":["
											  "{\"name\":\"a\",\"selector-field-ranges\":[[0,0]],\"field-class\":{" T(
												  "structure") ",\"member-classes\":[" M("n", U8) "]}},"
																		  "{\"name\":\"b\",\"selector-field-ranges\":[[1,1]],\"field-class\":{" T("structure") ",\"member-classes\":[" M("n", U8) "," M("x", T(
																																			     "dynamic-length-string") ",\"length-field-location\":{\"origin\":"
																																						      "\"event-record-payload\",\"path\":[\"v\",\"n\"]}") "]}}]") "," M("y",
																																															T("dynamic-length-string") "," LENGTH(
																																																"\"v\",\"n\"")),
			  "01"
			  "02"
			  "6162"
			  "6364",
			  "{ t = 1, v = { { n = 2, x = \"ab\" } }, y = \"cd\" }",
			  "{\"t\":1,\"v\":{\"n\":2,\"x\":\"ab\"},\"y\":\"cd\"}" },
			{ "names",
			  M("my field", U8) "," M("_x", U8) "," M("x", U8) "," M("event", U8),
			  "01020304", "{ my field = 1, _x = 2, x = 3, event = 4 }",
			  "{\"my field\":1,\"_x\":2,\"x\":3,\"event\":4}" },
			{ "names_of_options",
			  M("t", U8) "," M(
				  "v",
				  T("variant") "," SELECTOR(
					  "\"t\"") ",\"options\":["
						   "{\"name\":\"_x\",\"selector-field-ranges\":[[0,0]],\"field-class\":{" U8
						   "}}]") "," M("w",
								T("variant") "," SELECTOR(
									"\"t\"") ",\"options\":["
										 "{\"name\":\"0 a\",\"selector-field-ranges\":[[0,0]],\"field-class\":{" U8
										 "}}]"),
			  "000708", "{ t = 0, v = { 7 }, w = { 8 } }",
			  "{\"t\":0,\"v\":7,\"w\":8}" },
			{ "nested",
			  M("n", U8) "," M(
				  "x",
				  T("static-length-array") ",\"length\":2,\"element-field-class\":{" T(
					  "dynamic-length-array") "," LENGTH("\"n\"") ",\"element-field-"
										      "class\":{" U8
										      "}}"),
			  "0201020304",
			  "{ n = 2, x = [ [0] = [ [0] = 1, [1] = 2 ], [1] = [ [0] = 3, [1] = 4 ] ] }",
			  "{\"n\":2,\"x\":[[1,2],[3,4]]}" },
		};

const unsigned int ctf2_nr_cases = sizeof(ctf2_cases) / sizeof(ctf2_cases[0]);

/* A member of 64 bits that has a role. */
#define ROLE(name, role) M(name, U64 ",\"roles\":[\"" role "\"]")
#define U64              FL("unsigned-integer", 64, "little")

/* clang-format off */
const char ctf2_preamble[] =
	RS "{\"type\":\"preamble\",\"version\":2}\n"
	RS "{\"type\":\"field-class-alias\",\"name\":\"u64\",\"field-class\":{" U64 "}}\n"
	RS "{\"type\":\"trace-class\",\"environment\":{\"hostname\":\"two\",\"answer\":42}}\n"
	RS "{\"type\":\"clock-class\",\"id\":\"the clock\",\"frequency\":1000000000,"
	   "\"origin\":\"unix-epoch\",\"offset-from-origin\":{\"seconds\":1}}\n"
	RS "{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"the clock\","
	   "\"packet-context-field-class\":{\"type\":\"structure\",\"member-classes\":["
	   ROLE("total", "packet-total-length") ","
	   ROLE("content", "packet-content-length") ","
	   ROLE("begin", "default-clock-timestamp") "]},"
	   "\"event-record-header-field-class\":{\"type\":\"structure\",\"member-classes\":["
	   ROLE("class", "event-record-class-id") ","
	   ROLE("time", "default-clock-timestamp") "]}}\n";
/* clang-format on */

void ctf2_begin_packet(struct bits *bits)
{
	bits_put(bits, 0, 64);
	bits_put(bits, 0, 64);
	bits_put(bits, 0, 64);
}

void ctf2_put_header(struct bits *bits, uint64_t id, uint64_t time)
{
	bits_put_aligned(bits, id, 64, 1);
	bits_put(bits, time, 64);
}

void ctf2_end_packet(struct bits *bits)
{
	const uint64_t content = bits->at;

	bits_align(bits, 8);
	bits_set_u64(bits, 0, bits->at);
	bits_set_u64(bits, 8, content);
}

void ctf2_put_case(const struct trace_dir *dir, const struct ctf2_case *is)
{
	struct bits bits = { 0 };
	char *metadata = malloc(strlen(ctf2_preamble) + strlen(is->members) + 200);
	const char *hex;

	if (!metadata)
		abort();
	sprintf(metadata,
		"%s" RS "{\"type\":\"event-record-class\",\"name\":\"e\",\"payload-field-class\":{"
		"\"type\":\"structure\",\"member-classes\":[%s]}}\n",
		ctf2_preamble, is->members);
	trace_dir_put_text(dir, "metadata", metadata);
	free(metadata);

	ctf2_begin_packet(&bits);
	ctf2_put_header(&bits, 0, 1);
	for (hex = is->bytes; *hex; hex += 2) {
		unsigned int byte;

		if (sscanf(hex, "%2x", &byte) != 1)
			abort();
		bits_put(&bits, byte, 8);
	}
	ctf2_end_packet(&bits);
	trace_dir_put(dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
}
