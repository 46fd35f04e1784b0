/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_files.h - the files of sessions in the run directory: what stratad knows, so that it can
 * be killed and started again at any time.
 *
 *   sessions/NAME.json            the model (docs/formats.md)
 *   sessions/NAME:CHANNEL.log     messages of the channel's consumer, of the last start; at most
 *                                 1 MiB
 *   sessions/NAME:CHANNEL.ended   how that consumer ended, until the next start; absent while it
 *                                 runs, and if it was killed
 *   sessions/current              the session that commands without a name are for; those of a
 *                                 member of the group tracing: sessions/current@UID
 *   session-NAME:CHANNEL.lock     held by the consumer while it runs
 *
 * The process of a trigger is a consumer, too, with the trigger's name for that of a channel.
 */
#ifndef STRATA_STRATAD_SESSION_FILES_H
#define STRATA_STRATAD_SESSION_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <strata/control.h>

#include "base/error.h"

/* Checks that a model's file will not be too large for the next stratad.  0 or -1. */
int session_files_check(const struct strata_session *session, struct strata_error *error);

/* Writes the model.  0 or -1. */
int session_files_save(const struct strata_session *session, struct strata_error *error);

/* Removes all files of a session, and of the consumers of its channels. */
void session_files_remove(const struct strata_session *session);

/* Calls @visit for each session that has a model; one that cannot be read is reported on stderr and
 * stays as it is.  @session: for session_model_clear().  0 or -1. */
int session_files_load(void (*visit)(void *data, struct strata_session *session), void *data,
		       struct strata_error *error);

/* Writes and reads the name of the current session of an owner (session_owner.h); "" if there is
 * none. */
int session_files_set_current(const char *name, struct strata_error *error);
void session_files_current(uid_t owner, char name[STRATA_SESSION_NAME_BYTES]);

/* The consumer of a channel, as its files are named: "NAME:CHANNEL".  Names have no colon. */
struct session_consumer {
	char name[STRATA_SESSION_NAME_BYTES + STRATA_CHANNEL_NAME_BYTES];
};

struct session_consumer session_files_consumer(const struct strata_session *session,
					       const struct strata_channel *channel);

/* Removes the files of a consumer that has ended, for which there is no further use. */
void session_files_remove_consumer(const struct session_consumer *of);

/* Opens an empty log for a consumer.  A descriptor or -1. */
int session_files_open_log(const struct session_consumer *of, struct strata_error *error);

/* Reads the last @bytes of the log, as a string; "" if there is none. */
void session_files_read_log(const struct session_consumer *of, char *text, size_t bytes);

/* How the last consumer of a channel ended, beside its exit status. */
#define SESSION_KILLED  (-1)
#define SESSION_NO_NEWS (-2) /* there was none, or its end was reported to the user */

/* Writes how a consumer ended.  0 or -1. */
int session_files_write_ended(const struct session_consumer *of, int ended,
			      struct strata_error *error);

/* Reads that; only while no consumer runs. */
int session_files_read_ended(const struct session_consumer *of);

/* Removes it, before a consumer starts. */
void session_files_forget_ended(const struct session_consumer *of);

/* Takes the lock of a consumer, in its process, for run_lock_release().  -1 with the reason. */
int session_files_lock(const struct session_consumer *of, struct strata_error *error);

/* The process that holds the lock; 0: nobody does. */
pid_t session_files_holder(const struct session_consumer *of);

#endif /* STRATA_STRATAD_SESSION_FILES_H */
