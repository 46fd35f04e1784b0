// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live_reports.c - each report on a window of a recording that goes on is the report on that
 * range of the finished recording, figure by figure, but for bounds; whatever window, and whenever
 * the recorder ends.
 *
 * test_live_reports [RAW...]: of these recordings, which must be writable, instead of the
 * synthetic one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../machines_found.h"
#include "analyses/live_reports.h"
#include "base/array.h"
#include "host/recording_traces.h"
#include "live_player.h"
#include "saved.h"
#include "synthetic.h"
#include "timeline/slices.h"

static char **raws;
static int nr_raws;

/* The report of a window, or of the same range afterwards. */
struct told {
	uint64_t from_ns, to_ns;
	bool is_last;
	uint64_t late;
	char *json;
};

struct all_told {
	struct told *windows;
	size_t nr, room;
};

static const struct strata_report_kind *kinds[32];
static const struct strata_request_forms no_requests;

/* Bounds become known better until the end. */
static void drop_bounds(struct json_object *rows)
{
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++)
		json_object_object_del(json_object_array_get_idx(rows, i), "bound_ns");
}

static char *tables_text(struct strata_report *const *reports,
			 const struct strata_state_facts *facts)
{
	struct json_object *root = json_object_new_object();
	struct strata_table tables[STRATA_REPORT_TABLES];
	size_t i, j, nr;
	char *text;

	for (i = 0; i < strata_nr_report_kinds; i++) {
		assert_int_equal(strata_report_tables(reports[i], tables, &nr), 0);
		for (j = 0; j < nr; j++) {
			struct json_object *rows = strata_table_to_json(&tables[j]);

			assert_non_null(rows);
			drop_bounds(rows);
			json_object_object_add(root, tables[j].key, rows);
			strata_table_clear(&tables[j]);
		}
	}
	json_object_object_add(root, "events", json_object_new_uint64(facts->events));
	json_object_object_add(root, "last_ns", json_object_new_uint64(facts->last_ns));
	json_object_object_add(root, "losses", json_object_new_uint64(facts->losses));
	json_object_object_add(root, "contradictions",
			       json_object_new_uint64(facts->contradictions));
	text = strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
	assert_non_null(text);
	return text;
}

static int keep(void *data, const struct strata_live_window *window, struct strata_error *error)
{
	struct all_told *all = data;

	(void)error;
	assert_true(STRATA_GROW(all->windows, all->nr, all->room));
	all->windows[all->nr++] =
		(struct told){ .from_ns = window->from_ns,
			       .to_ns = window->to_ns,
			       .is_last = window->is_last,
			       .late = window->late,
			       .json = tables_text(window->reports, window->facts) };
	return 0;
}

static uint64_t now_ticks;

static uint64_t host_clock(void)
{
	return now_ticks;
}

/* Plays the recording until @end_ticks, when its recorder ends, and follows it in about @looks
 * looks. */
static void follow(const char *raw, const struct strata_live_reports_options *options,
		   uint64_t end_ticks, unsigned int looks)
{
	const struct strata_live_options live_options = { .patience_ns = UINT64_MAX / 2,
							  .from_beginning = true,
							  .clock = host_clock };
	struct strata_error error = { "" };
	struct strata_live_reports *reports;
	struct live_player player;
	struct strata_live *live;
	uint64_t step;
	int status = 0;

	live_player_open(&player, raw);
	step = 2 * (end_ticks - player.begin_ticks) / looks + 1;
	live = strata_live_open(raw, &live_options, &error);
	if (!live)
		fail_msg("%s", error.text);
	reports = strata_live_reports_new(options);
	assert_non_null(reports);
	for (now_ticks = player.begin_ticks; !status; now_ticks += (uint64_t)rand() % step) {
		live_player_say(&player, now_ticks, now_ticks > end_ticks);
		/* The tables are saved, and loaded anew, now and then. */
		player.table->generation += rand() % 10 == 0;
		status = strata_live_reports_look(reports, live, &error);
	}
	if (status < 0)
		fail_msg("%s", error.text);
	assert_int_equal(strata_live_progress(live)->late, 0);
	strata_live_reports_free(reports);
	strata_live_close(live);
	live_player_close(&player);
}

/* The report on a range of the whole recording. */
static char *report_range(const char *raw, uint64_t from_ns, uint64_t to_ns)
{
	struct strata_error error = { "" };
	struct strata_recording_traces *traces =
		strata_recording_traces_open(raw, NULL, NULL, NULL, &error);
	const struct strata_recording *recording = strata_recording_traces_table(traces);
	struct strata_report *reports[32];
	struct strata_span_listener *listeners[32];
	struct strata_slice_options slices = { .to_ns = to_ns, .threads = 1, .nr_observers = 1 };
	struct strata_slice_sink *observer;
	struct strata_trace_set set = { 0 };
	struct strata_machines machines;
	struct strata_host_state *state;
	struct strata_shown shown;
	size_t i;
	char *text;

	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].nr_streams)
			assert_int_equal(strata_trace_set_add(
						 &set,
						 strata_recording_traces_trace(traces, i, &error),
						 &error),
					 0);
	}
	assert_int_equal(machines_found(&machines, &set, NULL, NULL, &error), 0);
	assert_int_equal(strata_trace_set_make_index(&set, &error), 0);
	assert_int_equal(strata_shown_init(&shown, &set, &error), 0);
	for (i = 0; i < strata_nr_report_kinds; i++) {
		reports[i] = strata_report_new(kinds[i], &shown, from_ns, to_ns);
		listeners[i] = &reports[i]->listener;
	}
	state = strata_host_state_new(&set, &no_requests, listeners, strata_nr_report_kinds,
				      &error);
	assert_non_null(state);
	observer = strata_host_state_observer(state);
	slices.observers = &observer;
	assert_int_equal(strata_slices_run(&set, &slices, NULL, &error), 0);
	assert_int_equal(strata_host_state_finish(state, &error), 0);
	text = tables_text(reports, strata_host_state_facts(state));
	for (i = 0; i < strata_nr_report_kinds; i++)
		strata_report_free(reports[i]);
	strata_host_state_free(state);
	strata_shown_clear(&shown);
	strata_trace_set_clear(&set);
	strata_machines_clear(&machines);
	strata_recording_traces_close(traces);
	return text;
}

/* Fails with the first line that differs. */
static void differ(const char *live, const char *after, size_t at, const struct told *told)
{
	size_t i = 0, line = 0;

	for (; live[i] && live[i] == after[i]; i++)
		line = live[i] == '\n' ? i + 1 : line;
	fail_msg("window %zu, %llu to %llu: live %.*s, but afterwards %.*s", at,
		 (unsigned long long)told->from_ns, (unsigned long long)told->to_ns,
		 (int)strcspn(live + line, "\n"), live + line, (int)strcspn(after + line, "\n"),
		 after + line);
}

/* Compares the windows of one way to follow. */
static void compare(const char *raw, struct all_told *all,
		    const struct strata_live_reports_options *options)
{
	size_t i;

	assert_true(all->nr > 3);
	for (i = 0; i < all->nr; i++) {
		struct told *told = &all->windows[i];
		char *after = report_range(raw, told->from_ns, told->to_ns);

		if (strcmp(told->json, after) != 0)
			differ(told->json, after, i, told);
		assert_int_equal(told->late, 0);
		assert_int_equal(told->is_last, i + 1 == all->nr);
		if (i)
			assert_int_equal(told->from_ns,
					 all->windows[i - 1].from_ns + options->every_ns);
		if (!told->is_last)
			assert_int_equal(told->to_ns, told->from_ns + options->window_ns);
		free(after);
		free(told->json);
	}
	free(all->windows);
}

/* Windows one after the other, and windows that overlap.  @part: of the recording is recorded when
 * the recorder ends, and writes the rest. */
static void follow_and_compare(const char *raw, unsigned int windows, unsigned int overlap,
			       double part)
{
	struct strata_live_reports_options options = {
		.kinds = kinds,
		.nr_kinds = strata_nr_report_kinds,
		.requests = &no_requests,
		.from_beginning = true,
		.window = keep,
	};
	struct all_told all = { .nr = 0 };
	struct live_player player;
	uint64_t end_ticks;

	options.data = &all;
	live_player_open(&player, raw);
	options.window_ns = (player.last_ns - player.first_ns) / windows;
	options.every_ns = options.window_ns / overlap;
	end_ticks = player.begin_ticks +
		    (uint64_t)((double)(player.end_ticks - player.begin_ticks) * part);
	live_player_close(&player);
	follow(raw, &options, end_ticks, 50);
	compare(raw, &all, &options);
}

static void write_tables(const struct synthetic *rec)
{
	struct strata_recording recording = { 0 };
	struct strata_error error = { "" };
	size_t i;

	assert_int_equal(loaded_recording(&recording, rec->dir, &error), 0);
	for (i = 0; i < recording.nr_sources; i++)
		assert_int_equal(
			saved_metadata(&recording, &recording.sources[i], rec->dir, &error), 0);
	strata_recording_clear(&recording);
}

static void each_window_is_what_the_finished_recording_says(void **state)
{
	const struct synthetic_host host = {
		.turns = 1500,
		.marks = 3,
		.slack_before = 20000,
		.slack_after = 20000,
		.clock = { .is_hvm = true, .offset = 5000, .ratio = 1 },
	};
	struct synthetic rec;
	unsigned int round;
	int i;

	(void)state;
	for (i = 0; i < nr_raws; i++) {
		follow_and_compare(raws[i], 6, 1, 0.8);
		follow_and_compare(raws[i], 4, 3, 0.8);
	}
	for (round = 0; !nr_raws && round < 4; round++) {
		srand(round);
		memset(&rec, 0, sizeof(rec));
		synthetic_init(&rec);
		synthetic_build_host(&rec, &host);
		synthetic_write(&rec);
		write_tables(&rec);
		follow_and_compare(rec.dir, 7, 1, 0.8);
		follow_and_compare(rec.dir, 5, 4, 0.7);
		follow_and_compare(rec.dir, 3, 10, 0.9);
		synthetic_free(&rec);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_window_is_what_the_finished_recording_says),
	};
	size_t i;

	raws = argv + 1;
	nr_raws = argc - 1;
	for (i = 0; i < strata_nr_report_kinds; i++)
		kinds[i] = &strata_report_kinds[i];
	return cmocka_run_group_tests_name("live reports", tests, NULL, NULL);
}
