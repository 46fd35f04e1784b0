/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - follows a recording in progress: merges the complete part again and again, until the
 * recording ends.
 *
 * The recorder publishes the time up to which each stream is complete (live_table.h).  The minimum,
 * less a delay, is the watermark: all events before it are in order.  A late event (timestamp below
 * the watermark, because its writer was interrupted or its stream is no longer waited for) is
 * passed on with the next events, marked as late.
 *
 * A stream is read only up to the time to which the hypervisor's streams are complete, so that no
 * change of a clock is missing.
 *
 *     strata_live_open     maps the table, finds where to begin
 *     strata_live_look     passes on what is new; call it periodically
 *     strata_live_close
 */
#ifndef STRATA_MERGE_LIVE_LIVE_H
#define STRATA_MERGE_LIVE_LIVE_H

#include "timeline/trace_set.h"

struct strata_live_options {
	uint64_t delay_ns;       /* an event whose writer takes no longer than this is not late */
	uint64_t patience_ns;    /* a stream that lags by more is no longer waited for */
	bool from_beginning;     /* of the recording; false: from the current events on */
	uint64_t (*clock)(void); /* reads the host's counter; NULL: this CPU's counter */
	strata_complain_fn *complain; /* may be NULL */
	void *complain_data;
};

/* The progress. */
struct strata_live_progress {
	uint64_t watermark_ns;
	uint64_t events; /* passed on, */
	uint64_t late;   /* of these, late (below the watermark) */
	uint64_t lost;   /* discarded since the view began */
	uint64_t now_ns; /* the host's time when the tables were loaded last */
	bool has_ended;  /* the recording has ended: its files are complete */
	bool died;       /* the recorder died: the contents of the rings are missing */
};

struct strata_live_sink {
	/* Called when the sources change: @set replaces the earlier set; NULL: the earlier set is
	 * freed. 0, or -1 with @error. */
	int (*sources)(struct strata_live_sink *sink, const struct strata_trace_set *set,
		       struct strata_error *error);
	/* Takes a loss of a stream, before its next event or at the end. 0, -1, or 1: stop.  May be
	 * NULL. */
	int (*lose)(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_loss *loss, struct strata_error *error);
	/* Takes a run of events of one stream, as strata_slice_sink's does.  0, -1, or 1: stop. */
	int (*take)(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_lane_event *events, size_t nr, bool late,
		    struct strata_error *error);
};

struct strata_live;

/* @raw: the recording's directory.  NULL with the reason, for example if no recorder writes to
 * it. */
struct strata_live *strata_live_open(const char *raw, const struct strata_live_options *options,
				     struct strata_error *error);

/* Passes on new events. 0: the recording continues; 1: it has ended and all was passed on, or the
 * sink stopped; -1. */
int strata_live_look(struct strata_live *live, struct strata_live_sink *sink,
		     struct strata_error *error);

const struct strata_live_progress *strata_live_progress(const struct strata_live *live);

/* @live: may be NULL */
void strata_live_close(struct strata_live *live);

#endif /* STRATA_MERGE_LIVE_LIVE_H */
