/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder_series.h - a recording that rotates, with a ring of a kernel's. */
#ifndef STRATA_TESTS_RECORDER_SERIES_H
#define STRATA_TESTS_RECORDER_SERIES_H

#include "recorder_rings.h"

#include "base/error.h"

/* The recording is in a directory of its own. */
struct series {
	char dir[64], path[128];
	struct test_ring ring;
	struct recorder *recorder;
	struct strata_error error;
};

void series_begin(struct series *series);
void series_end(struct series *series);

/* Drains all rings. */
void series_drain(struct series *series);

/* Goes on in the next directory.  Returns the description of the one that ended. */
struct recorder_finished series_rotate(struct series *series);

/* Begins a source of @who's, "guest", with one ring.  Returns its index. */
size_t series_add_guest(struct series *series, struct principal *who, struct test_ring *ring);

#endif /* STRATA_TESTS_RECORDER_SERIES_H */
