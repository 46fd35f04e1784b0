// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_forms.c - see ctf_forms.h. */
#include "ctf_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define T(size, align) "integer { size = " #size "; align = " #align "; map = clock.c.value; }"

static void put_plain(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	(void)is_near;
	bits_put_aligned(bits, id, 32, 8);
	bits_put_aligned(bits, ns, 64, 8);
}

static void put_apart(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	(void)is_near;
	bits_align(bits, 64);
	bits_put(bits, ns, 64);
	bits_put_aligned(bits, id, 16, 32);
}

static void put_compact(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	bits_align(bits, 8);
	bits_put(bits, is_near && id < 31 ? id : 31, 5);
	if (is_near && id < 31) {
		bits_put(bits, ns, 27);
		return;
	}
	bits_put_aligned(bits, id, 32, 8);
	bits_put_aligned(bits, ns, 64, 8);
}

static void put_large(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	bits_align(bits, 8);
	bits_put(bits, is_near ? id : 65535, 16);
	if (is_near) {
		bits_put_aligned(bits, ns, 32, 8);
		return;
	}
	bits_put_aligned(bits, id, 32, 8);
	bits_put_aligned(bits, ns, 64, 8);
}

/* As processors write it that want numbers aligned. */
static void put_large_aligned(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	bits_align(bits, 16);
	bits_put(bits, is_near ? id : 65535, 16);
	if (is_near) {
		bits_put_aligned(bits, ns, 32, 32);
		return;
	}
	bits_align(bits, 64);
	bits_put(bits, id, 32);
	bits_put_aligned(bits, ns, 64, 64);
}

static void put_odd(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	(void)is_near;
	bits_put(bits, id, 3);
	bits_put(bits, 0x2a, 7);
	bits_put(bits, ns, 41);
}

static void put_none(struct bits *bits, uint64_t id, uint64_t ns, bool is_near)
{
	(void)bits;
	(void)id;
	(void)ns;
	(void)is_near;
}

const struct ctf_form ctf_forms[] = {
	{ "plain", "struct { u32 id; " T(64, 8) " timestamp; }", false, 70000, 64, put_plain },
	{ "plain, big-endian", "struct { u32 id; " T(64, 8) " timestamp; }", true, 70000, 64,
	  put_plain },
	{ "apart", "struct { " T(64, 64) " t; integer { size = 16; align = 32; } id; }", false,
	  60000, 64, put_apart },
	{ "compact",
	  "struct { enum : integer { size = 5; align = 1; } { compact = 0 ... 30, extended = 31 } id;"
	  " variant <id> { struct { " T(
		  27, 1) " timestamp; } compact;"
			 " struct { u32 id; " T(64, 8) " timestamp; } extended; } v; } align(8)",
	  false, 70000, 27, put_compact },
	{ "compact, big-endian",
	  "struct { enum : integer { size = 5; align = 1; } { compact = 0 ... 30, extended = 31 } id;"
	  " variant <id> { struct { " T(
		  27, 1) " timestamp; } compact;"
			 " struct { u32 id; " T(64, 8) " timestamp; } extended; } v; } align(8)",
	  true, 70000, 27, put_compact },
	{ "large",
	  "struct { enum : u16 { compact = 0 ... 65534, extended = 65535 } id;"
	  " variant <id> { struct { " T(
		  32, 8) " timestamp; } compact;"
			 " struct { u32 id; " T(64, 8) " timestamp; } extended; } v; } align(8)",
	  false, 60000, 32, put_large },
	{ "large, aligned",
	  "struct { enum : integer { size = 16; align = 16; }"
	  " { compact = 0 ... 65534, extended = 65535 } id;"
	  " variant <id> { struct { " T(32,
					32) " timestamp; } compact;"
					    " struct { integer { size = 32; align = 32; } id; " T(
						    64, 64) " timestamp; } extended; }"
							    " v; } align(16)",
	  false, 60000, 32, put_large_aligned },
	{ "odd",
	  "struct { integer { size = 3; align = 1; } id; integer { size = 7; align = 1; } x; " T(
		  41, 1) " t; }",
	  false, 7, 41, put_odd },
	{ "none", "", false, 0, 0, put_none },
};

const size_t nr_ctf_forms = sizeof(ctf_forms) / sizeof(ctf_forms[0]);

void ctf_form_put(const struct ctf_form *form, struct bits *bits, uint64_t id, uint64_t ns,
		  uint64_t before)
{
	form->put(bits, id, ns, form->time_bits == 64 || (ns - before) >> form->time_bits == 0);
}

void ctf_form_tell(const struct ctf_form *form, const char *context, char *text, size_t size)
{
	char *order;

	snprintf(text, size, "%s	", maker_metadata);
	if (form->big_endian) {
		order = strstr(text, "byte_order = le");
		assert_non_null(order);
		memcpy(order, "byte_order = be", 15);
	}
	if (form->header[0])
		snprintf(text + strlen(text), size - strlen(text), "event.header := %s; ",
			 form->header);
	if (context[0])
		snprintf(text + strlen(text), size - strlen(text), "event.context := %s; ",
			 context);
	snprintf(text + strlen(text), size - strlen(text), "};\n");
}
