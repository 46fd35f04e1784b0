// SPDX-License-Identifier: GPL-2.0-or-later
/* test_stream_file.c - streams beyond the limit of open files are read all the same, and only from
 * the files that were opened first. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/trace/stream_file.h"

#define FILES 16 /* that may be open: streams leave a quarter of them to others */

struct world {
	char dir[32];
	struct strata_ctf_trace trace;
	struct strata_ctf_stream stream;
};

static void write_file(const struct world *world, const char *name, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", world->dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Opens the stream's file under the number @fd or the next free one. */
static void begin(struct world *world, int fd)
{
	const struct rlimit few = { FILES, FILES };
	struct stat status;
	char path[64];
	int first;

	memset(world, 0, sizeof(*world));
	strcpy(world->dir, "/tmp/stream-file-XXXXXX");
	assert_non_null(mkdtemp(world->dir));
	world->trace.path = world->dir;
	world->trace.open_flags = O_NOFOLLOW;
	world->stream.trace = &world->trace;
	world->stream.name = "stream";
	write_file(world, "stream", "first");
	snprintf(path, sizeof(path), "%s/stream", world->dir);
	first = open(path, STRATA_STREAM_FILE_FLAGS);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	fd = fcntl(first, F_DUPFD_CLOEXEC, fd);
	assert_true(fd >= 0 && !fstat(fd, &status));
	close(first);
	strata_stream_file_keep(&world->stream, fd, &status);
}

static void assert_reads(const struct world *world, const char *text)
{
	char bytes[16] = "";

	assert_int_equal(strata_stream_file_read(&world->stream, bytes, sizeof(bytes) - 1, 1),
			 strlen(text));
	assert_string_equal(bytes, text);
}

static void replace(const struct world *world)
{
	char path[64], other[64];

	write_file(world, "other", "other");
	snprintf(path, sizeof(path), "%s/stream", world->dir);
	snprintf(other, sizeof(other), "%s/other", world->dir);
	assert_int_equal(rename(other, path), 0);
}

static void end(struct world *world)
{
	char path[64];

	strata_stream_file_close(&world->stream);
	snprintf(path, sizeof(path), "%s/stream", world->dir);
	unlink(path);
	rmdir(world->dir);
}

static void a_file_below_the_limit_stays_open(void **state)
{
	struct world world;

	(void)state;
	begin(&world, FILES - FILES / 4 - 1);
	assert_reads(&world, "irst");
	replace(&world);
	assert_reads(&world, "irst");
	end(&world);
}

static void a_file_beyond_is_opened_for_each_access(void **state)
{
	struct world world;
	unsigned int i;
	int fd;

	(void)state;
	begin(&world, FILES - FILES / 4);
	assert_int_equal(fcntl(FILES - FILES / 4, F_GETFD), -1);
	for (i = 0; i < 2 * FILES; i++)
		assert_reads(&world, "irst");
	fd = strata_stream_file_enter(&world.stream);
	assert_true(fd >= 0);
	strata_stream_file_leave(&world.stream, fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	end(&world);
}

static void another_file_of_its_name_is_not_read(void **state)
{
	struct world world;
	char byte;

	(void)state;
	begin(&world, FILES - FILES / 4);
	replace(&world);
	errno = 0;
	assert_int_equal(strata_stream_file_read(&world.stream, &byte, 1, 0), -1);
	assert_int_equal(errno, ESTALE);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_below_the_limit_stays_open),
		cmocka_unit_test(a_file_beyond_is_opened_for_each_access),
		cmocka_unit_test(another_file_of_its_name_is_not_read),
	};

	return cmocka_run_group_tests_name("stream file", tests, NULL, NULL);
}
