// SPDX-License-Identifier: GPL-2.0-or-later
/* test_stderr_queue.c - messages without a reader do not block, and messages that are read are
 * complete. */
#include "consumerd/host/stderr_queue.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LINES    20000u
#define LOG_MOST 32768u

static int real_stderr;

/* stderr is @fd from now on. */
static void redirect(int fd)
{
	real_stderr = dup(STDERR_FILENO);
	assert_true(real_stderr >= 0);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
}

static void put_back(void)
{
	assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
	close(real_stderr);
}

static void write_lines(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		fprintf(stderr, "a message that is %u\n", i);
}

/* Lines that can be read from @fd, each whole and in order. */
static unsigned int read_lines(int fd, bool *dropped)
{
	static char text[1u << 20];
	size_t length = 0;
	unsigned int nr = 0, number;
	ssize_t got;
	char *line, *rest = text;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (length + 1 < sizeof(text) &&
	       (got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	*dropped = false;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (strstr(line, "nobody read stderr")) {
			*dropped = true;
			continue;
		}
		/* The first may have begun in bytes that were read before. */
		if (sscanf(line, "a message that is %u", &number) != 1) {
			assert_int_equal(nr, 0);
			continue;
		}
		assert_in_range(number, nr, LINES);
		nr++;
	}
	return nr;
}

static void an_unread_pipe_holds_nobody_up(void **state)
{
	bool dropped;
	int ends[2], flags;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	redirect(ends[1]);
	stderr_queue_open();
	write_lines(LINES);
	stderr_queue_close();
	/* The open file is others', too: it waits as it did. */
	flags = fcntl(STDERR_FILENO, F_GETFL);
	put_back();
	assert_false(flags & O_NONBLOCK);
	assert_in_range(read_lines(ends[0], &dropped), 1000, LINES - 1);
	close(ends[0]);
	close(ends[1]);
}

static void a_pipe_that_is_read_late_gets_the_queue_and_is_told_of_the_rest(void **state)
{
	bool dropped;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	redirect(ends[1]);
	stderr_queue_open();
	write_lines(LINES);
	assert_in_range(read_lines(ends[0], &dropped), 1000, LINES - 1);
	stderr_queue_flush();
	assert_in_range(read_lines(ends[0], &dropped), 1000, LINES - 1);
	fprintf(stderr, "a message that is %u\n", LINES);
	stderr_queue_close();
	put_back();
	assert_in_range(read_lines(ends[0], &dropped), 1, LINES - 1);
	assert_true(dropped);
	close(ends[0]);
	close(ends[1]);
}

static void a_pipe_without_a_reader_is_no_error(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	redirect(ends[1]);
	stderr_queue_open();
	write_lines(LINES);
	stderr_queue_close();
	put_back();
	close(ends[1]);
}

static void what_is_read_is_all_there(int fd_to_read, int fd_to_write)
{
	bool dropped;

	redirect(fd_to_write);
	stderr_queue_open();
	write_lines(100);
	stderr_queue_close();
	put_back();
	assert_int_equal(read_lines(fd_to_read, &dropped), 100);
	assert_false(dropped);
}

static void nothing_is_lost_where_somebody_reads(void **state)
{
	char path[] = "/tmp/strata-stderr-XXXXXX";
	int ends[2], reader;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	what_is_read_is_all_there(ends[0], ends[1]);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	what_is_read_is_all_there(ends[0], ends[1]);
	close(ends[0]);
	close(ends[1]);
	ends[1] = mkstemp(path);
	reader = open(path, O_RDONLY);
	what_is_read_is_all_there(reader, ends[1]);
	close(reader);
	close(ends[1]);
	unlink(path);
}

static void an_unfinished_line_is_shown_by_a_flush(void **state)
{
	char text[8] = { 0 };
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	redirect(ends[1]);
	stderr_queue_open();
	fprintf(stderr, "\r42 s");
	stderr_queue_flush();
	stderr_queue_close();
	put_back();
	assert_int_equal(read(ends[0], text, sizeof(text) - 1), 5);
	assert_string_equal(text, "\r42 s");
	close(ends[0]);
	close(ends[1]);
}

/* Whether a file has this text. */
static bool has_text(const char *path, const char *text)
{
	static char all[1u << 20];
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(all, 1, sizeof(all) - 1, file) : 0;

	all[length] = '\0';
	if (file)
		fclose(file);
	return strstr(all, text) != NULL;
}

/* More than a log may have: it stays below that, and has the first and the last messages whole. */
static void a_log_has_a_limit(void **state)
{
	char path[] = "/tmp/strata-stderr-XXXXXX", line[80];
	unsigned int number, before = 0, nr = 0, gaps = 0;
	struct stat status;
	FILE *log;
	int fd;

	(void)state;
	close(mkstemp(path));
	fd = open(path, O_RDWR | O_APPEND);
	assert_true(fd >= 0);
	redirect(fd);
	stderr_queue_open();
	stderr_queue_limit_file(LOG_MOST);
	write_lines(LINES);
	stderr_queue_close();
	put_back();
	assert_int_equal(fstat(fd, &status), 0);
	assert_true(status.st_size <= (off_t)LOG_MOST);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	log = fdopen(fd, "r");
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, "are removed here")) {
			gaps++;
			continue;
		}
		assert_int_equal(sscanf(line, "a message that is %u", &number), 1);
		assert_true(!nr || number > before);
		assert_true(nr || number == 0);
		before = number;
		nr++;
	}
	assert_int_equal(before, LINES - 1);
	/* The last half of the limit stays: some 680 lines of 24 bytes. */
	assert_true(nr > LOG_MOST / 2 / 25);
	assert_true(gaps > 0);
	fclose(log);
	unlink(path);
}

/* The file can become no larger for a while: messages wait, and those that do not fit into the
 * queue are counted. */
static void a_full_file_gets_the_queue_later(void **state)
{
	char path[] = "/tmp/strata-stderr-XXXXXX";
	struct rlimit before, small;
	bool dropped;
	unsigned int nr;
	int fd;

	(void)state;
	close(mkstemp(path));
	fd = open(path, O_RDWR | O_APPEND);
	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 100, before.rlim_max };
	redirect(fd);
	stderr_queue_open();
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	write_lines(1000);
	/* Who sleeps need not wake for it. */
	assert_true(stderr_queue_is_empty());
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	stderr_queue_flush();
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	nr = read_lines(fd, &dropped);
	assert_int_equal(nr, 1000);
	assert_false(dropped);
	/* More than the queue holds. */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	write_lines(10000);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	write_lines(1);
	/* It ends without waiting for room. */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	write_lines(1);
	stderr_queue_close();
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	put_back();
	assert_true(has_text(path, "bytes of messages are dropped: their file had no room\n"));
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unread_pipe_holds_nobody_up),
		cmocka_unit_test(a_pipe_that_is_read_late_gets_the_queue_and_is_told_of_the_rest),
		cmocka_unit_test(a_pipe_without_a_reader_is_no_error),
		cmocka_unit_test(nothing_is_lost_where_somebody_reads),
		cmocka_unit_test(an_unfinished_line_is_shown_by_a_flush),
		cmocka_unit_test(a_log_has_a_limit),
		cmocka_unit_test(a_full_file_gets_the_queue_later),
	};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests_name("stderr queue", tests, NULL, NULL);
}
