/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * participant_commands.h - sends commands to one kernel and handles its answers.
 *
 * Another thread writes a command (xenstore_requests.h), so nothing here blocks.  The participant
 * changes its state when the command is queued; a module that has not received it counts as not
 * having answered.
 */
#ifndef STRATA_STRATAD_PARTICIPANT_COMMANDS_H
#define STRATA_STRATAD_PARTICIPANT_COMMANDS_H

#include "stratad/domains/participants.h"

/* Queues a command with the number one->sequence. 0 or -1. */
int participant_give(struct participants *all, struct participant *one,
		     const struct guest_command *command, struct strata_error *error);

/* Notes that a command awaits its answer. */
void participant_await(struct participants *all, struct participant *one,
		       enum participant_step step);

/* Has its module make the rings of the recorder's channel, or free them at the end. */
void participant_create(struct participants *all, struct participant *one);
void participant_destroy(struct participants *all, struct participant *one);

/* Stops recording for an earlier recorder. */
void participant_quiet(struct participants *all, struct participant *one);

/* Starts or stops it, if its step allows. */
void participant_start(struct participants *all, struct participant *one);
void participant_stop(struct participants *all, struct participant *one);

/* Tells it to flush, if it records and can answer; participant_flushed() asks whether it has, and
 * says whether it has or need not; participant_take_look() is not needed for that, but
 * participant_note_flushed(). */
void participant_flush(struct participants *all, struct participant *one);
bool participant_flushed(struct participants *all, struct participant *one);
void participant_note_flushed(struct participant *one, const struct guest *now);

/*
 * After a change of the selection: selects its events, adds new ones to the recording, and sends a
 * start. 0, also if it does not take part; or -1.
 */
int participant_reselect(struct participants *all, struct participant *one,
			 struct strata_error *error);

/* Handles the failure to write a command. */
void participant_note_failure(struct participants *all, struct participant *one,
			      const struct xenstore_reply *reply);
void participant_take_failure(struct participants *all, struct participant *one);

/* Handles its module's answer @now. */
void participant_take_answer(struct participants *all, struct participant *one,
			     const struct guest *now);

/* Whether a command awaits its answer; whether that, its mapping, or its rings that are still to be
 * added keep it from taking part. */
bool participant_owes_answer(const struct participant *one);
bool participant_is_late(const struct participant *one);

/* Extra time for its answer: only dom0's own kernel gets some, for each event
 * and probe. */
uint64_t participant_patience_ms(const struct participant *one);

/* Reports that the recording begins without it, if it is late. */
void participant_note_late(struct participants *all, struct participant *one);

/* Whether its answer is so late that it is no longer waited for. */
bool participant_is_silent(const struct participants *all, const struct participant *one);

#endif /* STRATA_STRATAD_PARTICIPANT_COMMANDS_H */
