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
#include "recording/recording.h"

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

/* Makes what a recording has at @path. */
static void make_recording(const char *path)
{
	char table[PATH_MAX + 32];
	int fd;

	snprintf(table, sizeof(table), "%s/%s", path, STRATA_RECORDING_FILE);
	fd = open(table, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* Names the directory of a channel again, until two names in a row are of one second. */
static void name_two(char first[PATH_MAX], const char *leaf, char second[PATH_MAX],
		     const char *other)
{
	time_t before;

	do {
		before = time(NULL);
		assert_int_equal(output_dir_dated_leaf(first, dir, "x", leaf, &error), 0);
		assert_int_equal(output_dir_dated_leaf(second, dir, "x", other, &error), 0);
	} while (time(NULL) != before);
}

static void remove_all(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s/*", dir);
	assert_int_equal(system(command), 0);
}

static void channels_of_one_second_have_a_directory_in_common(void **state)
{
	char first[PATH_MAX], second[PATH_MAX];

	(void)state;
	name_two(first, "a", second, "b");
	assert_string_equal(strrchr(first, '/'), "/a");
	assert_string_equal(strrchr(second, '/'), "/b");
	*strrchr(first, '/') = '\0';
	*strrchr(second, '/') = '\0';
	assert_string_equal(first, second);
	assert_int_equal(access(first, F_OK), 0);

	/* A channel that has one there already gets another one. */
	name_two(first, "a", second, "a");
	assert_string_equal(first, second);
	assert_int_equal(mkdir(first, 0700), 0);
	assert_int_equal(output_dir_dated_leaf(second, dir, "x", "a", &error), 0);
	assert_string_not_equal(first, second);

	/* Nothing is put into a recording. */
	name_two(first, "b", second, "b");
	*strrchr(first, '/') = '\0';
	make_recording(first);
	assert_int_equal(output_dir_dated_leaf(second, dir, "x", "b", &error), 0);
	*strrchr(second, '/') = '\0';
	assert_string_not_equal(first, second);
	remove_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_recorder_begins_though_somebody_looks, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(an_existing_directory_is_closed_to_others, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(channels_of_one_second_have_a_directory_in_common,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(two_recorders_do_not_meet, make_dir, remove_dir),
	};

	return cmocka_run_group_tests_name("output directory", tests, NULL, NULL);
}
