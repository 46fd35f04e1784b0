// SPDX-License-Identifier: GPL-2.0-or-later
/* A piece of the kernel's memory that is made ahead: taken once, and only for its size.  The
 * caller's thread closes none while it goes on. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/kernel_memory.h"
#include "consumerd/host/spare_memory.h"

#define BYTES ((size_t)256 << 10)

static pthread_t caller;
static _Atomic unsigned int closed_by_caller, closed_by_others;

/* In place of the C library's. */
int close(int fd)
{
	if (pthread_equal(pthread_self(), caller))
		closed_by_caller++;
	else
		closed_by_others++;
	return (int)syscall(SYS_close, fd);
}

/* It is made within milliseconds. */
static int await(struct spare_memory *spare, size_t bytes, uint32_t *id)
{
	int fd = -1, turn;

	for (turn = 0; turn < 2000 && fd < 0; turn++) {
		fd = spare_memory_take(spare, bytes, id);
		if (fd < 0)
			usleep(10000);
	}
	return fd;
}

static void test_is_taken_once(void **state)
{
	struct spare_memory *spare = spare_memory_open();
	uint32_t id = 0, none = 0;
	unsigned char *memory;
	int fd;

	(void)state;
	assert_non_null(spare);
	assert_int_equal(spare_memory_take(spare, BYTES, &none), -1);
	spare_memory_make(spare, BYTES);
	/* No second one. */
	spare_memory_make(spare, BYTES);
	fd = await(spare, BYTES, &id);
	assert_true(fd >= 0);
	assert_true(kernel_memory_exists(id));
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(memory[BYTES - 1], 0);
	munmap(memory, BYTES);
	assert_int_equal(spare_memory_take(spare, BYTES, &none), -1);
	spare_memory_close(spare);
	/* It is the caller's. */
	assert_true(kernel_memory_exists(id));
	close(fd);
}

/* A program of fewer CPUs, as of another architecture, gets memory of its own size. */
static void test_of_another_size_is_given_up(void **state)
{
	struct spare_memory *spare = spare_memory_open();
	const unsigned int before = closed_by_caller, before_by_others = closed_by_others;
	uint32_t id = 0, turn;
	int fd = -1;

	(void)state;
	assert_non_null(spare);
	spare_memory_make(spare, BYTES);
	for (turn = 0; turn < 2000 && closed_by_others == before_by_others; turn++) {
		assert_int_equal(spare_memory_take(spare, BYTES / 2, &id), -1);
		usleep(10000);
	}
	assert_int_equal(closed_by_others, before_by_others + 1);
	assert_int_equal(closed_by_caller, before);
	/* And the next one is made. */
	for (turn = 0; turn < 2000 && fd < 0; turn++) {
		spare_memory_make(spare, BYTES / 2);
		usleep(10000);
		fd = spare_memory_take(spare, BYTES / 2, &id);
	}
	assert_true(fd >= 0);
	assert_true(kernel_memory_exists(id));
	close(fd);
	spare_memory_close(spare);
}

static void test_nobody_takes_it(void **state)
{
	struct spare_memory *spare = spare_memory_open();

	(void)state;
	assert_non_null(spare);
	spare_memory_make(spare, BYTES);
	spare_memory_close(spare);
	/* As when it could not be opened. */
	spare_memory_make(NULL, BYTES);
	assert_int_equal(spare_memory_take(NULL, BYTES, NULL), -1);
	spare_memory_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_taken_once),
		cmocka_unit_test(test_of_another_size_is_given_up),
		cmocka_unit_test(test_nobody_takes_it),
	};

	caller = pthread_self();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
