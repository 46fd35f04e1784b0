/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * levels.h - levels of detail: spans too short to be visible at a scale are merged into blocks,
 * separately for each track, in one pass.
 *
 * Level 0 has all spans. Level k shows spans of at least its resolution individually, from the same
 * chunks. Shorter spans that begin within one resolution of each other become one block, with the
 * category that had most time. The next level merges these blocks and the spans that are too short
 * only for that level.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_LEVELS_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_LEVELS_H

#include "outputs/timeline/chunk_writer.h"

/* Categories whose times are counted separately in a block; a further one replaces the least. */
#define STRATA_BLOCK_CATEGORIES 4u

struct strata_block {
	uint64_t from_ns, to_ns;
	uint64_t longest_ns;
	uint32_t name; /* of the longest span in it */
	uint32_t count;
	struct strata_block_share {
		uint32_t category;
		uint64_t ns;
	} shares[STRATA_BLOCK_CATEGORIES];
	uint32_t nr_shares;
};

struct strata_track_blocks {
	struct strata_block open[STRATA_LEVELS]; /* count 0: none; [0] is unused */
};

/* Zero-initialised is empty; `store` is set by strata_levels_init(). */
struct strata_levels {
	struct strata_chunk_writer spans[STRATA_LEVELS];  /* by the last level that shows them */
	struct strata_chunk_writer blocks[STRATA_LEVELS]; /* by level */
	struct strata_track_blocks **tracks;
	size_t nr_tracks;
	bool no_memory;
};

void strata_levels_init(struct strata_levels *levels, struct strata_chunk_store *store);

/* Adds a span: those of a track come in order, and do not overlap. */
void strata_levels_add(struct strata_levels *levels, const struct strata_chunk_entry *span,
		       const char *detail);

/* Ends all blocks, writes the rest, and compresses the levels that are needed. */
void strata_levels_finish(struct strata_levels *levels);

/* Returns the levels that are worth having, as bits; level 0 always is. */
uint32_t strata_levels_wanted(const struct strata_levels *levels);

/* Lists the chunks of a level, in any order. @out: NULL: only counts them. Returns their number. */
size_t strata_levels_chunks(const struct strata_levels *levels, unsigned int level, uint32_t *out);

void strata_levels_clear(struct strata_levels *levels);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_LEVELS_H */
