// SPDX-License-Identifier: GPL-2.0-or-later
/* levels.c - see levels.h. */
#include "outputs/timeline/levels.h"

#include <stdlib.h>
#include <string.h>

/* A level with fewer entries can be drawn as a whole, so coarser levels are not needed. */
#define ENTRIES_FEW 2000u

void strata_levels_init(struct strata_levels *levels, struct strata_chunk_store *store)
{
	unsigned int i;

	memset(levels, 0, sizeof(*levels));
	for (i = 0; i < STRATA_LEVELS; i++)
		levels->spans[i].store = levels->blocks[i].store = store;
	/* Which levels are needed is known only at the end. */
	for (i = 0; i < STRATA_LEVELS; i++)
		levels->blocks[i].is_raw = true;
}

static void add_share(struct strata_block *block, uint32_t category, uint64_t ns)
{
	struct strata_block_share *least = &block->shares[0];
	uint32_t i;

	for (i = 0; i < block->nr_shares; i++) {
		if (block->shares[i].category == category) {
			block->shares[i].ns += ns;
			return;
		}
		if (block->shares[i].ns < least->ns)
			least = &block->shares[i];
	}
	if (block->nr_shares < STRATA_BLOCK_CATEGORIES) {
		block->shares[block->nr_shares++] = (struct strata_block_share){ category, ns };
		return;
	}
	/* Replaces the category with the least time, as in the algorithm "space saving". */
	least->category = category;
	least->ns += ns;
}

static void merge_blocks(struct strata_block *block, const struct strata_block *more)
{
	uint32_t i;

	if (more->longest_ns > block->longest_ns) {
		block->longest_ns = more->longest_ns;
		block->name = more->name;
	}
	block->to_ns = more->to_ns;
	block->count = block->count > UINT32_MAX - more->count ? UINT32_MAX
							       : block->count + more->count;
	for (i = 0; i < more->nr_shares; i++)
		add_share(block, more->shares[i].category, more->shares[i].ns);
}

static uint32_t main_category(const struct strata_block *block)
{
	const struct strata_block_share *most = &block->shares[0];
	uint32_t i;

	for (i = 1; i < block->nr_shares; i++) {
		if (block->shares[i].ns > most->ns)
			most = &block->shares[i];
	}
	return most->category;
}

static void add_to_level(struct strata_levels *levels, uint32_t track,
			 struct strata_track_blocks *blocks, unsigned int level,
			 const struct strata_block *more);

/* Ends a level's block of a track, and adds it to a block of the next level. */
static void end_block(struct strata_levels *levels, uint32_t track,
		      struct strata_track_blocks *blocks, unsigned int level)
{
	struct strata_block *block = &blocks->open[level];
	struct strata_block ended;
	struct strata_chunk_entry entry;

	if (!block->count)
		return;
	ended = *block;
	block->count = 0;
	entry = (struct strata_chunk_entry){
		.from_ns = ended.from_ns,
		.length_ns = ended.to_ns - ended.from_ns,
		.bound_ns = UINT64_MAX,
		.track = track,
		.name = ended.name,
		.category = main_category(&ended),
		.count = ended.count,
	};
	strata_chunk_writer_add(&levels->blocks[level], &entry, "");
	if (level + 1 < STRATA_LEVELS)
		add_to_level(levels, track, blocks, level + 1, &ended);
}

static void add_to_level(struct strata_levels *levels, uint32_t track,
			 struct strata_track_blocks *blocks, unsigned int level,
			 const struct strata_block *more)
{
	struct strata_block *block = &blocks->open[level];

	if (block->count && more->from_ns - block->from_ns >= strata_level_resolution_ns(level))
		end_block(levels, track, blocks, level);
	if (block->count)
		merge_blocks(block, more);
	else
		*block = *more;
}

/* Returns NULL if out of memory. */
static struct strata_track_blocks *blocks_of(struct strata_levels *levels, uint32_t track)
{
	struct strata_track_blocks **larger;
	size_t nr = levels->nr_tracks ? levels->nr_tracks : 64;

	while (nr <= track)
		nr *= 2;
	if (nr > levels->nr_tracks) {
		larger = reallocarray(levels->tracks, nr, sizeof(*larger));
		if (!larger)
			return NULL;
		memset(larger + levels->nr_tracks, 0, (nr - levels->nr_tracks) * sizeof(*larger));
		levels->tracks = larger;
		levels->nr_tracks = nr;
	}
	if (!levels->tracks[track])
		levels->tracks[track] = calloc(1, sizeof(**levels->tracks));
	return levels->tracks[track];
}

void strata_levels_add(struct strata_levels *levels, const struct strata_chunk_entry *span,
		       const char *detail)
{
	const unsigned int shown = strata_level_of(span->length_ns);
	struct strata_track_blocks *blocks = blocks_of(levels, span->track);
	/* Spans of length zero count as 1 ns. */
	const uint64_t weight = span->length_ns ? span->length_ns : 1;
	const struct strata_block block = {
		.from_ns = span->from_ns,
		.to_ns = span->from_ns + span->length_ns,
		.longest_ns = span->length_ns,
		.name = span->name,
		.count = 1,
		.shares = { { span->category, weight } },
		.nr_shares = 1,
	};
	unsigned int level;

	if (!blocks) {
		levels->no_memory = true;
		return;
	}
	strata_chunk_writer_add(&levels->spans[shown], span, detail);
	/* Blocks of the levels that show this span individually end here. */
	for (level = 1; level <= shown; level++)
		end_block(levels, span->track, blocks, level);
	if (shown + 1 < STRATA_LEVELS)
		add_to_level(levels, span->track, blocks, shown + 1, &block);
}

/* Returns the number of entries that a level shows. */
static uint64_t entries_of(const struct strata_levels *levels, unsigned int level)
{
	uint64_t entries = level ? levels->blocks[level].written : 0;
	unsigned int i;

	for (i = level; i < STRATA_LEVELS; i++)
		entries += levels->spans[i].written;
	return entries;
}

uint32_t strata_levels_wanted(const struct strata_levels *levels)
{
	uint64_t last = entries_of(levels, 0);
	uint32_t wanted = 1;
	unsigned int level;

	for (level = 1; level < STRATA_LEVELS && last > ENTRIES_FEW; level++) {
		const uint64_t entries = entries_of(levels, level);

		if (entries > last / 2)
			continue;
		wanted |= 1u << level;
		last = entries;
	}
	return wanted;
}

/* Compresses the blocks that browsers will request. */
static void compress_wanted(struct strata_levels *levels)
{
	const uint32_t wanted = strata_levels_wanted(levels);
	unsigned int level;
	size_t i;

	for (level = 1; level < STRATA_LEVELS; level++) {
		for (i = 0; wanted >> level & 1 && i < levels->blocks[level].nr_chunks; i++)
			strata_chunk_store_compress(levels->blocks[level].store,
						    levels->blocks[level].chunks[i]);
	}
}

void strata_levels_finish(struct strata_levels *levels)
{
	unsigned int level;
	size_t i;

	for (i = 0; i < levels->nr_tracks; i++) {
		for (level = 1; levels->tracks[i] && level < STRATA_LEVELS; level++)
			end_block(levels, (uint32_t)i, levels->tracks[i], level);
	}
	for (level = 0; level < STRATA_LEVELS; level++) {
		strata_chunk_writer_flush(&levels->spans[level]);
		strata_chunk_writer_flush(&levels->blocks[level]);
		levels->no_memory |= levels->spans[level].no_memory;
		levels->no_memory |= levels->blocks[level].no_memory;
	}
	compress_wanted(levels);
}

static size_t copy_chunks(const struct strata_chunk_writer *writer, uint32_t *out, size_t at)
{
	if (out && writer->nr_chunks)
		memcpy(out + at, writer->chunks, writer->nr_chunks * sizeof(*out));
	return at + writer->nr_chunks;
}

size_t strata_levels_chunks(const struct strata_levels *levels, unsigned int level, uint32_t *out)
{
	size_t nr = level ? copy_chunks(&levels->blocks[level], out, 0) : 0;
	unsigned int i;

	for (i = level; i < STRATA_LEVELS; i++)
		nr = copy_chunks(&levels->spans[i], out, nr);
	return nr;
}

void strata_levels_clear(struct strata_levels *levels)
{
	unsigned int level;
	size_t i;

	for (level = 0; level < STRATA_LEVELS; level++) {
		strata_chunk_writer_clear(&levels->spans[level]);
		strata_chunk_writer_clear(&levels->blocks[level]);
	}
	for (i = 0; i < levels->nr_tracks; i++)
		free(levels->tracks[i]);
	free(levels->tracks);
	memset(levels, 0, sizeof(*levels));
}
