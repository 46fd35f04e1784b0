// SPDX-License-Identifier: GPL-2.0-or-later
/* member_run.c - see member_run.h. */
#include "stratad/sessions/member_run.h"

#include "base/exit_status.h"
#include "stratad/sessions/member_dir.h"
#include "stratad/sessions/session_owner.h"

/* Sessions of members that record, each with one channel: half of the machine's recorders
 * (STRATA_SESSION_CHANNELS_MAX) stay root's. */
#define MEMBER_RECORDS_MAX 1u
#define MEMBERS_RECORD_MAX (STRATA_SESSION_CHANNELS_MAX / 2)

int member_run_start(struct managed_session *session, struct json_object *request,
		     struct json_object *reply, struct strata_error *error)
{
	int status = -1;

	if (session_owner(session->model.name) == SESSION_OWNER_SELF)
		return session_run_start(session, request, reply, error);
	if (session_table_begin_start(session, MEMBER_RECORDS_MAX, MEMBERS_RECORD_MAX, error))
		return -1;
	if (!member_dir_prepare(session->model.name, error))
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
	return member_dir_hand_over(session->model.name, error) ? -1 : status;
}
