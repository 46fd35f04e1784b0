// SPDX-License-Identifier: GPL-2.0-or-later
/* consumer.c - see consumer.h. */
#include "stratad/sessions/consumer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "consumerd/host/control_socket.h"
#include "consumerd/host/recorder_number.h"
#include "control/session_json.h"
#include "control/sibling.h"
#include "files/out_file.h"

#define PROGRAM  "strata-consumerd"
#define READY_FD 3

extern char **environ;

/* A file in memory with the model, to be read from its begin.  A descriptor or -1. */
static int model_file(const struct strata_session *session, struct strata_error *error)
{
	struct json_object *object = session_json_make(session);
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	int fd = memfd_create("session", MFD_CLOEXEC), cause = 0;

	if (fd < 0)
		cause = errno;
	else if (!text)
		cause = ENOMEM;
	else
		cause = strata_write_all(fd, text, strlen(text));
	if (!cause && lseek(fd, 0, SEEK_SET))
		cause = errno;
	json_object_put(object);
	if (!cause)
		return fd;
	if (fd >= 0)
		close(fd);
	return strata_fail(error, "session %s: %s", session->name, strerror(cause));
}

/* Its descriptors are the model, nothing, the log, and the pipe that gets a word when it records.
 * It is out of reach of our terminal's signals. */
static int spawn(pid_t *pid, char *const arguments[], int model, int log, int ready,
		 struct strata_error *error)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	char path[PATH_MAX];
	sigset_t signals;
	int number;

	if (sibling_path(PROGRAM, path, error))
		return -1;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, model, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&files, ready, READY_FD);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSID);
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(&attributes, &signals);
	sigfillset(&signals);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	number = posix_spawn(pid, path, &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return number ? strata_fail(error, "%s: %s", path, strerror(number)) : 0;
}

/* Waits until the pipe has a word, or nobody can write one any more.  Whether it has one. */
static bool await_ready(int pipe)
{
	char word;
	ssize_t nr;

	do
		nr = read(pipe, &word, 1);
	while (nr < 0 && errno == EINTR);
	return nr == 1;
}

/* The reason why a consumer did not begin, which is the last message of its log. */
static int fail_from_log(const struct session_consumer *of, struct strata_error *error)
{
	char text[2048], *line, *rest, *last = NULL;

	session_files_read_log(of, text, sizeof(text));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, "strata: ", 8))
			last = line + 8;
	return strata_fail(error, "%s",
			   last ? last : "its consumer ended before it began, without a message");
}

static int open_process(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void reap(const struct consumer *consumer)
{
	siginfo_t info;

	/* One that an earlier stratad started is no child of ours. */
	waitid(P_PIDFD, (id_t)consumer->process, &info, WEXITED | WNOHANG);
}

int consumer_start(struct consumer *consumer, const struct strata_session *session,
		   const struct strata_channel *channel, const char *output,
		   struct strata_error *error)
{
	const struct session_consumer of = session_files_consumer(session, channel);
	char name[STRATA_SESSION_NAME_BYTES], channel_name[STRATA_CHANNEL_NAME_BYTES];
	char directory[PATH_MAX], ready_fd[8];
	char *const arguments[] = { PROGRAM, name, channel_name, directory, ready_fd, NULL };
	int model = -1, log = -1, ready[2] = { -1, -1 }, result = -1;

	*consumer = (struct consumer){ .process = -1, .number = -1 };
	snprintf(name, sizeof(name), "%s", session->name);
	snprintf(channel_name, sizeof(channel_name), "%s", channel->name);
	snprintf(directory, sizeof(directory), "%s", output);
	snprintf(ready_fd, sizeof(ready_fd), "%d", READY_FD);
	session_files_forget_ended(&of);
	model = model_file(session, error);
	if (model >= 0)
		log = session_files_open_log(&of, error);
	if (log >= 0 && pipe2(ready, O_CLOEXEC))
		strata_fail(error, "no pipe: %s", strerror(errno));
	else if (log >= 0)
		result = spawn(&consumer->pid, arguments, model, log, ready[1], error);
	if (ready[1] >= 0)
		close(ready[1]);
	if (!result) {
		/* Nobody else waits for it, so its number is not another's yet. */
		consumer->process = open_process(consumer->pid);
		if (await_ready(ready[0])) {
			consumer->number = recorder_number_of(consumer->pid);
		} else {
			consumer_wait(consumer);
			consumer_forget(consumer);
			result = fail_from_log(&of, error);
		}
	}
	if (ready[0] >= 0)
		close(ready[0]);
	if (log >= 0)
		close(log);
	if (model >= 0)
		close(model);
	return result;
}

bool consumer_find(struct consumer *consumer, const struct session_consumer *of)
{
	*consumer = (struct consumer){ .process = -1, .number = -1 };
	consumer->pid = session_files_holder(of);
	if (!consumer->pid)
		return false;
	consumer->process = open_process(consumer->pid);
	/* Still the same: so the descriptor is of the process that holds the lock. */
	if (consumer->process < 0 || session_files_holder(of) != consumer->pid) {
		consumer_forget(consumer);
		return false;
	}
	consumer->number = recorder_number_of(consumer->pid);
	return true;
}

void consumer_end(const struct consumer *consumer)
{
	syscall(SYS_pidfd_send_signal, consumer->process, SIGINT, NULL, 0);
}

void consumer_wait(const struct consumer *consumer)
{
	struct pollfd fd = { .fd = consumer->process, .events = POLLIN };

	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	reap(consumer);
}

void consumer_forget(struct consumer *consumer)
{
	if (consumer->process >= 0)
		close(consumer->process);
	*consumer = (struct consumer){ .process = -1, .number = -1 };
}

int consumer_ask(const struct consumer *consumer, const char *line, char *answer, size_t bytes,
		 struct strata_error *error)
{
	if (consumer->number < 0)
		return strata_fail(error, "its consumer has no number yet; try again");
	return control_socket_ask((unsigned int)consumer->number, line, answer, bytes, error);
}
