/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - the data of a timeline in the browser: takes in tracks and slices (tracks/track.h),
 * makes levels of detail of them, and then writes a page that has them within it, or hands them
 * out chunk by chunk.  docs/formats.md has the format.
 *
 *     strata_timeline_new
 *     strata_timeline_sink      of the tracks
 *     strata_timeline_observer  of all events: losses' and clocks' part
 *     strata_timeline_finish    after the pass
 *     strata_timeline_meta, strata_timeline_chunks, strata_timeline_write_page
 *     strata_timeline_free
 *
 * Memory: the index of chunks, those that are being filled, and tracks' open blocks.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_TIMELINE_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_TIMELINE_H

#include "files/out_file.h"
#include "outputs/timeline/chunk_store.h"
#include "tracks/tracks.h"

struct strata_timeline_options {
	const char *title, *command; /* safe to show */
	uint64_t begin_ns;           /* of the picture, since 1970 */
	uint64_t slices_max;         /* the pass stops at more; 0: any number */
	bool is_served;              /* chunks are asked for, and not in the page */
};

struct strata_timeline;

/* @shown, @options: outlive it.  NULL with the reason. */
struct strata_timeline *strata_timeline_new(const struct strata_shown *shown,
					    const struct strata_timeline_options *options,
					    struct strata_error *error);

struct strata_track_sink *strata_timeline_sink(struct strata_timeline *timeline);
struct strata_slice_sink *strata_timeline_observer(struct strata_timeline *timeline);

/* Whether there were more slices than slices_max. @ns: OUT, when the last one ended */
bool strata_timeline_is_full(const struct strata_timeline *timeline, uint64_t *ns);

/*
 * Says why a request took its time, if it is one of the STRATA_TIMELINE_SLOWEST longest ones: by
 * its begin and end since 1970.  Before finish.
 */
#define STRATA_TIMELINE_SLOWEST 100u
void strata_timeline_explain(struct strata_timeline *timeline, uint64_t from_ns, uint64_t to_ns,
			     const char *text);

/* What was said of a slice, by its track and its begin since the timeline's; NULL: nothing. */
const char *strata_timeline_why(const struct strata_timeline *timeline, uint32_t track,
				uint64_t from_ns);

/*
 * Writes what is left, and the description of all.
 * @order: of the tracks, as strata_tracks_finish() gives it
 * @facts: of the state that the slices were made of
 * 0 or -1.
 */
int strata_timeline_finish(struct strata_timeline *timeline, const struct strata_tracks *tracks,
			   const uint32_t *order, const struct strata_state_facts *facts,
			   struct strata_error *error);

/* The description, JSON; @length: OUT */
const char *strata_timeline_meta(const struct strata_timeline *timeline, size_t *length);

const struct strata_chunk_store *strata_timeline_chunks(const struct strata_timeline *timeline);

/*
 * Writes a page: a template in which the placeholder <!--STRATA-DATA--> stands once, with the data
 * in its place; chunks are among them unless they are served.
 * 0 or -1; failures of @out are its own.
 */
int strata_timeline_write_page(const struct strata_timeline *timeline, const char *page,
			       size_t page_bytes, struct strata_out_file *out,
			       struct strata_error *error);

/* The same into memory, for a server. */
int strata_timeline_put_page(const struct strata_timeline *timeline, const char *page,
			     size_t page_bytes, struct strata_buffer *out,
			     struct strata_error *error);

void strata_timeline_free(struct strata_timeline *timeline);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_TIMELINE_H */
