// SPDX-License-Identifier: GPL-2.0-or-later
/* view_live.c - see view_live.h. */
#include "strata/read/view_live.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "consumerd/host/file_limit.h"
#include "live/live.h"
#include "files/out_file.h"
#include "outputs/follow.h"
#include "outputs/shown.h"
#include "strata/read/time_text.h"
#include "strata/read/traces_symbols.h"

#define NS_PER_MS    1000000u
#define LOOK_MS      100
#define WRITE_BYTES  (256u << 10)
#define STATUS_LOOKS 5u /* looks between two updates of the status line */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

struct view {
	struct strata_live_sink sink;
	const struct write_options *options;
	struct strata_shown shown;
	struct traces_symbols symbols;
	struct strata_shown_view shown_view;
	bool has_shown;
	const struct strata_set_filter *filter; /* with its state */
	void *filter_run;                       /* NULL: all events match */
	const struct strata_trace_set *set;
	struct strata_event_writer *writer;
	struct strata_out_file *out;
	struct strata_buffer buffer;
	struct strata_shown_last last;
	uint64_t events; /* shown */
	bool has_status; /* the status line is on the terminal */
	bool complained;
};

static void clear_status(struct view *view)
{
	if (view->has_status)
		fprintf(stderr, "\r\x1b[K");
	view->has_status = false;
}

static void remark(void *data, const char *message)
{
	clear_status(data);
	fprintf(stderr, "strata: view: %s\n", message);
}

static void complain(void *data, const char *message)
{
	remark(data, message);
	((struct view *)data)->complained = true;
}

static void clear_shown(struct view *view)
{
	if (view->filter)
		view->filter->end(view->filter_run);
	view->filter_run = NULL;
	if (view->has_shown) {
		strata_shown_view_clear(&view->shown_view);
		strata_shown_clear(&view->shown);
	}
	view->has_shown = false;
}

static int set_filter(struct view *view, struct strata_error *error)
{
	const struct strata_filter *filter = view->options->filter;

	if (strata_filter_is_empty(filter))
		return 0;
	if (write_bind_filter(view->options, view->set, &view->shown, error))
		return -1;
	view->filter = strata_filter_of_set(filter);
	view->filter_run = view->filter->begin(view->filter);
	return view->filter_run ? 0 : strata_fail(error, "out of memory for the filter");
}

static int sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
		   struct strata_error *error)
{
	struct view *view = (struct view *)sink;

	clear_shown(view);
	if (!set)
		return 0;
	if (strata_shown_init(&view->shown, set, error))
		return -1;
	if (strata_shown_view_init(&view->shown_view, &view->shown)) {
		strata_shown_clear(&view->shown);
		return strata_fail(error, "out of memory");
	}
	view->has_shown = true;
	view->set = set;
	if (traces_add_symbols(&view->symbols, &view->shown, NULL, 0, error) ||
	    set_filter(view, error))
		return -1;
	if (view->writer->begin)
		view->writer->begin(view->writer, &view->buffer, view->shown.sources,
				    view->shown.nr_sources);
	return 0;
}

static void flush(struct view *view)
{
	strata_out_write(view->out, view->buffer.bytes, view->buffer.used);
	view->buffer.used = 0;
}

static int take(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, bool late,
		struct strata_error *error)
{
	struct view *view = (struct view *)sink;
	struct strata_lane_event wanted[STRATA_CTF_BATCH_EVENTS];
	struct strata_shown_event *event;
	size_t i;

	/* A run of events comes from one batch. */
	if (view->filter_run) {
		memcpy(wanted, events, nr * sizeof(*events));
		nr = view->filter->keep(view->filter_run, view->set->streams[stream].trace, reader,
					wanted, nr);
		events = wanted;
	}
	event = strata_shown_run(&view->shown_view, stream, reader);
	for (i = 0; i < nr; i++) {
		strata_shown_next(reader, &events[i], event);
		event->late = late;
		strata_shown_follow(event, &view->last);
		view->writer->event(view->writer, &view->buffer, event);
		view->events++;
		if (!late)
			view->last = strata_shown_last_of(event);
	}
	if (view->buffer.no_memory)
		return strata_fail(error, "out of memory");
	if (view->buffer.used >= WRITE_BYTES)
		flush(view);
	return interrupted || strata_out_failed(view->out);
}

static int lose(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct view *view = (struct view *)sink;
	struct strata_shown_loss lost;

	if (view->filter_run && view->filter->from_start)
		view->filter->lose(view->filter_run, view->set->streams[stream].trace, reader);
	if (view->filter_run &&
	    !view->filter->may_match(view->filter, view->set->streams[stream].trace, reader))
		return 0;
	strata_shown_lose(&view->shown, stream, reader, loss, &lost);
	view->writer->loss(view->writer, &view->buffer, &lost);
	return view->buffer.no_memory ? strata_fail(error, "out of memory") : 0;
}

static void show_status(struct view *view, const struct strata_live_progress *progress)
{
	char text[TIME_OF_DAY_BYTES];

	fprintf(stderr,
		"\r\x1b[Kstrata: view: complete up to %s, %" PRIu64 " events, %" PRIu64
		" late, %" PRIu64 " lost",
		time_of_day(text, view->options->gmt, progress->watermark_ns), view->events,
		progress->late, progress->lost);
	view->has_status = true;
}

/* Looks until the recording ends, the user stops it, or the reader of the output is gone. Returns 0
 * or -1. */
static int follow(struct view *view, struct strata_live *live, struct strata_error *error)
{
	const bool has_status = isatty(STDERR_FILENO) &&
				(!isatty(STDOUT_FILENO) || strcmp(view->options->out, "-"));
	unsigned int looks = 0;
	int status = 0;

	while (!status && !interrupted && !strata_out_failed(view->out)) {
		status = strata_live_look(live, &view->sink, error);
		flush(view);
		if (has_status && looks++ % STATUS_LOOKS == 0)
			show_status(view, strata_live_progress(live));
		if (!status && !interrupted)
			strata_out_wait(view->out, LOOK_MS);
	}
	clear_status(view);
	return status < 0 ? -1 : 0;
}

static void report(const struct view *view, const struct strata_live_progress *progress,
		   const char *raw)
{
	size_t i;

	if (progress->died)
		fprintf(stderr,
			"strata: view: the recorder died; `strata recover %s` recovers events that it had not written\n",
			raw);
	fprintf(stderr,
		"strata: view: %" PRIu64 " events; %" PRIu64 " came late, %" PRIu64
		" were lost before they could be recorded\n",
		view->events, progress->late, progress->lost);
	for (i = 0; view->has_shown && i < view->shown.nr_sources; i++) {
		if (strcmp(view->shown.sources[i].layer, "xen") != 0)
			continue;
		fprintf(stderr,
			"strata: view: the order was not checked; `strata merge --check %s` does "
			"that once the recording has ended\n",
			raw);
		break;
	}
}

int view_live(const struct write_options *options, const char *raw)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct view view = {
		.sink = { .sources = sources, .take = take, .lose = lose },
		.options = options,
		.symbols = { .told = { .damage = remark, .no_room = complain, .data = &view } }
	};
	const struct strata_live_options live_options = { .delay_ns = options->delay_ms * NS_PER_MS,
							  .patience_ns =
								  options->late_ms * NS_PER_MS,
							  .from_beginning = options->from != NULL,
							  .complain = complain,
							  .complain_data = &view };
	struct strata_error error, later;
	struct strata_live *live;
	int result = -1, status;
	bool unread;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	file_limit_raise();
	live = strata_live_open(raw, &live_options, &error);
	view.writer = write_make_writer(options, 0);
	view.out = live ? strata_out_open(options->out, options->force, &error) : NULL;
	if (view.out && view.writer)
		result = follow(&view, live, &error);
	else if (live && view.out)
		strata_fail(&error, "out of memory");
	/* A reader that ends early, like `| head`, is not a failure. */
	unread = view.out && strata_out_unread(view.out);
	if (view.out && strata_out_close(view.out, result ? &later : &error) && !unread)
		result = -1;
	if (result)
		fprintf(stderr, "strata: view: %s\n", error.text);
	status = result ? STRATA_STATUS_FAILED : STRATA_STATUS_OK;
	if (!result && (view.complained || strata_live_progress(live)->died))
		status = STRATA_STATUS_PARTIAL;
	if (!result)
		report(&view, strata_live_progress(live), raw);
	clear_shown(&view);
	strata_live_close(live);
	traces_symbols_clear(&view.symbols);
	if (view.writer)
		view.writer->free(view.writer);
	strata_buffer_free(&view.buffer);
	return status;
}
