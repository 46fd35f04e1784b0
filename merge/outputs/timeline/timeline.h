/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - the data of a timeline in the browser: receives tracks and slices (tracks/track.h),
 * makes levels of detail from them, and then writes a page that contains them, or returns them
 * chunk by chunk. docs/formats.md describes the format.
 *
 *     strata_timeline_new
 *     strata_timeline_sink      receives the tracks
 *     strata_timeline_observer  receives all events, for losses and bounds
 *     strata_timeline_finish    after the pass
 *     strata_timeline_meta, strata_timeline_chunks, strata_timeline_write_page
 *     strata_timeline_free
 *
 * It keeps in memory the index of chunks, the chunks being filled, and the tracks' open blocks.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_TIMELINE_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_TIMELINE_H

#include "files/out_file.h"
#include "outputs/timeline/chunk_store.h"
#include "tracks/tracks.h"

struct strata_timeline_options {
	const char *title, *command; /* escaped for output */
	uint64_t begin_ns;           /* of the shown range, since 1970 */
	uint64_t slices_max;         /* the pass stops beyond this; 0: no limit */
	bool is_served;              /* chunks are served on request, not part of the page */
};

struct strata_timeline;

/* @shown, @options: must outlive it. Returns NULL with the reason. */
struct strata_timeline *strata_timeline_new(const struct strata_shown *shown,
					    const struct strata_timeline_options *options,
					    struct strata_error *error);

struct strata_track_sink *strata_timeline_sink(struct strata_timeline *timeline);
struct strata_slice_sink *strata_timeline_observer(struct strata_timeline *timeline);

/* Whether there were more slices than slices_max. @ns: OUT, the end of the last one */
bool strata_timeline_is_full(const struct strata_timeline *timeline, uint64_t *ns);

/*
 * Sets the explanation of a request, given by its begin and end since 1970, if it is among the
 * STRATA_TIMELINE_SLOWEST longest. To be called before finish.
 */
#define STRATA_TIMELINE_SLOWEST 100u
void strata_timeline_explain(struct strata_timeline *timeline, uint64_t from_ns, uint64_t to_ns,
			     const char *text);

/* Returns the explanation of a slice, given by its track and its begin since the timeline's; NULL:
 * none. */
const char *strata_timeline_why(const struct strata_timeline *timeline, uint32_t track,
				uint64_t from_ns);

/*
 * Writes the remaining chunks and the description.
 * @order: of the tracks, from strata_tracks_finish()
 * @facts: of the state from which the slices were made
 * Returns 0 or -1.
 */
int strata_timeline_finish(struct strata_timeline *timeline, const struct strata_tracks *tracks,
			   const uint32_t *order, const struct strata_state_facts *facts,
			   struct strata_error *error);

/* Returns the description, as JSON; @length: OUT */
const char *strata_timeline_meta(const struct strata_timeline *timeline, size_t *length);

const struct strata_chunk_store *strata_timeline_chunks(const struct strata_timeline *timeline);

/*
 * Writes a page: the front end with the data in place of its mark, <!--STRATA-DATA-->.
 * These include the chunks, unless chunks are served.
 * Returns 0 or -1; @out stores its own write errors.
 */
int strata_timeline_write_page(const struct strata_timeline *timeline, const char *page,
			       size_t page_bytes, struct strata_out_file *out,
			       struct strata_error *error);

/* Does the same into memory, for a server. */
int strata_timeline_put_page(const struct strata_timeline *timeline, const char *page,
			     size_t page_bytes, struct strata_buffer *out,
			     struct strata_error *error);

void strata_timeline_free(struct strata_timeline *timeline);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_TIMELINE_H */
