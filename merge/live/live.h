/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - follows a recording that goes on: merges what has become complete, again
 * and again, until the recording ends.
 *
 * The recorder says of each stream up to when it is complete (live_table.h).  The least of
 * these, less a delay, is the watermark: what is before it is in order and will stay so.
 * An event that comes behind the watermark all the same - its writer was interrupted
 * while it wrote it, or held the others up for too long - is handed on with the next ones,
 * as late.
 *
 * Clocks are those that the hypervisor has recorded by then: a stream is read only as far
 * as the hypervisor's own are complete, so that no change of a clock can be missing.
 *
 *     strata_live_open     maps the table, finds where to begin
 *     strata_live_look     what is new, to be called every now and then
 *     strata_live_close
 */
#ifndef STRATA_MERGE_LIVE_LIVE_H
#define STRATA_MERGE_LIVE_LIVE_H

#include "timeline/trace_set.h"

struct strata_live_options {
	uint64_t delay_ns;    /* an event that takes no longer to be written is not late */
	uint64_t patience_ns; /* a stream that is so far behind the others is waited for no more */
	bool from_beginning;  /* of the recording; false: from now on */
	uint64_t (*clock)(void);      /* the host's counter; NULL: as this CPU has it */
	strata_complain_fn *complain; /* may be NULL */
	void *complain_data;
};

/* How far it is. */
struct strata_live_progress {
	uint64_t watermark_ns;
	uint64_t events; /* handed on, */
	uint64_t late;   /* so many of them behind the watermark */
	uint64_t lost;   /* that their writers had no room for, since the view began */
	bool died;       /* the recorder did: what its rings hold is missing */
};

struct strata_live_sink {
	/* The sources change: @set is theirs from now on; NULL: the one that was goes.  0, or -1
	 * with @error. */
	int (*sources)(struct strata_live_sink *sink, const struct strata_trace_set *set,
		       struct strata_error *error);
	/* Takes a loss of a stream, with the next event behind it or at the end.  0, -1, or 1:
	 * stop. May be NULL. */
	int (*lose)(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_loss *loss, struct strata_error *error);
	/* Takes a run of events of one stream, as strata_slice_sink's does.  0, -1, or 1: stop. */
	int (*take)(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_lane_event *events, size_t nr, bool late,
		    struct strata_error *error);
};

struct strata_live;

/* @raw: the recording's directory.  NULL with the reason: nobody records into it. */
struct strata_live *strata_live_open(const char *raw, const struct strata_live_options *options,
				     struct strata_error *error);

/* Hands on what is new.  0: the recording goes on; 1: it has ended, and all was handed on, or the
 * sink wanted a stop; -1. */
int strata_live_look(struct strata_live *live, struct strata_live_sink *sink,
		     struct strata_error *error);

const struct strata_live_progress *strata_live_progress(const struct strata_live *live);

/* NULL is fine. */
void strata_live_close(struct strata_live *live);

#endif /* STRATA_MERGE_LIVE_LIVE_H */
