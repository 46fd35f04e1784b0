// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_find.c - the traces below the paths that a user names: each is found once, and has a short
 * name that no other one has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "inputs/find.h"

static char dir[64];
static struct strata_inputs inputs;

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_find.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	strata_inputs_clear(&inputs);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Makes a trace, and the directories above it. */
static void put_trace(const char *place)
{
	char path[4096];
	size_t at;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/metadata", dir, place);
	for (at = 1; path[at]; at++) {
		if (path[at] != '/')
			continue;
		path[at] = '\0';
		mkdir(path, 0700);
		path[at] = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
}

static void find(const char *place)
{
	struct strata_error error;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, place);
	if (strata_inputs_find(&inputs, path, NULL, NULL, &error))
		fail_msg("%s", error.text);
}

static void assert_names(const char *const *names, size_t nr)
{
	size_t i;

	assert_int_equal(inputs.nr, nr);
	for (i = 0; i < nr; i++)
		assert_string_equal(inputs.inputs[i].name, names[i]);
}

static void a_name_is_the_path_below_the_named_one(void **state)
{
	static const char *const names[] = { "b/kernel", "b/ust/uid", "b" };

	(void)state;
	put_trace("a/b/kernel");
	put_trace("a/b/ust/uid");
	put_trace("c/b");
	find("a/b//");
	find("c/b");
	/* It is found once, by whatever name. */
	find("a");
	assert_names(names, 3);
}

static void equal_names_are_numbered(void **state)
{
	static const char *const names[] = { "t", "t-2", "t-3" };

	(void)state;
	put_trace("a/t");
	put_trace("b/t");
	put_trace("c/t");
	find("a/t");
	find("b/t");
	find("c/t");
	assert_names(names, 3);
}

/* A trace may be called as another one would be numbered. */
static void a_number_that_is_taken_is_left_out(void **state)
{
	static const char *const names[] = { "t-2", "t", "t-3", "t-2-2", "t-4" };

	(void)state;
	put_trace("a/t-2");
	put_trace("a/t");
	put_trace("b/t");
	put_trace("b/t-2");
	put_trace("c/t");
	find("a/t-2");
	find("a/t");
	find("b/t");
	find("b/t-2");
	find("c/t");
	assert_names(names, 5);
}

static void a_name_is_escaped(void **state)
{
	static const char *const names[] = { "\\x1b[31mred", "\\x1b[31mred-2" };

	(void)state;
	put_trace("a/\x1b[31mred");
	put_trace("b/\x1b[31mred");
	find("a/\x1b[31mred");
	find("b/\x1b[31mred");
	assert_names(names, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_is_the_path_below_the_named_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(equal_names_are_numbered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_number_that_is_taken_is_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_name_is_escaped, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
