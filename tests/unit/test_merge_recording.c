// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_recording.c - recording.json saved and loaded, refused values, the table of Xen's
 * events, and the escaping of names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/abi/hypervisor.h>

#include "base/escape.h"
#include "recording/recording.h"
#include "saved.h"
#include "xen/xen_event_table.h"
#include "xen/xen_events.h"

static char dir[] = "/tmp/strata-recording-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static void what_is_saved_is_loaded_again(void **state)
{
	struct strata_recording saved = { .tsc_khz = 2893202,
					  .anchor_ticks = UINT64_MAX,
					  .anchor_realtime_ns = INT64_MAX };
	struct strata_recording loaded;
	struct strata_source *source = strata_recording_add_source(&saved, "g1");
	struct strata_stream *stream;
	struct strata_error error;
	unsigned int i;

	(void)state;
	source->layer = STRATA_LAYER_KERNEL;
	source->domain = 513;
	strcpy(source->domain_name, "gäst \"1\"\n");
	source->pid = INT32_MAX;
	source->uid = UINT32_MAX;
	source->came_ticks = 5;
	source->went_ticks = 1ull << 62;
	source->ended = STRATA_SOURCE_REBOOTED;
	for (i = 0; i < 16; i++)
		source->uuid[i] = (uint8_t)(i * 17);
	/* Added out of order, kept in order. */
	assert_non_null(strata_source_add_stream(source, 9));
	stream = strata_source_add_stream(source, 2);
	stream->packets = 11;
	stream->events = 1ull << 60;
	stream->lost = 13;
	stream->bad_packets = 14;

	assert_int_equal(saved_recording(&saved, dir, &error), 0);
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.tsc_khz, 2893202);
	assert_int_equal(loaded.anchor_ticks, UINT64_MAX);
	assert_int_equal(loaded.anchor_realtime_ns, INT64_MAX);
	assert_int_equal(loaded.nr_sources, 1);
	assert_string_equal(loaded.sources[0].name, "g1");
	assert_int_equal(loaded.sources[0].layer, STRATA_LAYER_KERNEL);
	assert_int_equal(loaded.sources[0].domain, 513);
	assert_string_equal(loaded.sources[0].domain_name, "gäst \"1\"\n");
	assert_memory_equal(loaded.sources[0].uuid, saved.sources[0].uuid, 16);
	assert_int_equal(loaded.sources[0].pid, INT32_MAX);
	assert_int_equal(loaded.sources[0].uid, UINT32_MAX);
	assert_int_equal(loaded.sources[0].came_ticks, 5);
	assert_int_equal(loaded.sources[0].went_ticks, 1ull << 62);
	assert_int_equal(loaded.sources[0].ended, STRATA_SOURCE_REBOOTED);
	assert_int_equal(loaded.sources[0].nr_streams, 2);
	assert_memory_equal(loaded.sources[0].streams, saved.sources[0].streams,
			    2 * sizeof(struct strata_stream));
	assert_int_equal(loaded.sources[0].streams[0].cpu, 2);
	strata_recording_clear(&saved);
	strata_recording_clear(&loaded);
}

static void a_domain_name_that_is_no_utf8_can_be_saved(void **state)
{
	struct strata_recording saved = { .tsc_khz = 1 }, loaded;
	struct strata_source *source = strata_recording_add_source(&saved, "g1");
	struct strata_error error;

	(void)state;
	strcpy(source->domain_name, "a\xff\xc3(\xc3\xa4\xed\xa0\x80");
	assert_int_equal(saved_recording(&saved, dir, &error), 0);
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_string_equal(loaded.sources[0].domain_name, "a?"
							   "?(\xc3\xa4?"
							   "?"
							   "?");
	strata_recording_clear(&saved);
	strata_recording_clear(&loaded);
}

/* A recording that is right, but for @member of one place in it. */
#define GOOD_HEAD             "\"format\":\"strata recording\",\"version\":2"
#define GOOD_CLOCK            "\"tsc_khz\":2400000,\"anchor_ticks\":1,\"anchor_realtime_ns\":2"
#define GOOD_SOURCE           "\"layer\":\"kernel\",\"domain\":1,\"domain_name\":\"g1\","
#define GOOD_UUID             "\"uuid\":\"00112233-4455-6677-8899-aabbccddeeff\","
#define GOOD_STREAMS          "\"streams\":[],"
#define EVENT(id, number)     "{\"id\":" id ",\"number\":" number "}"
#define WITH_SOURCES(sources) "{" GOOD_HEAD "," GOOD_CLOCK ",\"sources\":[" sources "]}"
#define SOURCE(name, streams, events)                                           \
	"{\"name\":\"" name "\"," GOOD_SOURCE GOOD_UUID "\"streams\":[" streams \
	"],\"events\":[" events "]}"
#define WITH_EVENT(event) WITH_SOURCES(SOURCE("g1", "", event))
#define WITH_LIFE(life) \
	WITH_SOURCES("{\"name\":\"g1\"," GOOD_SOURCE GOOD_UUID GOOD_STREAMS life "\"events\":[]}")
#define STREAM(cpu, lost) \
	"{\"cpu\":" cpu ",\"packets\":1,\"events\":1,\"lost\":" lost ",\"bad_packets\":0}"

static void write_text(const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/recording.json", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	fclose(file);
}

static int load_text(const char *text, struct strata_error *error)
{
	struct strata_recording loaded;
	int status;

	write_text(text);
	status = strata_recording_load(&loaded, dir, error);
	if (!status && loaded.nr_faults)
		status = strata_fail(error, "%s", loaded.faults[0].text);
	strata_recording_clear(&loaded);
	return status;
}

static void everything_that_is_wrong_in_a_file_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *because;
	} cases[] = {
		{ "", "not a JSON object" },
		{ "[]", "not a JSON object" },
		{ "{" GOOD_HEAD, "not a JSON object" },
		{ "{" GOOD_HEAD "," GOOD_CLOCK ",\"sources\":[]} x", "not a JSON object" },
		{ "{\"a\":\"\xff\"}", "not a JSON object" },
		{ "{}", "\"format\"" },
		{ "{\"format\":\"strata recording\",\"version\":3}",
		  "version 3; this program reads versions 1 to 2" },
		{ "{\"format\":\"strata recording\",\"version\":0}", "version 0" },
		{ "{" GOOD_HEAD ",\"tsc_khz\":0,\"anchor_ticks\":1,\"anchor_realtime_ns\":2,"
		  "\"sources\":[]}",
		  "\"tsc_khz\" is 0" },
		{ "{" GOOD_HEAD ",\"tsc_khz\":-1}", "\"tsc_khz\" is not a whole number" },
		{ "{" GOOD_HEAD ",\"tsc_khz\":1.5}", "\"tsc_khz\" is not a whole number" },
		{ "{" GOOD_HEAD ",\"tsc_khz\":\"1\"}", "\"tsc_khz\" is not a whole number" },
		{ "{" GOOD_HEAD ",\"tsc_khz\":100000001}", "\"tsc_khz\" is over" },
		{ "{" GOOD_HEAD ",\"tsc_khz\":1,\"anchor_ticks\":1,"
		  "\"anchor_realtime_ns\":9223372036854775808}",
		  "\"anchor_realtime_ns\" is over" },
		{ "{" GOOD_HEAD "," GOOD_CLOCK ",\"sources\":{}}", "\"sources\" is not an array" },
		{ WITH_SOURCES("1"), "source 0: \"name\" is not a string" },
		{ WITH_SOURCES("{\"name\":\"../g1\"}"), "is not valid as a directory's name" },
		{ WITH_SOURCES("{\"name\":\"..\"}"), "is not valid as a directory's name" },
		{ WITH_SOURCES("{\"name\":\"\"}"), "is not valid as a directory's name" },
		{ WITH_SOURCES("{\"name\":\"a\\u0000b\"}"), "\"name\" is not a text" },
		{ WITH_SOURCES(SOURCE("g1", "", "") "," SOURCE("g1", "", "")),
		  "another source has that name" },
		{ WITH_SOURCES("{\"name\":\"g1\",\"layer\":\"bios\"}"), "\"layer\" is not one of" },
		{ WITH_SOURCES("{\"name\":\"g1\",\"layer\":\"kernel\",\"domain\":65536}"),
		  "\"domain\" is over" },
		{ WITH_SOURCES("{\"name\":\"g1\"," GOOD_SOURCE "\"uuid\":\"0\"}"), "not a UUID" },
		{ WITH_LIFE("\"migrates\":2,"), "\"migrates\" is over" },
		{ WITH_LIFE("\"pid\":2147483648,\"uid\":0,"), "\"pid\" is over" },
		{ WITH_LIFE("\"pid\":1,\"uid\":4294967296,"), "\"uid\" is over" },
		{ WITH_LIFE("\"pid\":1,"), "\"uid\" is not a whole number" },
		{ WITH_LIFE("\"came_ticks\":-1,"), "\"came_ticks\" is not a whole number" },
		{ WITH_LIFE("\"went_ticks\":7,"), "\"ended\" is not a string" },
		{ WITH_LIFE("\"ended\":\"domain destroyed\","), "\"went_ticks\" is not a whole" },
		{ WITH_LIFE("\"went_ticks\":7,\"ended\":\"tired\","),
		  "\"ended\" is not a known reason" },
		{ WITH_LIFE("\"went_ticks\":7,\"ended\":\"with the recording\","),
		  "\"ended\" is not a known reason" },
		{ WITH_LIFE("\"came_ticks\":8,\"went_ticks\":7,\"ended\":\"domain destroyed\","),
		  "before \"came_ticks\"" },
		{ WITH_SOURCES(SOURCE("g1", STREAM("65535", "0"), "")), "\"cpu\" is over" },
		{ WITH_SOURCES(SOURCE("g1", STREAM("0", "-1"), "")), "\"lost\" is not" },
		{ WITH_SOURCES(SOURCE("g1", STREAM("3", "0") "," STREAM("3", "0"), "")),
		  "stream 1: duplicate stream of CPU 3" },
		{ WITH_EVENT(EVENT("4294967296", "0")), "event entry 0: \"id\" is over" },
		{ WITH_EVENT(EVENT("1", "4096")), "\"number\" is over" },
		{ WITH_EVENT(EVENT("1", "0") "," EVENT("\"1\"", "1")),
		  "event entry 1: \"id\" is not a whole number" },
		{ WITH_EVENT("{\"number\":1}"), "\"id\" is not a whole number" },
	};
	struct strata_error error;
	size_t i;

	(void)state;
	/* Given that without a fault it is accepted ... */
	assert_int_equal(
		load_text(WITH_SOURCES(SOURCE("g1", STREAM("3", "0"), EVENT("1", "0"))), &error),
		0);
	assert_int_equal(load_text(WITH_LIFE("\"came_ticks\":7,\"went_ticks\":7,"
					     "\"ended\":\"domain destroyed\","),
				   &error),
			 0);
	/* ... with each of these it is not. */
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (load_text(cases[i].text, &error) == 0)
			fail_msg("accepted: %s", cases[i].text);
		if (!strstr(error.text, cases[i].because))
			fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, error.text,
				 cases[i].because);
	}
}

#define BAD_SOURCE "{\"name\":\"g2\",\"layer\":\"moon\"}"

static void a_source_that_cannot_be_read_is_left_out_alone(void **state)
{
	struct strata_recording loaded;
	struct strata_error error;

	(void)state;
	/* Given a bad source between two good ones, the good ones are loaded ... */
	write_text(WITH_SOURCES(SOURCE("g1", "", "") "," BAD_SOURCE "," SOURCE("g3", "", "")));
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.nr_sources, 2);
	assert_string_equal(loaded.sources[0].name, "g1");
	assert_string_equal(loaded.sources[1].name, "g3");
	/* ... and the bad one is named, with the reason. */
	assert_int_equal(loaded.nr_faults, 1);
	assert_non_null(strstr(loaded.faults[0].text, "source 1 g2: \"layer\" is not one of"));
	assert_non_null(strstr(loaded.faults[0].text, "; it is left out"));
	strata_recording_clear(&loaded);
	/* With nothing else in it, the file is no recording. */
	write_text(WITH_SOURCES(BAD_SOURCE));
	assert_int_equal(strata_recording_load(&loaded, dir, &error), -1);
	assert_non_null(strstr(error.text, "source 0 g2: \"layer\" is not one of"));
}

#define HEX(name, bytes, count)                      \
	{                                            \
		name, STRATA_FIELD_HEX, bytes, count \
	}
#define OF_KIND(kind, bytes, count) .nr_fields = 1, .fields = { { "f", kind, bytes, count } }

static void every_event_that_is_wrong_is_refused(void **state)
{
	static const struct {
		struct strata_event_desc event;
		const char *because;
	} cases[] = {
		{ { .name = "a b" }, "its name is not a C identifier" },
		{ { .name = "1a" }, "its name is not a C identifier" },
		{ { .name = "a", .group = "b c" }, "its group is not a C identifier" },
		{ { .id = 7, .name = "b" }, "a has the same id" },
		{ { .name = "a", OF_KIND(9, 4, 1) }, "unknown kind 9" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_FLOAT, 2, 1) }, "a float must have 4 or 8" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_SIGNED, 3, 1) },
		  "3 bytes (must be 1, 2, 4 or 8" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_TEXT, 2, 1) }, "text of 2-byte elements" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_STRING, 2, 1) }, "text of 2-byte elements" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_STRING, 1, 0) }, "0 strings (must be 1)" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_STRING, 1, 2) }, "2 strings (must be 1)" },
		{ { .name = "a",
		    .nr_fields = 2,
		    .fields = { HEX("f", 4, 0), HEX("_f_length", 1, 1) } },
		  "fields f and _f_length: in CTF, one would" },
		{ { .name = "a",
		    .nr_fields = 2,
		    .fields = { HEX("_f_length", 1, 1), HEX("f", 4, 0) } },
		  "fields _f_length and f: in CTF, one would" },
		{ { .name = "a", OF_KIND(STRATA_FIELD_HEX, 8, 257) }, "payload of 2056 bytes" },
		{ { .name = "a", .nr_fields = 2, .fields = { HEX("f", 8, 1), HEX("f", 8, 1) } },
		  "another field has that name" },
	};
	const struct strata_event_desc good = { .id = 7,
						.name = "a",
						OF_KIND(STRATA_FIELD_HEX, 8, 256) };
	struct strata_recording recording = { 0 };
	struct strata_source *source = strata_recording_add_source(&recording, "g1");
	struct strata_error error;
	size_t i;

	(void)state;
	/* Given that without a fault it is accepted ... */
	assert_int_equal(strata_source_add_event(source, &good, &error), 0);
	/* ... with each of these it is not. */
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strata_source_add_event(source, &cases[i].event, &error))
			fail_msg("accepted: %s", cases[i].because);
		if (!strstr(error.text, cases[i].because))
			fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].because);
	}
	assert_int_equal(source->nr_events, 1);
	strata_recording_clear(&recording);
}

static void a_directory_that_is_no_recording_is_named(void **state)
{
	struct strata_recording loaded;
	struct strata_error error;

	(void)state;
	assert_int_equal(strata_recording_load(&loaded, "/nonexistent", &error), -1);
	assert_non_null(strstr(error.text, "/nonexistent/recording.json: No such file"));
}

static void an_error_carries_its_causes_and_never_overruns(void **state)
{
	struct strata_error error;
	char text[2000];

	(void)state;
	assert_int_equal(strata_fail(&error, "bad packet size %d", 70368), -1);
	assert_int_equal(strata_fail_in(&error, "ring %d", 3), -1);
	strata_fail_in(&error, "guest %s", "g1");
	assert_string_equal(error.text, "guest g1: ring 3: bad packet size 70368");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	strata_fail(&error, "%s", text);
	strata_fail_in(&error, "%s", text);
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
}

static void every_row_of_xens_events_describes_its_words(void **state)
{
	struct strata_recording recording = { 0 };
	struct strata_source *source = strata_recording_add_source(&recording, "xen");
	struct strata_event_desc event;
	struct strata_error error;
	size_t i;

	(void)state;
	for (i = 0; i < strata_xen_event_table_rows; i++) {
		const struct xen_event_row *row = &strata_xen_event_table[i];
		uint32_t id = row->id | row->words << STRATA_HV_ID_WORDS_SHIFT;

		assert_true(strata_xen_event(id, &event));
		if (strcmp(event.name, row->name) != 0)
			fail_msg("row 0x%07x, %u words: \"%s\" is not usable", row->id, row->words,
				 row->fields);
		assert_int_equal(strata_event_payload_bytes(&event), row->words * 4);
		if (strata_source_add_event(source, &event, &error))
			fail_msg("%s", error.text);
	}
	strata_recording_clear(&recording);
}

static void runstate_changes_are_named_by_their_states(void **state)
{
	struct strata_runstate_change change;
	struct strata_event_desc event;

	(void)state;
	assert_true(strata_xen_event(0x10021211u, &event));
	assert_string_equal(event.name, "runstate_blocked_to_runnable");
	assert_string_equal(event.fields[0].name, "of_vcpu");
	assert_true(strata_xen_runstate_change(0x10021211u, &change));
	assert_int_equal(change.before, STRATA_RUNSTATE_BLOCKED);
	assert_int_equal(change.after, STRATA_RUNSTATE_RUNNABLE);
	/* continue_running has another id; a change without its word has no meaning. */
	assert_false(strata_xen_runstate_change(0x10021002u, &change));
	assert_false(strata_xen_runstate_change(0x00021211u, &change));
}

static void stratas_own_events_are_described_as_their_structures(void **state)
{
	struct strata_event_desc event;

	(void)state;
	assert_true(strata_xen_event((uint32_t)STRATA_HV_PCPU_CLOCK, &event));
	assert_int_equal(strata_event_payload_bytes(&event), sizeof(struct strata_hv_pcpu_clock));
	assert_true(strata_xen_event((uint32_t)STRATA_HV_VCPU_CLOCK, &event));
	assert_int_equal(strata_event_payload_bytes(&event), sizeof(struct strata_hv_vcpu_clock));
	assert_true(strata_xen_event((uint32_t)STRATA_HV_VCPU_STATE, &event));
	assert_int_equal(strata_event_payload_bytes(&event), sizeof(struct strata_hv_vcpu_state));
	assert_true(strata_xen_event((uint32_t)STRATA_HV_PCPU_SKEW, &event));
	assert_int_equal(strata_event_payload_bytes(&event), sizeof(struct strata_hv_pcpu_skew));
	assert_true(strata_xen_event((uint32_t)STRATA_HV_BUDGET, &event));
	assert_int_equal(strata_event_payload_bytes(&event), sizeof(struct strata_hv_budget));
	assert_true(strata_xen_event((uint32_t)STRATA_HV_SELECTION, &event));
	assert_int_equal(strata_event_payload_bytes(&event), sizeof(struct strata_hv_selection));
	assert_false(strata_xen_event(0x80000000u, &event));
}

static void unknown_ids_cannot_fill_memory(void **state)
{
	struct strata_recording recording = { 0 };
	struct strata_source *source = strata_recording_add_source(&recording, "xen");
	uint32_t id;

	(void)state;
	for (id = 0; id < 2 * STRATA_SOURCE_EVENTS_MAX; id++)
		strata_source_event(source, 0x0ff00000u + id);
	assert_int_equal(source->nr_events, STRATA_SOURCE_EVENTS_MAX);
	assert_non_null(strata_source_event(source, 0x0ff00000u));
	assert_null(strata_source_event(source, 0x0fe00000u));
	strata_recording_clear(&recording);
}

static void a_terminal_gets_no_control_character_of_a_guest(void **state)
{
	char out[64];

	(void)state;
	assert_string_equal(strata_escape_name(out, sizeof(out), "a\033[31m\n\"\\\x9b\xc3\xa4"),
			    "a\\x1b[31m\\x0a\\\"\\\\\\x9b\\xc3\\xa4");
	/* Cut between characters, never inside an escape. */
	assert_string_equal(strata_escape_name(out, 6, "ab\n"), "ab");
	assert_string_equal(strata_escape_name(out, 7, "ab\n"), "ab\\x0a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded_again),
		cmocka_unit_test(a_domain_name_that_is_no_utf8_can_be_saved),
		cmocka_unit_test(everything_that_is_wrong_in_a_file_is_refused),
		cmocka_unit_test(a_source_that_cannot_be_read_is_left_out_alone),
		cmocka_unit_test(every_event_that_is_wrong_is_refused),
		cmocka_unit_test(a_directory_that_is_no_recording_is_named),
		cmocka_unit_test(an_error_carries_its_causes_and_never_overruns),
		cmocka_unit_test(every_row_of_xens_events_describes_its_words),
		cmocka_unit_test(runstate_changes_are_named_by_their_states),
		cmocka_unit_test(stratas_own_events_are_described_as_their_structures),
		cmocka_unit_test(unknown_ids_cannot_fill_memory),
		cmocka_unit_test(a_terminal_gets_no_control_character_of_a_guest),
	};

	return cmocka_run_group_tests_name("recording", tests, make_dir, remove_dir);
}
