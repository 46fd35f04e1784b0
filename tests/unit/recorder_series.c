// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder_series.c - see recorder_series.h. */
#include "recorder_series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void series_begin(struct series *series)
{
	memset(series, 0, sizeof(*series));
	strcpy(series->dir, "/tmp/strata-rotate-XXXXXX");
	assert_non_null(mkdtemp(series->dir));
	snprintf(series->path, sizeof(series->path), "%s/recording", series->dir);
	series->recorder = test_open_recorder(series->path);
	recorder_set_of_now(series->recorder);
	test_add_source(series->recorder, "one");
	test_ring_open(&series->ring, 0);
	assert_int_equal(recorder_add_ring(series->recorder, 0, &series->ring.ring,
					   RECORDER_FROM_NOW, &series->error),
			 0);
}

void series_end(struct series *series)
{
	struct recorder_totals totals;

	assert_int_equal(recorder_close(series->recorder, &totals, &series->error), 0);
	test_ring_close(&series->ring);
	test_remove_dir(series->dir);
}

void series_drain(struct series *series)
{
	uint64_t taken;

	assert_int_equal(
		recorder_drain(series->recorder, RECORDER_DRAIN_ALL, &taken, &series->error), 0);
}

struct recorder_finished series_rotate(struct series *series)
{
	struct recorder_finished finished;

	if (recorder_rotate(series->recorder, series->path, &finished, &series->error))
		fail_msg("%s", series->error.text);
	return finished;
}

size_t series_add_guest(struct series *series, struct principal *who, struct test_ring *ring)
{
	const struct strata_event_desc event = {
		.name = "tick",
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	size_t index;

	assert_int_equal(
		recorder_begin_source(series->recorder, who, "guest", 1, 0, &index, &series->error),
		0);
	recorder_recording(series->recorder)->sources[index].layer = STRATA_LAYER_KERNEL;
	assert_int_equal(recorder_add_event(series->recorder, index, &event, &series->error), 0);
	test_ring_open(ring, 0);
	assert_int_equal(recorder_add_ring(series->recorder, index, &ring->ring, RECORDER_FROM_NOW,
					   &series->error),
			 0);
	return index;
}
