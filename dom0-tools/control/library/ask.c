// SPDX-License-Identifier: GPL-2.0-or-later
/* ask.c - see ask.h.  A reply may be hostile: every member is checked before it is used. */
#include "control/library/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <strata/own_fd.h>

#include "base/json_members.h"
#include "consumerd/host/peer_user.h"
#include "consumerd/host/run_dir_path.h"
#include "control/library/start_daemon.h"
#include "control/message.h"

#define SEND_MS 60000

/* Longest wait for a stratad that starts or ends meanwhile, and between two looks. */
#define OTHER_MS 10000
#define TURN_MS  10

struct json_object *ask_make(const char *verb, const char *name)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "verb", json_object_new_string(verb));
	if (name)
		json_object_object_add(request, "name", json_object_new_string(name));
	return request;
}

/* A connected socket, or -1 with errno. */
static int connect_socket(const char *run_dir, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = strata_own_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), number;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", run_dir, name);
	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		if (peer_is_ours(fd))
			return fd;
		errno = EACCES;
	}
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

static int connect_daemon(const char *run_dir)
{
	return connect_socket(run_dir, MESSAGE_SOCKET);
}

/* Connects to root's stratad as a member of the group tracing.  A connected socket, or -1 with the
 * next step. */
static int connect_as_member(struct strata_error *error)
{
	const struct passwd *user = getpwuid(geteuid());
	const int fd = connect_socket(RUN_DIR_OF_ROOT, MESSAGE_MEMBER_SOCKET);
	const char *name = user ? user->pw_name : "USER";

	if (fd >= 0)
		return fd;
	if (errno == EACCES)
		return strata_fail(error,
				   "user %s is not a member of the group " MESSAGE_MEMBER_GROUP
				   "; as root: usermod -aG " MESSAGE_MEMBER_GROUP
				   " %s, then log in again",
				   name, name);
	if (errno == ENOENT || errno == ECONNREFUSED)
		return strata_fail(
			error,
			"root's stratad does not run, or there was no group " MESSAGE_MEMBER_GROUP
			" when it started; as root: groupadd -f "
			"--system " MESSAGE_MEMBER_GROUP
			", then systemctl restart stratad.service");
	return strata_fail(error, "root's stratad cannot be reached at " RUN_DIR_OF_ROOT "/%s: %s",
			   MESSAGE_MEMBER_SOCKET, strerror(errno));
}

/* Whether an earlier stratad had sessions here, which the next one finds. */
static bool has_sessions(const char *run_dir)
{
	char path[RUN_DIR_PATH_BYTES + sizeof("/" MESSAGE_SESSIONS)];

	snprintf(path, sizeof(path), "%s/" MESSAGE_SESSIONS, run_dir);
	return !access(path, F_OK);
}

/* Whether a stratad lives that does not listen yet, or not any more. */
static bool is_locked(const char *run_dir)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[RUN_DIR_PATH_BYTES + sizeof("/" MESSAGE_LOCK)];
	bool locked;
	int fd;

	snprintf(path, sizeof(path), "%s/" MESSAGE_LOCK, run_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	locked = !fcntl(fd, F_OFD_GETLK, &whole) && whole.l_type != F_UNLCK;
	close(fd);
	return locked;
}

/* Waits while another stratad starts or ends.  A connected socket, or -1: it ended, or does not in
 * time. */
static int connect_other(const char *run_dir)
{
	const struct timespec turn = { .tv_nsec = TURN_MS * 1000000l };
	int fd, turns;

	for (turns = 0; turns < OTHER_MS / TURN_MS; turns++) {
		const bool locked = is_locked(run_dir);

		fd = connect_daemon(run_dir);
		if (fd >= 0 || !locked)
			return fd;
		nanosleep(&turn, NULL);
	}
	return -1;
}

/* Starts stratad, unless another program does so now.  A connected socket or -1. */
static int start_and_connect(struct strata_control *control, const char *run_dir,
			     struct strata_error *error)
{
	int fd = connect_other(run_dir), started;

	if (fd >= 0)
		return fd;
	started = start_daemon(control, error);
	fd = connect_other(run_dir);
	/* Another one was faster, and ours said so. */
	if (fd >= 0 && started)
		handle_begin(control);
	if (fd >= 0 || started)
		return fd;
	if (control->nr_notes)
		return strata_fail(error, "stratad could not be started: %s", control->notes[0]);
	return strata_fail(error, "stratad cannot be reached at %s/%s: %s", run_dir, MESSAGE_SOCKET,
			   strerror(errno));
}

/* A connected socket, or -1 with the result in @failed. */
static int connect_or_start(struct strata_control *control, bool start,
			    enum strata_control_result *failed, struct strata_error *error)
{
	char run_dir[RUN_DIR_PATH_BYTES];
	int fd;

	*failed = STRATA_CONTROL_NO_REPLY;
	if (control->system)
		return connect_as_member(error);
	if (run_dir_choose(run_dir, error))
		return -1;
	if (run_dir_check_path(run_dir, error))
		return strata_fail_in(error, "stratad cannot be reached");
	fd = connect_daemon(run_dir);
	if (fd >= 0)
		return fd;
	if (errno != ENOENT && errno != ECONNREFUSED)
		return strata_fail(error, "stratad cannot be reached at %s/%s: %s", run_dir,
				   MESSAGE_SOCKET, strerror(errno));
	if (start || has_sessions(run_dir))
		return start_and_connect(control, run_dir, error);
	*failed = STRATA_CONTROL_FAILED;
	return strata_fail(error, "there are no sessions: stratad does not run; `strata create` "
				  "begins one");
}

/* Notes the lines of a reply.  0 or -1. */
static int take_notes(struct strata_control *control, struct strata_error *error)
{
	struct json_object *notes;
	size_t i;

	if (!strata_json_has(control->reply, "notes"))
		return 0;
	if (strata_json_array(control->reply, "notes", SIZE_MAX, &notes, error))
		return -1;
	for (i = 0; i < json_object_array_length(notes); i++) {
		struct json_object *note = json_object_array_get_idx(notes, i);

		if (!json_object_is_type(note, json_type_string))
			return strata_fail(error, "note %zu is not a string", i);
		handle_note(control, json_object_get_string(note));
	}
	return 0;
}

/* Takes status, message and notes of a reply.  0 or -1. */
static int take_reply(struct strata_control *control, enum strata_control_result *result,
		      struct strata_error *error)
{
	struct json_object *message;
	uint64_t status;

	if (strata_json_u64(control->reply, "status", UINT8_MAX, &status, error) ||
	    take_notes(control, error))
		return -1;
	/* Others are failures of a kind that this version does not know. */
	*result = status > STRATA_CONTROL_PARTIAL ? STRATA_CONTROL_FAILED
						  : (enum strata_control_result)status;
	if (!json_object_object_get_ex(control->reply, "message", &message))
		return 0;
	if (!json_object_is_type(message, json_type_string))
		return strata_fail(error, "\"message\" is not a string");
	handle_end(control, *result, json_object_get_string(message));
	return 0;
}

int ask_over(struct strata_control *control, int fd, struct json_object *request,
	     enum strata_control_result *result, struct strata_error *error)
{
	const int limit_ms = control->timeout_ms;

	errno = 0;
	/* A stratad that refuses us does not read the request: its reply is there then. */
	if (!message_send(fd, request, limit_ms < 0 || limit_ms > SEND_MS ? SEND_MS : limit_ms,
			  error) ||
	    errno == EPIPE || errno == ECONNRESET)
		control->reply = message_receive(fd, MESSAGE_REPLY_BYTES, limit_ms, error);
	control->hung_up = !control->reply && (errno == ECONNRESET || errno == EPIPE);
	return control->reply && !take_reply(control, result, error) ? 0 : -1;
}

enum strata_control_result ask(struct strata_control *control, struct json_object *request,
			       bool start)
{
	enum strata_control_result result = STRATA_CONTROL_NO_REPLY;
	struct strata_error error = { "" }, reason;
	int fd, failed;

	if (!request)
		return handle_out_of_memory(control);
	handle_begin(control);
	fd = connect_or_start(control, start, &result, &error);
	if (fd < 0) {
		json_object_put(request);
		return handle_end(control, result, error.text);
	}
	failed = ask_over(control, fd, request, &result, &error);
	close(fd);
	json_object_put(request);
	if (!failed)
		return result;
	reason = error;
	strata_fail(&error, "stratad: %.900s; `strata status` shows what was done", reason.text);
	return handle_end(control, STRATA_CONTROL_NO_REPLY, error.text);
}
