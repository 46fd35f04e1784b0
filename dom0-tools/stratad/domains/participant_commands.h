/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * participant_commands.h - the commands to one kernel: given, written, answered.
 *
 * A command is written in another thread (xenstore_requests.h), so nothing here waits.  What it
 * means for the participant holds from when it is given: a module that has not got it yet is one
 * that has not answered yet.
 */
#ifndef STRATA_STRATAD_PARTICIPANT_COMMANDS_H
#define STRATA_STRATAD_PARTICIPANT_COMMANDS_H

#include "stratad/domains/participants.h"

/* Has a command written whose number is one->sequence.  0 or -1. */
int participant_give(struct participants *all, struct participant *one,
		     const struct guest_command *command, struct strata_error *error);

/* It was given a command, and is to answer. */
void participant_await(struct participants *all, struct participant *one,
		       enum participant_step step);

/* Tells it to stop what it does for an earlier recorder. */
void participant_quiet(struct participants *all, struct participant *one);

/* Tells it to start or stop, if it is in the step for it. */
void participant_start(struct participants *all, struct participant *one);
void participant_stop(struct participants *all, struct participant *one);

/* Tells it to flush, if it records and can answer; participant_flushed() asks whether it has, and
 * says whether it has or need not; participant_take_look() is not needed for that, but
 * participant_note_flushed(). */
void participant_flush(struct participants *all, struct participant *one);
bool participant_flushed(struct participants *all, struct participant *one);
void participant_note_flushed(struct participant *one, const struct guest *now);

/*
 * What is asked of it has changed: chooses its events anew, adds those that are new to
 * the recording, and has it told.  0, also if it does not take part; or -1.
 */
int participant_reselect(struct participants *all, struct participant *one,
			 struct strata_error *error);

/* A command could not be written: notes it, and does what follows from that. */
void participant_note_failure(struct participants *all, struct participant *one,
			      const struct xenstore_reply *reply);
void participant_take_failure(struct participants *all, struct participant *one);

/* Its module says @now; what follows for what it was told? */
void participant_take_answer(struct participants *all, struct participant *one,
			     const struct guest *now);

/* Was it told something that it has not answered? */
bool participant_owes_answer(const struct participant *one);

/* How long it may take for what it was told, beyond what any may: dom0's own kernel alone is
 * trusted to need it, for each of its events. */
uint64_t participant_patience_ms(const struct participant *one);

/* The others begin without it: says so if it owes an answer. */
void participant_note_late(struct participants *all, struct participant *one);

/* Has it owed an answer for so long that nobody waits for it any more? */
bool participant_is_silent(const struct participants *all, const struct participant *one);

#endif /* STRATA_STRATAD_PARTICIPANT_COMMANDS_H */
