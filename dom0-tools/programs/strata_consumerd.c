// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * strata_consumerd.c - records one channel of a session, whose model it reads from standard input,
 * or counts for one of its triggers; stratad starts it (stratad/sessions/consumer.h).  SIGINT ends
 * that.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/exit_status.h"
#include "consumerd/host/run_lock.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "control/session_trigger.h"
#include "files/read_at.h"
#include "stratad/session_options.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/session_files.h"
#include "stratad/trigger/trigger_session.h"

static int read_model(const char *name, struct strata_session *model, struct strata_error *error)
{
	const size_t bytes = STRATA_SESSION_TEXT_BYTES + 1;
	char *text = malloc(bytes);
	struct json_object *object;
	int result = -1;
	size_t length;

	if (!text)
		return strata_fail(error, "out of memory");
	length = strata_read_at(STDIN_FILENO, text, bytes, 0);
	object = session_json_parse(text, length, error);
	free(text);
	if (object)
		result = session_json_read(object, model, error);
	json_object_put(object);
	if (!result && strcmp(model->name, name)) {
		session_model_clear(model);
		return strata_fail(error, "this is the model of another session");
	}
	return result;
}

/*
 * Whether the stratad that started us lives: it reads the pipe.  Asked when we have the lock: if it
 * lives then, each later one finds us by the lock.  If it does not, the next one may have looked
 * for us before, and nobody would end us.
 */
static bool has_starter(int ready_fd)
{
	struct pollfd pipe = { .fd = ready_fd };

	return poll(&pipe, 1, 0) <= 0 || !(pipe.revents & POLLERR);
}

/* Records the channel.  Returns the exit status; errors have been printed. */
static int record(const struct strata_session *model, const struct strata_channel *channel,
		  const char *output, int ready_fd)
{
	struct session_options options;
	struct strata_error error;
	int status = STRATA_STATUS_FAILED;

	if (session_options_build(&options, model, channel, output, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
	} else {
		options.record.ready_fd = ready_fd;
		member_share_limit(model, &options.record);
		status = record_session(&options.record);
	}
	session_options_clear(&options);
	return status;
}

/* Records, or counts, and says in the session's files how that ended.  @trigger: NULL: records
 * @channel.  Returns the exit status, or -1. */
static int run(const struct strata_session *model, const struct strata_channel *channel,
	       const struct strata_trigger *trigger, const char *output, int ready_fd,
	       struct strata_error *error)
{
	const struct session_consumer of = session_files_consumer(model, channel);
	int lock = session_files_lock(&of, error), status;

	if (lock < 0)
		return -1;
	if (!has_starter(ready_fd)) {
		/* No file says so: the session may be gone, and another may have its name. */
		run_lock_release(lock);
		return strata_fail(error,
				   "stratad ended before the recording began; start it again");
	}
	status = trigger ? trigger_session(model->name, trigger, member_share_is_limited(model),
					   ready_fd)
			 : record(model, channel, output, ready_fd);
	if (session_files_write_ended(&of, status, error))
		fprintf(stderr, "strata: %s\n", error->text);
	run_lock_release(lock);
	return status;
}

/* Runs the channel or trigger of that name.  Returns the exit status, or -1. */
static int run_named(struct strata_session *model, const char *name, const char *output,
		     int ready_fd, struct strata_error *error)
{
	const struct strata_channel *channel = session_model_channel(model, name);
	const struct strata_trigger *trigger = session_trigger_find(model, name);

	if (channel)
		return run(model, channel, NULL, output, ready_fd, error);
	if (trigger)
		return run(model, &trigger->counted, trigger, output, ready_fd, error);
	return strata_fail(error, "session %s has no channel or trigger %s", model->name, name);
}

int main(int argc, char **argv)
{
	struct strata_error error = { "" };
	struct strata_session model;
	int status = -1, ready_fd;

	if (argc != 5) {
		fprintf(stderr, "strata-consumerd is started by stratad, for `strata start`\n");
		return STRATA_STATUS_USAGE;
	}
	ready_fd = atoi(argv[4]);
	if (ready_fd <= STDERR_FILENO || fcntl(ready_fd, F_SETFD, FD_CLOEXEC))
		strata_fail(&error, "%s is no open descriptor", argv[4]);
	else if (!read_model(argv[1], &model, &error)) {
		status = run_named(&model, argv[2], argv[3], ready_fd, &error);
		session_model_clear(&model);
	}
	if (status < 0)
		fprintf(stderr, "strata: %s\n", error.text);
	return status < 0 ? STRATA_STATUS_FAILED : status;
}
