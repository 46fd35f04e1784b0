// SPDX-License-Identifier: GPL-2.0-or-later
/* followed.c - see followed.h. */
#include "followed.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SWITCH_MS 1u /* of a clock that is taken to be one of 1 GHz */

void followed_begin(struct followed *followed, enum strata_header_form form)
{
	char path[64];
	int fd;

	memset(followed, 0, sizeof(*followed));
	strcpy(followed->dir, "/tmp/strata-follow-XXXXXX");
	assert_non_null(mkdtemp(followed->dir));
	test_ring_open(&followed->ring, 0);
	strata_ring_set_form(followed->ring.writer, form);
	followed->recorder = test_open_recorder(followed->dir);
	assert_int_equal(recorder_publish(followed->recorder, &followed->error), 0);
	recorder_set_switch(followed->recorder, SWITCH_MS);
	test_add_source(followed->recorder, "one");
	recorder_recording(followed->recorder)->sources[0].form = form;
	assert_int_equal(recorder_add_ring(followed->recorder, 0, &followed->ring.ring,
					   RECORDER_FROM_NOW, &followed->error),
			 0);
	assert_int_equal(recorder_save(followed->recorder, &followed->error), 0);
	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, followed->dir);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	followed->table = mmap(NULL, sizeof(*followed->table), PROT_READ, MAP_SHARED, fd, 0);
	assert_true(followed->table != MAP_FAILED);
	close(fd);
}

void followed_drain(struct followed *followed)
{
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(followed->recorder, RECORDER_DRAIN_SOME, &nr_packets,
					&followed->error),
			 0);
}

void followed_drain_until(struct followed *followed, uint64_t events)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned int tries = 0;

	do {
		followed_drain(followed);
		nanosleep(&pause, NULL);
	} while (recorder_totals(followed->recorder).events < events && tries++ < 10000);
	assert_int_equal(recorder_totals(followed->recorder).events, events);
}

void followed_end(struct followed *followed)
{
	munmap((void *)followed->table, sizeof(*followed->table));
	test_ring_close(&followed->ring);
	test_remove_dir(followed->dir);
}

void followed_put(struct followed *followed, uint32_t *number, unsigned int nr)
{
	while (nr--)
		test_ring_put(&followed->ring, (*number)++);
}

int followed_ignore_sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
			    struct strata_error *error)
{
	(void)sink;
	(void)set;
	(void)error;
	return 0;
}
