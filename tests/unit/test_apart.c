// SPDX-License-Identifier: GPL-2.0-or-later
/* test_apart.c - functions that run in a process of their own (files/apart.h). */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/apart.h"

struct question {
	int asked, answered;
};

static int elsewhere;

static void answer(void *data)
{
	struct question *question = data;

	question->answered = question->asked + 1;
	elsewhere = 1;
}

static void answers_come_back_and_nothing_else(void **state)
{
	struct question question = { .asked = 41 };

	(void)state;
	assert_int_equal(strata_apart(answer, &question, sizeof(question)), 0);
	assert_int_equal(question.answered, 42);
	assert_int_equal(elsewhere, 0);
}

static void die(void *data)
{
	struct question *question = data;

	question->answered = 1;
	_exit(0);
}

static void what_a_child_that_dies_leaves_is_not_taken(void **state)
{
	struct question question = { 0 };

	(void)state;
	assert_int_equal(strata_apart(die, &question, sizeof(question)), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(question.answered, 0);
}

static void look_for_file(void *data)
{
	struct question *question = data;

	question->answered = fcntl(question->asked, F_GETFD) < 0;
}

static void a_child_has_none_of_our_files(void **state)
{
	struct question question = { .asked = open("/", O_RDONLY) };

	(void)state;
	assert_int_equal(strata_apart(look_for_file, &question, sizeof(question)), 0);
	assert_int_equal(question.answered, 1);
	close(question.asked);
}

static void block(void *data)
{
	(void)data;
	for (;;)
		pause();
}

static void a_child_that_is_blocked_is_left_behind(void **state)
{
	struct question question = { 0 };

	(void)state;
	strata_apart_hurry(true);
	assert_int_equal(strata_apart(block, &question, sizeof(question)), -1);
	assert_int_equal(errno, ETIMEDOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_back_and_nothing_else),
		cmocka_unit_test(what_a_child_that_dies_leaves_is_not_taken),
		cmocka_unit_test(a_child_has_none_of_our_files),
		cmocka_unit_test(a_child_that_is_blocked_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
