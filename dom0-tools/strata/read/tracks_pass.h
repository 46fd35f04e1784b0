/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracks_pass.h - a pass over traces that makes tracks (tracks/tracks.h), for the timeline and for
 * the formats of viewers. */
#ifndef STRATA_STRATA_TRACKS_PASS_H
#define STRATA_STRATA_TRACKS_PASS_H

#include "strata/read/state_pass.h"
#include "tracks/tracks.h"

#define TRACKS_DOMAINS_MAX 64u

/* The argument of --domain: patterns. */
struct tracks_domains {
	const char *patterns[TRACKS_DOMAINS_MAX];
	size_t nr;
};

/* Reads one argument, patterns separated by commas, which is modified. Returns 0, or -1: one is
 * empty, or too many. */
int tracks_read_domains(struct tracks_domains *domains, char *text);

struct tracks_pass {
	struct traces *traces;
	const struct strata_shown *shown;
	const struct state_requests *requests;
	struct strata_tracks_options options;
	struct strata_track_sink *const *sinks;
	size_t nr_sinks;
	/* Also receives all spans; or NULL. */
	struct strata_span_listener *also;
	/* Also receives all events, and may stop the pass; or NULL. */
	struct strata_slice_sink *observer;
	/* OUT, until tracks_pass_clear(): */
	struct strata_host_state *state;
	struct strata_tracks *tracks;
	uint32_t *order;
	/* Of the state: that of the tracks, and `also`. */
	struct strata_span_listener *listeners[2];
};

/*
 * Begins a pass whose events the caller reads: from the first event on, because states follow from
 * all earlier events. Outputs must be NULL before.
 * Returns 0, or -1 with the reason.
 */
int tracks_pass_begin(struct tracks_pass *pass, struct strata_error *error);

/* Returns the number of observers, which must receive all events.
 * @observers: OUT, room for TRACKS_OBSERVERS */
#define TRACKS_OBSERVERS 3u
size_t tracks_pass_observers(const struct tracks_pass *pass, struct strata_slice_sink **observers);

/* To be called after the last event. Returns 0, or -1 with the reason. */
int tracks_pass_finish(struct tracks_pass *pass, struct strata_error *error);

/* Makes the whole pass. Returns 0; 1: the observer stopped it; -1 with the reason. */
int tracks_pass_run(struct tracks_pass *pass, struct strata_error *error);

void tracks_pass_clear(struct tracks_pass *pass);

#endif /* STRATA_STRATA_TRACKS_PASS_H */
