/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_events.h - selects the events of a kernel, for participant.c. */
#ifndef STRATA_STRATAD_PARTICIPANT_EVENTS_H
#define STRATA_STRATAD_PARTICIPANT_EVENTS_H

#include "stratad/domains/participants.h"

/*
 * The event patterns selected for a domain, without probes; NULL: it does not take part.  Without
 * --kernel all domains do; otherwise a domain that only a probe names has no other events.
 * @named: OUT, whether the user named it
 */
const char *participant_patterns(struct participants *all, const struct guest *guest, bool *named);

/* Sets one->filter from --tid or --pid. 0 or -1. */
int participant_choose_filter(struct participants *all, struct participant *one,
			      struct strata_error *error);

/*
 * Sends its module the next selected probe. 1: sent; pass its answer to participant_take_probe().
 * 0: no more probes, and its events are selected; or -1.
 */
int participant_next_probe(struct participants *all, struct participant *one,
			   struct strata_error *error);

/* Handles its module's answer to a probe: begins to read its event table again (guest_map.h).
 * @now: its state. 0 or -1. */
int participant_take_probe(struct participants *all, struct participant *one,
			   const struct guest *now, struct strata_error *error);

/* Finds the event of the probe in the table, which has been read again. 0 or -1. */
int participant_find_probe(struct participants *all, struct participant *one,
			   struct strata_error *error);

/* What a kernel is asked to record: copied from its participant, whose texts it may own. */
struct participant_choice {
	struct event_set events;
	char *filter;
	struct select_filters field_filters;
};

/*
 * Selects events and filters again; probes stay.
 * @before: OUT, what was chosen before; to be passed to one of the next two functions
 * 0, or -1 and nothing has changed.
 */
int participant_choose_again(struct participants *all, struct participant *one,
			     struct participant_choice *before, struct strata_error *error);

/* Goes back to it: the kernel still records by it. */
void participant_choice_restore(struct participant *one, struct participant_choice *before);

/* Forgets it: the kernel was told the new one. */
void participant_choice_clear(struct participant_choice *before);

/* The events that its records may contain; NULL: all of its table. */
const struct event_set *participant_records(const struct participant *one);

/*
 * The events that its rings may still contain: all of its source, also of earlier selections.
 * @one: at PARTICIPANT_READY or beyond
 */
void participant_known_events(const struct participants *all, const struct participant *one,
			      struct event_set *known);

#endif /* STRATA_STRATAD_PARTICIPANT_EVENTS_H */
