/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_table.h - the sessions of stratad, and who works on each.
 *
 * Synchronisation:
 *   the table        one mutex, held only to find, add or remove
 *   a session        one command at a time holds it (session_table_hold()), for as long as the
 *                    command takes; commands of other sessions do not wait for that
 *   model            replaced by the holder, under the table's mutex; the holder alone reads more
 *                    than its name
 *   consumer, ended  changed by the holder, and by the thread that watches the consumer; under the
 *                    table's mutex
 *
 * A session that is removed while others wait to hold it stays in memory until the last of them has
 * noticed.
 */
#ifndef STRATA_STRATAD_SESSION_TABLE_H
#define STRATA_STRATAD_SESSION_TABLE_H

#include <limits.h>
#include <stdbool.h>

#include <strata/control.h>

#include "base/error.h"
#include "stratad/sessions/consumer.h"
#include "stratad/sessions/session_files.h"

/* Sessions of one stratad; eight of them can record at a time. */
#define SESSION_TABLE_MAX 256u

struct managed_session;

/* A channel that records, or a trigger that counts. */
struct managed_channel {
	struct managed_session *session;
	struct session_consumer of; /* names of the present consumer's files */
	struct consumer consumer;   /* process -1: the channel does not record */
	int ended; /* exit status of the last consumer, SESSION_KILLED or SESSION_NO_NEWS */
	char recording[PATH_MAX]; /* of the last start; "" if unknown */
};

struct managed_session {
	struct strata_session model;
	struct managed_channel channels[STRATA_SESSION_CHANNELS_MAX]; /* those of the model */
	/* In any order, with a name in @of: session_table_trigger().  One that was removed stays
	 * until its process has ended. */
	struct managed_channel triggers[STRATA_SESSION_TRIGGERS_MAX];
	char recording[PATH_MAX]; /* of the last start, of all channels; "" if unknown */
	bool held;
	bool ends; /* its holder waits for its consumers to end */
	bool removed;
	/* Recorders of a member's, between session_table_begin_start() and _end_start(). */
	size_t starts;
	uint64_t acted_ms;  /* a member's: its last snapshot, rotation or clearing; 0: never */
	unsigned int users; /* holder, those that wait to hold it, and the watchers */
};

/* Adds a session, whose model belongs to the table from then on, and holds it.  NULL: the name is
 * taken, or there are too many. */
struct managed_session *session_table_add(struct strata_session *model, struct strata_error *error);

/*
 * Holds a session, once the command that holds it has ended.
 * @name: NULL: @owner's current one, or his only one
 * NULL with the reason.
 */
struct managed_session *session_table_hold(uid_t owner, const char *name,
					   struct strata_error *error);

/*
 * The same, for a command that makes no sense for a session that is being stopped: it does not wait
 * then.  Triggers give such commands, and the stop waits for triggers to end.
 */
struct managed_session *session_table_hold_unless_ending(uid_t owner, const char *name,
							 struct strata_error *error);

/* Ends the hold. */
void session_table_release(struct managed_session *session);

/* Takes a session that is held out of the table.  session_table_release() frees it. */
void session_table_remove(struct managed_session *session);

/* Replaces the model of a session that is held; it belongs to the table from then on.  Its channels
 * are those of before, and perhaps further ones. */
void session_table_adopt(struct managed_session *session, const struct strata_session *model);

/* The holder has started or found the consumer of a channel or trigger: watches it from now on.
 * @of: names of its files.  0 or -1. */
int session_table_watch(struct managed_channel *channel, const struct session_consumer *of,
			const struct consumer *consumer, struct strata_error *error);

/* The place of a trigger of a session that is held.  @claim: takes one for it, if it has none.
 * NULL: it has none; triggers that were removed, and have not ended, may have all. */
struct managed_channel *session_table_trigger(struct managed_session *session,
					      const struct session_consumer *of, bool claim);

/* Frees the place of a trigger that did not start, and is no part of the model. */
void session_table_unclaim(struct managed_channel *trigger);

/* Ends the hold, and the process of a trigger that is no part of the model any more.  The trigger
 * may wait for a command of its own until then.  session_table_free_trigger() frees its place. */
void session_table_release_and_end(struct managed_channel *trigger);
void session_table_free_trigger(struct managed_channel *trigger);

/* Whether a channel of a session that is held records now.  @consumer: OUT, to ask; its descriptor
 * may be closed meanwhile */
bool session_table_consumer(const struct managed_channel *channel, struct consumer *consumer);

/* How many channels of a session that is held record now, not counting triggers. */
size_t session_table_count_recording(const struct managed_session *session);

/* How many triggers of a session that is held run now, with those that were removed and have not
 * ended. */
size_t session_table_count_counting(const struct managed_session *session);

/* Ends the consumers and triggers of a session that is held, all at once, and waits until they have
 * ended. */
void session_table_end(struct managed_session *session);

/*
 * Reserves recorders of those that members may have, until session_table_end_start(): by then the
 * session, which is held, has them or does not.  A channel that records has one, and so has a
 * trigger that counts.
 * @nr_recorders: that the session will have
 * @max_of_owner: sessions of a member that record at a time
 * @max_of_members: recorders of all members at a time
 * 0, or -1: too many of its owner, or of all members, record or start.
 */
int session_table_begin_start(struct managed_session *session, size_t nr_recorders,
			      unsigned int max_of_owner, unsigned int max_of_members,
			      struct strata_error *error);
void session_table_end_start(struct managed_session *session);

/* How many sessions an owner has. */
size_t session_table_count_of(uid_t owner);

/* How many sessions members of the group tracing have. */
size_t session_table_count_of_members(void);

/* Copies the names of all sessions.  free() the array.  Returns their number. */
size_t session_table_names(char (**names)[STRATA_SESSION_NAME_BYTES]);

#endif /* STRATA_STRATAD_SESSION_TABLE_H */
