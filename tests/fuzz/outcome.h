/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - what a recording of liars and one honest guest has to be: it
 * loads, it merges, and the honest guest's part of it is what that guest wrote.
 *
 * Each returns NULL when all is as it should be, or what is wrong.
 */
#ifndef STRATA_TESTS_OUTCOME_H
#define STRATA_TESTS_OUTCOME_H

#include <stddef.h>
#include <stdint.h>

struct outcome {
	uint64_t liars;   /* that are in the recording */
	uint64_t packets; /* of theirs, recorded */
	uint64_t refused; /* of theirs */
	uint64_t longest; /* packets of one of their streams, refused ones included */
};

/* The stream files of one guest hold exactly what it wrote. */
const char *outcome_streams(const char *raw, size_t guest);

/* recording.json; @outcome: OUT */
const char *outcome_recording(const char *raw, struct outcome *outcome);

/* All of it, merged: in order, and the merger refuses nothing that the recorder took. */
const char *outcome_merged(const char *raw, const struct outcome *outcome);

#endif /* STRATA_TESTS_OUTCOME_H */
