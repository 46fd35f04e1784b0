/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant.h - operations on one participant, for participants.c. */
#ifndef STRATA_STRATAD_PARTICIPANT_H
#define STRATA_STRATAD_PARTICIPANT_H

#include "stratad/domains/participants.h"

/* The host's time, for intervals: dom0's own clock may stop under emulation. */
uint64_t participants_now_ms(const struct participants *all);

/* Handles the state of its module in xenstore, @now: maps it, continues or releases it. */
void participant_take_look(struct participants *all, struct participant *one,
			   const struct guest *now);

/* Reads xenstore and waits for the answer; only before the recording begins. */
void participant_look(struct participants *all, struct participant *one);

/* Whether its pages are being mapped or read. */
static inline bool participant_is_mapping(const struct participant *one)
{
	return one->step == PARTICIPANT_MAPPING || one->step == PARTICIPANT_READING;
}

/* Maps or reads some more of its pages, and continues with its set-up after the last one. */
void participant_map_some(struct participants *all, struct participant *one);

/* Its module says that it has made the rings of the recorder's channel, or that it has not. */
void participant_take_rings(struct participants *all, struct participant *one,
			    const struct guest *now);

/* After it has stopped or added a probe: makes it add the next one, or join the recording. */
void participant_go_on(struct participants *all, struct participant *one);

/* Adds some of its rings to its source, and makes it take part when that was the last. */
void participant_add_rings(struct participants *all, struct participant *one);

/* Ignores its module until it publishes other values. */
void participant_refuse(struct participants *all, struct participant *one,
			const struct strata_error *why);

/* Prints a message about its domain: the domain's name, and the rest. The messages of a guest that
 * comes and goes repeatedly are limited like a user's (principal.h). */
void participant_say(struct participants *all, const struct participant *one, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

/* Why its domain has ended, if known. */
enum strata_source_end participant_end(const struct participant *one);

/* Ends its source for @reason; its rings are drained over several turns (leaving.h). */
void participant_let_go(struct participants *all, struct participant *one,
			enum strata_source_end reason);

/* Forgets its module, after the recorder has released its rings; they are unmapped over several
 * turns. */
void participant_unmap(struct participants *all, struct participant *one);

/* Reports that its domain is left out, and why. */
void participant_leave_out(struct participants *all, const struct participant *one,
			   const struct strata_error *why);

#endif /* STRATA_STRATAD_PARTICIPANT_H */
