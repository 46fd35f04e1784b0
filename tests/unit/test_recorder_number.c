// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_recorder_number.c - the numbers of recorders and the locks behind them, in a /run of its
 * own: so it runs as root.  Two descriptors of a lock exclude each other as two processes do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumerd/host/recorder_number.h"
#include "consumerd/host/run_lock.h"

#include "own_run.h"

#define OTHER_USER 61001u

static struct strata_error failure;

static int begin(void **state)
{
	(void)state;
	umask(022);
	failure.text[0] = '\0';
	return mount_own_run();
}

/* Returns the lock of a number that is expected. */
static int take(unsigned int expected, bool flight)
{
	unsigned int number = RECORDERS_MAX;
	int lock = recorder_number_take(flight, NULL, NULL, &number, &failure);

	if (lock < 0)
		fail_msg("%s", failure.text);
	assert_int_equal(number, expected);
	return lock;
}

static void says(const char *part)
{
	if (!strstr(failure.text, part))
		fail_msg("\"%s\" does not say \"%s\"", failure.text, part);
}

static void the_lowest_free_number_is_taken(void **state)
{
	int first = take(0, false), second = take(1, true), third = take(2, false);

	(void)state;
	close(first);
	first = take(0, true);
	close(second);
	close(third);
	third = take(1, false);
	close(first);
	close(third);
}

static void beyond_the_last_number_there_is_none(void **state)
{
	int locks[RECORDERS_MAX];
	unsigned int number;
	char holder[96];

	(void)state;
	for (unsigned int i = 0; i < RECORDERS_MAX; i++)
		locks[i] = take(i, false);
	assert_int_equal(recorder_number_take(false, NULL, NULL, &number, &failure), -1);
	says("8 recorders are running, as many as there can be");
	snprintf(holder, sizeof(holder), "recorder 0 (process %ld), recorder 1 (process %ld), ",
		 (long)getpid(), (long)getpid());
	says(holder);
	says("recorder 7 (process ");
	assert_int_equal(recorder_number_take_wanted(false, NULL, NULL, &number, &failure),
			 RECORDER_NUMBER_NONE);
	close(locks[5]);
	close(take(5, false));
	for (unsigned int i = 0; i < RECORDERS_MAX; i++)
		if (i != 5)
			close(locks[i]);
}

static bool is_in(void *data, unsigned int number)
{
	return *(unsigned int *)data >> number & 1;
}

static void a_wanted_number_is_preferred_to_any(void **state)
{
	unsigned int wanted = 1u << 3 | 1u << 6, number;
	int third, sixth, other;

	(void)state;
	third = recorder_number_take_wanted(true, is_in, &wanted, &number, &failure);
	assert_int_equal(number, 3);
	sixth = recorder_number_take(true, is_in, &wanted, &number, &failure);
	assert_int_equal(number, 6);
	assert_int_equal(recorder_number_take_wanted(true, is_in, &wanted, &number, &failure),
			 RECORDER_NUMBER_NONE);
	other = recorder_number_take(true, is_in, &wanted, &number, &failure);
	assert_int_equal(number, 0);
	assert_true(third >= 0 && sixth >= 0 && other >= 0);
	close(third);
	close(sixth);
	close(other);
}

/* Numbers from the last one down, which no command finds, and never the first. */
static void those_that_only_count_take_the_last_numbers(void **state)
{
	unsigned int wanted = 1u << 0 | 1u << 2 | 1u << 6, number;
	char owner[RUN_LOCK_HOLDER_BYTES];
	int sixth, second, recorder, found = -1;

	(void)state;
	sixth = recorder_number_take_last(is_in, &wanted, &number, &failure);
	assert_int_equal(number, 6);
	second = recorder_number_take_last(is_in, &wanted, &number, &failure);
	assert_int_equal(number, 2);
	assert_true(sixth >= 0 && second >= 0);
	assert_int_equal(recorder_number_take_last(is_in, &wanted, &number, &failure), -1);
	says("all numbers from 1 to 7");
	recorder_number_owner(6, owner);
	assert_true(recorder_number_counts(owner));
	recorder = take(0, false);
	recorder_number_owner(0, owner);
	assert_false(recorder_number_counts(owner));
	assert_int_equal(recorder_number_find(false, &found, &failure), 0);
	assert_int_equal(found, 0);
	found = 6;
	assert_int_equal(recorder_number_find(false, &found, &failure), -1);
	close(recorder);
	close(second);
	close(sixth);
}

static void who_takes_a_number_briefly_is_no_recorder(void **state)
{
	unsigned int number = 0;
	int recorder = take(0, false);
	int lock = recorder_number_take_briefly("looks", &number, &failure);

	(void)state;
	assert_true(lock >= 0);
	/* Recorders take the lowest. */
	assert_int_equal(number, RECORDERS_MAX - 1);
	assert_int_equal(recorder_number_find(false, &(int){ -1 }, &failure), 0);
	close(lock);
	close(recorder);
}

/* Its number is that of its rings, which the next flight recorder goes on with. */
static void a_number_whose_recorder_died_is_not_taken_briefly(void **state)
{
	unsigned int i, number = 0;
	int locks[RECORDERS_MAX], lock;

	(void)state;
	for (i = 0; i < RECORDERS_MAX; i++)
		locks[i] = take(i, i == RECORDERS_MAX - 1);
	close(locks[RECORDERS_MAX - 1]);
	assert_int_equal(recorder_number_take_briefly("looks", &number, &failure), -1);
	run_lock_release(locks[3]);
	lock = recorder_number_take_briefly("looks", &number, &failure);
	assert_true(lock >= 0);
	assert_int_equal(number, 3);
	run_lock_release(lock);
	for (i = 0; i < RECORDERS_MAX - 1; i++)
		if (i != 3)
			run_lock_release(locks[i]);
}

static int find(bool flight, int number)
{
	return recorder_number_find(flight, &number, &failure) ? -1 : number;
}

static void a_command_finds_the_only_recorder(void **state)
{
	int lock, flight;

	(void)state;
	assert_int_equal(find(false, -1), -1);
	says("no recorder is running; start one: strata record");
	assert_int_equal(find(true, -1), -1);
	says("no flight recorder is running; start one: strata record --overwrite "
	     "(of a session: --session NAME)");
	assert_int_equal(find(false, 4), -1);
	says("recorder 4 is not running");
	lock = take(0, false);
	assert_int_equal(find(false, -1), 0);
	assert_int_equal(find(true, -1), -1);
	assert_int_equal(find(false, 1), -1);
	flight = take(1, true);
	assert_int_equal(find(true, -1), 1);
	assert_int_equal(find(false, 1), 1);
	assert_int_equal(find(false, -1), -1);
	says("2 recorders are running: recorder 0 (process");
	says(", flight recorder 1 (process");
	says("name one by --recorder");
	close(lock);
	assert_int_equal(find(false, -1), 1);
	close(flight);
	assert_int_equal(find(false, -1), -1);
}

static void the_number_of_a_dead_recorder_can_be_cleared_up(void **state)
{
	int lock = take(0, false), dead;

	(void)state;
	assert_true(recorder_number_take_dead(0, &failure) < 0);
	dead = recorder_number_take_dead(1, &failure);
	assert_true(dead >= 0);
	/* Nobody takes that number meanwhile; but it is no recorder. */
	close(take(2, false));
	assert_int_equal(find(false, -1), 0);
	assert_int_equal(find(false, 1), -1);
	close(dead);
	close(lock);
}

static void a_number_is_read_as_a_whole(void **state)
{
	static const char *const wrong[] = { "", "8", "-1", "x", "1x", "99999999999999999999" };
	int number = -1;

	(void)state;
	assert_int_equal(recorder_number_read("7", &number, &failure), 0);
	assert_int_equal(number, 7);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(recorder_number_read(wrong[i], &number, &failure), -1);
		says("numbers from 0 to 7");
	}
	assert_int_equal(number, 7);
}

/* The directory and its files ---------------------------------------------------------------- */

static int take_fails(void)
{
	unsigned int number;

	return recorder_number_take(false, NULL, NULL, &number, &failure);
}

static void a_lock_that_is_a_link_is_not_followed(void **state)
{
	(void)state;
	assert_int_equal(mkdir("/run/strata", 0755), 0);
	assert_int_equal(symlink("/run/elsewhere", "/run/strata/recorder-0.lock"), 0);
	assert_int_equal(take_fails(), -1);
	says("/run/strata/recorder-0.lock: Too many levels of symbolic links");
	says("remove it");
	assert_int_equal(access("/run/elsewhere", F_OK), -1);
	assert_int_equal(find(false, -1), -1);
	says("recorder-0.lock");
}

static void a_directory_that_others_may_read_is_closed_to_them(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(mkdir("/run/strata", 0755), 0);
	run_lock_release(take(0, false));
	assert_int_equal(stat("/run/strata", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0711);
}

static void a_directory_that_others_may_write_to_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdir("/run/strata", 0755), 0);
	assert_int_equal(chmod("/run/strata", 01777), 0);
	assert_int_equal(take_fails(), -1);
	says("others may write to it");
	assert_int_equal(chmod("/run/strata", 0755), 0);
	assert_int_equal(chown("/run/strata", OTHER_USER, OTHER_USER), 0);
	assert_int_equal(take_fails(), -1);
	says("belongs to user 61001");
	assert_int_equal(rmdir("/run/strata"), 0);
	assert_int_equal(mkdir("/run/elsewhere", 0755), 0);
	assert_int_equal(symlink("elsewhere", "/run/strata"), 0);
	assert_int_equal(take_fails(), -1);
	says("as root: rm /run/strata");
}

/* Until nothing more goes into /run. */
static void fill(void)
{
	static const char bytes[512];
	int fd = open("/run/filler", O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

/* Its lock holds, though nobody can read whose it is. */
static void on_a_full_disk_a_flight_recorder_is_found(void **state)
{
	int lock;

	(void)state;
	close(take(0, true));
	assert_int_equal(truncate("/run/strata/recorder-0.lock", 0), 0);
	fill();
	lock = take(0, true);
	assert_true(recorder_number_take_dead(0, &failure) < 0);
	assert_int_equal(find(false, -1), 0);
	assert_int_equal(find(true, -1), 0);
	close(lock);
}

static void a_disk_without_a_file_more_is_what_the_reason_names(void **state)
{
	(void)state;
	assert_int_equal(mkdir("/run/strata", 0755), 0);
	assert_int_equal(mount("tmpfs", "/run", "tmpfs", MS_REMOUNT, "size=32k,nr_inodes=2"), 0);
	assert_int_equal(take_fails(), -1);
	says("/run/strata/recorder-0.lock: No space left on device; free some space in /run");
	assert_null(strstr(failure.text, "not permitted"));
}

/* What became of a recorder -------------------------------------------------------------------- */

/* A recorder that has taken a number; it waits to be told to end, or is killed. */
struct other {
	pid_t pid;
	unsigned int number;
	int go;
};

static struct other start_other(bool flight)
{
	int said[2], go[2];
	struct other other;

	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe(go), 0);
	other.pid = fork();
	assert_true(other.pid >= 0);
	if (!other.pid) {
		struct strata_error error;
		char byte;
		int lock;

		close(go[1]);
		lock = recorder_number_take(flight, NULL, NULL, &other.number, &error);
		if (lock < 0 || write(said[1], &other.number, sizeof(other.number)) < 0 ||
		    read(go[0], &byte, 1) < 0)
			_exit(1);
		run_lock_release(lock);
		_exit(0);
	}
	close(said[1]);
	close(go[0]);
	assert_int_equal(read(said[0], &other.number, sizeof(other.number)), sizeof(other.number));
	close(said[0]);
	other.go = go[1];
	return other;
}

static void end_other(const struct other *other)
{
	int status;

	close(other->go);
	assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
	assert_int_equal(status, 0);
}

static void kill_other(const struct other *other)
{
	int status;

	assert_int_equal(kill(other->pid, SIGKILL), 0);
	assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
	close(other->go);
}

static void one_that_runs_or_has_ended_did_not_die(void **state)
{
	char holder[RUN_LOCK_HOLDER_BYTES];
	struct other other = start_other(false);
	bool flight;

	(void)state;
	assert_false(recorder_number_died(other.number, holder, &flight));
	end_other(&other);
	assert_false(recorder_number_died(other.number, holder, &flight));
}

static void one_that_was_killed_is_known_until_it_is_cleared_up(void **state)
{
	char holder[RUN_LOCK_HOLDER_BYTES], process[32];
	struct strata_error error;
	const bool kinds[] = { false, true };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct other other = start_other(kinds[i]);
		bool flight = !kinds[i];
		int lock;

		kill_other(&other);
		assert_true(recorder_number_died(other.number, holder, &flight));
		assert_int_equal(flight, kinds[i]);
		snprintf(process, sizeof(process), "(process %d)", (int)other.pid);
		assert_non_null(strstr(holder, process));
		lock = recorder_number_take_dead(other.number, &error);
		assert_true(lock >= 0);
		assert_false(recorder_number_died(other.number, holder, &flight));
		run_lock_release(lock);
		assert_false(recorder_number_died(other.number, holder, &flight));
	}
}

static void an_owner_is_named_alive_or_dead(void **state)
{
	char owner[RUN_LOCK_HOLDER_BYTES], process[32];
	struct other other = start_other(false);
	struct strata_error error;

	(void)state;
	snprintf(process, sizeof(process), "(process %d)", (int)other.pid);
	recorder_number_owner(other.number, owner);
	assert_non_null(strstr(owner, process));
	kill_other(&other);
	recorder_number_owner(other.number, owner);
	assert_non_null(strstr(owner, process));
	run_lock_release(recorder_number_take_dead(other.number, &error));
	recorder_number_owner(other.number, owner);
	assert_string_equal(owner, "a recorder");
}

#define NUMBER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, unmount_own_run)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NUMBER_TEST(the_lowest_free_number_is_taken),
		NUMBER_TEST(beyond_the_last_number_there_is_none),
		NUMBER_TEST(a_wanted_number_is_preferred_to_any),
		NUMBER_TEST(those_that_only_count_take_the_last_numbers),
		NUMBER_TEST(who_takes_a_number_briefly_is_no_recorder),
		NUMBER_TEST(a_number_whose_recorder_died_is_not_taken_briefly),
		NUMBER_TEST(a_command_finds_the_only_recorder),
		NUMBER_TEST(the_number_of_a_dead_recorder_can_be_cleared_up),
		NUMBER_TEST(a_number_is_read_as_a_whole),
		NUMBER_TEST(a_lock_that_is_a_link_is_not_followed),
		NUMBER_TEST(a_directory_that_others_may_read_is_closed_to_them),
		NUMBER_TEST(a_directory_that_others_may_write_to_is_refused),
		NUMBER_TEST(on_a_full_disk_a_flight_recorder_is_found),
		NUMBER_TEST(a_disk_without_a_file_more_is_what_the_reason_names),
		NUMBER_TEST(one_that_runs_or_has_ended_did_not_die),
		NUMBER_TEST(one_that_was_killed_is_known_until_it_is_cleared_up),
		NUMBER_TEST(an_owner_is_named_alive_or_dead),
	};

	return cmocka_run_group_tests_name("recorder_number", tests, own_mounts, NULL);
}
