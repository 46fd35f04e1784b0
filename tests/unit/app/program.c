// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - an application for test_app_record.sh and test_recover.sh: PROGRAM WHAT
 * [NUMBER [FILE]].
 *
 *   numbered N      N events, one after the other, of all kinds of field
 *   spoken N        N events, and a line of standard output after each
 *   lengths N       N rounds of events of each length that is copied in registers
 *   forever 0 FILE  events until it is killed; FILE holds the number of the last
 *   fork N          a child writes N events, then the parent does
 *   bare-fork N     N events, then N by a child that starts without the C library's handlers
 *   late-fork N FILE  N events; FILE.1 comes; when FILE.2 is there, N by such a child
 *   environment 0 FILE  as forever; but after its first event it asks for another kind of ring
 *   exec N          N events, and as many after an exec
 *   dlopen N FILE   N events of a library that is loaded for it
 *   off             nothing; says how many of its events somebody wants
 *   threads N       four threads write N events each
 *   crowd N FILE    N threads write until they are killed; FILE holds the number of each one's last
 *   corrupt N FILE  N events; when FILE is there, overwrites the control words of all of its rings;
 *                   one more, and nothing until it is killed
 *   linger N FILE   N events, then nothing until it is killed; FILE comes when they are written
 *   daemon 0 FILE   closes all of its files, opens others, and goes on as forever
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/tracepoint.h>

STRATA_EVENT(test, numbered, strata_u64(number), strata_string(text), strata_u8(small),
	     strata_i16(negative), strata_x32(hex), strata_f64(half), strata_f32(quarter),
	     strata_array_u16(three, 3), strata_sequence_x8(bytes));
STRATA_EVENT(test, plain, strata_u64(number));
STRATA_EVENT(test, nothing);
STRATA_EVENT(test, crowded, strata_u32(thread), strata_u64(number));
/* Named by the bytes of context and fields. */
STRATA_EVENT(test, body12, strata_u32(first));
STRATA_EVENT(test, body16, strata_u64(first));
STRATA_EVENT(test, body20, strata_u64(first), strata_u32(second));
STRATA_EVENT(test, body24, strata_u64(first), strata_u64(second));
STRATA_EVENT(test, body28, strata_u64(first), strata_u64(second), strata_u32(third));
STRATA_EVENT(test, body32, strata_u64(first), strata_u64(second), strata_u64(third));

#define CROWD_MAX 16u
#define WIDE      ((uint64_t)1 << 40) /* more than half a word holds */

static uint64_t nr;

static void write_and_print(void)
{
	uint64_t i;

	for (i = 0; i < nr; i++) {
		STRATA_TRACE(test, plain, i);
		dprintf(STDOUT_FILENO, "%u\n", (unsigned int)i);
		/* For the recorder to hear it. */
		usleep(20000);
	}
}

static void write_numbered(void)
{
	static const uint16_t three[3] = { 1, 2, 3 };
	static const uint8_t bytes[] = { 0xfe, 0xed };
	uint64_t i;

	for (i = 0; i < nr; i++)
		STRATA_TRACE(test, numbered, i, i % 2 ? "odd" : "\x1b[31mred", (uint8_t)i, -7,
			     0xbeefu, (double)i / 2, 0.25f, three, bytes, (uint32_t)(i % 3));
	STRATA_TRACE(test, nothing);
}

static void write_lengths(void)
{
	uint64_t i;

	for (i = 1; i <= nr; i++) {
		STRATA_TRACE(test, body12, (uint32_t)i);
		STRATA_TRACE(test, body16, i);
		STRATA_TRACE(test, body20, i, (uint32_t)i + 1000000);
		STRATA_TRACE(test, body24, i, i + WIDE);
		STRATA_TRACE(test, body28, i, i + WIDE, (uint32_t)i + 1000000);
		STRATA_TRACE(test, body32, i, i + WIDE, i + WIDE);
	}
}

static void *write_plain(void *unused)
{
	uint64_t i;

	for (i = 0; i < nr; i++)
		STRATA_TRACE(test, plain, i);
	return unused;
}

static void await_file(const char *path)
{
	while (access(path, F_OK))
		usleep(1000);
}

/* Numbers that outlive us, all 0. */
static volatile uint64_t *map_numbers(const char *path, uint64_t how_many)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *numbers;

	if (fd < 0 || ftruncate(fd, (off_t)(8 * how_many)))
		exit(1);
	numbers = mmap(NULL, 8 * how_many, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (numbers == MAP_FAILED)
		exit(1);
	return numbers;
}

static void write_forever(const char *path)
{
	volatile uint64_t *last = map_numbers(path, 1);

	for (nr = 0;; nr++) {
		STRATA_TRACE(test, plain, nr);
		if (STRATA_TRACE_ENABLED(test, plain))
			*last = nr;
		if (nr % 16 == 0)
			usleep(500);
	}
}

static volatile uint64_t *crowd_last;

/* Each number is written down when its event is: 0 is none's. */
static void *write_crowded(void *thread)
{
	uint32_t index = (uint32_t)(uintptr_t)thread;
	uint64_t number;

	for (number = 1;; number++) {
		STRATA_TRACE(test, crowded, index, number);
		if (STRATA_TRACE_ENABLED(test, crowded))
			crowd_last[index] = number;
		if (number % 64 == 0)
			usleep(2000);
	}
	return NULL;
}

static void write_in_crowd(const char *path)
{
	pthread_t threads[CROWD_MAX];
	uint64_t i;

	crowd_last = map_numbers(path, CROWD_MAX);
	for (i = 0; i < nr && i < CROWD_MAX; i++)
		if (pthread_create(&threads[i], NULL, write_crowded, (void *)(uintptr_t)i))
			exit(1);
	pthread_join(threads[0], NULL);
}

/* Words that lead this process nowhere, and a reader who believes them out of the ring. */
static void corrupt_rings(const struct strata_app_rings *rings)
{
	uint32_t i, j;

	for (i = 0; i < rings->nr; i++) {
		unsigned char *ring = rings->memory + i * rings->stride;

		if (rings->nr_single)
			strata_write_once(&((struct strata_single_area *)ring)->position,
					  0x123456789abcdf00u);
		for (j = 0; !rings->nr_single && j < STRATA_NR_SUBBUFS_MAX; j++)
			strata_write_once(&((struct strata_ring_writer_area *)ring)->commit_seq[j],
					  0x123456789abcdf00u);
	}
}

static void write_and_corrupt(const char *path)
{
	uint32_t channel;

	write_plain(NULL);
	await_file(path);
	for (channel = 0; channel < STRATA_APP_CHANNELS; channel++)
		if (strata_app_rings[channel])
			corrupt_rings(strata_app_rings[channel]);
	STRATA_TRACE(test, plain, nr);
	for (;;)
		pause();
}

/* Writes a few, says so, and then does nothing any more. */
static void write_and_linger(const char *path)
{
	write_plain(NULL);
	map_numbers(path, 1);
	for (;;)
		pause();
}

static void write_in_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		write_plain(NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		exit(1);
	write_plain(NULL);
}

/* The child has its parent's rings, and must not write to them. */
/* @path: NULL: the child begins at once */
static void write_in_bare_child(const char *path)
{
	char written[4096], go[4096];
	int status;
	pid_t child;

	write_plain(NULL);
	if (path) {
		snprintf(written, sizeof(written), "%s.1", path);
		snprintf(go, sizeof(go), "%s.2", path);
		close(open(written, O_WRONLY | O_CREAT, 0644));
		await_file(go);
	}
	child = _Fork();
	if (child == 0) {
		write_plain(NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(1);
}

static void write_with_other_environment(const char *path)
{
	STRATA_TRACE(test, plain, 0);
	setenv("STRATA_APP_MODE", "reserve-commit", 1);
	write_forever(path);
}

static void write_as_daemon(const char *path)
{
	int fd;

	for (fd = 3; fd < 100; fd++)
		close(fd);
	for (fd = 3; fd < 20; fd++)
		open("/dev/null", O_RDWR);
	write_forever(path);
}

static void write_in_threads(void)
{
	pthread_t threads[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, write_plain, NULL))
			exit(1);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void write_from_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*write)(uint64_t);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&write = dlsym(library, "library_write");
	write(nr);
	dlclose(library);
	write_plain(NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	nr = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	if (strcmp(what, "numbered") == 0)
		write_numbered();
	else if (strcmp(what, "spoken") == 0)
		write_and_print();
	else if (strcmp(what, "lengths") == 0)
		write_lengths();
	else if (strcmp(what, "forever") == 0 && argc > 3)
		write_forever(argv[3]);
	else if (strcmp(what, "crowd") == 0 && argc > 3)
		write_in_crowd(argv[3]);
	else if (strcmp(what, "corrupt") == 0 && argc > 3)
		write_and_corrupt(argv[3]);
	else if (strcmp(what, "daemon") == 0 && argc > 3)
		write_as_daemon(argv[3]);
	else if (strcmp(what, "linger") == 0 && argc > 3)
		write_and_linger(argv[3]);
	else if (strcmp(what, "fork") == 0)
		write_in_child();
	else if (strcmp(what, "bare-fork") == 0)
		write_in_bare_child(NULL);
	else if (strcmp(what, "late-fork") == 0 && argc > 3)
		write_in_bare_child(argv[3]);
	else if (strcmp(what, "environment") == 0 && argc > 3)
		write_with_other_environment(argv[3]);
	else if (strcmp(what, "threads") == 0)
		write_in_threads();
	else if (strcmp(what, "dlopen") == 0 && argc > 3)
		write_from_library(argv[3]);
	else if (strcmp(what, "off") == 0)
		printf("%d\n",
		       STRATA_TRACE_ENABLED(test, plain) + STRATA_TRACE_ENABLED(test, numbered));
	else if (strcmp(what, "exec") == 0) {
		write_plain(NULL);
		execl("/proc/self/exe", argv[0], "threads", argv[2], (char *)NULL);
		return 1;
	} else {
		return 2;
	}
	return 0;
}
