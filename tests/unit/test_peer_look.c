// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks at other processes: each question has its answer, also many at once; a
 * looker that is killed is replaced; what the helper started ends with it. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/peer_look.h"

#define NR_QUESTIONS 500u

static int open_looks(void **state)
{
	static struct peer_looks looks;
	struct strata_error error;

	*state = &looks;
	return peer_looks_open(&looks, getpid(), &error);
}

static int close_looks(void **state)
{
	peer_looks_close(*state);
	return 0;
}

static struct peer_look await_answer(struct peer_looks *looks)
{
	struct pollfd answer = { .fd = looks->socket, .events = POLLIN };
	struct peer_look look;
	bool ended;

	assert_int_equal(poll(&answer, 1, 20000), 1);
	assert_true(peer_looks_answer(looks, &look, &ended));
	return look;
}

/* The first process that the helper has made and that is not @other; waits until there is one. */
static pid_t find_looker(const struct peer_looks *looks, pid_t other)
{
	char path[64];
	int pid = 0, turn;
	bool found;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", looks->helper, looks->helper);
	for (turn = 0; turn < 2000; turn++) {
		file = fopen(path, "r");
		assert_non_null(file);
		do {
			found = fscanf(file, "%d", &pid) == 1;
		} while (found && pid == other);
		fclose(file);
		if (found)
			return pid;
		usleep(10000);
	}
	fail_msg("the helper has made no looker");
	return 0;
}

static void test_answers(void **state)
{
	struct peer_look look;
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		assert_true(peer_looks_ask(*state, i, getpid()));
		look = await_answer(*state);
		assert_int_equal(look.number, i);
		assert_int_equal(look.pid, getpid());
		assert_false(look.later);
		assert_true(look.names.has_users);
		assert_int_equal(look.names.real, getuid());
		assert_string_equal(look.names.program, "test_peer_look");
	}
	assert_true(peer_looks_ask(*state, 4, 0x7ffffff0));
	assert_false(await_answer(*state).names.has_users);
}

/* How many processes the helper has made that have not ended. */
static unsigned int nr_lookers(const struct peer_looks *looks)
{
	char path[64];
	unsigned int nr = 0;
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", looks->helper, looks->helper);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%d", &pid) == 1)
		nr++;
	fclose(file);
	return nr;
}

/* The same process looks again: none is forked for each question. */
static void test_a_looker_stays(void **state)
{
	const pid_t looker = find_looker(*state, 0);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		assert_true(peer_looks_ask(*state, i, getpid()));
		await_answer(*state);
		/* It says so after its answer. */
		usleep(50000);
	}
	assert_int_equal(find_looker(*state, 0), looker);
	assert_int_equal(nr_lookers(*state), 1);
}

/* No look waits for one that takes long: others are forked while there are questions. */
static void test_many_at_once(void **state)
{
	static bool seen[NR_QUESTIONS];
	struct peer_look look;
	unsigned int asked = 0, heard = 0;

	while (heard < NR_QUESTIONS) {
		while (asked < NR_QUESTIONS && peer_looks_ask(*state, asked, getpid()))
			asked++;
		look = await_answer(*state);
		assert_true(look.number < NR_QUESTIONS);
		assert_false(seen[look.number]);
		seen[look.number] = true;
		heard++;
	}
}

/* Runs a process until it opens a file, and stops it there. */
static void stop_in_open(pid_t pid)
{
	struct __ptrace_syscall_info info = { 0 };
	int status;

	do {
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, __WALL), pid);
		assert_true(WIFSTOPPED(status));
		assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0);
	} while (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != SYS_openat);
}

/* The kernel may hold one up for ever: that costs no other question anything. */
static void test_one_that_hangs(void **state)
{
	const pid_t looker = find_looker(*state, 0);
	struct peer_look look;
	bool ended;
	unsigned int i;

	assert_int_equal(ptrace(PTRACE_SEIZE, looker, NULL, PTRACE_O_TRACESYSGOOD), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, looker, NULL, NULL), 0);
	assert_int_equal(waitpid(looker, NULL, __WALL), looker);
	assert_true(peer_looks_ask(*state, 1, getpid()));
	stop_in_open(looker);
	for (i = 2; i <= 20; i++) {
		assert_true(peer_looks_ask(*state, i, getpid()));
		assert_int_equal(await_answer(*state).number, i);
	}
	assert_false(peer_looks_answer(*state, &look, &ended));
	assert_false(ended);
	assert_int_equal(ptrace(PTRACE_DETACH, looker, NULL, NULL), 0);
	assert_int_equal(await_answer(*state).number, 1);
	assert_int_not_equal(find_looker(*state, looker), looker);
}

static void test_one_that_is_killed(void **state)
{
	const pid_t looker = find_looker(*state, 0);

	assert_int_equal(kill(looker, SIGKILL), 0);
	find_looker(*state, looker);
	assert_true(peer_looks_ask(*state, 1, getpid()));
	assert_int_equal(await_answer(*state).number, 1);
}

static void test_the_end(void **state)
{
	struct peer_looks looks;
	struct strata_error error;
	pid_t looker;
	int turn;

	(void)state;
	assert_int_equal(peer_looks_open(&looks, 0, &error), 0);
	looker = find_looker(&looks, 0);
	peer_looks_close(&looks);
	for (turn = 0; turn < 2000 && !kill(looker, 0); turn++)
		usleep(10000);
	assert_int_equal(kill(looker, 0), -1);
	assert_int_equal(errno, ESRCH);
	/* As often as one likes. */
	peer_looks_close(&looks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_answers, open_looks, close_looks),
		cmocka_unit_test_setup_teardown(test_a_looker_stays, open_looks, close_looks),
		cmocka_unit_test_setup_teardown(test_many_at_once, open_looks, close_looks),
		cmocka_unit_test_setup_teardown(test_one_that_hangs, open_looks, close_looks),
		cmocka_unit_test_setup_teardown(test_one_that_is_killed, open_looks, close_looks),
		cmocka_unit_test(test_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
