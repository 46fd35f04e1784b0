/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_split.h - finds the sources in the text of recording.json without parsing it, so that
 * each is parsed by itself: an unreadable one does not affect the others, and memory is needed for
 * one at a time.  Called by recording_load.c; the text is hostile.
 */
#ifndef STRATA_MERGE_RECORDING_SPLIT_H
#define STRATA_MERGE_RECORDING_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

struct recording_part {
	size_t begin;
	size_t end;
};

struct recording_split {
	/* The text between the brackets of the top level's first "sources"; empty if absent. */
	struct recording_part list;
	struct recording_part *sources;
	size_t nr_sources;
};

/* Splits @text.  False: more than @max sources, or out of memory.  Clear @split in either case. */
bool recording_split(struct recording_split *split, const char *text, size_t length, size_t max);

void recording_split_clear(struct recording_split *split);

#endif /* STRATA_MERGE_RECORDING_SPLIT_H */
