/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - checks a recording of liars and one honest guest: it loads, it merges, and the honest
 * guest's part of it is what that guest wrote.
 *
 * Each returns NULL when all is right, or what is wrong.
 */
#ifndef STRATA_TESTS_OUTCOME_H
#define STRATA_TESTS_OUTCOME_H

#include <stddef.h>
#include <stdint.h>

struct outcome {
	uint64_t streams; /* of all sources; one that was refused as it came has none */
	uint64_t events;  /* of all */
	uint64_t xen_events;
	uint64_t liars;   /* that are in the recording */
	uint64_t packets; /* of theirs, recorded */
	uint64_t refused; /* of theirs */
	uint64_t longest; /* packets of one of their streams, refused ones included */
};

/* The stream files of one guest hold its records and nothing else; @records: OUT, how many. */
const char *outcome_streams(const char *raw, size_t guest, uint64_t *records);

/* All files of a guest together, since it was loaded, hold all that has to be there. */
const char *outcome_complete(size_t guest);

/* recording.json; @honest_records: that the files hold; @outcome: added to */
const char *outcome_recording(const char *raw, uint64_t honest_records, struct outcome *outcome);

/*
 * All of it, merged: in order, and the merger refuses nothing that the recorder took.
 * @refused: by the recorder
 */
const char *outcome_merged(const char *raw, uint64_t honest_records, uint64_t refused);

#endif /* STRATA_TESTS_OUTCOME_H */
