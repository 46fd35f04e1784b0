// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * messages.c - messages of strata_printf() for test_printf.sh:
 *
 *     types          one of each type of argument
 *     pieces         expressions, and strings of bytes
 *     counted        strings with lengths of each type
 *     levels         one of each of three log levels
 *     threads COUNT  COUNT messages of each of four threads, from one call
 *     forever FILE   numbered messages; stores the number of each in FILE
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/printf.h>

#define NR_THREADS 4

/* Two calls of one line. */
#define WRITE_BOTH(one, other)        \
	do {                          \
		strata_printf(one);   \
		strata_printf(other); \
	} while (0)

enum colour { RED, GREEN };

static unsigned int evaluations;

static int evaluated(int value)
{
	evaluations++;
	return value;
}

static void write_numbers(void)
{
	const signed char tiny = -5;
	const unsigned char byte = 200;
	const short small = -300;
	const unsigned short port = 65535;
	const long long big = LLONG_MIN;
	const unsigned long long huge = ULLONG_MAX;
	const enum colour colour = GREEN;
	const bool is_ready = true;

	strata_printf("chars %hhd %hhu %c", tiny, byte, 'x');
	strata_printf("shorts %hd %hu", small, port);
	strata_printf("longs %lld %llu %ld", big, huge, -1L);
	strata_printf("hex %#x %08lx %o", 255u, 0xbeeful, 8u);
	strata_printf("floats %.3f %g %Lf", 1.5f, 1e100, 2.5L);
	strata_printf("flags %d %d", is_ready, colour);
	strata_printf("columns [%-6d] [%6d] [%+d] [%.3d]", 42, 42, 42, 7);
}

static void write_texts(void)
{
	const struct {
		const char *name;
		int id[2];
	} request = { "alice", { 1, 2 } }, *at = &request;
	/* Without a zero byte. */
	const char open_end[] = { 'a', 'b', 'c', 'd', 'e' };
	char *address = (char *)0x1234;

	strata_printf("request %d of %s", at->id[1], at->name);
	strata_printf("bounded %.3s and %.*s", open_end, 4, open_end);
	strata_printf("address %p %p", address, (void *)0);
	strata_printf("null %s, \"quoted\" 100%%\n", (const char *)NULL);
	strata_printf("escaped %s", "\x1b[31m\n");
	strata_printf("nothing else");
	WRITE_BOTH("two", "on one line");
	strata_printf("%d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
		      evaluated(12));
	strata_printf("evaluations %u", evaluations);
}

static void write_expressions(void)
{
	const struct {
		int id;
	} request = { 7 }, *at = &request;
	const int x = 3;

	/* clang-format off */
	strata_printf("expressions %d %d %d", x-1, x>0, at->id);
	/* clang-format on */
}

static void write_byte_strings(void)
{
	const unsigned char bytes[] = "bytes";
	unsigned char name[] = { 'n', 'a', 'm', 'e', '!' };
	const signed char code[] = "code";
	signed char *const none = NULL;

	strata_printf("byte strings %s %.4s %s %s", bytes, name, code, none);
	strata_printf("byte address %p", (unsigned char *)0x1234);
}

/* Strings without a zero byte, with a length of each type.  The compiler warns of some. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
static void write_counted(void)
{
	static const char secret[] = "abcdefgh SECRET";
	const uint8_t u8 = 3;
	const uint16_t u16 = 4;
	const uint32_t u32 = 5;
	const uint64_t u64 = 6;
	const int8_t i8 = 7;
	const int64_t i64 = 8, negative = -1;

	strata_printf("unsigned lengths %.*s %.*s %.*s %.*s", u8, secret, u16, secret, u32, secret,
		      u64, secret);
	strata_printf("signed lengths %.*s %.*s", i8, secret, i64, secret);
	strata_printf("a truth for a length %.*s", (bool)1, secret);
	strata_printf("negative lengths %.*s %.*s", negative, "whole", (int8_t)-1, "text");
	strata_printf("no length [%.*s] [%.*s]", 8.0, secret, (void *)secret, secret);
	strata_printf("%-20m %5% [%.*s]", 3, secret);
	strata_printf("%b %B %Id [%.*s]", 4, "text", 5, 2, secret);
}
#pragma GCC diagnostic pop

static void write_levels(void)
{
	strata_printf_level(STRATA_LOG_ERR, "disk %s is full", "sda");
	strata_printf_level(STRATA_LOG_WARNING, "disk %s is slow: %u ms", "sda", 90u);
	strata_printf_level(STRATA_LOG_DEBUG, "disk %s is idle", "sda");
}

static void *write_many(void *count)
{
	const unsigned long nr = *(unsigned long *)count;
	const pthread_t self = pthread_self();
	unsigned long i;

	for (i = 0; i < nr; i++)
		strata_printf("step %lu of %s", i, pthread_equal(self, self) ? "a thread" : "");
	return NULL;
}

static void write_in_threads(unsigned long count)
{
	pthread_t threads[NR_THREADS];
	size_t i;

	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_many, &count))
			abort();
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void write_forever(const char *file)
{
	const int fd = open(file, O_RDWR | O_CREAT, 0600);
	uint64_t *last, number;

	if (fd < 0 || ftruncate(fd, sizeof(*last)))
		abort();
	last = mmap(NULL, sizeof(*last), PROT_WRITE, MAP_SHARED, fd, 0);
	if (last == MAP_FAILED)
		abort();
	for (number = 1;; number++) {
		strata_printf("number %lu", number);
		*last = number;
		usleep(100);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "types";

	if (!strcmp(what, "types")) {
		write_numbers();
		write_texts();
	} else if (!strcmp(what, "pieces")) {
		write_expressions();
		write_byte_strings();
	} else if (!strcmp(what, "counted")) {
		write_counted();
	} else if (!strcmp(what, "levels")) {
		write_levels();
	} else if (!strcmp(what, "threads") && argc > 2) {
		write_in_threads(strtoul(argv[2], NULL, 10));
	} else if (!strcmp(what, "forever") && argc > 2) {
		write_forever(argv[2]);
	} else {
		return 1;
	}
	return 0;
}
