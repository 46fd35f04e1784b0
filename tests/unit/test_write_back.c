// SPDX-License-Identifier: GPL-2.0-or-later
/* test_write_back.c - files are written while they grow, and a slow disk holds nobody up. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/drain/write_back.h"

#define LIMIT_MS 600000 /* however loaded the machine is */

struct range {
	uint64_t from, bytes;
	unsigned int flags;
};

static int asked[2]; /* a range for each call */
static int disk[2];  /* a byte for each call that the disk lets go on */

/* In place of the C library's. */
int sync_file_range(int fd, off_t from, off_t bytes, unsigned int flags)
{
	const struct range range = { (uint64_t)from, (uint64_t)bytes, flags };
	char byte;

	assert_true(fcntl(fd, F_GETFD) >= 0);
	assert_int_equal(write(asked[1], &range, sizeof(range)), sizeof(range));
	assert_int_equal(read(disk[0], &byte, 1), 1);
	return 0;
}

static unsigned int nr_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	unsigned int nr = 0;

	assert_non_null(files);
	while (readdir(files))
		nr++;
	closedir(files);
	return nr;
}

static struct stream_file open_file(void)
{
	struct stream_file file = { .fd = memfd_create("stream", MFD_CLOEXEC) };

	assert_true(file.fd >= 0);
	return file;
}

static void grow(struct write_back **write_back, struct stream_file *file, uint64_t bytes)
{
	file->bytes += bytes;
	write_back_start(write_back, file);
}

static bool is_asked(int wait_ms)
{
	struct pollfd fd = { .fd = asked[0], .events = POLLIN };

	return poll(&fd, 1, wait_ms) == 1;
}

/* Waits for a call.  The file does not grow, but is looked at again and again, as by the loop. */
static void assert_asked(struct write_back **write_back, struct stream_file *file, uint64_t from,
			 uint64_t end)
{
	struct range range;
	unsigned int turn;

	for (turn = 0; turn < LIMIT_MS && !is_asked(1); turn++)
		grow(write_back, file, 0);
	assert_true(is_asked(0));
	assert_int_equal(read(asked[0], &range, sizeof(range)), sizeof(range));
	assert_int_equal(range.from, from);
	assert_int_equal(range.from + range.bytes, end);
	assert_int_equal(range.flags, SYNC_FILE_RANGE_WRITE);
}

static void let_disk_go_on(void)
{
	assert_int_equal(write(disk[1], "", 1), 1);
}

static int open_pipes(void **state)
{
	(void)state;
	return pipe2(asked, O_CLOEXEC) || pipe2(disk, O_CLOEXEC);
}

static void what_is_appended_is_written_in_whole_steps(void **state)
{
	const unsigned int before = nr_files();
	struct stream_file file = open_file();
	struct write_back *write_back = NULL;

	(void)state;
	grow(&write_back, &file, WRITE_BACK_BYTES - 1);
	assert_null(write_back);
	grow(&write_back, &file, WRITE_BACK_BYTES / 2);
	assert_asked(&write_back, &file, 0, WRITE_BACK_BYTES);
	let_disk_go_on();
	close(file.fd);
	write_back_close(write_back);
	assert_int_equal(nr_files(), before);
	assert_false(is_asked(0));
}

static void a_slow_disk_holds_nobody_up(void **state)
{
	const unsigned int before = nr_files();
	struct stream_file file = open_file(), other = open_file();
	struct write_back *write_back = NULL;
	unsigned int i;

	(void)state;
	grow(&write_back, &file, WRITE_BACK_BYTES);
	assert_asked(&write_back, &file, 0, WRITE_BACK_BYTES);
	for (i = 0; i < 5; i++) {
		grow(&write_back, &file, WRITE_BACK_BYTES);
		grow(&write_back, &other, WRITE_BACK_BYTES);
	}
	assert_false(is_asked(0));
	let_disk_go_on();
	/* Then all of it, as soon as the file grows. */
	assert_asked(&write_back, &file, WRITE_BACK_BYTES, 6 * WRITE_BACK_BYTES);
	let_disk_go_on();
	assert_asked(&write_back, &other, 0, 5 * WRITE_BACK_BYTES);
	let_disk_go_on();
	write_back_close(write_back);
	close(file.fd);
	close(other.fd);
	assert_int_equal(nr_files(), before);
}

static void a_disk_that_hangs_does_not_hold_up_the_end(void **state)
{
	struct stream_file file = open_file();
	struct write_back *write_back = NULL;

	(void)state;
	grow(&write_back, &file, WRITE_BACK_BYTES);
	assert_asked(&write_back, &file, 0, WRITE_BACK_BYTES);
	write_back_close(write_back);
	let_disk_go_on();
	close(file.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_appended_is_written_in_whole_steps),
		cmocka_unit_test(a_slow_disk_holds_nobody_up),
		cmocka_unit_test(a_disk_that_hangs_does_not_hold_up_the_end),
	};

	return cmocka_run_group_tests_name("write_back", tests, open_pipes, NULL);
}
