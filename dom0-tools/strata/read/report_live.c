// SPDX-License-Identifier: GPL-2.0-or-later
/* report_live.c - see report_live.h. */
#include "strata/read/report_live.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyses/live_reports.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "consumerd/host/file_limit.h"
#include "files/out_file.h"
#include "strata/read/screen.h"
#include "strata/read/time_text.h"
#include "strata/read/traces.h"

#define NS_PER_MS   1000000u
#define LOOK_MS     100
#define DELAY_MS    100u  /* as in `strata view --live` */
#define PATIENCE_MS 5000u /* as in `strata view --live` */
#define WINDOW_MS   5000u
#define REDRAW_MS   1000u
#define NOTES_MAX   20u /* messages to show again at the end */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

struct report_live {
	const struct report_options *options;
	struct strata_live_reports_options windows;
	const char *raw;
	struct strata_out_file *out;
	struct screen screen;
	bool has_screen;
	char *frame; /* the next one to draw; NULL: the newest is already shown */
	char *notes[NOTES_MAX];
	size_t nr_notes, all_notes;
	uint64_t told; /* number of windows reported */
	bool complained;
};

/* Receives a message; if the screen is drawn in place, it is shown below the reports, and again at
 * the end. */
static void complain(void *data, const char *message)
{
	struct report_live *live = data;

	live->complained = true;
	live->all_notes++;
	if (!live->has_screen)
		fprintf(stderr, "strata: report: %s\n", message);
	else if (live->nr_notes < NOTES_MAX && (live->notes[live->nr_notes] = strdup(message)))
		live->nr_notes++;
}

/* Writes the range, and what the reports on it lack. */
static void put_heading(const struct report_live *live, const struct strata_live_window *window,
			FILE *out)
{
	char from[TIME_OF_DAY_BYTES], to[TIME_OF_DAY_BYTES], name[256];

	fprintf(out, "%s to %s of %s%s\n", time_of_day(from, false, window->from_ns),
		time_of_day(to, false, window->to_ns),
		strata_escape_name(name, sizeof(name), live->raw),
		window->is_last ? ", which has ended" : "");
	if (window->late)
		fprintf(out,
			"Late:     %" PRIu64
			" events came late and are in no report; states that depend on them are unknown\n",
			window->late);
	if (window->lost)
		fprintf(out, "Lost:     %" PRIu64 " events before they could be recorded\n",
			window->lost);
	if (window->ended)
		fprintf(out,
			"Ended:    %" PRIu64 " sources; their states are unknown from then on\n",
			window->ended);
}

static int put_text(const struct report_live *live, const struct strata_live_window *window,
		    FILE *out)
{
	size_t i;
	int status;

	put_heading(live, window, out);
	fprintf(out, "\n");
	status = report_print_text(window->reports, live->options, window->facts, true, out);
	for (i = 0; live->has_screen && i < live->nr_notes; i++)
		fprintf(out, "strata: report: %s\n", live->notes[i]);
	if (!live->has_screen && !window->is_last)
		fprintf(out, "\n");
	return status;
}

static int put_json(const struct report_live *live, const struct strata_live_window *window,
		    FILE *out)
{
	struct json_object *root = json_object_new_object();
	int status;

	json_object_object_add(root, "from_ns", json_object_new_uint64(window->from_ns));
	json_object_object_add(root, "to_ns", json_object_new_uint64(window->to_ns));
	json_object_object_add(root, "is_last", json_object_new_boolean(window->is_last));
	json_object_object_add(root, "late_events", json_object_new_uint64(window->late));
	json_object_object_add(root, "discarded_events", json_object_new_uint64(window->lost));
	json_object_object_add(root, "ended_sources", json_object_new_uint64(window->ended));
	status = report_add_json(window->reports, live->options, window->facts, root);
	fprintf(out, "%s\n", json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN));
	json_object_put(root);
	return status;
}

static int take_window(void *data, const struct strata_live_window *window,
		       struct strata_error *error)
{
	struct report_live *live = data;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int status = -1;

	if (out) {
		status = live->options->form == REPORT_JSON ? put_json(live, window, out)
							    : put_text(live, window, out);
		status |= fclose(out);
	}
	if (status) {
		free(text);
		return strata_fail(error, "out of memory");
	}
	live->told++;
	if (live->has_screen) {
		/* If several windows end in one look, only the newest is drawn. */
		free(live->frame);
		live->frame = text;
		return 0;
	}
	strata_out_write(live->out, text, bytes);
	free(text);
	return 0;
}

/* Returns 0, or -1: the terminal is gone. */
static int draw(struct report_live *live)
{
	char *frame = live->frame;

	live->frame = NULL;
	return frame ? screen_show(&live->screen, frame) : screen_follow_size(&live->screen);
}

/* Looks until the recording ends, the user stops it, or the reader of the output is gone. Returns 0
 * or -1. */
static int follow(struct report_live *live, struct strata_live *recording,
		  struct strata_live_reports *reports, struct strata_error *error)
{
	int status = 0;

	while (!status && !interrupted && !strata_out_failed(live->out)) {
		status = strata_live_reports_look(reports, recording, error);
		if (live->has_screen && draw(live))
			break;
		if (!status && !interrupted)
			strata_out_wait(live->out, LOOK_MS);
	}
	return status < 0 ? -1 : 0;
}

/* Chooses the length of windows and the interval between them. */
static int choose_windows(struct report_live *live, struct strata_error *error)
{
	const struct report_options *options = live->options;
	const uint64_t window_ms = options->window_ms ? options->window_ms : WINDOW_MS;
	uint64_t every_ms = options->every_ms;

	if (!every_ms && live->has_screen && window_ms > REDRAW_MS)
		every_ms = window_ms / STRATA_LIVE_WINDOWS < REDRAW_MS
				   ? REDRAW_MS
				   : window_ms / STRATA_LIVE_WINDOWS + 1;
	if (!every_ms)
		every_ms = window_ms;
	if (every_ms > window_ms || (window_ms - 1) / every_ms >= STRATA_LIVE_WINDOWS)
		return strata_fail(error,
				   "--every is not longer than --window, and not shorter "
				   "than 1/%u of it",
				   STRATA_LIVE_WINDOWS);
	live->windows.window_ns = window_ms * NS_PER_MS;
	live->windows.every_ns = every_ms * NS_PER_MS;
	return 0;
}

/* Reports what is known only at the end. */
static void say_end(const struct report_live *live, const struct strata_live_progress *progress)
{
	size_t i;

	for (i = 0; i < live->nr_notes; i++)
		fprintf(stderr, "strata: report: %s\n", live->notes[i]);
	if (live->has_screen && live->all_notes > live->nr_notes)
		fprintf(stderr, "strata: report: and %zu more messages\n",
			live->all_notes - live->nr_notes);
	if (progress->died)
		fprintf(stderr,
			"strata: report: the recorder died; `strata recover %s` recovers events that it had not written\n",
			live->raw);
	if (progress->late)
		fprintf(stderr,
			"strata: report: %" PRIu64
			" events came late in all; without --live the reports have them\n",
			progress->late);
	if (!live->told)
		fprintf(stderr, "strata: report: nothing was recorded meanwhile\n");
}

static void clear(struct report_live *live)
{
	size_t i;

	for (i = 0; i < live->nr_notes; i++)
		free(live->notes[i]);
	free(live->frame);
}

/* Follows an open recording; returns the exit status. */
static int run(struct report_live *live, struct strata_live *recording)
{
	struct strata_live_reports *reports = strata_live_reports_new(&live->windows);
	struct strata_error error, later;
	int result = -1;
	bool unread;

	live->out = strata_out_open("-", false, &error);
	if (live->has_screen)
		screen_open(&live->screen, STDOUT_FILENO);
	if (live->out && reports)
		result = follow(live, recording, reports, &error);
	else if (live->out)
		strata_fail(&error, "out of memory");
	if (live->has_screen)
		screen_close(&live->screen);
	/* A reader that ends early, like `| head`, is not a failure. */
	unread = live->out && strata_out_unread(live->out);
	if (live->out && strata_out_close(live->out, result ? &later : &error) && !unread)
		result = -1;
	strata_live_reports_free(reports);
	say_end(live, strata_live_progress(recording));
	if (result)
		fprintf(stderr, "strata: report: %s\n", error.text);
	if (result)
		return STRATA_STATUS_FAILED;
	return live->complained || strata_live_progress(recording)->died ? STRATA_STATUS_PARTIAL
									 : STRATA_STATUS_OK;
}

int report_live(const struct report_options *options, const char *raw)
{
	const struct sigaction action = { .sa_handler = on_signal };
	const struct strata_request_forms forms = { options->state.requests.forms,
						    options->state.requests.nr };
	struct report_live live = {
		.options = options,
		.windows = { .kinds = options->kinds,
			     .nr_kinds = options->nr_kinds,
			     .requests = &forms,
			     .from_beginning = options->state.times.from != NULL,
			     .stop = &interrupted,
			     .window = take_window,
			     .data = &live },
		.raw = raw,
		.has_screen = options->form == REPORT_TEXT && screen_is_possible(STDOUT_FILENO),
	};
	/* The state of tasks and vCPUs follows from all earlier events. */
	const struct strata_live_options live_options = { .delay_ns = DELAY_MS * NS_PER_MS,
							  .patience_ns =
								  (uint64_t)PATIENCE_MS * NS_PER_MS,
							  .from_beginning = true,
							  .complain = complain,
							  .complain_data = &live };
	struct strata_live *recording;
	struct strata_error error;
	int status;

	if (choose_windows(&live, &error))
		return traces_wrong("report", error.text, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	file_limit_raise();
	recording = strata_live_open(raw, &live_options, &error);
	if (!recording) {
		fprintf(stderr, "strata: report: %s\n", error.text);
		clear(&live);
		return STRATA_STATUS_FAILED;
	}
	status = run(&live, recording);
	strata_live_close(recording);
	clear(&live);
	return status;
}
