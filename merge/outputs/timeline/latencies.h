/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies.h - how long slices of one kind take: counts by length, and for each length some of
 * the slices, evenly chosen, so that a bar of a histogram leads to what it consists of.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_LATENCIES_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_LATENCIES_H

#include "base/id_map.h"
#include "outputs/event_writer.h"

#define STRATA_LATENCIES_MAX     256u /* ids; more have no histogram */
#define STRATA_LATENCY_BARS      256u /* four for each power of two */
#define STRATA_LATENCY_INSTANCES 50u  /* of a bar */

struct strata_latency_bar {
	uint64_t count;
	struct {
		uint32_t track;
		uint64_t from_ns, length_ns;
	} instances[STRATA_LATENCY_INSTANCES];
};

struct strata_latency {
	uint32_t id;
	uint64_t count;
	uint64_t chance; /* of a generator of numbers: the choice is the same each time */
	struct strata_latency_bar *bars[STRATA_LATENCY_BARS];
};

/* Zero-initialised is empty. */
struct strata_latencies {
	struct strata_id_map by_id;
	struct strata_latency *all[STRATA_LATENCIES_MAX];
	size_t nr;
	bool no_memory;
};

/* Counts a slice. @id: of what it is one of */
void strata_latencies_add(struct strata_latencies *latencies, uint32_t id, uint32_t track,
			  uint64_t from_ns, uint64_t length_ns);

/*
 * Appends them as JSON, as the timeline's page has them: elements of an array.
 * @first: the number of the first one's name, which others follow; UINT32_MAX: ids are names
 * @behind_others: other elements stand in front
 */
void strata_latencies_json(const struct strata_latencies *latencies, uint32_t first,
			   bool behind_others, struct strata_buffer *out);

void strata_latencies_clear(struct strata_latencies *latencies);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_LATENCIES_H */
