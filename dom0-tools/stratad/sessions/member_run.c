// SPDX-License-Identifier: GPL-2.0-or-later
/* member_run.c - see member_run.h. */
#include "stratad/sessions/member_run.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "base/json_members.h"
#include "control/session_model.h"
#include "stratad/sessions/member_dir.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/session_owner.h"
#include "stratad/sessions/trigger_process.h"

/* Sessions of one member that record, with up to MEMBER_CHANNELS_MAX channels. */
#define MEMBER_RECORDS_MAX 1u

/* Channels of all members that record, and triggers: half of the machine's recorders stay root's.
 */
#define MEMBERS_CHANNELS_MAX (STRATA_SESSION_CHANNELS_MAX / 2)

/* From one snapshot, rotation or clearing of a session to the next: each makes all CPUs and kernels
 * flush. */
#define ACTION_MS 1000u

int member_run_start(struct managed_session *session, struct json_object *request,
		     struct json_object *reply, struct strata_error *error)
{
	int status = -1;

	if (session_owner(session->model.name) == SESSION_OWNER_SELF)
		return session_run_start(session, request, reply, error);
	if (member_share_check_number(&session->model, error) ||
	    session_table_begin_start(session,
				      session_model_count_recorded(&session->model) +
					      session->model.nr_triggers,
				      MEMBER_RECORDS_MAX, MEMBERS_CHANNELS_MAX, error))
		return -1;
	if (!member_dir_prepare(session->model.name, MEMBER_KEEP, error))
		status = session_run_start(session, request, reply, error);
	session_table_end_start(session);
	return status;
}

int member_run_stop(struct managed_session *session, struct json_object *request,
		    struct json_object *reply, struct strata_error *error)
{
	const int status = session_run_stop(session, request, reply, error);

	if (session_owner(session->model.name) == SESSION_OWNER_SELF ||
	    (status != STRATA_STATUS_OK && status != STRATA_STATUS_PARTIAL))
		return status;
	return member_dir_hand_over(session->model.name, NULL, error) ? -1 : status;
}

/* Limits the rate of a session's actions: snapshots, rotations and clearings together.  @what: for
 * the message.  0, or -1: it is too early for another one. */
static int take_turn(struct managed_session *session, const char *what, struct strata_error *error)
{
	const uint64_t now = clock_now_ms(CLOCK_MONOTONIC);

	if (session->acted_ms && now - session->acted_ms < ACTION_MS)
		return strata_fail(error,
				   "session %s: a member of the group tracing %s every %u ms; try "
				   "again",
				   session->model.name, what, ACTION_MS);
	session->acted_ms = now;
	return 0;
}

/* Checks that an action of a member's session fits into his share, whoever asks for it.  A session
 * that does not record refuses it anyway, and gets no directory for it.
 * @what: for the message
 * @nr_new: recordings or snapshots that it may add
 * 0 or -1. */
static int begin_action(struct managed_session *session, const char *what, unsigned int nr_new,
			struct strata_error *error)
{
	if (session_owner(session->model.name) == SESSION_OWNER_SELF ||
	    !session_table_count_recording(session))
		return 0;
	if (take_turn(session, what, error))
		return -1;
	return nr_new ? member_dir_prepare(session->model.name, nr_new, error) : 0;
}

/* Gives a snapshot to the session's owner; recordings in progress stay root's.  0 or -1. */
static int hand_over_snapshot(const struct managed_session *session, struct json_object *reply,
			      struct strata_error *error)
{
	const char *path = json_object_get_string(json_object_object_get(reply, "output"));

	return member_dir_hand_over(session->model.name, strrchr(path, '/') + 1, error);
}

int member_run_snapshot(struct managed_session *session, struct json_object *request,
			struct json_object *reply, struct strata_error *error)
{
	int status;

	/* Only root may name a directory, and then it is no member's. */
	if (session_owner(session->model.name) == SESSION_OWNER_SELF ||
	    strata_json_has(request, "output"))
		return session_run_snapshot(session, request, reply, error);
	if (begin_action(session, "takes a snapshot", MEMBER_KEEP, error))
		return -1;
	status = session_run_snapshot(session, request, reply, error);
	if (status != STRATA_STATUS_OK && status != STRATA_STATUS_PARTIAL)
		return status;
	return hand_over_snapshot(session, reply, error) ? -1 : status;
}

int member_run_rotate(struct managed_session *session, struct json_object *request,
		      struct json_object *reply, struct strata_error *error)
{
	/* A start has made room for the recordings that it keeps.  Older ones are removed by a
	 * thread, which a busy disk delays: until then they count. */
	if (begin_action(session, "rotates a recording", 1, error))
		return -1;
	return session_run_rotate(session, request, reply, error);
}

int member_run_clear(struct managed_session *session, struct json_object *request,
		     struct json_object *reply, struct strata_error *error)
{
	/* A recording continues in a new directory.  A flight recorder has only memory. */
	if (begin_action(session, "clears a session", session->model.snapshot ? 0 : 1, error))
		return -1;
	return session_run_clear(session, request, reply, error);
}

int member_run_add_trigger(struct managed_session *session, struct json_object *request,
			   struct json_object *reply, struct strata_error *error)
{
	const size_t nr_channels = session_table_count_recording(session);
	const size_t nr_triggers = session_table_count_counting(session) + 1;
	int status;

	/* One that is added to a session that does not record takes no recorder. */
	if (session_owner(session->model.name) == SESSION_OWNER_SELF || !nr_channels)
		return trigger_process_add(session, request, reply, error);
	if (member_share_check_recorders(&session->model, nr_channels, nr_triggers, error) ||
	    session_table_begin_start(session, nr_channels + nr_triggers, MEMBER_RECORDS_MAX,
				      MEMBERS_CHANNELS_MAX, error))
		return -1;
	status = trigger_process_add(session, request, reply, error);
	session_table_end_start(session);
	return status;
}
