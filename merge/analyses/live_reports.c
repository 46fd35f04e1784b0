// SPDX-License-Identifier: GPL-2.0-or-later
/* live_reports.c - see live_reports.h. */
#include "analyses/live_reports.h"

#include <stdlib.h>
#include <string.h>

#include "live/steady_set.h"

/* Of a longer series of windows without events, only the first and the last are reported. */
#define SILENT_WINDOWS 1000u

struct window {
	uint64_t from_ns, to_ns;
	struct strata_report **reports;
	struct strata_span_listener **listeners; /* those of the reports */
	struct strata_spans spans;               /* distributes spans to them */
};

struct strata_live_reports {
	struct strata_live_sink sink;
	struct strata_span_listener listener, *listeners[1]; /* receives the spans of the state */
	const struct strata_live_reports_options *options;
	const struct strata_live *live;
	struct strata_steady_set steady;
	struct strata_host_state *state; /* NULL: not created yet */
	struct strata_shown shown;
	bool has_shown;
	bool has_begun;      /* next_ns is known */
	bool has_ends;       /* the ends of the traces are known: the recording has ended */
	bool was_stopped;    /* by options->stop */
	uint64_t next_ns;    /* where the next window begins */
	uint64_t done_ns;    /* all earlier events were processed */
	struct window *open; /* the oldest first */
	size_t nr_open;
	uint64_t late, ended; /* as in struct strata_live_window */
	uint64_t told_lost;
};

/* Windows ------------------------------------------------------------------------------------- */

static void free_window(const struct strata_live_reports *all, struct window *window)
{
	size_t i;

	for (i = 0; window->reports && i < all->options->nr_kinds; i++)
		strata_report_free(window->reports[i]);
	free(window->reports);
	free(window->listeners);
}

static int open_window(struct strata_live_reports *all, struct strata_error *error)
{
	const struct strata_live_reports_options *options = all->options;
	struct window *window = &all->open[all->nr_open];
	size_t i;

	*window = (struct window){
		.from_ns = all->next_ns,
		.to_ns = all->next_ns + options->window_ns,
		.reports = calloc(options->nr_kinds, sizeof(*window->reports)),
		.listeners = calloc(options->nr_kinds, sizeof(*window->listeners)),
	};
	for (i = 0; window->reports && window->listeners && i < options->nr_kinds; i++) {
		window->reports[i] = strata_report_new(options->kinds[i], &all->shown,
						       window->from_ns, window->to_ns);
		if (!window->reports[i])
			break;
		window->listeners[i] = &window->reports[i]->listener;
	}
	if (i < options->nr_kinds) {
		free_window(all, window);
		return strata_fail(error, "out of memory");
	}
	window->spans = strata_spans_of(window->listeners, options->nr_kinds);
	all->nr_open++;
	all->next_ns += options->every_ns;
	return 0;
}

/* Passes on the oldest window. */
static int close_window(struct strata_live_reports *all, bool is_last, struct strata_error *error)
{
	const uint64_t lost = strata_live_progress(all->live)->lost;
	struct window window = all->open[0];
	struct strata_live_window told = {
		.from_ns = window.from_ns,
		.to_ns = window.to_ns,
		.is_last = is_last,
		.reports = window.reports,
		.shown = &all->shown,
		.facts = strata_host_state_facts(all->state),
		.late = all->late,
		.lost = lost - all->told_lost,
		.ended = all->ended,
	};
	int status;

	strata_host_state_tell_open(all->state, &window.spans);
	memmove(all->open, all->open + 1, --all->nr_open * sizeof(*all->open));
	/* The recording ends before the window does. */
	if (is_last && told.facts->last_ns + 1 < told.to_ns)
		told.to_ns = told.facts->last_ns + 1;
	status = all->options->window(all->options->data, &told, error);
	free_window(all, &window);
	all->late = all->ended = 0;
	all->told_lost = lost;
	return status;
}

/* All events before @ns were processed: closes windows, and opens others. Returns 0 or -1. */
static int advance(struct strata_live_reports *all, uint64_t ns, struct strata_error *error)
{
	const uint64_t every_ns = all->options->every_ns;
	const bool is_silent = ns > all->next_ns && (ns - all->next_ns) / every_ns > SILENT_WINDOWS;
	int status = 0;

	if (ns > all->done_ns)
		all->done_ns = ns;
	while (!status) {
		const bool ends = all->nr_open && all->open[0].to_ns <= ns;

		if (ends && (is_silent || all->open[0].to_ns <= all->next_ns)) {
			status = close_window(all, false, error);
		} else if (!is_silent && all->next_ns <= ns) {
			status = open_window(all, error);
		} else if (is_silent) {
			all->next_ns += (ns - all->next_ns) / every_ns * every_ns;
			return advance(all, ns, error);
		} else {
			return 0;
		}
	}
	return status;
}

/* Listener for the state's spans --------------------------------------------------------------- */

static const struct strata_live_reports *of_listener(struct strata_span_listener *listener)
{
	return (struct strata_live_reports *)((char *)listener -
					      offsetof(struct strata_live_reports, listener));
}

static void tell_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	const struct strata_live_reports *all = of_listener(listener);
	size_t i;

	for (i = 0; i < all->nr_open; i++)
		strata_spans_tell(&all->open[i].spans, span);
}

static void tell_link(struct strata_span_listener *listener, const struct strata_link *link)
{
	const struct strata_live_reports *all = of_listener(listener);
	size_t i;

	for (i = 0; i < all->nr_open; i++)
		strata_spans_tell_link(&all->open[i].spans, link);
}

static void tell_queue(struct strata_span_listener *listener, const struct strata_queue_span *queue)
{
	const struct strata_live_reports *all = of_listener(listener);
	size_t i;

	for (i = 0; i < all->nr_open; i++)
		strata_spans_tell_queue(&all->open[i].spans, queue);
}

/* Following the recording ---------------------------------------------------------------------- */

static void close_sources(struct strata_live_reports *all)
{
	if (all->has_shown)
		strata_shown_clear(&all->shown);
	all->has_shown = false;
	strata_steady_set_close(&all->steady);
}

/* After the end of a source its state is unknown. */
static int end_sources(struct strata_live_reports *all, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < all->steady.nr; i++) {
		if (!all->steady.traces[i]->has_just_ended)
			continue;
		all->ended++;
		if (strata_host_state_end_trace(all->state, i, 0))
			return strata_fail(error, "out of memory");
	}
	return 0;
}

static int sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
		   struct strata_error *error)
{
	struct strata_live_reports *all = (struct strata_live_reports *)sink;
	const struct strata_live_reports_options *options = all->options;
	const uint64_t now_ns = strata_live_progress(all->live)->now_ns;
	const uint64_t free_ns =
		all->done_ns > options->window_ns ? all->done_ns - options->window_ns : 0;

	if (!set) {
		close_sources(all);
		return 0;
	}
	if (strata_steady_set_change(&all->steady, set, all->done_ns, free_ns, error) ||
	    strata_shown_init(&all->shown, &all->steady.set, error))
		return -1;
	all->has_shown = true;
	if (all->state)
		return strata_host_state_change_set(all->state, &all->steady.set, error) ||
				       end_sources(all, error)
			       ? -1
			       : 0;
	all->state = strata_host_state_new_live(&all->steady.set, options->requests, all->listeners,
						1, error);
	/* The first window ends now. */
	if (!options->from_beginning && now_ns > options->window_ns) {
		all->next_ns = now_ns - options->window_ns;
		all->has_begun = true;
	}
	return all->state ? 0 : -1;
}

/* No more data will come, so the end of each trace can be determined. */
static int find_ends(struct strata_live_reports *all, struct strata_error *error)
{
	all->has_ends = true;
	return strata_trace_set_make_index(&all->steady.set, error) ||
			       strata_host_state_find_ends(all->state, error)
		       ? -1
		       : 0;
}

/* A late event is in no window; the state that it would have changed is unknown. */
static int take_late(struct strata_live_reports *all, size_t stream,
		     struct strata_ctf_reader *reader, size_t nr, struct strata_error *error)
{
	struct strata_slice_sink *state = strata_host_state_observer(all->state);
	const struct strata_loss loss = { .from_ns = all->done_ns, .to_ns = all->done_ns };

	all->late += nr;
	return state->lose(state, stream, reader, &loss, error);
}

static int take(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, bool late,
		struct strata_error *error)
{
	struct strata_live_reports *all = (struct strata_live_reports *)sink;
	struct strata_slice_sink *state = strata_host_state_observer(all->state);
	size_t of_window;
	int status = 0;

	if (late)
		return take_late(all, stream, reader, nr, error);
	if (strata_live_progress(all->live)->has_ended && !all->has_ends && find_ends(all, error))
		return -1;
	if (!all->has_begun)
		all->next_ns = events[0].ns;
	all->has_begun = true;
	/* A window may end within a run. */
	for (; nr && !status; events += of_window, nr -= of_window) {
		uint64_t before_ns;

		status = advance(all, events[0].ns, error);
		before_ns = all->next_ns;
		if (all->nr_open && all->open[0].to_ns < before_ns)
			before_ns = all->open[0].to_ns;
		for (of_window = 1; of_window < nr && events[of_window].ns < before_ns; of_window++)
			;
		if (!status)
			status = state->take(state, stream, reader, events, of_window, error);
	}
	all->was_stopped = all->options->stop && *all->options->stop;
	return status ? status : all->was_stopped;
}

static int lose(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_live_reports *all = (struct strata_live_reports *)sink;
	struct strata_slice_sink *state = strata_host_state_observer(all->state);

	return state->lose(state, stream, reader, loss, error);
}

int strata_live_reports_look(struct strata_live_reports *all, struct strata_live *live,
			     struct strata_error *error)
{
	const struct strata_live_progress *progress = strata_live_progress(live);
	int status;

	all->live = live;
	status = strata_live_look(live, &all->sink, error);
	if (status < 0 || all->was_stopped || !all->has_begun)
		return status;
	if (!progress->has_ended)
		return advance(all, progress->watermark_ns, error) ? -1 : status;
	/* Windows that are still open end with the recording; those that begin later are parts of
	 * the first. */
	if (all->nr_open && close_window(all, true, error))
		return -1;
	return 1;
}

uint64_t strata_live_reports_ns(const struct strata_live_reports *all)
{
	return all->done_ns;
}

struct strata_live_reports *
strata_live_reports_new(const struct strata_live_reports_options *options)
{
	struct strata_live_reports *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->sink = (struct strata_live_sink){ .sources = sources, .take = take, .lose = lose };
	all->listener = (struct strata_span_listener){ .span = tell_span,
						       .link = tell_link,
						       .queue = tell_queue };
	all->listeners[0] = &all->listener;
	all->options = options;
	/* One more, because one window begins where another ends. */
	all->open = calloc(STRATA_LIVE_WINDOWS + 1, sizeof(*all->open));
	if (all->open)
		return all;
	strata_live_reports_free(all);
	return NULL;
}

void strata_live_reports_free(struct strata_live_reports *all)
{
	size_t i;

	if (!all)
		return;
	for (i = 0; i < all->nr_open; i++)
		free_window(all, &all->open[i]);
	close_sources(all);
	strata_host_state_free(all->state);
	strata_steady_set_clear(&all->steady);
	free(all->open);
	free(all);
}
