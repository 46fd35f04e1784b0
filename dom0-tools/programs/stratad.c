// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stratad.c - the session daemon: keeps the sessions, and starts and stops their consumers.
 *
 * It may be killed at any time: consumers record on, and the next stratad finds them.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "consumerd/host/standard_files.h"
#include "stratad/listing/list_member.h"
#include "stratad/listing/list_request.h"
#include "stratad/sessions/daemon.h"
#include "stratad/sessions/member_socket.h"
#include "stratad/sessions/service_manager.h"
#include "stratad/sessions/session_verbs.h"

/* As Linux begins the first process with. */
#define STACK_BYTES    (8u << 20)
#define TIMER_SLACK_NS 50000ul

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: stratad [--background|--list]\n"
		"Keeps the sessions of `strata create`, `start`, `stop` and so on. `strata create`\n"
		"starts it if it does not run. It takes its socket from systemd, and reports to it that\n"
		"it is ready, if systemd starts it (stratad.socket, stratad.service).\n\n"
		"  -b, --background  returns when it listens\n"
		"      --list        answers one request of strata_control_list() on standard input\n"
		"                    and exits; needs no running stratad\n"
		"      " LIST_MEMBER_OPTION "\n"
		"                    the same for a member of the group tracing, on standard output;\n"
		"                    root's stratad runs it\n\n"
		"SIGTERM ends it; sessions that record go on, and the next stratad finds them.\n");
}

/* Leaves the caller's terminal and its files, which may be locks and ends of pipes; @ready: a pipe,
 * closed in the parent's process when we listen.  Does not return in the parent's process. */
static void go_to_background(int ready[2])
{
	char word;
	pid_t pid;

	close_range(STDERR_FILENO + 1, ~0u, 0);
	if (pipe2(ready, O_CLOEXEC)) {
		fprintf(stderr, "stratad: no pipe: %s\n", strerror(errno));
		exit(STRATA_STATUS_FAILED);
	}
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "stratad: no process: %s\n", strerror(errno));
		exit(STRATA_STATUS_FAILED);
	}
	if (pid) {
		close(ready[1]);
		_exit(read(ready[0], &word, 1) == 1 ? STRATA_STATUS_OK : STRATA_STATUS_FAILED);
	}
	close(ready[0]);
	setsid();
}

/* Says in the background's name that it listens, and lets go of what its starter holds open. */
static void tell_ready(int ready)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
	if (chdir("/") || write(ready, "r", 1) != 1)
		exit(STRATA_STATUS_FAILED);
	close(ready);
}

/* Raises a limit as far as its starter may: all if he is root. */
static void raise_limit(int resource)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit limit;

	if (!setrlimit(resource, &none) || getrlimit(resource, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(resource, &limit);
}

/* A stack as programs usually have it, also for threads, whose stacks are otherwise of the size
 * that the limit had when the program started.  Consumers inherit the limit. */
static void settle_stacks(void)
{
	struct rlimit limit = { STACK_BYTES, RLIM_INFINITY };
	pthread_attr_t attributes;

	if (setrlimit(RLIMIT_STACK, &limit) && !getrlimit(RLIMIT_STACK, &limit)) {
		limit.rlim_cur = limit.rlim_max < STACK_BYTES ? limit.rlim_max : STACK_BYTES;
		setrlimit(RLIMIT_STACK, &limit);
	}
	if (pthread_attr_init(&attributes))
		return;
	if (!pthread_attr_setstacksize(&attributes, STACK_BYTES))
		pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

/* Opens as many files as it may, whatever its starter had set for himself; in the background, where
 * it serves others and outlives him, it takes none of his other limits either.  The service manager
 * sets limits on purpose. */
static void raise_limits(bool background)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (!background)
		return;
	raise_limit(RLIMIT_FSIZE);
	raise_limit(RLIMIT_CPU);
	raise_limit(RLIMIT_AS);
	raise_limit(RLIMIT_DATA);
	settle_stacks();
	/* Its triggers inherit it. */
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	/* Fails, and harms nobody, where only root may. */
	if (getpriority(PRIO_PROCESS, 0) > 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

/* A descriptor that is readable when a signal asks us to end. */
static int catch_signals(void)
{
	sigset_t signals;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* A session's file that may not become so large is refused, with the reason. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	/* Before there are threads, which inherit it. */
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "background", no_argument, NULL, 'b' },
		{ "list", no_argument, NULL, 'l' },
		{ LIST_MEMBER_OPTION + 2, no_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_error error = { "" };
	int option, listener, members = MEMBER_SOCKET_NONE, quit, ready[2] = { -1, -1 };
	bool background = false;

	while ((option = getopt_long(argc, argv, "bh", options, NULL)) >= 0) {
		if (option == 'l')
			return list_request_serve(STDIN_FILENO);
		if (option == 'm')
			return list_member_serve(STDIN_FILENO, STDOUT_FILENO);
		if (option != 'b') {
			usage(option == 'h' ? stdout : stderr);
			return option == 'h' ? STRATA_STATUS_OK : STRATA_STATUS_USAGE;
		}
		background = true;
	}
	if (optind < argc) {
		usage(stderr);
		return STRATA_STATUS_USAGE;
	}
	standard_files_hold();
	if (background)
		go_to_background(ready);
	raise_limits(background);
	quit = catch_signals();
	listener = quit < 0 ? strata_fail(&error, "no descriptor for signals: %s", strerror(errno))
			    : daemon_open(&error);
	if (listener >= 0)
		members = member_socket_open(&error);
	if (listener < 0 || members == -1 || session_verbs_restore(&error) ||
	    member_socket_begin(members, quit, &error)) {
		fprintf(stderr, "stratad: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (background)
		tell_ready(ready[1]);
	service_manager_tell_ready();
	daemon_serve(listener, quit);
	service_manager_tell_stopping();
	member_socket_end(members);
	daemon_close(listener);
	return STRATA_STATUS_OK;
}
