// SPDX-License-Identifier: GPL-2.0-only
/* field_filters.c - see field_filters.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <strata/field_filter_check.h>

#include "event_table.h"
#include "field_filters.h"

/* A program as it was sent. */
struct program {
	unsigned char bytes[STRATA_FIELD_PROGRAM_BYTES_MAX];
	u32 nr;
};

static int parse_program(const char *text, struct program *program)
{
	size_t digits = strlen(text);

	if (digits % 2 || digits / 2 > sizeof(program->bytes) ||
	    hex2bin(program->bytes, text, digits / 2))
		return -EINVAL;
	program->nr = digits / 2;
	return 0;
}

/* Makes the filter of one event: it has its own copy of the program. */
static int add(struct strata_field_filters *filters, u32 id, const struct program *program)
{
	u32 nr = strata_field_program_tests(program->bytes, program->nr);
	struct strata_field_filter *filter;
	const char *wrong;
	unsigned char *own;

	if (filters->of[id])
		return -EEXIST;
	filter = kvzalloc(struct_size(filter, tests, nr) + program->nr, GFP_KERNEL);
	if (!filter)
		return -ENOMEM;
	own = (unsigned char *)&filter->tests[nr];
	memcpy(own, program->bytes, program->nr);
	wrong = nr ? strata_field_filter_check(filter, nr, own, strata_event_table_get(id))
		   : "it has no tests, or too many, or is cut";
	if (wrong) {
		pr_warn("no filter for the fields of %s: %s\n", strata_events_get(id)->name, wrong);
		kvfree(filter);
		return -EINVAL;
	}
	filters->of[id] = filter;
	return 0;
}

static int add_all(struct strata_field_filters *filters, char *entries,
		   const struct program *program)
{
	const char *word;
	u32 id;
	int err;

	while ((word = strsep(&entries, ","))) {
		if (kstrtou32(word, 10, &id) || id >= strata_events_count())
			return -EINVAL;
		err = add(filters, id, program);
		if (err)
			return err;
	}
	return 0;
}

int strata_field_filters_add(struct strata_field_filters **filters, char *text)
{
	char *entries = strsep(&text, ":");
	struct program *program;
	int err;

	if (!text)
		return -EINVAL;
	if (!*filters)
		*filters = kvzalloc(sizeof(**filters), GFP_KERNEL);
	program = kmalloc(sizeof(*program), GFP_KERNEL);
	err = *filters && program ? parse_program(text, program) : -ENOMEM;
	if (!err)
		err = add_all(*filters, entries, program);
	kfree(program);
	return err;
}

void strata_field_filters_free(struct strata_field_filters *filters)
{
	u32 id;

	for (id = 0; filters && id < STRATA_GUEST_EVENTS_MAX; id++)
		kvfree(filters->of[id]);
	kvfree(filters);
}
