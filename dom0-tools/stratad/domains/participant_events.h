/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_events.h - which events of a kernel are recorded; participant.c asks. */
#ifndef STRATA_STRATAD_PARTICIPANT_EVENTS_H
#define STRATA_STRATAD_PARTICIPANT_EVENTS_H

#include "stratad/domains/participants.h"

/*
 * The events that are asked of a domain, but for its probes; NULL: it does not
 * take part.  Without any --kernel all domains do; else one that only a probe
 * names has no other event.
 * @named: OUT, whether the user named it
 */
const char *participant_patterns(struct participants *all, const struct guest *guest, bool *named);

/* Leaves in one->filter what --tid or --pid ask of it, which is freed with the rest.  0 or -1. */
int participant_choose_filter(struct participants *all, struct participant *one,
			      struct strata_error *error);

/*
 * Tells its module of the next probe that is asked of it.  1: told, its answer is to be
 * given to participant_take_probe(); 0: there is none left, and its events have been
 * chosen; or -1.
 */
int participant_next_probe(struct participants *all, struct participant *one,
			   struct strata_error *error);

/* Its module answered a probe. @added: it says that its table has the event.  0 or -1. */
int participant_take_probe(struct participants *all, struct participant *one, bool added,
			   struct strata_error *error);

/* Chooses events and filter anew; its probes stay.  0, or -1 and nothing has changed. */
int participant_choose_again(struct participants *all, struct participant *one,
			     struct strata_error *error);

/* The events that its records can be of; NULL: any of its table. */
const struct event_set *participant_records(const struct participant *one);

/*
 * The events that its rings may still hold: all that its source in the recording
 * knows, also of earlier choices.
 * @one: at PARTICIPANT_READY or beyond
 */
void participant_known_events(const struct participants *all, const struct participant *one,
			      struct event_set *known);

#endif /* STRATA_STRATAD_PARTICIPANT_EVENTS_H */
