// SPDX-License-Identifier: GPL-2.0-or-later
/* test_output_dir.c - a recorder refuses a directory with another recorder or other files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "consumerd/output_dir.h"

static char dir[64];
static struct strata_error error;

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/strata-output-XXXXXX");
	assert_non_null(mkdtemp(dir));
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void begin_and_give_up(void)
{
	struct output_dir out;

	assert_int_equal(output_dir_open(&out, dir, OUTPUT_FREE, &error), 0);
	output_dir_give_up(&out);
}

/* Another process asks, as `strata view --live` does, whether a recorder runs there; and is held up
 * while it does. */
static pid_t look_for_ms(unsigned int ms)
{
	const struct timespec while_looking = { .tv_nsec = (long)ms * 1000000 };
	int looks[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(looks), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int fd = open(dir, O_RDONLY | O_DIRECTORY);

		if (flock(fd, LOCK_SH | LOCK_NB) || write(looks[1], "", 1) != 1)
			_exit(1);
		nanosleep(&while_looking, NULL);
		_exit(0);
	}
	close(looks[1]);
	assert_int_equal(read(looks[0], &byte, 1), 1);
	close(looks[0]);
	return pid;
}

static void a_recorder_begins_though_somebody_looks(void **state)
{
	pid_t pid = look_for_ms(200);
	int status;

	(void)state;
	begin_and_give_up();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void two_recorders_do_not_meet(void **state)
{
	struct output_dir first, second;

	(void)state;
	assert_int_equal(output_dir_open(&first, dir, OUTPUT_FREE, &error), 0);
	assert_int_equal(output_dir_open(&second, dir, OUTPUT_FREE, &error), -1);
	assert_non_null(strstr(error.text, "is being recorded into"));
	output_dir_give_up(&first);
	begin_and_give_up();
}

static void an_existing_directory_is_closed_to_others(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(chmod(dir, 0755), 0);
	begin_and_give_up();
	assert_int_equal(stat(dir, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0750);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_recorder_begins_though_somebody_looks, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(an_existing_directory_is_closed_to_others, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(two_recorders_do_not_meet, make_dir, remove_dir),
	};

	return cmocka_run_group_tests_name("output directory", tests, NULL, NULL);
}
