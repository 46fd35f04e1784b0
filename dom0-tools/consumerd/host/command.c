// SPDX-License-Identifier: GPL-2.0-or-later
/* command.c - see command.h; record_session.c calls it. */
#include "consumerd/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <strata/abi/app.h>

/* As a shell has it. */
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND      127
#define STATUS_SIGNAL         128

/* How long its processes wait for the running recorder; if it dies, they continue. */
#define WAIT_MS_TEXT "10000"

/* How long a process may take to end after SIGTERM. */
#define END_MS  10000
#define LOOK_NS 20000000

/* The command's process, until it is the command: waits for the recorder. */
static void __attribute__((__noreturn__)) become(char *const *argv, int go, int refusal)
{
	char byte;
	int reason;

	/* A recorder that fails or dies closes it silently. */
	if (read(go, &byte, 1) != 1)
		_exit(0);
	setenv(STRATA_APP_WAIT_VARIABLE, WAIT_MS_TEXT, 0);
	execvp(argv[0], argv);
	reason = errno;
	if (write(refusal, &reason, sizeof(reason)) != sizeof(reason))
		_exit(STATUS_NOT_EXECUTABLE);
	_exit(reason == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

/* Whether the program exists. A typing error is reported before anything is recorded or replaced. 0
 * or an errno. */
static int look_for(const char *name)
{
	const char *path = getenv("PATH"), *at;
	int reason = ENOENT;
	char file[4096];
	size_t length;

	if (strchr(name, '/'))
		return access(name, X_OK) ? errno : 0;
	for (at = path ? path : "/bin:/usr/bin"; *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		if (snprintf(file, sizeof(file), "%.*s%s%s", (int)length, at, length ? "/" : "",
			     name) >= (int)sizeof(file))
			continue;
		if (!access(file, X_OK))
			return 0;
		if (errno == EACCES)
			reason = EACCES;
	}
	return reason;
}

static int refuse(struct command *command, int reason, struct strata_error *error)
{
	command->refused = true;
	command->status = reason == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
	return strata_fail(error, "%s: cannot be started: %s", command->argv[0], strerror(reason));
}

int command_fork(struct command *command, char *const *argv, struct strata_error *error)
{
	int go[2], refusal[2], reason;

	*command = (struct command){ .argv = argv, .go = -1, .refusal = -1 };
	if (!argv)
		return 0;
	reason = look_for(argv[0]);
	if (reason)
		return refuse(command, reason, error);
	if (pipe2(go, O_CLOEXEC))
		return strata_fail(error, "%s: cannot create a pipe to it: %s", argv[0],
				   strerror(errno));
	if (pipe2(refusal, O_CLOEXEC)) {
		strata_fail(error, "%s: cannot create a pipe to it: %s", argv[0], strerror(errno));
		close(go[0]);
		close(go[1]);
		return -1;
	}
	fflush(NULL);
	command->pid = fork();
	if (command->pid == 0) {
		close(go[1]);
		close(refusal[0]);
		become(argv, go[0], refusal[1]);
	}
	/* Whoever started us may ignore the ends of children: then none can be waited for, and the
	 * number of the command would soon be that of another process.  The command inherits what
	 * we did. */
	signal(SIGCHLD, SIG_DFL);
	close(go[0]);
	close(refusal[1]);
	command->go = go[1];
	command->refusal = refusal[0];
	if (command->pid < 0) {
		command->pid = 0;
		close(command->go);
		close(command->refusal);
		command->go = command->refusal = -1;
		return strata_fail(error, "%s: cannot fork: %s", argv[0], strerror(errno));
	}
	/* Its orphans become our children, so they can be found. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		fprintf(stderr,
			"strata: %s: cannot adopt the processes that it leaves behind: %s\n",
			argv[0], strerror(errno));
	return 0;
}

static void note_end(struct command *command, int status)
{
	command->pid = 0;
	command->status = WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status)
					      : WEXITSTATUS(status);
}

int command_start(struct command *command, struct strata_error *error)
{
	int reason = 0, status;
	ssize_t got;

	if (!command->argv)
		return 0;
	if (write(command->go, "", 1) != 1)
		reason = errno;
	close(command->go);
	command->go = -1;
	/* Its end closes with the process's exec. */
	do
		got = reason ? 0 : read(command->refusal, &reason, sizeof(reason));
	while (got < 0 && errno == EINTR);
	close(command->refusal);
	command->refusal = -1;
	if (!reason)
		return 0;
	if (waitpid(command->pid, &status, 0) == command->pid)
		note_end(command, status);
	return refuse(command, reason, error);
}

bool command_has_ended(struct command *command)
{
	int status;
	pid_t pid;

	if (!command->argv)
		return false;
	while (command->pid && (pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == command->pid)
			note_end(command, status);
	return command->pid == 0;
}

void command_signal(const struct command *command, int number)
{
	if (command->argv && command->pid && command->go < 0)
		kill(command->pid, number);
}

void command_end(struct command *command)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	const bool runs = command->pid != 0;
	unsigned int waited_ms;

	if (!command->argv)
		return;
	/* A command that never started ends when this closes. */
	if (command->go >= 0)
		close(command->go);
	else
		command_signal(command, SIGTERM);
	if (command->refusal >= 0)
		close(command->refusal);
	command->go = command->refusal = -1;
	for (waited_ms = 0; !command_has_ended(command) && waited_ms < END_MS;
	     waited_ms += LOOK_NS / 1000000)
		nanosleep(&pause, NULL);
	/* It ended because of our signal. */
	if (runs && command->status == STATUS_SIGNAL + SIGTERM)
		command->status = 0;
	if (command->pid)
		fprintf(stderr, "strata: %s (process %d) was told to end but still runs\n",
			command->argv[0], command->pid);
}
