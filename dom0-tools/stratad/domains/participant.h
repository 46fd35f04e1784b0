/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant.h - what is done for one participant; participants.c decides when. */
#ifndef STRATA_STRATAD_PARTICIPANT_H
#define STRATA_STRATAD_PARTICIPANT_H

#include "stratad/domains/participants.h"

/* The host's time, for intervals: dom0's own clock may stand still under emulation. */
uint64_t participants_now_ms(const struct participants *all);

/* Its module is in xenstore as @now says: takes it in, goes on with it or lets it go. */
void participant_take_look(struct participants *all, struct participant *one,
			   const struct guest *now);

/* Looks there itself, and waits for the answer: before the recording begins. */
void participant_look(struct participants *all, struct participant *one);

/* It is quiet, or has added a probe: has it add the next, and then makes it take part. */
void participant_go_on(struct participants *all, struct participant *one);

/* Adds some of its rings to its source, and makes it take part when that was the last. */
void participant_add_rings(struct participants *all, struct participant *one);

/* What it publishes cannot be used: it is not tried again until it publishes something else. */
void participant_refuse(struct participants *all, struct participant *one,
			const struct strata_error *why);

/* Prints a message about what its domain does: the domain's name, and the rest.  A guest that comes
 * and goes all the time may cause as many as a user may (principal.h). */
void participant_say(struct participants *all, const struct participant *one, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

/* How its domain went, now that it is gone, as far as was seen of it. */
enum strata_source_end participant_end(const struct participant *one);

/* Ends its source for @reason; what is left in its rings is taken in turns (leaving.h). */
void participant_let_go(struct participants *all, struct participant *one,
			enum strata_source_end reason);

/* Unmaps it; the recorder has let go of its rings. */
void participant_unmap(struct participants *all, struct participant *one);

/* Says that its domain is left out, and why. */
void participant_leave_out(struct participants *all, const struct participant *one,
			   const struct strata_error *why);

#endif /* STRATA_STRATAD_PARTICIPANT_H */
