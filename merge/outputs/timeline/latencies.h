/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies.h - histograms of the lengths of slices, by name. Each bar also keeps a uniform random
 * sample of its slices, so that a viewer can jump from the bar to some of them.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_LATENCIES_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_LATENCIES_H

#include "base/fair_share.h"
#include "base/id_map.h"
#include "outputs/event_writer.h"
#include "tracks/track.h"

#define STRATA_LATENCIES_MAX     512u /* ids beyond an owner's share of these have no histogram */
#define STRATA_LATENCY_BARS      256u /* four for each power of two */
#define STRATA_LATENCY_INSTANCES 50u  /* slices kept per bar */

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
	uint64_t chance; /* state of a random generator: the choice is the same in each run */
	struct strata_latency_bar *bars[STRATA_LATENCY_BARS];
};

/* All-zero is empty. */
struct strata_latencies {
	struct strata_id_map by_id;
	struct strata_shares shares; /* by the tracks' owners */
	struct strata_latency *all[STRATA_LATENCIES_MAX];
	size_t nr;
	bool no_memory;
};

/* Counts a slice. @id: selects the histogram */
void strata_latencies_add(struct strata_latencies *latencies, uint32_t id,
			  const struct strata_track *track, uint64_t from_ns, uint64_t length_ns);

/*
 * Appends the histograms as JSON: elements of an array in the timeline's page.
 * @first: number of the name of the first histogram; the others' names follow it; UINT32_MAX: ids
 * are the numbers of names
 * @behind_others: other elements precede these
 */
void strata_latencies_json(const struct strata_latencies *latencies, uint32_t first,
			   bool behind_others, struct strata_buffer *out);

void strata_latencies_clear(struct strata_latencies *latencies);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_LATENCIES_H */
