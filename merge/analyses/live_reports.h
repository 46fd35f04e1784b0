/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_reports.h - reports on the last seconds of a recording in progress.
 *
 * A single state is kept from the recording's beginning. Each window of time has its own reports,
 * which listen to the state while the window is open. When all events before the window's end were
 * processed, these reports receive the spans still open, and are passed to the caller. So each
 * report equals the same report over that range of the finished recording, except for what is not
 * known yet: late events, a loss that only the next packet reveals, and the end of a source that
 * has gone silent. Bounds may still become smaller or larger until the end.
 *
 *     strata_live_reports_new
 *     strata_live_reports_look  in place of strata_live_look()
 *     strata_live_reports_free  before strata_live_close()
 */
#ifndef STRATA_MERGE_ANALYSES_LIVE_REPORTS_H
#define STRATA_MERGE_ANALYSES_LIVE_REPORTS_H

#include <signal.h>

#include "analyses/report.h"
#include "live/live.h"

/* Largest number of windows open at once, and so the largest ratio of a window's length to the
 * interval between windows. */
#define STRATA_LIVE_WINDOWS 64u

/* A window that has ended. */
struct strata_live_window {
	uint64_t from_ns, to_ns;
	bool is_last;                         /* the recording has ended */
	struct strata_report *const *reports; /* in the order of the kinds */
	const struct strata_shown *shown;
	const struct strata_state_facts *facts; /* from the recording's beginning */
	/* Since the previous window: late events, which are in no window, and events lost before
	 * they were recorded. */
	uint64_t late, lost;
	/* How many of the sources have ended. */
	uint64_t ended;
};

struct strata_live_reports_options {
	const struct strata_report_kind *const *kinds;
	size_t nr_kinds;
	const struct strata_request_forms *requests;
	uint64_t window_ns;
	uint64_t every_ns;   /* from the beginning of a window to that of the next */
	bool from_beginning; /* also report on windows before now */
	/* When it becomes true, a look ends; a signal handler may set it. NULL: none. */
	const volatile sig_atomic_t *stop;
	/* Receives a window; its reports are valid during the call. Returns 0, or -1 with
	 * @error. */
	int (*window)(void *data, const struct strata_live_window *window,
		      struct strata_error *error);
	void *data;
};

struct strata_live_reports;

/* @options must outlive it. Returns NULL if out of memory. */
struct strata_live_reports *
strata_live_reports_new(const struct strata_live_reports_options *options);

/* Passes on the windows that have become complete. Returns as strata_live_look() does. */
int strata_live_reports_look(struct strata_live_reports *reports, struct strata_live *live,
			     struct strata_error *error);

/* Returns the time up to which all events were processed; 0: none yet. */
uint64_t strata_live_reports_ns(const struct strata_live_reports *reports);

void strata_live_reports_free(struct strata_live_reports *reports);

#endif /* STRATA_MERGE_ANALYSES_LIVE_REPORTS_H */
