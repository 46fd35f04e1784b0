// SPDX-License-Identifier: GPL-2.0-or-later
/* test_hang_up.c - sockets are closed without their giver, however long that takes. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/hang_up.h"

#define MANY 600u /* more than may wait */

typedef int unshare_call(int flags);

static atomic_bool held; /* no thread gets to its copy of the open files, as without a CPU */
static atomic_int refusal;

static void rest(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
}

/* In place of the library's: the thread that closes takes its copy with it. */
int unshare(int flags)
{
	while (held)
		rest();
	if (refusal) {
		errno = refusal;
		return -1;
	}
	return ((unshare_call *)dlsym(RTLD_NEXT, "unshare"))(flags);
}

/* Has one of two connected sockets closed; returns the other. */
static int give_one(int *given)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	*given = ends[0];
	hang_up(ends[0]);
	return ends[1];
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static bool has_hung_up(int other)
{
	struct pollfd fd = { .fd = other, .events = POLLIN };

	return poll(&fd, 1, 0) == 1 && fd.revents & POLLHUP;
}

static void tend_until_done(void)
{
	while (!hang_up_is_done()) {
		hang_up_tend();
		rest();
	}
}

static void await_hang_up(int other)
{
	while (!has_hung_up(other))
		rest();
	close(other);
}

static void no_call_waits_for_the_thread_that_closes(void **state)
{
	int others[MANY], given[MANY];
	unsigned int i;

	(void)state;
	held = true;
	for (i = 0; i < MANY; i++) {
		others[i] = give_one(&given[i]);
		if (i == 0)
			hang_up_tend();
	}
	/* We are here, and the thread waits for us.  The first one is being closed, the others
	 * wait. */
	hang_up_tend();
	assert_false(hang_up_is_done());
	assert_false(hang_up_has_room());
	for (i = 0; i < MANY; i++)
		assert_true(is_open(given[i]));
	held = false;
	tend_until_done();
	assert_true(hang_up_has_room());
	for (i = 0; i < MANY; i++) {
		assert_false(is_open(given[i]));
		await_hang_up(others[i]);
	}
}

static void a_number_that_is_used_again_is_closed_once(void **state)
{
	int first, second, other = give_one(&first), next;

	(void)state;
	hang_up_tend();
	/* Not taken back from the thread yet. */
	while (is_open(first))
		rest();
	next = give_one(&second);
	assert_int_equal(second, first);
	assert_false(hang_up_is_done());
	tend_until_done();
	assert_false(is_open(second));
	await_hang_up(other);
	await_hang_up(next);
}

static void sockets_stay_open_until_a_thread_can_have_its_copy(void **state)
{
	int given, later, other, next;
	unsigned int i;

	(void)state;
	refusal = ENOMEM;
	other = give_one(&given);
	for (i = 0; i < 20; i++) {
		hang_up_tend();
		rest();
	}
	next = give_one(&later);
	assert_true(is_open(given));
	refusal = 0;
	tend_until_done();
	await_hang_up(other);
	await_hang_up(next);
}

static void fewer_may_wait_where_few_files_can_be_open(void **state)
{
	int others[30], first, given;
	unsigned int i;

	(void)state;
	assert_int_equal(hang_up_limit(1 << 20), 2 * 512);
	assert_int_equal(hang_up_limit(160), 2 * 10);
	held = true;
	for (i = 0; i < 10; i++) {
		assert_true(hang_up_has_room());
		others[i] = give_one(&given);
	}
	/* These are under way, so as many may wait. */
	for (; i < 20; i++) {
		assert_true(hang_up_has_room());
		others[i] = give_one(&given);
	}
	assert_false(hang_up_has_room());
	held = false;
	tend_until_done();
	for (i = 0; i < 20; i++)
		await_hang_up(others[i]);
	/* Connections that have ended, all at once, are more than may wait. */
	held = true;
	others[0] = give_one(&first);
	hang_up_tend();
	for (i = 1; i < 30; i++)
		others[i] = give_one(&given);
	held = false;
	while (is_open(first))
		rest();
	held = true;
	for (i = 0; i < 100; i++) {
		hang_up_tend();
		rest();
	}
	/* All of them are under way. */
	assert_false(hang_up_has_room());
	held = false;
	tend_until_done();
	assert_true(hang_up_has_room());
	for (i = 0; i < 30; i++)
		await_hang_up(others[i]);
}

static void the_end_does_not_wait_for_ever(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	held = true;
	hang_up_listener(ends[0]);
	assert_true(is_open(ends[0]));
	held = false;
	tend_until_done();
	await_hang_up(ends[1]);
}

static void the_end_waits_until_all_are_closed(void **state)
{
	int ends[2], given, other = give_one(&given);

	(void)state;
	/* The listening socket waits for this one. */
	hang_up_tend();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	hang_up_listener(ends[0]);
	assert_true(hang_up_is_done());
	assert_false(is_open(given));
	assert_false(is_open(ends[0]));
	await_hang_up(other);
	await_hang_up(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_waits_for_the_thread_that_closes),
		cmocka_unit_test(a_number_that_is_used_again_is_closed_once),
		cmocka_unit_test(sockets_stay_open_until_a_thread_can_have_its_copy),
		cmocka_unit_test(fewer_may_wait_where_few_files_can_be_open),
		cmocka_unit_test(the_end_does_not_wait_for_ever),
		cmocka_unit_test(the_end_waits_until_all_are_closed),
	};

	return cmocka_run_group_tests_name("hang up", tests, NULL, NULL);
}
