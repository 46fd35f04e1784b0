// SPDX-License-Identifier: GPL-2.0-or-later
/* test_event_table.c - the table of events that a guest packs, taken apart in dom0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/rings/event_table.h"

static unsigned char table[8192];
static size_t used;
static struct strata_error failure;

static int begin(void **state)
{
	(void)state;
	memset(table, 0xa5, sizeof(table));
	used = 0;
	return 0;
}

/* The entries of the table: behind a format, an entry has no alignment in the table itself. */
static struct strata_event_desc entries[4];
static size_t places[4], sizes[4], nr_entries;

/* Adds an event: the beginning of its description. */
static struct strata_event_desc *add(uint32_t id, const char *name, uint8_t nr_fields)
{
	struct strata_event_desc *entry;
	unsigned int i;

	nr_entries = used ? nr_entries : 0;
	entry = &entries[nr_entries];
	places[nr_entries] = used;
	sizes[nr_entries++] = strata_event_desc_bytes(nr_fields);
	memset(entry, 0, sizeof(*entry));
	entry->id = id;
	strcpy(entry->name, name);
	strcpy(entry->group, "group");
	entry->nr_fields = nr_fields;
	for (i = 0; i < nr_fields; i++) {
		entry->fields[i].name[0] = (char)('a' + i % 26);
		entry->fields[i].kind = STRATA_FIELD_HEX;
		entry->fields[i].bytes = 4;
		entry->fields[i].count = 1;
	}
	used += strata_event_desc_bytes(nr_fields);
	return entry;
}

/* From a copy of exactly that size: a look beyond it would be seen by the sanitizer. */
static struct strata_event_desc *parse_as(size_t size, size_t nr, enum event_table_formats formats)
{
	unsigned char *copy = test_malloc(size);
	struct strata_event_desc *events;
	size_t i;

	for (i = 0; i < nr_entries; i++)
		memcpy(table + places[i], &entries[i], sizes[i]);
	memcpy(copy, table, size);
	memset(&failure, 0, sizeof(failure));
	events = event_table_parse(copy, size, nr, formats, &failure);
	test_free(copy);
	return events;
}

static struct strata_event_desc *parse(size_t size, size_t nr)
{
	return parse_as(size, nr, EVENT_TABLE_WITH_FORMATS);
}

static void assert_refused(size_t size, size_t nr, const char *because)
{
	assert_null(parse(size, nr));
	if (!strstr(failure.text, because))
		fail_msg("\"%s\" does not say \"%s\"", failure.text, because);
}

static void entries_of_all_lengths_are_taken_apart(void **state)
{
	struct strata_event_desc *events;

	(void)state;
	add(0, "none", 0);
	add(1, "all", STRATA_EVENT_FIELDS_MAX);
	add(2, "two", 2);
	events = parse(used, 3);
	assert_non_null(events);
	assert_string_equal(events[0].name, "none");
	assert_int_equal(events[0].nr_fields, 0);
	assert_int_equal(events[1].nr_fields, STRATA_EVENT_FIELDS_MAX);
	assert_string_equal(events[1].fields[39].name, "n");
	assert_string_equal(events[2].name, "two");
	assert_string_equal(events[2].group, "group");
	/* The words of an entry that the guest leaves out are zero. */
	assert_string_equal(events[2].fields[2].name, "");
	free(events);
}

static void room_behind_the_last_entry_is_not_looked_at(void **state)
{
	struct strata_event_desc *events;

	(void)state;
	add(0, "one", 1);
	events = parse(sizeof(table), 1);
	assert_non_null(events);
	free(events);
}

static void a_table_that_ends_too_early_is_refused(void **state)
{
	size_t first;

	(void)state;
	add(0, "one", 3);
	first = used;
	add(1, "two", 3);
	assert_refused(used - 1, 2, "entry 1 runs over its end");
	assert_refused(first + 1, 2, "entry 1 runs over its end");
	assert_refused(first, 2, "entry 1 runs over its end");
	assert_refused(4, 1, "entry 0 runs over its end");
}

static void too_many_fields_are_refused(void **state)
{
	(void)state;
	add(0, "one", 1)->nr_fields = STRATA_EVENT_FIELDS_MAX + 1;
	assert_refused(sizeof(table), 1, "entry 0 has 41 fields (at most 40)");
}

/* Adds a format to the entry that was added last. */
static void add_format(struct strata_event_desc *entry, const char *format)
{
	assert_true(strata_event_set_format(entry, format, strlen(format)));
	sizes[nr_entries - 1] += entry->format_bytes;
	used += entry->format_bytes;
}

static void a_format_is_between_its_entry_and_the_next(void **state)
{
	struct strata_event_desc *events;

	(void)state;
	add_format(add(0, "one", 2), "%d of %d");
	add(1, "two", 1);
	events = parse(used, 2);
	assert_non_null(events);
	assert_string_equal(strata_event_format(&events[0]), "%d of %d");
	assert_string_equal(events[1].name, "two");
	assert_null(strata_event_format(&events[1]));
	free(events);
}

static void a_format_that_runs_over_the_end_is_refused(void **state)
{
	(void)state;
	add_format(add(0, "one", 2), "%d of %d");
	assert_refused(used - 1, 1, "entry 0 runs over its end");
}

static void a_format_without_room_is_refused(void **state)
{
	(void)state;
	add(0, "one", 2)->format_bytes = STRATA_EVENT_FORMAT_BYTES + 1;
	assert_refused(sizeof(table), 1, "entry 0 has a format of 513 bytes (at most 512)");
	used = 0;
	add(0, "all", STRATA_EVENT_FIELDS_MAX)->format_bytes = 1;
	assert_refused(sizeof(table), 1, "entry 0 has a format of 1 bytes");
}

static void a_size_of_a_format_before_there_were_formats_is_ignored(void **state)
{
	struct strata_event_desc *events;

	(void)state;
	add(0, "one", 2)->format_bytes = 9;
	add(1, "two", 1)->format_bytes = 0xffff;
	events = parse_as(used, 2, EVENT_TABLE_BEFORE_FORMATS);
	assert_non_null(events);
	assert_null(strata_event_format(&events[0]));
	assert_string_equal(events[0].fields[1].name, "b");
	assert_string_equal(events[1].name, "two");
	assert_null(strata_event_format(&events[1]));
	free(events);
}

static void a_format_in_a_table_without_formats_is_refused(void **state)
{
	(void)state;
	add(0, "one", 2);
	add_format(add(1, "two", 1), "%d");
	assert_null(parse_as(used, 2, EVENT_TABLE_WITHOUT_FORMATS));
	assert_non_null(strstr(failure.text, "entry 1 has a format of 3 bytes, but only events of "
					     "applications have formats"));
}

static void an_id_that_is_not_its_place_is_refused(void **state)
{
	(void)state;
	add(0, "one", 1);
	add(0, "two", 1);
	assert_refused(used, 2, "entry 1 has the id 0");
}

static void names_always_end(void **state)
{
	struct strata_event_desc *entry = add(0, "one", 1);
	struct strata_event_desc *events;

	(void)state;
	memset(entry->name, 'x', sizeof(entry->name));
	memset(entry->group, 'x', sizeof(entry->group));
	memset(entry->fields[0].name, 'x', sizeof(entry->fields[0].name));
	events = parse(used, 1);
	assert_non_null(events);
	assert_int_equal(strlen(events[0].name), STRATA_EVENT_NAME_BYTES - 1);
	assert_int_equal(strlen(events[0].group), STRATA_EVENT_GROUP_BYTES - 1);
	assert_int_equal(strlen(events[0].fields[0].name), STRATA_FIELD_NAME_BYTES - 1);
	free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(entries_of_all_lengths_are_taken_apart, begin),
		cmocka_unit_test_setup(room_behind_the_last_entry_is_not_looked_at, begin),
		cmocka_unit_test_setup(a_table_that_ends_too_early_is_refused, begin),
		cmocka_unit_test_setup(too_many_fields_are_refused, begin),
		cmocka_unit_test_setup(a_format_is_between_its_entry_and_the_next, begin),
		cmocka_unit_test_setup(a_format_that_runs_over_the_end_is_refused, begin),
		cmocka_unit_test_setup(a_format_without_room_is_refused, begin),
		cmocka_unit_test_setup(a_size_of_a_format_before_there_were_formats_is_ignored,
				       begin),
		cmocka_unit_test_setup(a_format_in_a_table_without_formats_is_refused, begin),
		cmocka_unit_test_setup(an_id_that_is_not_its_place_is_refused, begin),
		cmocka_unit_test_setup(names_always_end, begin),
	};

	return cmocka_run_group_tests_name("event_table", tests, NULL, NULL);
}
