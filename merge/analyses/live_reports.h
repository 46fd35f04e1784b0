/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_reports.h - reports on the last seconds of a recording that goes on.
 *
 * One state is kept from the recording's beginning.  Each window of time has reports of its own,
 * which listen to it while the window is open.  When all events before the window's end are in,
 * what goes on is told to them alone, and they are handed on.  So each says what the same report
 * says of that range of the finished recording, but for what nobody can know yet: late events, a
 * loss that only the next packet tells, and that a silent source had ended.  Bounds may become
 * smaller or larger until the end.
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

/* Open at once: a window is no more than this many times as long as from one to the next. */
#define STRATA_LIVE_WINDOWS 64u

/* A window whose end has come. */
struct strata_live_window {
	uint64_t from_ns, to_ns;
	bool is_last;                         /* of the recording, which has ended */
	struct strata_report *const *reports; /* in the order of the kinds */
	const struct strata_shown *shown;
	const struct strata_state_facts *facts; /* since the recording's beginning */
	/* Since the window that was told before: events that came late, and are in none; and those
	 * that were lost before they were recorded. */
	uint64_t late, lost;
	/* Of them, so many sources have ended. */
	uint64_t ended;
};

struct strata_live_reports_options {
	const struct strata_report_kind *const *kinds;
	size_t nr_kinds;
	const struct strata_request_forms *requests;
	uint64_t window_ns;
	uint64_t every_ns;   /* from a window's beginning to the next one's */
	bool from_beginning; /* windows of the past, too */
	/* Once true, a look ends; a signal's handler may set it.  NULL: none. */
	const volatile sig_atomic_t *stop;
	/* Takes a window; its reports are valid during the call.  0, or -1 with @error. */
	int (*window)(void *data, const struct strata_live_window *window,
		      struct strata_error *error);
	void *data;
};

struct strata_live_reports;

/* @options: outlive it.  NULL: out of memory. */
struct strata_live_reports *
strata_live_reports_new(const struct strata_live_reports_options *options);

/* Hands on the windows that have become complete.  As strata_live_look(). */
int strata_live_reports_look(struct strata_live_reports *reports, struct strata_live *live,
			     struct strata_error *error);

/* The time up to which events are in; 0: none is. */
uint64_t strata_live_reports_ns(const struct strata_live_reports *reports);

void strata_live_reports_free(struct strata_live_reports *reports);

#endif /* STRATA_MERGE_ANALYSES_LIVE_REPORTS_H */
