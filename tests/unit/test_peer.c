// SPDX-License-Identifier: GPL-2.0-or-later
/* Identifies the process at the other end of a socket: by the kernel's word, also after that
 * process has ended; unknown if its user has no number here. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/peer.h"

#define SOME_USER 61013

/* Older headers lack it. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* A listener of the caller's; connecting to its address needs no file. */
static int open_listener(struct sockaddr_un *address, socklen_t *bytes)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	*bytes = sizeof(*address);
	/* The kernel chooses a name. */
	assert_int_equal(bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)address, bytes), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

/* Looks at the process, and identifies it then. */
static int identify(int socket, struct peer *peer, struct strata_error *error)
{
	struct peer_names names;
	uint32_t uid;
	int32_t pid;

	if (peer_process(socket, &pid, &uid, error))
		return -1;
	peer_read_names(pid, getpid(), &names);
	return peer_identify(socket, &names, peer, error);
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* A process of SOME_USER that has connected, and stays if @stays. */
static pid_t connect_as_user(const struct sockaddr_un *address, socklen_t bytes, bool stays)
{
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (setresgid(SOME_USER, SOME_USER, SOME_USER) ||
	    setresuid(SOME_USER, SOME_USER, SOME_USER) || prctl(PR_SET_NAME, "caller") ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	    connect(fd, (const struct sockaddr *)address, bytes))
		_exit(1);
	if (stays)
		pause();
	_exit(0);
}

static void a_process_is_who_the_kernel_says(void **state)
{
	struct sockaddr_un address;
	socklen_t bytes;
	int listener = open_listener(&address, &bytes), socket;
	pid_t child = connect_as_user(&address, bytes, true);
	struct strata_error error;
	struct peer peer = { .process = -1 };

	(void)state;
	socket = accept(listener, NULL, NULL);
	assert_int_equal(identify(socket, &peer, &error), 0);
	assert_int_equal(peer.pid, child);
	assert_int_equal(peer.uid, SOME_USER);
	assert_string_equal(peer.comm, "caller");
	assert_string_equal(peer.program, "test_peer");
	assert_true(peer.descends);
	assert_false(peer_has_ended(socket, &peer.process));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(socket);
	close(listener);
}

static void a_set_user_id_program_counts_for_who_started_it(void **state)
{
	const struct {
		uid_t real, effective, starter;
	} cases[] = { { SOME_USER, 0, SOME_USER },
		      { SOME_USER, SOME_USER + 1, SOME_USER },
		      { 0, SOME_USER, SOME_USER },
		      { 0, 0, 0 } };
	struct strata_error error;
	struct peer peer = { .process = -1 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sockaddr_un address;
		socklen_t bytes;
		int listener = open_listener(&address, &bytes), socket;
		pid_t child = fork();

		if (!child) {
			int fd = new_socket();

			if (setresuid(cases[i].real, cases[i].effective, 0) ||
			    connect(fd, (const struct sockaddr *)&address, bytes))
				_exit(1);
			pause();
			_exit(0);
		}
		socket = accept(listener, NULL, NULL);
		assert_int_equal(identify(socket, &peer, &error), 0);
		assert_int_equal(peer.uid, cases[i].effective);
		assert_int_equal(peer.starter, cases[i].starter);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(socket);
		close(listener);
	}
}

/* Can the kernel tell a process from the next of its number?  Linux 6.5 can. */
static bool has_peer_pidfd(int socket)
{
	socklen_t bytes = sizeof(int);
	int fd = -1;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &bytes))
		return errno != ENOPROTOOPT;
	close(fd);
	return true;
}

static void a_process_that_has_ended_has_no_names(void **state)
{
	struct sockaddr_un address;
	socklen_t bytes;
	int listener = open_listener(&address, &bytes), socket;
	pid_t child = connect_as_user(&address, bytes, false);
	struct strata_error error;
	struct peer peer = { .process = -1 };

	(void)state;
	socket = accept(listener, NULL, NULL);
	/* It can be looked up by number until it is waited for. */
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_true(peer_has_ended(socket, &peer.process));
	assert_int_equal(identify(socket, &peer, &error), 0);
	assert_int_equal(peer.pid, child);
	assert_int_equal(peer.uid, SOME_USER);
	if (has_peer_pidfd(socket))
		assert_string_equal(peer.comm, "");
	if (has_peer_pidfd(socket))
		assert_string_equal(peer.program, "");
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(identify(socket, &peer, &error), 0);
	assert_string_equal(peer.comm, "");
	close(socket);
	close(listener);
}

/* In a process of its own, for a user namespace is for ever. */
static int identify_in_user_namespace(int listener)
{
	struct strata_error error = { "" };
	struct peer peer = { .process = -1 };
	int socket = accept(listener, NULL, NULL);

	if (unshare(CLONE_NEWUSER))
		return 2;
	if (!identify(socket, &peer, &error))
		return 3;
	return strstr(error.text, "is not mapped into the recorder's user namespace") ? 0 : 4;
}

static void a_user_without_a_number_is_nobody(void **state)
{
	struct sockaddr_un address;
	socklen_t bytes;
	int listener = open_listener(&address, &bytes), status;
	pid_t child = connect_as_user(&address, bytes, true), recorder = fork();

	(void)state;
	if (recorder == 0)
		_exit(identify_in_user_namespace(listener));
	assert_int_equal(waitpid(recorder, &status, 0), recorder);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: a process reads once what its user namespace maps. */
		cmocka_unit_test(a_user_without_a_number_is_nobody),
		cmocka_unit_test(a_process_is_who_the_kernel_says),
		cmocka_unit_test(a_set_user_id_program_counts_for_who_started_it),
		cmocka_unit_test(a_process_that_has_ended_has_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
