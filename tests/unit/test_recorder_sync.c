// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_sync.c - a recorder waits for the disk when it closes, and not while it drains. */
#include "recorder_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned int waits;

/* Instead of the C library's. */
int fdatasync(int fd)
{
	(void)fd;
	waits++;
	return 0;
}

static void only_the_end_waits_for_the_disk(void **state)
{
	char dir[] = "/tmp/strata-sync-XXXXXX";
	struct recorder_totals totals;
	struct strata_error error = { "" };
	struct recorder *recorder;
	static struct test_ring ring;
	uint64_t nr_packets;

	(void)state;
	assert_non_null(mkdtemp(dir));
	test_ring_open(&ring, 0);
	recorder = test_open_recorder(dir);
	assert_int_equal(recorder_save(recorder, &error), 0);
	waits = 0;
	/* A source comes: its tables are saved by the next drain. */
	test_add_source(recorder, "one");
	assert_int_equal(recorder_add_ring(recorder, 0, &ring.ring, RECORDER_WITH_PAST, &error), 0);
	test_ring_write(&ring);
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	assert_int_equal(nr_packets, 1);
	assert_true(recorder_is_saved(recorder));
	assert_int_equal(waits, 0);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_true(waits > 0);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

static void serve(void *data)
{
	(void)data;
}

static void a_recorder_that_serves_others_does_not_wait(void **state)
{
	char dir[] = "/tmp/strata-sync-XXXXXX";
	struct recorder_totals totals;
	struct strata_error error = { "" };
	struct recorder *recorder;

	(void)state;
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	recorder_set_meanwhile(recorder, serve, NULL);
	waits = 0;
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(waits, 0);
	/* Whoever asked for it does. */
	assert_int_equal(output_dir_await_disk(dir, &error), 0);
	assert_int_equal(waits, 1);
	test_remove_dir(dir);
	assert_int_equal(output_dir_await_disk(dir, &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_end_waits_for_the_disk),
		cmocka_unit_test(a_recorder_that_serves_others_does_not_wait),
	};

	return cmocka_run_group_tests_name("recorder sync", tests, NULL, NULL);
}
