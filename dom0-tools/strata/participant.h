/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant.h - what is done for one participant; participants.c decides when. */
#ifndef STRATA_STRATA_PARTICIPANT_H
#define STRATA_STRATA_PARTICIPANT_H

#include "participants.h"

/* The host's time, for intervals: dom0's own clock may stand still under emulation. */
uint64_t participants_now_ms(const struct participants *all);

/* Its module is in xenstore as @now says: takes it in, goes on with it or lets it go. */
void participant_take_look(struct participants *all, struct participant *one,
			   const struct guest *now);

/* Looks there itself, and waits for the answer. */
void participant_look(struct participants *all, struct participant *one);

/* Tells it to start or stop, if it is in the step for it. */
void participant_start(struct participants *all, struct participant *one);
void participant_stop(struct participants *all, struct participant *one);

/* Tells it to flush, if it records and can answer; participant_flushed() says whether it has, or
 * need not. */
void participant_flush(struct participants *all, struct participant *one);
bool participant_flushed(struct participants *all, struct participant *one);

/*
 * What is asked of it has changed: chooses its events anew, adds those that are new to
 * the recording, and tells it.  0, also if it does not take part; or -1.
 */
int participant_reselect(struct participants *all, struct participant *one,
			 struct strata_error *error);

/* Was it told something that it has not answered? */
bool participant_owes_answer(const struct participant *one);

/* How long it may take for what it was told, beyond what any may: dom0's own kernel alone is
 * trusted to need it, for each of its events. */
uint64_t participant_patience_ms(const struct participant *one);

/* The others begin without it: says so if it owes an answer. */
void participant_note_late(struct participants *all, struct participant *one);

/* Has it owed an answer for so long that nobody waits for it any more? */
bool participant_is_silent(const struct participants *all, const struct participant *one);

/* How its domain went, now that it is gone, as far as was seen of it. */
enum strata_source_end participant_end(const struct participant *one);

/* Takes what is left in its rings, ends its source for @reason, and unmaps it. */
void participant_let_go(struct participants *all, struct participant *one,
			enum strata_source_end reason);

/* Unmaps it; the recorder has let go of its rings. */
void participant_unmap(struct participants *all, struct participant *one);

/* Says that its domain is left out, and why. */
void participant_leave_out(struct participants *all, const struct participant *one,
			   const struct strata_error *why);

#endif /* STRATA_STRATA_PARTICIPANT_H */
