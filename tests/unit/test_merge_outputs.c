// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_outputs.c - `strata merge` from its command line to its files; that
 * babeltrace2 opens every trace without a word of complaint; the text, the
 * summary, and the answer of the wake-up analysis.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "strata/commands.h"
#include "recording/ctf_metadata.h"
#include "synthetic.h"
#include "saved.h"

struct given {
	struct synthetic rec;
	char out[160];
	char stdout_text[1 << 20];
	char stderr_text[1 << 20];
};

static const struct synthetic_host host = { .turns = 40,
					    .marks = 3,
					    .slack_before = 37,
					    .slack_after = 23,
					    .clock = { .is_hvm = true,
						       .offset = 0 - 900000000000ull } };

static void read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
}

/* Runs the verb and keeps its output; the arguments end with NULL. */
static int run_merge(struct given *given, ...)
{
	char *argv[16] = { "merge" };
	char out[200], err[200];
	int argc = 1, status;
	va_list args;
	pid_t child;

	va_start(args, given);
	while ((argv[argc] = va_arg(args, char *)))
		argc++;
	va_end(args);
	snprintf(out, sizeof(out), "%s/stdout", given->rec.dir);
	snprintf(err, sizeof(err), "%s/stderr", given->rec.dir);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen(out, "w", stdout) || !freopen(err, "w", stderr))
			_exit(99);
		status = strata_cmd_merge(argc, argv);
		fflush(NULL);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	read_text(out, given->stdout_text, sizeof(given->stdout_text));
	read_text(err, given->stderr_text, sizeof(given->stderr_text));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Runs a command; its output is in given->stdout_text, its complaints in stderr_text. */
static int run(struct given *given, const char *format, ...)
{
	char command[1024], all[1600];
	char out[200], err[200];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(out, sizeof(out), "%s/stdout", given->rec.dir);
	snprintf(err, sizeof(err), "%s/stderr", given->rec.dir);
	snprintf(all, sizeof(all), "{ %s; } >%s 2>%s", command, out, err);
	status = system(all);
	read_text(out, given->stdout_text, sizeof(given->stdout_text));
	read_text(err, given->stderr_text, sizeof(given->stderr_text));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int set_up(void **state)
{
	struct given *given = calloc(1, sizeof(*given));

	synthetic_init(&given->rec);
	synthetic_build_host(&given->rec, &host);
	*state = given;
	return 0;
}

static void write_recording(struct given *given)
{
	synthetic_write(&given->rec);
	snprintf(given->out, sizeof(given->out), "%s/out", given->rec.dir);
}

static int tear_down(void **state)
{
	struct given *given = *state;

	synthetic_free(&given->rec);
	free(given);
	return 0;
}

static struct json_object *load_summary(struct given *given)
{
	struct json_object *summary;
	char path[200];

	snprintf(path, sizeof(path), "%s/summary.json", given->out);
	summary = json_object_from_file(path);
	assert_non_null(summary);
	return summary;
}

static uint64_t number(struct json_object *object, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member))
		fail_msg("no \"%s\"", key);
	assert_true(json_object_is_type(member, json_type_int));
	return json_object_get_uint64(member);
}

/* Fields of variable length, in packets that end with each number of bytes beyond a multiple of
 * 4; the last one is empty. */
static void add_variable_events(struct synthetic *rec)
{
	struct synthetic_stream *stream = synthetic_stream(rec, "dom0", 0);
	static const char name[] = "/etc/\033\"x\xff";
	unsigned int i;

	for (i = 0; i < 8; i++) {
		synthetic_open(rec, "dom0", 0, stream->last_ticks + 1, name + i, i);
		synthetic_close_packet(stream);
	}
	synthetic_open(rec, "dom0", 0, stream->last_ticks + 1, "", 0);
	synthetic_open(rec, "dom0", 0, stream->last_ticks + 1, "two", 2);
}

#define OPEN_TWO                                                                                \
	"{ fd = 3, string = \"two\", _list_length = 2, list = [ [0] = 1, [1] = 2 ], flag = 7, " \
	"_text_length = 9, text = \"free text\" }"

static void babeltrace2_opens_the_merged_trace_and_counts_the_same(void **state)
{
	struct given *given = *state;
	struct json_object *summary;

	add_variable_events(&given->rec);
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 0);
	assert_string_equal(given->stderr_text, "");
	assert_int_equal(run(given, "babeltrace2 %s/ctf | wc -l", given->out), 0);
	assert_string_equal(given->stderr_text, "");
	assert_int_equal(strtoull(given->stdout_text, NULL, 10), given->rec.events);
	summary = load_summary(given);
	assert_int_equal(number(summary, "events"), given->rec.events);
	json_object_put(summary);

	/* Names, places and values arrive. */
	assert_int_equal(run(given, "babeltrace2 %s/ctf", given->out), 0);
	assert_non_null(strstr(given->stdout_text,
			       "g1 sched_switch: { lost = [ [0] = 0, [1] = 0, [2] = 0 ], cpu_id = "
			       "0, reserved = 0 }, { tid = 1 }, { prev_comm = "
			       "\"swapper\", prev_pid = 0, prev_prio = 120, prev_state = 0, "
			       "next_comm = \"sleeper\", next_pid = 100, next_prio = 120 }"));
	assert_non_null(strstr(given->stdout_text, " runstate_blocked_to_runnable: "));
	/* Also a field whose name is a word of the metadata's language. */
	assert_non_null(strstr(given->stdout_text, "{ event = 1 }"));
	/* And fields of variable length.  (Of an empty string babeltrace2 2.0 shows an earlier
	 * one.) */
	assert_non_null(strstr(given->stdout_text, OPEN_TWO));
	assert_non_null(strstr(given->stdout_text, "_list_length = 0, list = [ ], flag"));
}

static void babeltrace2_opens_the_raw_traces(void **state)
{
	struct given *given = *state;
	struct strata_recording recording;
	struct strata_error error;
	size_t i;

	add_variable_events(&given->rec);
	write_recording(given);
	assert_int_equal(loaded_recording(&recording, given->rec.dir, &error), 0);
	/* The hypervisor's ids come from its records; the recorder asks for each. */
	for (i = 0; i < 2; i++)
		assert_non_null(
			strata_source_event(&recording.sources[0], 0x80000002u + (uint32_t)i));
	assert_non_null(strata_source_event(&recording.sources[0], 0x10021001u | 2 << 8 | 1 << 4));
	assert_non_null(strata_source_event(&recording.sources[0], 0x10021001u | 0 << 8 | 1 << 4));
	assert_non_null(strata_source_event(&recording.sources[0], 0x10021001u | 0 << 8 | 2 << 4));
	assert_non_null(strata_source_event(&recording.sources[0], 0x10021001u | 1 << 8 | 0 << 4));
	for (i = 0; i < recording.nr_sources; i++)
		assert_int_equal(
			saved_metadata(&recording, &recording.sources[i], given->rec.dir, &error),
			0);
	strata_recording_clear(&recording);

	for (i = 0; i < given->rec.nr_sources; i++) {
		assert_int_equal(
			run(given, "babeltrace2 %s/%s", given->rec.dir, given->rec.sources[i].name),
			0);
		assert_string_equal(given->stderr_text, "");
		assert_non_null(strchr(given->stdout_text, '\n'));
	}
	/* dom0 has the host's clock: its first mark is at an absolute time that is known. */
	assert_int_equal(
		run(given, "babeltrace2 --clock-seconds %s/dom0 | head -1", given->rec.dir), 0);
	assert_non_null(strstr(given->stdout_text, "[1789999999.9995875"));
	assert_int_equal(run(given, "babeltrace2 %s/g1 %s/xen %s/dom0 %s/g2 | wc -l",
			     given->rec.dir, given->rec.dir, given->rec.dir, given->rec.dir),
			 0);
	assert_string_equal(given->stderr_text, "");
	assert_int_equal(strtoull(given->stdout_text, NULL, 10), given->rec.events);
	assert_int_equal(run(given, "babeltrace2 %s/dom0", given->rec.dir), 0);
	assert_non_null(strstr(given->stdout_text, OPEN_TWO));
}

/* The recording contains when its recorder began and ended to read the source. */
static void is_there(struct synthetic *rec, const char *name)
{
	unsigned int i;

	for (i = 0; i < rec->nr_sources; i++)
		if (strcmp(rec->sources[i].name, name) == 0)
			rec->sources[i].since_ticks = SYNTHETIC_ANCHOR_TICKS;
	rec->ended_ticks = synthetic_stream(rec, "xen", 0)->last_ticks;
}

static void babeltrace2_reports_losses_where_they_were(void **state)
{
	struct given *given = *state;
	struct synthetic_stream *stream = synthetic_stream(&given->rec, "g2", 0);
	struct json_object *summary;

	/* Some in the middle, some after the last event; a stream of nothing but losses; and
	 * one that lost events before its first. */
	synthetic_close_packet(stream);
	stream->lost = 5;
	synthetic_mark(&given->rec, "g2", 0, stream->last_ticks + 10000, 1);
	synthetic_close_packet(stream);
	stream->lost_after = 2;
	synthetic_stream(&given->rec, "g2", 1)->lost_after = 11;
	synthetic_stream(&given->rec, "g2", 2)->lost = 7;
	synthetic_mark(&given->rec, "g2", 2, stream->last_ticks, 1);
	is_there(&given->rec, "g2");
	/* And one more, whose times are unknown. */
	synthetic_stream(&given->rec, "xen", 5)->lost_after = 3;
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 0);
	summary = load_summary(given);
	assert_int_equal(number(summary, "lost"), 28);
	json_object_put(summary);
	assert_int_equal(run(given, "babeltrace2 %s/ctf | wc -l", given->out), 0);
	assert_int_equal(strtoull(given->stdout_text, NULL, 10), given->rec.events);
	assert_non_null(strstr(given->stderr_text, "discarded 5 events"));
	assert_non_null(strstr(given->stderr_text, "discarded 2 events"));
	assert_non_null(strstr(given->stderr_text, "discarded 7 events"));
	assert_non_null(strstr(given->stderr_text, "discarded 11 events"));
	assert_null(strstr(given->stderr_text, "discarded 3 events"));
	assert_null(strstr(given->stderr_text, "ERROR"));
}

static void the_summary_keeps_its_contract(void **state)
{
	struct given *given = *state;
	struct json_object *summary, *streams, *stream, *clock;
	size_t i;
	uint64_t events = 0;

	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 0);
	summary = load_summary(given);
	assert_true(number(summary, "duration_ns") > 0);
	assert_int_equal(number(summary, "lost"), 0);
	assert_true(json_object_object_get_ex(summary, "streams", &streams));
	assert_int_equal(json_object_array_length(streams), 5);
	for (i = 0; i < 5; i++) {
		stream = json_object_array_get_idx(streams, i);
		events += number(stream, "events");
		assert_int_equal(number(stream, "lost"), 0);
	}
	assert_int_equal(events, number(summary, "events"));
	stream = json_object_array_get_idx(streams, 3);
	assert_string_equal(json_object_get_string(json_object_object_get(stream, "source")), "g1");
	assert_string_equal(json_object_get_string(json_object_object_get(stream, "layer")),
			    "kernel");
	assert_string_equal(json_object_get_string(json_object_object_get(stream, "domain_name")),
			    "g1");
	assert_int_equal(number(stream, "domain"), 1);
	assert_int_equal(number(stream, "cpu"), 0);
	assert_true(json_object_object_get_ex(summary, "clock", &clock));
	assert_int_equal(number(clock, "checks"), 40 * (3 + 4 + 2 + 2));
	assert_int_equal(number(clock, "violations"), 0);
	assert_int_equal(number(clock, "smallest_slack_ticks"), 23);
	assert_int_equal(number(clock, "smallest_slack_ns"), 9);
	assert_int_equal(number(clock, "bound_ns"), 1);
	json_object_put(summary);
}

static void the_text_has_a_line_for_each_event_and_no_control_characters(void **state)
{
	struct given *given = *state;
	uint64_t lines = 0;
	const char *at;

	synthetic_switch(&given->rec, "g2", 0, synthetic_stream(&given->rec, "g2", 0)->last_ticks,
			 "a\033[2J\n\"\\\xff", 5);
	add_variable_events(&given->rec);
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", "-", "--format", "text", NULL), 0);
	for (at = given->stdout_text; *at; at++) {
		lines += *at == '\n';
		/* Bounds have a sign of two bytes. */
		at += strncmp(at, "\xc2\xb1", 2) == 0 ? 2 : 0;
		assert_true(*at == '\n' || (*at >= 0x20 && *at < 0x7f));
	}
	/* And the heading. */
	assert_int_equal(lines, given->rec.events + 1);
	assert_non_null(strstr(given->stdout_text, "next_comm=\"a\\x1b[2J\\x0a\\\"\\\\\\xff\""));
	assert_ptr_equal(strstr(given->stdout_text, "# time "), given->stdout_text);
	/* The host's first wake of g1, as a whole line. */
	assert_non_null(strstr(given->stdout_text,
			       "xen    xen       1    1 idle/1     "
			       "runstate_blocked_to_runnable of_vcpu=0 of_domain=1(g1)\n"));
	assert_non_null(
		strstr(given->stdout_text,
		       "g1     kernel    0    0 g1/0       sched_waking                 [ tid=1 ] "
		       "comm=\"sleeper\" pid=100 prio=120 target_cpu=0\n"));
	/* Fields of variable length: escaped like any text, empty ones shown. */
	assert_non_null(strstr(given->stdout_text,
			       "open                         [ tid=1 ] fd=3 "
			       "string=\"/etc/\\x1b\\\"x\\xff\" _list_length=0 list=[] flag=7 "
			       "_text_length=9 text=\"free text\"\n"));
	assert_non_null(strstr(given->stdout_text, "string=\"\" _list_length=0 list=[] flag=7"));
	assert_non_null(
		strstr(given->stdout_text, "string=\"two\" _list_length=2 list=[1,2] flag=7"));
	/* Times of day, since the event before, and their bounds. */
	assert_non_null(strstr(given->stdout_text, " +0.000004169  \xc2\xb1"
						   "1ns     dom0   kernel    0    1 dom0/0     "
						   "mark "));
	/* Messages go elsewhere, to keep the timeline clean. */
	assert_non_null(strstr(given->stderr_text, "Merged:"));
}

static void one_format_writes_only_that(void **state)
{
	struct given *given = *state;
	char path[200];

	write_recording(given);
	assert_int_equal(
		run_merge(given, given->rec.dir, "-o", given->out, "--format", "ctf", NULL), 0);
	snprintf(path, sizeof(path), "%s/g1/metadata", given->out);
	assert_int_equal(access(path, R_OK), 0);
	snprintf(path, sizeof(path), "%s/summary.json", given->out);
	assert_int_equal(access(path, R_OK), -1);
	assert_int_equal(run(given, "babeltrace2 %s | wc -l", given->out), 0);
	assert_int_equal(strtoull(given->stdout_text, NULL, 10), given->rec.events);
}

static void a_second_merge_replaces_the_first_and_nothing_else(void **state)
{
	struct given *given = *state;
	char path[200];
	FILE *file;

	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 0);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 1);
	assert_non_null(strstr(given->stderr_text,
			       "already holds a merge: ctf (use --force, or another -o)"));
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, "--force", NULL), 0);
	assert_int_equal(run(given, "babeltrace2 %s/ctf | wc -l", given->out), 0);
	assert_int_equal(strtoull(given->stdout_text, NULL, 10), given->rec.events);

	assert_int_equal(run(given, "rm -r %s/ctf && mkdir %s/ctf", given->out, given->out), 0);
	snprintf(path, sizeof(path), "%s/ctf/thesis.txt", given->out);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, "--force", NULL), 1);
	assert_non_null(strstr(given->stderr_text, "holds other files"));
	assert_int_equal(access(path, R_OK), 0);
}

static void a_shift_makes_the_check_fail_and_the_status_tell(void **state)
{
	struct given *given = *state;

	write_recording(given);
	assert_int_equal(
		run_merge(given, given->rec.dir, "-o", given->out, "--shift", "g1=23", NULL), 0);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, "--shift", "g1=24",
				   "--force", NULL),
			 3);
	assert_non_null(strstr(given->stderr_text, "order violated: sched_switch of g1/0 at "));
	assert_non_null(strstr(given->stderr_text, "(1 ticks) after it stopped running"));
	assert_non_null(strstr(given->stderr_text, "cannot be trusted"));
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, "--shift", "g9=1",
				   "--force", NULL),
			 1);
	assert_non_null(strstr(given->stderr_text, "no source \"g9\""));
}

static void a_bad_packet_gives_its_own_status_and_a_last_sentence(void **state)
{
	struct given *given = *state;

	synthetic_close_packet(synthetic_stream(&given->rec, "g1", 0));
	synthetic_stream(&given->rec, "g1", 0)->bytes[SYNTHETIC_HEADER_BYTES] = 99;
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 3);
	assert_non_null(
		strstr(given->stderr_text, "/g1/cpu_0: byte 104, packet at 0: event id 99 is not"));
	assert_non_null(strstr(given->stderr_text, "1 bad packets and 0 sources were left out"));
	assert_int_equal(run(given, "babeltrace2 %s/ctf | wc -l", given->out), 0);
	assert_string_equal(given->stderr_text, "");
}

static void what_the_recorder_refused_is_not_forgotten(void **state)
{
	struct given *given = *state;

	synthetic_stream(&given->rec, "g1", 0)->refused = 2;
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 3);
	assert_non_null(strstr(given->stderr_text, "2 bad packets and 0 sources were left out"));
}

static void a_source_that_is_left_out_gives_the_same_status(void **state)
{
	struct given *given = *state;
	struct synthetic_host impossible = host;

	synthetic_free(&given->rec);
	impossible.clock.frac_bits = 64;
	synthetic_build_host(&given->rec, &impossible);
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 3);
	assert_non_null(
		strstr(given->stderr_text, "g1: the recorded time stamp counter of this domain"));
	assert_non_null(strstr(given->stderr_text, "0 bad packets and 1 sources were left out"));
	/* And the trace is a trace without it. */
	assert_int_equal(run(given, "babeltrace2 %s/ctf | grep -c -e mark -e sched_", given->out),
			 0);
	assert_string_equal(given->stderr_text, "");
	assert_int_equal(strtoull(given->stdout_text, NULL, 10), 40 * 4);
}

static void clocks_that_are_not_known_are_not_called_exact(void **state)
{
	struct given *given = *state;
	struct json_object *summary, *clock;

	synthetic_free(&given->rec);
	synthetic_add_source(&given->rec, "g7", "kernel", 7);
	synthetic_mark(&given->rec, "g7", 0, SYNTHETIC_ANCHOR_TICKS, 1);
	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, NULL), 0);
	assert_non_null(strstr(given->stdout_text, "Clocks:   g7: not recorded"));
	assert_null(strstr(given->stdout_text, "a bound of"));
	summary = load_summary(given);
	assert_true(json_object_object_get_ex(summary, "clock", &clock));
	assert_int_equal(number(clock, "assumed_clocks"), 1);
	assert_null(json_object_object_get(clock, "smallest_slack_ns"));
	json_object_put(summary);
	/* Nor is it known where it ran. */
	assert_int_equal(
		run(given, "grep -q ' kernel *0 *- g7/0 *mark' %s/timeline.txt", given->out), 0);
}

static void a_full_disk_is_said_clearly(void **state)
{
	struct given *given = *state;

	write_recording(given);
	assert_int_equal(
		run_merge(given, given->rec.dir, "-o", "/dev/full", "--format", "text", NULL), 1);
	assert_non_null(strstr(given->stderr_text, "/dev/full: the disk is full"));
}

static void what_cannot_be_is_refused_with_a_next_step(void **state)
{
	struct given *given = *state;

	write_recording(given);
	assert_int_equal(run_merge(given, given->rec.dir, "-o", "/nonexistent/out", NULL), 1);
	assert_non_null(
		strstr(given->stderr_text, "/nonexistent/out: \"nonexistent\": No such file"));
	assert_int_equal(run_merge(given, "/nonexistent", "-o", given->out, NULL), 1);
	assert_non_null(strstr(given->stderr_text, "/nonexistent: No such file or directory"));
	assert_int_equal(run_merge(given, given->rec.dir, NULL), 2);
	assert_non_null(strstr(given->stderr_text, "-o OUT is missing"));
	assert_int_equal(run_merge(given, "-o", given->out, NULL), 2);
	assert_int_equal(
		run_merge(given, given->rec.dir, "-o", given->out, "--format", "pdf", NULL), 2);
	assert_non_null(strstr(given->stderr_text, "there is no format pdf"));
	assert_int_equal(run_merge(given, given->rec.dir, "-o", given->out, "--shift", "g1", NULL),
			 2);
	assert_int_equal(
		run_merge(given, given->rec.dir, "-o", given->out, "--shift", "g1=x", NULL), 2);
	assert_int_equal(run_merge(given, "--nonsense", NULL), 2);
	assert_int_equal(run_merge(given, "--help", NULL), 0);
	assert_non_null(strstr(given->stdout_text, "Usage: strata merge"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(babeltrace2_opens_the_merged_trace_and_counts_the_same),
		TEST(babeltrace2_opens_the_raw_traces),
		TEST(babeltrace2_reports_losses_where_they_were),
		TEST(the_summary_keeps_its_contract),
		TEST(the_text_has_a_line_for_each_event_and_no_control_characters),
		TEST(one_format_writes_only_that),
		TEST(a_second_merge_replaces_the_first_and_nothing_else),
		TEST(a_shift_makes_the_check_fail_and_the_status_tell),
		TEST(a_bad_packet_gives_its_own_status_and_a_last_sentence),
		TEST(what_the_recorder_refused_is_not_forgotten),
		TEST(a_source_that_is_left_out_gives_the_same_status),
		TEST(clocks_that_are_not_known_are_not_called_exact),
		TEST(a_full_disk_is_said_clearly),
		TEST(what_cannot_be_is_refused_with_a_next_step),
	};

	return cmocka_run_group_tests_name("outputs", tests, NULL, NULL);
}
