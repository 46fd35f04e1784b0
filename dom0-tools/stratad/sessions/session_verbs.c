// SPDX-License-Identifier: GPL-2.0-or-later
/* session_verbs.c - see session_verbs.h. */
#include "stratad/sessions/session_verbs.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "files/safe_dir.h"
#include "stratad/sessions/member_admit.h"
#include "stratad/sessions/member_dir.h"
#include "stratad/sessions/member_run.h"
#include "stratad/sessions/reply.h"
#include "stratad/sessions/session_change.h"
#include "stratad/sessions/session_files.h"
#include "stratad/sessions/session_owner.h"
#include "stratad/sessions/session_run.h"
#include "stratad/sessions/session_table.h"
#include "stratad/sessions/trigger_process.h"

/* A verb: fills the reply, and returns its status; -1: failed, @error has the reason. */
typedef int serve_fn(uid_t owner, struct json_object *request, struct json_object *reply,
		     struct strata_error *error);

/* Holds the session that a request names, or the current one, as session_table_hold() or another
 * function. */
static struct managed_session *
hold_as(struct managed_session *(*hold)(uid_t owner, const char *name, struct strata_error *error),
	uid_t owner, struct json_object *request, struct strata_error *error)
{
	char name[STRATA_SESSION_NAME_BYTES];

	if (!strata_json_has(request, "name"))
		return hold(owner, NULL, error);
	if (strata_json_text(request, "name", name, sizeof(name), error))
		return NULL;
	return hold(owner, name, error);
}

static struct managed_session *hold(uid_t owner, struct json_object *request,
				    struct strata_error *error)
{
	return hold_as(session_table_hold, owner, request, error);
}

/* 0, or -1: a consumer of an earlier session runs for that channel or trigger. */
static int check_not_held(const struct strata_session *model, const struct strata_channel *channel,
			  struct strata_error *error)
{
	const struct session_consumer of = session_files_consumer(model, channel);
	const pid_t holder = session_files_holder(&of);

	if (!holder)
		return 0;
	return strata_fail(error,
			   "session %s: process %ld still records for an earlier session of that "
			   "name; end it, or choose another name",
			   model->name, (long)holder);
}

/* Refuses a name while a consumer of an earlier session of that name runs, which stratad has
 * forgotten: its recording would be handed over.  0 or -1. */
static int check_no_consumer(const struct strata_session *model, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < model->nr_channels; i++)
		if (check_not_held(model, &model->channels[i], error))
			return -1;
	for (i = 0; i < model->nr_triggers; i++)
		if (check_not_held(model, &model->triggers[i].counted, error))
			return -1;
	return 0;
}

static int serve_create(uid_t owner, struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	struct managed_session *session;
	struct strata_session model;
	struct json_object *object;
	struct strata_error ignored;
	char name[STRATA_SESSION_NAME_BYTES];

	if (!json_object_object_get_ex(request, "session", &object))
		return strata_fail(error, "\"session\" is missing");
	if (session_json_read(object, &model, error))
		return -1;
	if (!model.output)
		strata_fail(error, "session %s has no output directory", model.name);
	else if (session_owner(model.name) != owner)
		strata_fail(error,
			    "%s: '%c' marks sessions of members of the group tracing; "
			    "choose another name",
			    model.name, SESSION_OWNER_MARK);
	session = !model.output || session_owner(model.name) != owner ||
				  session_change_check(&model, error) ||
				  check_no_consumer(&model, error)
			  ? NULL
			  : session_table_add(&model, error);
	if (!session) {
		session_model_clear(&model);
		return -1;
	}
	memcpy(name, model.name, sizeof(name));
	if (session_files_save(&session->model, error)) {
		session_table_remove(session);
		session_table_release(session);
		return -1;
	}
	session_table_release(session);
	/* Without it commands have to name their session. */
	session_files_set_current(name, &ignored);
	return reply_say(reply, STRATA_STATUS_OK, "session %s is created, and writes into %s", name,
			 json_object_get_string(json_object_object_get(object, "output")));
}

static int serve_destroy(uid_t owner, struct json_object *request, struct json_object *reply,
			 struct strata_error *error)
{
	struct managed_session *session = hold(owner, request, error);
	int status = STRATA_STATUS_OK;
	struct strata_error ignored;

	if (!session)
		return -1;
	if (session_table_count_recording(session))
		status = member_run_stop(session, request, reply, error);
	else if (session_owner(session->model.name) != SESSION_OWNER_SELF)
		member_dir_hand_over(session->model.name, NULL, &ignored);
	/* A stop has ended them; its consumers may also have ended by themselves. */
	session_table_end(session);
	reply_say(reply, status, "session %s is destroyed; its recordings stay in %s",
		  session->model.name, session->model.output);
	/* A member can have any number of names one after the other, but only root can remove their
	 * directories. */
	if (session_owner(session->model.name) != SESSION_OWNER_SELF)
		strata_dir_remove_empty(session->model.output);
	session_files_remove(&session->model);
	session_table_remove(session);
	session_table_release(session);
	return status;
}

/* All sessions, or the one that is named. */
static int serve_status(uid_t owner, struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	struct json_object *list = json_object_new_array();
	char(*names)[STRATA_SESSION_NAME_BYTES], current[STRATA_SESSION_NAME_BYTES];
	struct managed_session *session;
	size_t nr, i;

	json_object_object_add(reply, "sessions", list);
	session_files_current(owner, current);
	json_object_object_add(reply, "current", json_object_new_string(current));
	if (strata_json_has(request, "name")) {
		session = hold(owner, request, error);
		if (!session)
			return -1;
		json_object_array_add(list, session_run_describe(session));
		session_table_release(session);
		return STRATA_STATUS_OK;
	}
	nr = session_table_names(&names);
	for (i = 0; i < nr; i++) {
		if (owner != SESSION_OWNER_SELF && session_owner(names[i]) != owner)
			continue;
		session = session_table_hold(owner, names[i], error);
		/* It may have been destroyed since. */
		if (!session)
			continue;
		json_object_array_add(list, session_run_describe(session));
		session_table_release(session);
	}
	free(names);
	return STRATA_STATUS_OK;
}

static int set_current(struct managed_session *session, struct json_object *request,
		       struct json_object *reply, struct strata_error *error)
{
	(void)request;
	if (session_files_set_current(session->model.name, error))
		return -1;
	return reply_say(reply, STRATA_STATUS_OK, "session %s is the current one",
			 session->model.name);
}

/* Runs an operation on a session that is held, if it could be held. */
static int run_held(struct managed_session *session, struct json_object *request,
		    struct json_object *reply, session_run_fn *run, struct strata_error *error)
{
	int result;

	if (!session)
		return -1;
	result = run(session, request, reply, error);
	session_table_release(session);
	return result;
}

/* Runs an action that a trigger may have asked for. */
static int serve_action(uid_t owner, struct json_object *request, struct json_object *reply,
			session_run_fn *run, struct strata_error *error)
{
	return run_held(hold_as(session_table_hold_unless_ending, owner, request, error), request,
			reply, run, error);
}

static int serve_snapshot(uid_t owner, struct json_object *request, struct json_object *reply,
			  struct strata_error *error)
{
	return serve_action(owner, request, reply, member_run_snapshot, error);
}

static int serve_rotate(uid_t owner, struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	return serve_action(owner, request, reply, member_run_rotate, error);
}

static int serve_remove_trigger(uid_t owner, struct json_object *request, struct json_object *reply,
				struct strata_error *error)
{
	struct managed_session *session = hold(owner, request, error);

	return session ? trigger_process_remove(session, request, reply, error) : -1;
}

static const struct {
	const char *verb;
	serve_fn *serve;
	session_run_fn *run; /* of a session */
} verbs[] = {
	{ .verb = "create", .serve = serve_create },
	{ .verb = "destroy", .serve = serve_destroy },
	{ .verb = "status", .serve = serve_status },
	{ .verb = "start", .run = member_run_start },
	{ .verb = "stop", .run = member_run_stop },
	{ .verb = "enable", .run = session_change_enable },
	{ .verb = "disable", .run = session_change_disable },
	{ .verb = "enable-channel", .run = session_change_enable_channel },
	{ .verb = "disable-channel", .run = session_change_disable_channel },
	{ .verb = "snapshot", .serve = serve_snapshot },
	{ .verb = "set-session", .run = set_current },
	{ .verb = "rotate", .serve = serve_rotate },
	{ .verb = "rotation", .run = session_change_rotation },
	{ .verb = "clear", .run = member_run_clear },
	{ .verb = "add-trigger", .run = member_run_add_trigger },
	{ .verb = "remove-trigger", .serve = serve_remove_trigger },
};

static int serve_verb(uid_t owner, const char *verb, struct json_object *request,
		      struct json_object *reply, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verb, verbs[i].verb))
			return verbs[i].run ? run_held(hold(owner, request, error), request, reply,
						       verbs[i].run, error)
					    : verbs[i].serve(owner, request, reply, error);
	return strata_fail(error, "stratad knows no verb \"%s\"; use the strata of the same build",
			   verb);
}

/* Of a member.  One creates at a time: what is counted when a session is admitted holds until it is
 * there. */
static int serve_member(uid_t member, const char *verb, struct json_object *request,
			struct json_object *reply, struct strata_error *error)
{
	static pthread_mutex_t creates = PTHREAD_MUTEX_INITIALIZER;
	const bool create = !strcmp(verb, "create");
	int status = -1;

	if (create)
		pthread_mutex_lock(&creates);
	if (!member_admit(member, verb, request, error))
		status = serve_verb(member, verb, request, reply, error);
	if (create)
		pthread_mutex_unlock(&creates);
	return status;
}

struct json_object *session_verbs_serve(uid_t owner, struct json_object *request)
{
	struct json_object *reply = json_object_new_object();
	struct strata_error error = { "" };
	int status = -1;
	char verb[32];

	if (!strata_json_text(request, "verb", verb, sizeof(verb), &error))
		status = owner == SESSION_OWNER_SELF
				 ? serve_verb(owner, verb, request, reply, &error)
				 : serve_member(owner, verb, request, reply, &error);
	if (status < 0)
		status = reply_say(reply, STRATA_STATUS_FAILED, "%s", error.text);
	json_object_object_add(reply, "status", json_object_new_int(status));
	return reply;
}

/* Finds the consumer of a channel, or how it ended. */
static void restore_channel(struct managed_session *session, size_t index)
{
	const struct session_consumer of =
		session_files_consumer(&session->model, &session->model.channels[index]);
	struct managed_channel *channel = &session->channels[index];
	struct strata_error error;
	struct consumer consumer;

	if (!consumer_find(&consumer, &of))
		channel->ended = session_files_read_ended(&of);
	else if (session_table_watch(channel, &of, &consumer, &error))
		fprintf(stderr, "stratad: %s\n", error.text);
}

static void restore(void *data, struct strata_session *model)
{
	struct managed_session *session;
	struct strata_error error;
	size_t i;

	(void)data;
	session = session_table_add(model, &error);
	if (!session) {
		fprintf(stderr, "stratad: %s\n", error.text);
		session_model_clear(model);
		return;
	}
	for (i = 0; i < session->model.nr_channels; i++)
		restore_channel(session, i);
	trigger_process_find_all(session);
	session_table_release(session);
}

int session_verbs_restore(struct strata_error *error)
{
	return session_files_load(restore, NULL, error);
}
