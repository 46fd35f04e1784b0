/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_fixture.h - runs a merge for a test and keeps its results: every event, every complaint,
 * the figures.
 */
#ifndef STRATA_TESTS_MERGE_FIXTURE_H
#define STRATA_TESTS_MERGE_FIXTURE_H

#include "../merge_alone.h"
#include "synthetic.h"

struct merged_event {
	uint64_t ticks;
	uint64_t bound_ticks;
	uint64_t ns;
	char source[80];
	char name[STRATA_EVENT_NAME_BYTES];
	unsigned int cpu;
	uint32_t domain, vcpu, pcpu; /* UINT32_MAX: not known */
	uint8_t first_byte;          /* of the payload; 0: it has none */
};

struct merged {
	int status; /* of the merge; -1: not even opened, or not done */
	struct strata_error error;
	struct merged_event *events;
	size_t nr_events, capacity;
	char complaints[16384]; /* one a line */
	unsigned int nr_complaints;
	struct strata_host_figures result; /* without its streams and host */
	uint64_t lost[16];                 /* by stream */
	uint64_t unsure;                   /* events, of all streams */
	size_t nr_streams;
	uint32_t pcpus, unmeasured_pcpus; /* whose skew is not */
};

/* Merges the directory, with one source shifted if @source is not NULL. */
void merge_directory(struct merged *merged, const char *dir, const char *source, int64_t shift);
void merged_free(struct merged *merged);

/* How many events of that name there are; NULL: of any. */
size_t merged_count(const struct merged *merged, const char *source, const char *name);

/* An event that the hypervisor records about itself. */
struct merge_notice {
	uint32_t id;
	const void *payload;
	size_t bytes;
};

/*
 * Two turns of guest mode: entered at 1000, left at 2000, entered at 3000, left at 4000.  @notices,
 * if any, come at 2010 and 2990.
 */
void merge_build_turns(struct synthetic *rec, const struct merge_notice *notices);

/* Writes @rec, which is freed then, and merges it; it has to succeed. */
void merge_written(struct synthetic *rec, struct merged *merged);

#endif /* STRATA_TESTS_MERGE_FIXTURE_H */
