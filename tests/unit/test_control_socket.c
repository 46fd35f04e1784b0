// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_control_socket.c - a recorder takes commands without ever waiting for a client, in a /run of
 * the test's own: so it runs as root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "consumerd/host/control_socket.h"

#include "own_run.h"

static struct control_listener listener;
static struct control_request request;
static struct strata_error failure;

static int begin(void **state)
{
	(void)state;
	umask(022);
	listener = (struct control_listener)CONTROL_LISTENER_CLOSED;
	if (mount_own_run())
		return -1;
	return control_socket_open(&listener, 3, &failure);
}

static int end(void **state)
{
	control_socket_close(&listener, 3);
	return unmount_own_run(state);
}

static int call(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, "/run/strata/recorder-3.sock");
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void say(int client, const char *text)
{
	assert_int_equal(send(client, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Whether the recorder has closed the connection. */
static bool is_closed(int client)
{
	char byte;

	return recv(client, &byte, 1, MSG_DONTWAIT) == 0;
}

static void answer_is(int client, const char *text)
{
	char answer[64] = "";

	control_socket_answer(&request, 0, "done");
	assert_true(recv(client, answer, sizeof(answer) - 1, 0) > 0);
	assert_string_equal(answer, text);
	close(client);
}

static void a_command_is_taken_and_answered(void **state)
{
	int client;

	(void)state;
	assert_false(control_socket_take(&listener, &request));
	client = call();
	say(client, "rotate the rest\n");
	assert_true(control_socket_take(&listener, &request));
	assert_string_equal(request.word, "rotate");
	assert_string_equal(request.argument, "the rest");
	answer_is(client, "0 done\n");
}

/* Rings have to be drained meanwhile. */
static void a_client_that_has_not_spoken_yet_is_heard_later(void **state)
{
	int slow, next;

	(void)state;
	slow = call();
	assert_false(control_socket_take(&listener, &request));
	assert_true(control_socket_awaits_line(&listener));
	assert_int_not_equal(control_socket_fd(&listener), listener.socket);
	next = call();
	say(next, "status\n");
	say(slow, "clear\n");
	assert_true(control_socket_take(&listener, &request));
	assert_string_equal(request.word, "clear");
	answer_is(slow, "0 done\n");
	assert_false(control_socket_awaits_line(&listener));
	assert_int_equal(control_socket_fd(&listener), listener.socket);
	assert_true(control_socket_take(&listener, &request));
	assert_string_equal(request.word, "status");
	answer_is(next, "0 done\n");
}

static void a_client_that_stays_silent_is_given_up(void **state)
{
	int silent, next;

	(void)state;
	silent = call();
	assert_false(control_socket_take(&listener, &request));
	next = call();
	say(next, "status\n");
	/* As if its time had passed. */
	listener.until_ms = 0;
	assert_false(control_socket_take(&listener, &request));
	assert_true(is_closed(silent));
	assert_true(control_socket_take(&listener, &request));
	answer_is(next, "0 done\n");
	close(silent);
}

static void half_a_line_is_no_command(void **state)
{
	int client;

	(void)state;
	client = call();
	say(client, "stat");
	assert_false(control_socket_take(&listener, &request));
	assert_false(control_socket_awaits_line(&listener));
	assert_true(is_closed(client));
	close(client);
	client = call();
	assert_int_equal(send(client, "a\0b\n", 4, MSG_NOSIGNAL), 4);
	assert_false(control_socket_take(&listener, &request));
	close(client);
}

/* Also the end of the recording closes the connection: the client asks another time. */
static void an_end_gives_up_who_has_not_spoken(void **state)
{
	int client;

	(void)state;
	client = call();
	assert_false(control_socket_take(&listener, &request));
	control_socket_close(&listener, 3);
	assert_true(is_closed(client));
	assert_int_equal(access("/run/strata/recorder-3.sock", F_OK), -1);
	assert_int_equal(control_socket_fd(&listener), -1);
	close(client);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_command_is_taken_and_answered),
		TEST(a_client_that_has_not_spoken_yet_is_heard_later),
		TEST(a_client_that_stays_silent_is_given_up),
		TEST(half_a_line_is_no_command),
		TEST(an_end_gives_up_who_has_not_spoken),
	};

	return cmocka_run_group_tests(tests, own_mounts, NULL);
}
