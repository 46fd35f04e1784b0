// SPDX-License-Identifier: GPL-2.0-or-later
/* session_run.c - see session_run.h. */
#include "stratad/sessions/session_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/output_dir.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "files/safe_dir.h"
#include "stratad/sessions/reply.h"
#include "stratad/sessions/session_files.h"
#include "stratad/sessions/session_owner.h"
#include "stratad/sessions/trigger_process.h"
#include "stratad/sessions/watched_start.h"

/* Of a consumer's log, what a stop shows and a status looks at. */
#define LOG_BYTES 16384u

/* Adds the messages of a consumer since it began: its report. */
static void add_report(struct json_object *reply, const struct session_consumer *of)
{
	char text[LOG_BYTES], *lines = text, *line, *rest;
	bool began;

	session_files_read_log(of, text, sizeof(text));
	/* The end of a longer log, from the next whole line on: the recording began before it. */
	began = strlen(text) == sizeof(text) - 1;
	if (began)
		lines += strcspn(lines, "\n");
	for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const bool begins = !strncmp(line, "strata: recording ", 18);

		if (began && !begins)
			reply_note(reply, line);
		began |= begins;
	}
}

/* Asks a consumer for its status, for json_object_put().  NULL with the reason.  Notes where it
 * records: it chooses the names of its directories. */
static struct json_object *ask_status(struct managed_channel *channel,
				      const struct consumer *consumer, struct strata_error *error)
{
	char text[CONTROL_LINE_BYTES];
	struct json_object *status;
	struct strata_error absent;
	const int result = consumer_ask(consumer, "status", text, sizeof(text), error);

	if (result > 0)
		strata_fail(error, "%.900s", text);
	if (result)
		return NULL;
	status = session_json_parse(text, strlen(text), error);
	if (status)
		strata_json_text(status, "recording", channel->recording,
				 sizeof(channel->recording), &absent);
	return status;
}

/* Notes where the session records, of those channels that do: several have a directory in common.
 */
static void note_common_dir(struct managed_session *session)
{
	const bool several = session_table_count_recording(session) > 1;
	struct consumer consumer;
	size_t i;

	for (i = 0; i < session->model.nr_channels; i++) {
		const struct managed_channel *channel = &session->channels[i];

		if (!session_table_consumer(channel, &consumer) || !channel->recording[0])
			continue;
		memcpy(session->recording, channel->recording, sizeof(session->recording));
		if (several && strrchr(session->recording, '/'))
			*strrchr(session->recording, '/') = '\0';
	}
}

/* Notes where the channels of a session record. */
static void note_recordings(struct managed_session *session)
{
	struct strata_error ignored;
	struct consumer consumer;
	size_t i;

	for (i = 0; i < session->model.nr_channels; i++) {
		struct managed_channel *channel = &session->channels[i];

		if (session_table_consumer(channel, &consumer) && consumer.number >= 0)
			json_object_put(ask_status(channel, &consumer, &ignored));
	}
	note_common_dir(session);
}

static int fail_not_recording(const struct managed_session *session, struct strata_error *error)
{
	return strata_fail(error, "session %s does not record; `strata start %s` starts it",
			   session->model.name, session->model.name);
}

/*
 * Names the directory of one of several channels in that of all of them.
 * 0, or -1: the path is too long.
 */
static int path_of_channel(char path[PATH_MAX], const char *dir, const char *channel,
			   struct strata_error *error)
{
	return snprintf(path, PATH_MAX, "%s/%s", dir, channel) < PATH_MAX
		       ? 0
		       : strata_fail(error, "%.200s...: the path is too long", dir);
}

/* Makes the directory of several channels.  0 or -1. */
static int make_common_dir(const char *path, struct strata_error *error)
{
	struct strata_dir dir;

	if (strata_dir_make(&dir, path, 0750, NULL, error))
		return -1;
	strata_dir_close(&dir);
	return 0;
}

/* Starts the consumer of a channel.  @path: of its recording.  0 or -1. */
static int start_channel(struct managed_session *session, size_t index, const char *path,
			 struct strata_error *error)
{
	struct managed_channel *channel = &session->channels[index];

	if (watched_start(channel, &session->model, &session->model.channels[index], path, error))
		return -1;
	snprintf(channel->recording, sizeof(channel->recording), "%s", path);
	return 0;
}

/* The ends of all consumers are reported: also for a stratad that comes later; one that does not
 * know it reports them again. */
static void forget_ends(struct managed_session *session)
{
	struct strata_error ignored;
	size_t i;

	for (i = 0; i < session->model.nr_channels; i++) {
		const struct session_consumer of =
			session_files_consumer(&session->model, &session->model.channels[i]);

		if (session->channels[i].ended == SESSION_NO_NEWS)
			continue;
		session->channels[i].ended = SESSION_NO_NEWS;
		session_files_write_ended(&of, SESSION_NO_NEWS, &ignored);
	}
}

/* Starts all channels that have events, or none.  @path: of the recording.  0 or -1. */
static int start_channels(struct managed_session *session, const char *path,
			  struct strata_error *error)
{
	const bool several = session_model_count_recorded(&session->model) > 1;
	char own[PATH_MAX];
	size_t i;

	if (several && make_common_dir(path, error))
		return -1;
	for (i = 0; i < session->model.nr_channels; i++) {
		const struct strata_channel *channel = &session->model.channels[i];

		if (!session_model_records(channel))
			continue;
		if ((several && path_of_channel(own, path, channel->name, error)) ||
		    start_channel(session, i, several ? own : path, error)) {
			if (several)
				strata_fail_in(error, "channel %s", channel->name);
			session_table_end(session);
			forget_ends(session);
			if (several)
				strata_dir_remove_empty(path);
			return -1;
		}
	}
	return 0;
}

/* A session whose triggers cannot count does not record: nothing would read its flight recorder.
 * Where guests alone are the reason, it does.  As trigger_process_start_all(). */
static int start_triggers(struct managed_session *session, struct json_object *reply,
			  struct strata_error *error)
{
	const int status = trigger_process_start_all(session, reply, error);

	if (status >= 0)
		return status;
	session_table_end(session);
	forget_ends(session);
	trigger_process_forget_all(session);
	return -1;
}

int session_run_start(struct managed_session *session, struct json_object *request,
		      struct json_object *reply, struct strata_error *error)
{
	const struct strata_session *model = &session->model;
	struct strata_error warning;
	char path[PATH_MAX];
	int status;

	(void)request;
	if (session_table_count_recording(session))
		return strata_fail(error, "session %s records already", model->name);
	/* Triggers of a session whose consumers ended by themselves. */
	session_table_end(session);
	trigger_process_forget_all(session);
	if (!session_model_count_recorded(model))
		return strata_fail(
			error, "session %s has no events%s; `strata enable-event` adds some",
			model->name, model->nr_channels > 1 ? " in an enabled channel" : "");
	if (output_dir_of_many(model->output, &warning, error) ||
	    output_dir_dated(path, model->output, "recording", error) ||
	    start_channels(session, path, error))
		return -1;
	status = start_triggers(session, reply, error);
	if (status < 0)
		return -1;
	snprintf(session->recording, sizeof(session->recording), "%s", path);
	note_recordings(session);
	if (warning.text[0]) {
		char text[sizeof(warning.text) + 16];

		snprintf(text, sizeof(text), "strata: %s", warning.text);
		reply_note(reply, text);
	}
	return reply_say(reply, status, "session %s records into %s", model->name,
			 session->recording);
}

/* Of two statuses the worse one: failed, then partial, then OK. */
static int worse(int one, int other)
{
	if (one == STRATA_STATUS_FAILED || other == STRATA_STATUS_FAILED)
		return STRATA_STATUS_FAILED;
	return one > other ? one : other;
}

/* Whether the end of a consumer has not been reported yet, or it will end now. */
static bool has_report(const struct managed_channel *channel)
{
	struct consumer consumer;

	return session_table_consumer(channel, &consumer) || channel->ended != SESSION_NO_NEWS;
}

int session_run_stop(struct managed_session *session, struct json_object *request,
		     struct json_object *reply, struct strata_error *error)
{
	const struct strata_session *model = &session->model;
	bool reported[STRATA_SESSION_CHANNELS_MAX];
	int status = STRATA_STATUS_OK;
	const char *killed = NULL;
	size_t nr = 0, i;

	(void)request;
	for (i = 0; i < model->nr_channels; i++)
		nr += reported[i] = has_report(&session->channels[i]);
	if (!nr)
		return fail_not_recording(session, error);
	/* They may have rotated since the start. */
	note_recordings(session);
	session_table_end(session);
	for (i = 0; i < model->nr_channels; i++) {
		const struct managed_channel *channel = &session->channels[i];
		const struct session_consumer of =
			session_files_consumer(model, &model->channels[i]);

		if (!reported[i])
			continue;
		if (nr > 1)
			reply_note_of(reply, model->channels[i].name, "its report:");
		add_report(reply, &of);
		if (channel->ended == SESSION_KILLED)
			killed = channel->recording[0] ? channel->recording : model->output;
		else
			status = worse(status, channel->ended);
	}
	/* One that has ended by itself is told of once. */
	forget_ends(session);
	status = worse(status, trigger_process_report(session, reply));
	if (killed)
		return strata_fail(error,
				   "the consumer of session %s was killed; `strata recover %s` "
				   "restores what it had recorded",
				   model->name, killed);
	return reply_say(reply, status, "session %s is stopped", model->name);
}

/* A command for the consumers of a session. */
struct command {
	const char *word;
	char argument[PATH_MAX]; /* "": none; of several channels' directories, the common one */
	bool is_dir;             /* the argument is a directory */
	bool awaits_disk;        /* what is in it has to be on the disk; a consumer does not wait */
	const char *done;        /* what several channels are then */
};

/* What a command's word is followed by, for one channel.  0, or -1: the path is too long. */
static int argument_of(const struct command *command, const char *channel, bool several,
		       char argument[PATH_MAX], struct strata_error *error)
{
	if (several && command->is_dir)
		return path_of_channel(argument, command->argument, channel, error);
	memcpy(argument, command->argument, PATH_MAX);
	return 0;
}

/* Sends the command to the consumer of one channel.  @text: OUT, its answer */
static int ask_channel(const struct command *command, const struct consumer *consumer,
		       const char *channel, bool several, char text[CONTROL_LINE_BYTES],
		       struct strata_error *error)
{
	char line[CONTROL_LINE_BYTES], argument[PATH_MAX];

	if (argument_of(command, channel, several, argument, error))
		return -1;
	if (snprintf(line, sizeof(line), "%s%s%s", command->word, argument[0] ? " " : "",
		     argument) >= (int)sizeof(line))
		return strata_fail(error, "%.200s...: the path is too long", argument);
	return consumer_ask(consumer, line, text, CONTROL_LINE_BYTES, error);
}

/* Waits until the disk has what one channel's consumer has written.  Returns the status: -1 if that
 * fails. */
static int await_disk(const struct command *command, const char *channel, bool several, int status,
		      struct strata_error *error)
{
	char argument[PATH_MAX];

	if (!command->awaits_disk ||
	    (status != STRATA_STATUS_OK && status != STRATA_STATUS_PARTIAL))
		return status;
	return argument_of(command, channel, several, argument, error) ||
			       output_dir_await_disk(argument, error)
		       ? -1
		       : status;
}

/* Sends a command to the consumers of several channels, and notes what each answers; then waits for
 * the disk, which another user may keep busy: no channel's answer waits for the disk of another's.
 * Returns the worst status. */
static int ask_several(struct managed_session *session, const struct command *command,
		       struct json_object *reply)
{
	const struct strata_session *model = &session->model;
	int statuses[STRATA_SESSION_CHANNELS_MAX];
	bool asked[STRATA_SESSION_CHANNELS_MAX];
	char text[CONTROL_LINE_BYTES];
	unsigned int nr = 0, failed = 0;
	int worst = STRATA_STATUS_OK;
	struct strata_error error;
	size_t i;

	for (i = 0; i < model->nr_channels; i++) {
		const char *const name = model->channels[i].name;
		struct consumer consumer;

		asked[i] = session_table_consumer(&session->channels[i], &consumer);
		if (!asked[i])
			continue;
		error.text[0] = '\0';
		statuses[i] = ask_channel(command, &consumer, name, true, text, &error);
		reply_note_of(reply, name, statuses[i] < 0 ? error.text : text);
		if (statuses[i] < 0)
			statuses[i] = STRATA_STATUS_FAILED;
		nr++;
	}
	for (i = 0; i < model->nr_channels; i++) {
		const char *const name = model->channels[i].name;

		if (!asked[i])
			continue;
		statuses[i] = await_disk(command, name, true, statuses[i], &error);
		if (statuses[i] < 0) {
			reply_note_of(reply, name, error.text);
			statuses[i] = STRATA_STATUS_FAILED;
		}
		failed += statuses[i] != STRATA_STATUS_OK && statuses[i] != STRATA_STATUS_PARTIAL;
		worst = worse(worst, statuses[i]);
	}
	if (failed)
		return reply_say(reply, worst, "session %s: %u of %u channels: failed", model->name,
				 failed, nr);
	return reply_say(reply, worst, "session %s: %u channels: %s", model->name, nr,
			 command->done);
}

/* Sends a command to the consumers of a session.  Of one channel, its answer becomes the reply's
 * message. */
static int ask_consumers(struct managed_session *session, const struct command *command,
			 struct json_object *reply, struct strata_error *error)
{
	const size_t nr = session_table_count_recording(session);
	char text[CONTROL_LINE_BYTES];
	struct consumer consumer;
	size_t i;
	int status;

	if (nr > 1) {
		if (command->is_dir && make_common_dir(command->argument, error))
			return -1;
		status = ask_several(session, command, reply);
		if (command->is_dir)
			strata_dir_remove_empty(command->argument);
		return status;
	}
	for (i = 0; i < session->model.nr_channels; i++)
		if (session_table_consumer(&session->channels[i], &consumer)) {
			status = ask_channel(command, &consumer, NULL, false, text, error);
			status = await_disk(command, NULL, false, status, error);
			return status < 0 ? status : reply_say(reply, status, "%s", text);
		}
	return fail_not_recording(session, error);
}

int session_run_snapshot(struct managed_session *session, struct json_object *request,
			 struct json_object *reply, struct strata_error *error)
{
	struct command command = { .word = "snapshot",
				   .is_dir = true,
				   .awaits_disk = true,
				   .done = "a snapshot is written" };
	int status;

	if (!session_table_count_recording(session))
		return fail_not_recording(session, error);
	if (strata_json_has(request, "output")) {
		if (strata_json_text(request, "output", command.argument, sizeof(command.argument),
				     error))
			return -1;
		if (command.argument[0] != '/' || strchr(command.argument, '\n'))
			return strata_fail(error, "\"output\" is not an absolute path of one line");
	} else if (output_dir_dated(command.argument, session->model.output, "snapshot", error)) {
		return -1;
	}
	status = ask_consumers(session, &command, reply, error);
	if (status == STRATA_STATUS_OK || status == STRATA_STATUS_PARTIAL)
		reply_path(reply, "output", command.argument);
	return status;
}

/* Has all channels continue in a new recording, which several have in common; the recorder of one
 * channel names it. */
static int continue_in_next(struct managed_session *session, struct command *command,
			    struct json_object *reply, struct strata_error *error)
{
	int status;

	command->is_dir = session_table_count_recording(session) > 1 && !session->model.snapshot;
	if (command->is_dir &&
	    output_dir_dated(command->argument, session->model.output, "recording", error))
		return -1;
	status = ask_consumers(session, command, reply, error);
	note_recordings(session);
	return status;
}

int session_run_rotate(struct managed_session *session, struct json_object *request,
		       struct json_object *reply, struct strata_error *error)
{
	struct command command = { .word = "rotate", .done = "the recording is rotated" };

	(void)request;
	return continue_in_next(session, &command, reply, error);
}

int session_run_clear(struct managed_session *session, struct json_object *request,
		      struct json_object *reply, struct strata_error *error)
{
	struct command command = { .word = "clear", .done = "the recorded events are removed" };

	(void)request;
	return continue_in_next(session, &command, reply, error);
}

int session_run_set_rotation(struct managed_session *session, const struct strata_rotation *when,
			     struct json_object *reply, struct strata_error *error)
{
	struct command command = { .word = "rotation", .done = "rotation is set" };

	if (!session_table_count_recording(session))
		return STRATA_STATUS_OK;
	snprintf(command.argument, sizeof(command.argument), "%" PRIu64 " %u %u", when->bytes,
		 when->ms, when->keep);
	return ask_consumers(session, &command, reply, error);
}

static struct json_object *describe_channel(struct managed_channel *channel, const char *name)
{
	struct json_object *object = json_object_new_object(), *status;
	struct strata_error error = { "" };
	struct consumer consumer;
	const bool records = session_table_consumer(channel, &consumer);

	json_object_object_add(object, "name", json_object_new_string(name));
	json_object_object_add(object, "records", json_object_new_boolean(records));
	status = records ? ask_status(channel, &consumer, &error) : NULL;
	if (channel->recording[0])
		json_object_object_add(object, "recording",
				       json_object_new_string(channel->recording));
	if (!records && channel->ended != SESSION_NO_NEWS)
		json_object_object_add(object, "ended",
				       channel->ended == SESSION_KILLED
					       ? json_object_new_string("killed")
					       : json_object_new_int(channel->ended));
	if (!records)
		return object;
	json_object_object_add(object, "process", json_object_new_int(consumer.pid));
	json_object_object_add(object, status ? "status" : "no_status",
			       status ? status : json_object_new_string(error.text));
	return object;
}

struct json_object *session_run_describe(struct managed_session *session)
{
	struct json_object *object = json_object_new_object(), *channels = json_object_new_array();
	const struct strata_session *model = &session->model;
	size_t i;

	json_object_object_add(object, "model", session_json_make(model));
	if (session_owner(model->name) != SESSION_OWNER_SELF)
		json_object_object_add(object, "owner",
				       json_object_new_int64(session_owner(model->name)));
	for (i = 0; i < model->nr_channels; i++)
		json_object_array_add(
			channels, describe_channel(&session->channels[i], model->channels[i].name));
	note_common_dir(session);
	if (session->recording[0])
		json_object_object_add(object, "recording",
				       json_object_new_string(session->recording));
	json_object_object_add(object, "channels", channels);
	if (model->nr_triggers)
		json_object_object_add(object, "triggers", trigger_process_describe(session));
	return object;
}
