// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c - see timeline.h: receives slices, arrows, losses and bounds. */
#include "outputs/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "outputs/timeline/timeline_data.h"

static struct strata_timeline *of_observer(struct strata_slice_sink *observer)
{
	return (struct strata_timeline *)((char *)observer -
					  offsetof(struct strata_timeline, observer));
}

/* Converts a time to the page's origin. */
static uint64_t since_begin(const struct strata_timeline *timeline, uint64_t ns)
{
	return ns > timeline->options->begin_ns ? ns - timeline->options->begin_ns : 0;
}

/* Keeps a request if it is among the longest so far. */
static void keep_slow(struct strata_timeline *timeline, const struct strata_chunk_entry *entry)
{
	struct strata_timeline_slow *least = &timeline->slowest[0];
	size_t i;

	if (timeline->nr_slowest < STRATA_TIMELINE_SLOWEST)
		least = &timeline->slowest[timeline->nr_slowest++];
	else
		for (i = 1; i < STRATA_TIMELINE_SLOWEST; i++)
			if (timeline->slowest[i].length_ns < least->length_ns)
				least = &timeline->slowest[i];
	if (least->length_ns <= entry->length_ns)
		*least = (struct strata_timeline_slow){ entry->track, entry->from_ns,
							entry->length_ns, NULL };
}

static void take_slice(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_slice *slice)
{
	struct strata_timeline *timeline = (struct strata_timeline *)sink;
	const struct strata_track *track = tracks->all[slice->track];
	const uint64_t from_ns = since_begin(timeline, slice->from_ns);
	const struct strata_chunk_entry entry = {
		.from_ns = from_ns,
		.length_ns = since_begin(timeline, slice->to_ns) - from_ns,
		.bound_ns = slice->bound_ns,
		.track = slice->track,
		.name = slice->name,
		.category = slice->category,
		.count = 1,
	};

	if (timeline->is_full)
		return;
	timeline->slices++;
	timeline->last_ns = slice->to_ns;
	if (timeline->options->slices_max && timeline->slices > timeline->options->slices_max) {
		timeline->is_full = true;
		return;
	}
	strata_levels_add(&timeline->levels, &entry, slice->detail);
	if (track->kind == STRATA_TRACK_REQUESTS)
		keep_slow(timeline, &entry);
	if (track->kind == STRATA_TRACK_REQUESTS)
		strata_latencies_add(&timeline->requests, slice->name, track, entry.from_ns,
				     entry.length_ns);
	else if (track->kind == STRATA_TRACK_TASK && slice->category == STRATA_HUE_WAITING)
		strata_latencies_add(&timeline->waits, track->parent, track, entry.from_ns,
				     entry.length_ns);
}

static void take_arrow(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_arrow *arrow)
{
	struct strata_timeline *timeline = (struct strata_timeline *)sink;
	const uint64_t from_ns = since_begin(timeline, arrow->from_ns);
	const struct strata_arrow_entry entry = {
		.from_ns = from_ns,
		.length_ns = (int64_t)(since_begin(timeline, arrow->to_ns) - from_ns),
		.bound_ns = arrow->bound_ns,
		.kind = arrow->kind,
		.from_track = arrow->from_track,
		.to_track = arrow->to_track,
	};

	(void)tracks;
	if (!timeline->is_full)
		strata_arrow_writer_add(
			&timeline->arrows[strata_level_of((uint64_t)llabs(entry.length_ns))],
			&entry);
}

/*
 * Retains a loss, or joins it with the last one of its track when the share of the track's owner is
 * used up.  A track's first loss is always retained: tracks have shares of their own.
 */
static void take_loss(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track_loss *loss)
{
	struct strata_timeline *timeline = (struct strata_timeline *)sink;
	uint32_t *last = &timeline->last_loss[loss->track];
	const bool has_share = strata_shares_take(
		&timeline->loss_shares, tracks->all[loss->track]->owner, STRATA_TIMELINE_LOSSES);

	if (*last && !has_share) {
		struct strata_track_loss *before = &timeline->losses[*last - 1];

		before->to_ns = loss->to_ns;
		before->discarded += loss->discarded;
		timeline->joined_losses++;
	} else if (STRATA_GROW(timeline->losses, timeline->nr_losses, timeline->losses_room)) {
		timeline->losses[timeline->nr_losses++] = *loss;
		*last = (uint32_t)timeline->nr_losses;
	} else {
		timeline->no_memory = true;
	}
}

/* Records the bounds of a run's first and last event for the source of its stream. */
static int take_events(struct strata_slice_sink *sink, size_t stream,
		       struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		       size_t nr, struct strata_error *error)
{
	struct strata_timeline *timeline = of_observer(sink);
	const size_t at = timeline->shown->set->streams[stream].trace;
	const struct strata_ctf_trace *trace = timeline->shown->set->traces[at];
	const uint64_t own = trace->times_are_tied ? trace->own_bound_ns : 0;
	struct strata_bounds **bounds = &timeline->bounds[at];
	size_t i;

	(void)error;
	if (timeline->is_full)
		return 1;
	if (!reader->kind->has_time)
		return 0;
	if (!*bounds)
		*bounds = calloc(1, sizeof(**bounds));
	if (!*bounds) {
		timeline->no_memory = true;
		return 0;
	}
	for (i = 0; i<nr; i += nr> 1 ? nr - 1 : 1)
		strata_bounds_add(
			*bounds, since_begin(timeline, events[i].ns),
			strata_ctf_add_clamped(strata_ctf_bound_ns(reader, events[i].bound), own));
	return 0;
}

struct strata_timeline *strata_timeline_new(const struct strata_shown *shown,
					    const struct strata_timeline_options *options,
					    struct strata_error *error)
{
	struct strata_timeline *timeline = calloc(1, sizeof(*timeline));
	unsigned int i;

	if (timeline)
		timeline->bounds = calloc(shown->nr_sources + 1, sizeof(*timeline->bounds));
	if (!timeline || !timeline->bounds) {
		strata_fail(error, "out of memory");
		free(timeline);
		return NULL;
	}
	timeline->shown = shown;
	timeline->options = options;
	timeline->sink.slice = take_slice;
	timeline->sink.arrow = take_arrow;
	timeline->sink.loss = take_loss;
	timeline->observer.take = take_events;
	timeline->store = strata_chunk_store_new(error);
	if (!timeline->store) {
		strata_timeline_free(timeline);
		return NULL;
	}
	strata_levels_init(&timeline->levels, timeline->store);
	for (i = 0; i < STRATA_LEVELS; i++)
		timeline->arrows[i].store = timeline->store;
	return timeline;
}

struct strata_track_sink *strata_timeline_sink(struct strata_timeline *timeline)
{
	return &timeline->sink;
}

struct strata_slice_sink *strata_timeline_observer(struct strata_timeline *timeline)
{
	return &timeline->observer;
}

bool strata_timeline_is_full(const struct strata_timeline *timeline, uint64_t *ns)
{
	*ns = timeline->last_ns;
	return timeline->is_full;
}

void strata_timeline_explain(struct strata_timeline *timeline, uint64_t from_ns, uint64_t to_ns,
			     const char *text)
{
	const uint64_t since_ns = since_begin(timeline, from_ns);
	size_t i;

	for (i = 0; i < timeline->nr_slowest; i++) {
		struct strata_timeline_slow *slow = &timeline->slowest[i];

		if (slow->why || slow->from_ns != since_ns || slow->length_ns != to_ns - from_ns)
			continue;
		slow->why = strdup(text);
		timeline->no_memory |= !slow->why;
		return;
	}
}

const char *strata_timeline_why(const struct strata_timeline *timeline, uint32_t track,
				uint64_t from_ns)
{
	size_t i;

	for (i = 0; i < timeline->nr_slowest; i++) {
		if (timeline->slowest[i].track == track && timeline->slowest[i].from_ns == from_ns)
			return timeline->slowest[i].why;
	}
	return NULL;
}

int strata_timeline_finish(struct strata_timeline *timeline, const struct strata_tracks *tracks,
			   const uint32_t *order, const struct strata_state_facts *facts,
			   struct strata_error *error)
{
	unsigned int i;

	strata_levels_finish(&timeline->levels);
	timeline->no_memory |= timeline->levels.no_memory | timeline->requests.no_memory |
			       timeline->waits.no_memory;
	for (i = 0; i < STRATA_LEVELS; i++) {
		strata_arrow_writer_flush(&timeline->arrows[i]);
		timeline->no_memory |= timeline->arrows[i].no_memory;
	}
	if (strata_chunk_store_check(timeline->store, error))
		return -1;
	strata_timeline_describe(timeline, tracks, order, facts);
	if (timeline->no_memory || timeline->meta.no_memory)
		return strata_fail(error, "out of memory");
	return 0;
}

const char *strata_timeline_meta(const struct strata_timeline *timeline, size_t *length)
{
	*length = timeline->meta.used;
	return timeline->meta.bytes;
}

const struct strata_chunk_store *strata_timeline_chunks(const struct strata_timeline *timeline)
{
	return timeline->store;
}

void strata_timeline_free(struct strata_timeline *timeline)
{
	size_t i;

	if (!timeline)
		return;
	strata_levels_clear(&timeline->levels);
	for (i = 0; i < STRATA_LEVELS; i++)
		strata_arrow_writer_clear(&timeline->arrows[i]);
	for (i = 0; i < timeline->shown->nr_sources; i++)
		free(timeline->bounds[i]);
	free(timeline->bounds);
	for (i = 0; i < timeline->nr_slowest; i++)
		free(timeline->slowest[i].why);
	strata_latencies_clear(&timeline->requests);
	strata_latencies_clear(&timeline->waits);
	strata_chunk_store_free(timeline->store);
	strata_buffer_free(&timeline->meta);
	strata_shares_clear(&timeline->loss_shares);
	free(timeline->losses);
	free(timeline);
}
