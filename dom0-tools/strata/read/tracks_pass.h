/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracks_pass.h - a pass over traces that makes tracks of them (tracks/tracks.h); shared by the
 * verbs that draw, and by the forms that viewers draw. */
#ifndef STRATA_STRATA_TRACKS_PASS_H
#define STRATA_STRATA_TRACKS_PASS_H

#include "strata/read/state_pass.h"
#include "tracks/tracks.h"

#define TRACKS_DOMAINS_MAX 64u

/* What --domain names: patterns. */
struct tracks_domains {
	const char *patterns[TRACKS_DOMAINS_MAX];
	size_t nr;
};

/* Reads one value, patterns separated by commas, which is cut up.  0, or -1: one is empty, or one
 * too many. */
int tracks_read_domains(struct tracks_domains *domains, char *text);

struct tracks_pass {
	struct traces *traces;
	const struct strata_shown *shown;
	const struct state_requests *requests;
	struct strata_tracks_options options;
	struct strata_track_sink *const *sinks;
	size_t nr_sinks;
	/* Is told of all spans, too; or NULL. */
	struct strata_span_listener *also;
	/* Gets all events besides; may stop the pass; or NULL. */
	struct strata_slice_sink *observer;
	/* OUT, until tracks_pass_clear(): */
	struct strata_host_state *state;
	struct strata_tracks *tracks;
	uint32_t *order;
	struct strata_span_listener *listeners[2]; /* of the state: the tracks', and `also` */
};

/*
 * Begins one whose events the caller reads: from the first on, as states follow from all that was
 * before.  Outputs are NULL before.
 * 0, or -1 with the reason.
 */
int tracks_pass_begin(struct tracks_pass *pass, struct strata_error *error);

/* What is to be handed all events; returns how many there are.
 * @observers: OUT, room for TRACKS_OBSERVERS */
#define TRACKS_OBSERVERS 3u
size_t tracks_pass_observers(const struct tracks_pass *pass, struct strata_slice_sink **observers);

/* After the events.  0, or -1 with the reason. */
int tracks_pass_finish(struct tracks_pass *pass, struct strata_error *error);

/* Makes the whole pass.  0; 1: the observer stopped it; -1 with the reason. */
int tracks_pass_run(struct tracks_pass *pass, struct strata_error *error);

void tracks_pass_clear(struct tracks_pass *pass);

#endif /* STRATA_STRATA_TRACKS_PASS_H */
