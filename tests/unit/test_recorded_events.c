// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_recorded_events.c - event classes stand only in a source's CTF metadata, and are read back
 * from there; metadata that no recorder would have written is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/abi/guest_context.h>

#include "recording/recording.h"
#include "saved.h"

struct given {
	char dir[40];
	struct strata_recording recording, loaded;
	struct strata_source *source; /* "g1" of the recording */
	struct strata_error error;
};

/* One field of each kind and shape, and names that CTF writes with more underscores. */
static const struct strata_event_desc everything = {
	.id = 3,
	.name = "everything",
	.level = STRATA_LOG_EMERG,
	.nr_fields = 10,
	.fields = { { "u", STRATA_FIELD_UNSIGNED, 1, 1 },
		    { "_s", STRATA_FIELD_SIGNED, 2, 3 },
		    { "__x", STRATA_FIELD_HEX, 8, 1 },
		    { "t", STRATA_FIELD_TEXT, 1, 16 },
		    { "string", STRATA_FIELD_STRING, 1, 1 },
		    { "sequence", STRATA_FIELD_HEX, 8, 0 },
		    { "float", STRATA_FIELD_FLOAT, 4, 1 },
		    { "doubles", STRATA_FIELD_FLOAT, 8, 0 },
		    { "texts", STRATA_FIELD_TEXT, 1, 0 },
		    { "one", STRATA_FIELD_TEXT, 1, 1 } },
};

static const struct strata_event_desc nothing = { .id = 90000,
						  .name = "int",
						  .level = STRATA_LOG_DEBUG };

static int set_up(void **state)
{
	struct given *given = calloc(1, sizeof(*given));
	unsigned int i;

	*state = given;
	strcpy(given->dir, "/tmp/strata-recorded-XXXXXX");
	if (!given || !mkdtemp(given->dir))
		return -1;
	given->recording.tsc_khz = 1000000;
	given->source = strata_recording_add_source(&given->recording, "g1");
	given->source->layer = STRATA_LAYER_KERNEL;
	given->source->form = STRATA_HEADER_LARGE;
	for (i = 0; i < 16; i++)
		given->source->uuid[i] = (uint8_t)(i * 17);
	return 0;
}

static int tear_down(void **state)
{
	struct given *given = *state;
	char command[80];

	strata_recording_clear(&given->recording);
	strata_recording_clear(&given->loaded);
	snprintf(command, sizeof(command), "rm -rf '%s'", given->dir);
	free(given);
	return system(command);
}

static void add(struct given *given, const struct strata_event_desc *event)
{
	if (strata_source_add_event(given->source, event, &given->error))
		fail_msg("%s", given->error.text);
}

static void save(struct given *given)
{
	if (saved_metadata(&given->recording, given->source, given->dir, &given->error) ||
	    saved_recording(&given->recording, given->dir, &given->error))
		fail_msg("%s", given->error.text);
}

/* The only source, with its events. */
static struct strata_source *load(struct given *given)
{
	strata_recording_clear(&given->loaded);
	if (loaded_recording(&given->loaded, given->dir, &given->error))
		fail_msg("%s", given->error.text);
	assert_int_equal(given->loaded.nr_sources, 1);
	assert_int_equal(given->loaded.nr_faults, 0);
	return &given->loaded.sources[0];
}

/* Reads DIR/@name; it ends with a zero byte. */
static char *text_of(const struct given *given, const char *name)
{
	static char text[65536];
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", given->dir, name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void write_text(const struct given *given, const char *name, const char *text)
{
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", given->dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

/* Replaces the last @what in DIR/@name by @with. */
static void replace(const struct given *given, const char *name, const char *what, const char *with)
{
	static char changed[65536];
	char *text = text_of(given, name), *at = NULL, *next = text;

	while ((next = strstr(next, what)))
		at = next++;
	if (!at)
		fail_msg("%s has no \"%s\"", name, what);
	*at = '\0';
	snprintf(changed, sizeof(changed), "%s%s%s", text, with, at + strlen(what));
	write_text(given, name, changed);
}

static void what_was_saved_is_read_from_the_metadata(void **state)
{
	struct given *given = *state;
	struct strata_source *source;

	add(given, &everything);
	add(given, &nothing);
	save(given);
	source = load(given);
	assert_int_equal(source->nr_events, 2);
	assert_memory_equal(source->events[0], &everything, strata_event_packed_bytes(&everything));
	assert_memory_equal(source->events[1], &nothing, strata_event_packed_bytes(&nothing));
	assert_memory_equal(source->shapes, given->source->shapes, 2 * sizeof(*source->shapes));
	assert_int_equal(source->description_bytes, given->source->description_bytes);
	assert_int_equal(source->form, STRATA_HEADER_LARGE);
}

static void contexts_are_read_from_the_metadata(void **state)
{
	struct given *given = *state;
	uint32_t contexts;

	add(given, &everything);
	for (contexts = 0; contexts <= STRATA_CONTEXTS_ALL; contexts++) {
		given->source->contexts = contexts;
		save(given);
		assert_int_equal(load(given)->contexts, contexts);
	}
}

/* Also where entries of the guest's table between them are unused. */
static void counters_are_read_from_the_metadata(void **state)
{
	const uint32_t contexts = STRATA_CONTEXTS_ALL | STRATA_COUNTER_BIT(1) |
				  STRATA_COUNTER_BIT(15);
	struct given *given = *state;
	struct strata_source *source;

	add(given, &everything);
	given->source->contexts = contexts;
	strcpy(given->source->counters.field[1], "perf_cpu_cycles");
	strcpy(given->source->counters.field[15], "perf_cpu_raw_r1_a");
	save(given);
	source = load(given);
	assert_int_equal(source->contexts,
			 STRATA_CONTEXTS_ALL | STRATA_COUNTER_BIT(0) | STRATA_COUNTER_BIT(1));
	assert_string_equal(source->counters.field[0], "perf_cpu_cycles");
	assert_string_equal(source->counters.field[1], "perf_cpu_raw_r1_a");
	replace(given, "g1/metadata", " _perf_cpu_raw", " _perf_cup_raw");
	strata_recording_clear(&given->loaded);
	assert_int_equal(loaded_recording(&given->loaded, given->dir, &given->error), -1);
}

#define MORE_FIELD " integer { size = 32; align = 32; signed = false; } _more;"

/* Each pair: what the metadata of all contexts has, and what makes it another tracer's. */
static void a_context_that_no_recorder_writes_is_refused(void **state)
{
	static const char *const changes[][2] = {
		{ " _tid;", " _tud;" },
		{ " _prio;", " _prior;" },
		{ " _procname[16];", " _procname[17];" },
		{ "__callstack_user_length;", "__callstack_usor_length;" },
		{ " _callstack_user_cut;", " _callstack_user_out;" },
		{ " _callstack_user[stream.event.context.__callstack_user_length];",
		  " _callstack_user[stream.event.context.__callstack_user_length]; " MORE_FIELD },
		{ " _callstack_user_cut;", " _callstack_user_cut; " MORE_FIELD },
	};
	struct given *given = *state;
	size_t i;

	add(given, &nothing);
	given->source->contexts = STRATA_CONTEXTS_ALL;
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		save(given);
		replace(given, "g1/metadata", changes[i][0], changes[i][1]);
		strata_recording_clear(&given->loaded);
		assert_int_equal(loaded_recording(&given->loaded, given->dir, &given->error), -1);
	}
}

/* Any bytes: what a terminal, CTF or a shell would interpret. */
#define HOSTILE_FORMAT "\x1b]0;%d\a \"%s\"\\ \xff\n$(x) */ %n"

static void formats_are_read_from_the_metadata(void **state)
{
	struct given *given = *state;
	struct strata_event_desc one = everything, other = nothing, plain = { .name = "plain" };
	struct strata_source *source;

	assert_true(strata_event_set_format(&one, HOSTILE_FORMAT, strlen(HOSTILE_FORMAT)));
	assert_true(strata_event_set_format(&other, "", 0));
	add(given, &one);
	add(given, &other);
	add(given, &plain);
	assert_int_equal(given->source->description_bytes,
			 strata_event_desc_bytes(one.nr_fields) + 2 * strata_event_desc_bytes(0) +
				 sizeof(HOSTILE_FORMAT) + sizeof(""));
	save(given);
	source = load(given);
	assert_int_equal(source->nr_events, 3);
	assert_null(strata_event_format(source->events[0]));
	assert_string_equal(strata_event_format(source->events[1]), HOSTILE_FORMAT);
	assert_memory_equal(source->events[1], &one, strata_event_packed_bytes(&one));
	assert_memory_equal(source->events[2], &other, strata_event_packed_bytes(&other));
	assert_int_equal(source->description_bytes, given->source->description_bytes);
}

static void a_format_that_is_no_single_string_is_refused(void **state)
{
	struct given *given = *state;
	struct strata_event_desc event = everything;

	assert_true(strata_event_set_format(&event, "a\0b", 3));
	assert_int_equal(strata_source_add_event(given->source, &event, &given->error), -1);
	assert_non_null(strstr(given->error.text, "its only zero byte"));
	assert_true(strata_event_set_format(&event, "ab", 2));
	event.format_bytes = 2;
	assert_int_equal(strata_source_add_event(given->source, &event, &given->error), -1);
	event.format_bytes = STRATA_EVENT_FORMAT_BYTES + 1;
	assert_int_equal(strata_source_add_event(given->source, &event, &given->error), -1);
	assert_non_null(strstr(given->error.text, "a format of 513 bytes (at most 512)"));
}

static void formats_of_other_classes_are_ignored(void **state)
{
	struct given *given = *state;
	struct strata_event_desc one = everything;

	assert_true(strata_event_set_format(&one, "%d", 2));
	add(given, &one);
	save(given);
	replace(given, "g1/metadata", "message_format_2_3", "message_format_1_3");
	assert_null(strata_event_format(load(given)->events[0]));
	replace(given, "g1/metadata", "message_format_1_3",
		"message_format_2_99999999999999999999");
	assert_null(strata_event_format(load(given)->events[0]));
}

static void formats_that_are_too_long_are_ignored(void **state)
{
	struct given *given = *state;
	struct strata_event_desc one = everything;
	char longer[STRATA_EVENT_FORMAT_BYTES + sizeof("\"\"")] = "\"";

	memset(longer + 1, 'x', STRATA_EVENT_FORMAT_BYTES - 1);
	strcpy(longer + STRATA_EVENT_FORMAT_BYTES, "\"");
	assert_true(strata_event_set_format(&one, "short", 5));
	add(given, &one);
	save(given);
	replace(given, "g1/metadata", "\"short\"", longer);
	assert_int_equal(strlen(strata_event_format(load(given)->events[0])),
			 STRATA_EVENT_FORMAT_BYTES - 1);
	replace(given, "g1/metadata", "\"x", "\"xx");
	assert_null(strata_event_format(load(given)->events[0]));
}

static void strata_json_has_no_event_types(void **state)
{
	static const char *const types[] = { "everything", "sequence", "fields",
					     "kind",       "count",    "event_header" };
	struct given *given = *state;
	const char *text;
	size_t i;

	add(given, &everything);
	save(given);
	text = text_of(given, STRATA_RECORDING_FILE);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strstr(text, types[i]))
			fail_msg("recording.json says \"%s\": %s", types[i], text);
	}
	assert_non_null(strstr(text_of(given, "g1/metadata"), "everything"));
}

static void numbers_get_their_ids_back(void **state)
{
	struct given *given = *state;
	struct strata_event_desc event = everything;
	const uint32_t ids[] = { 1600000000, 5, 70000 };
	struct strata_source *source;
	size_t i;

	assert_int_equal(strata_source_number_events(given->source, &given->error), 0);
	for (i = 0; i < 3; i++) {
		event.id = ids[i];
		snprintf(event.name, sizeof(event.name), "number_%zu", i);
		add(given, &event);
	}
	save(given);
	source = load(given);
	assert_int_equal(source->nr_events, 3);
	for (i = 0; i < 3; i++) {
		const struct strata_event_shape *shape =
			strata_source_record_shape(source, (uint32_t)i);

		assert_non_null(shape);
		assert_int_equal(shape->id, ids[i]);
		snprintf(event.name, sizeof(event.name), "number_%zu", i);
		assert_string_equal(strata_shape_event(source, shape)->name, event.name);
	}
	assert_null(strata_source_record_shape(source, 3));
}

/* Version 1 had all classes in recording.json, too. */
static void the_version_before_is_read(void **state)
{
	struct given *given = *state;

	add(given, &everything);
	save(given);
	replace(given, STRATA_RECORDING_FILE, "\"version\":2", "\"version\":1");
	replace(given, STRATA_RECORDING_FILE, "\"streams\":[]",
		"\"event_header\":\"large\",\"streams\":[],\"events\":[{\"id\":4,\"name\":\"old\","
		"\"fields\":[{\"name\":\"f\",\"kind\":\"hex\",\"bytes\":8,\"count\":1}]}]");
	assert_int_equal(load(given)->nr_events, 1);
	assert_memory_equal(given->loaded.sources[0].events[0], &everything,
			    strata_event_packed_bytes(&everything));
	/* An imported one. */
	replace(given, STRATA_RECORDING_FILE, "\"id\":4,", "\"id\":4,\"number\":0,");
	replace(given, "g1/metadata", "\tid = 3;", "\tid = 0;");
	assert_int_equal(load(given)->nr_events, 1);
	assert_int_equal(given->loaded.sources[0].events[0]->id, 4);
}

static void assert_refused(struct given *given, const char *because)
{
	strata_recording_clear(&given->loaded);
	assert_int_equal(strata_recording_load(&given->loaded, given->dir, &given->error), 0);
	if (!strata_source_load_events(&given->loaded.sources[0], given->dir, &given->error))
		fail_msg("accepted instead of \"%s\"", because);
	if (!strstr(given->error.text, because))
		fail_msg("\"%s\" does not say \"%s\"", given->error.text, because);
	assert_non_null(strstr(given->error.text, "/g1"));
	assert_int_equal(given->loaded.sources[0].nr_events, 0);
}

static void types_that_no_recorder_writes_are_refused(void **state)
{
	static const struct {
		const char *what, *with, *because;
	} cases[] = {
		{ "name = \"everything\"", "name = \"every thing\"", "name is not a C identifier" },
		{ "name = \"everything\"",
		  "name = \"a234567890123456789012345678901234567890123456789012345678901234\"",
		  "not a recorded event's id or name" },
		{ "id = 3", "id = 4294967296", "not a recorded event's id or name" },
		{ " _u;", " _u2345678901234567890123456789012;", "name of a field has over 31" },
		{ "integer { size = 8; align = 8; signed = false; } _u",
		  "integer { size = 7; align = 8; signed = false; } _u", "field u: not of a type" },
		{ "integer { size = 8; align = 8; signed = false; } _u",
		  "integer { size = 16; align = 8; signed = false; } _u",
		  "field u: not of a type" },
		{ "integer { size = 8; align = 8; signed = false; } _u",
		  "integer { size = 32; align = 32; signed = false; byte_order = be; } _u",
		  "field u: not of a type" },
		{ "integer { size = 8; align = 8; signed = false; } _u",
		  "enum : integer { size = 8; align = 8; signed = false; } { A } _u",
		  "field u: not of a type" },
		{ "integer { size = 8; align = 8; signed = false; } _u",
		  "struct { integer { size = 8; align = 8; signed = false; } a; } _u",
		  "field u: not of a type" },
		{ "__s[3]", "__s[0]", "field _s: not of a type" },
		{ "__s[3]", "__s[65536]", "field _s: not of a type" },
		{ "__s[3]", "__s[65535]", "payload of" },
		{ "size = 32; align = 32; signed = false; } __sequence_length",
		  "size = 16; align = 16; signed = false; } __sequence_length",
		  "a sequence without a preceding length" },
		{ " _one[1]", " _u[1]", "a second field of the name" },
		{ "loglevel = 0", "loglevel = 15", "not a log level" },
		{ "loglevel = 0", "loglevel = -2", "not a log level" },
	};
	struct given *given = *state;
	size_t i;

	add(given, &everything);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		save(given);
		replace(given, "g1/metadata", cases[i].what, cases[i].with);
		assert_refused(given, cases[i].because);
	}
	save(given);
	assert_int_equal(load(given)->nr_events, 1);
}

static void another_recording_s_metadata_is_refused(void **state)
{
	struct given *given = *state;
	char path[80];

	add(given, &everything);
	save(given);
	given->source->uuid[3] ^= 1;
	assert_int_equal(saved_recording(&given->recording, given->dir, &given->error), 0);
	assert_refused(given, "another recording");
	save(given);
	replace(given, "g1/metadata", "\tid = 2;", "\tid = 3;");
	assert_refused(given, "");
	save(given);
	replace(given, STRATA_RECORDING_FILE, "\"streams\":[]",
		"\"streams\":[],\"events\":[{\"id\":4,\"number\":2}]");
	assert_refused(given, "no event class has the number 2");
	write_text(given, "g1/metadata", "");
	assert_refused(given, "the file is empty");
	snprintf(path, sizeof(path), "%s/g1/metadata", given->dir);
	assert_int_equal(unlink(path), 0);
	assert_refused(given, "No such file");
	assert_int_equal(symlink("/proc/self/maps", path), 0);
	assert_refused(given, "symbolic links are not followed");
}

#define test_given(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_given(what_was_saved_is_read_from_the_metadata),
		test_given(formats_are_read_from_the_metadata),
		test_given(contexts_are_read_from_the_metadata),
		test_given(counters_are_read_from_the_metadata),
		test_given(a_context_that_no_recorder_writes_is_refused),
		test_given(a_format_that_is_no_single_string_is_refused),
		test_given(formats_of_other_classes_are_ignored),
		test_given(formats_that_are_too_long_are_ignored),
		test_given(strata_json_has_no_event_types),
		test_given(numbers_get_their_ids_back),
		test_given(the_version_before_is_read),
		test_given(types_that_no_recorder_writes_are_refused),
		test_given(another_recording_s_metadata_is_refused),
	};

	return cmocka_run_group_tests_name("recorded_events", tests, NULL, NULL);
}
