// SPDX-License-Identifier: GPL-2.0-or-later
/* outcome.c - see outcome.h. */
#include "outcome.h"

#include <stdio.h>
#include <string.h>

#include "liars.h"
#include "../merge_alone.h"
#include "verbs.h"

static bool is_of(const struct strata_source *source, size_t guest)
{
	return source->layer == STRATA_LAYER_KERNEL && source->domain == guests[guest].domain;
}

/* The directory of a guest's streams, which another guest's name may have been like. */
static void find_streams(const char *raw, size_t guest, char path[300])
{
	struct strata_recording recording;
	struct strata_error error;
	size_t i;

	snprintf(path, 300, "%s/%s", raw, guests[guest].name);
	if (strata_recording_load(&recording, raw, &error))
		return;
	for (i = 0; i < recording.nr_sources; i++)
		if (is_of(&recording.sources[i], guest))
			snprintf(path, 300, "%s/%s", raw, recording.sources[i].name);
	strata_recording_clear(&recording);
}

const char *outcome_streams(const char *raw, size_t guest, uint64_t *records)
{
	char path[300];
	const char *wrong = NULL;
	uint32_t i;

	*records = 0;
	find_streams(raw, guest, path);
	for (i = 0; i < guests[guest].nr_rings && !wrong; i++)
		wrong = fake_guest_compare(&guests[guest], i, path, records);
	return wrong;
}

const char *outcome_complete(size_t guest)
{
	const char *wrong = NULL;
	uint32_t i;

	for (i = 0; i < guests[guest].nr_rings && !wrong; i++)
		wrong = fake_guest_complete(&guests[guest], i);
	return wrong;
}

/* Of one source; its events are added to @honest if it is the honest guest's. */
static const char *check_source(const struct strata_source *source, struct outcome *outcome,
				uint64_t *honest_events)
{
	bool xen = source->layer == STRATA_LAYER_XEN;
	bool honest = xen || is_of(source, HONEST);
	const char *wrong = NULL;
	size_t i;

	outcome->liars += !honest;
	outcome->streams += source->nr_streams;
	for (i = 0; i < source->nr_streams; i++) {
		const struct strata_stream *stream = &source->streams[i];

		outcome->events += stream->events;
		if (!honest) {
			outcome->refused += stream->bad_packets;
			outcome->packets += stream->packets;
			if (stream->packets + stream->bad_packets > outcome->longest)
				outcome->longest = stream->packets + stream->bad_packets;
			continue;
		}
		*(xen ? &outcome->xen_events : honest_events) += stream->events;
		if (stream->lost || stream->bad_packets)
			wrong = "losses or bad packets are told of Xen or the honest guest";
	}
	return wrong;
}

const char *outcome_recording(const char *raw, uint64_t honest_records, struct outcome *outcome)
{
	struct strata_recording recording;
	struct strata_error error = { "" };
	const char *wrong = NULL;
	uint64_t honest_events = 0;
	size_t i;

	if (strata_recording_load(&recording, raw, &error))
		return "recording.json does not load";
	for (i = 0; i < recording.nr_sources && !wrong; i++)
		wrong = check_source(&recording.sources[i], outcome, &honest_events);
	strata_recording_clear(&recording);
	if (!wrong && honest_events != honest_records)
		wrong = "recording.json counts other events of the honest guest";
	return wrong;
}

/* An observer that counts, reads every byte that it is given, and sees that time does not run back.
 */
struct counting_sink {
	struct strata_slice_sink sink;
	const struct strata_timebase *base;
	uint64_t honest_events, last_ns, sum;
	bool disordered, untimely;
	uint32_t next[FAKE_RINGS_MAX]; /* record of each of the honest guest's rings */
};

/* The time of an event has to be that of a record behind the last one of its ring. */
static void check_time(struct counting_sink *counting, uint32_t ring_index, uint64_t ns)
{
	const struct fake_ring *ring = &guests[HONEST].rings[ring_index];
	uint32_t *next = &counting->next[ring_index];

	while (*next < ring->nr_records &&
	       strata_realtime_ns(counting->base, ring->records[*next].ticks) < ns)
		++*next;
	counting->untimely |= *next == ring->nr_records ||
			      strata_realtime_ns(counting->base, ring->records[*next].ticks) != ns;
}

static int count_events(struct strata_slice_sink *sink, size_t stream,
			struct strata_ctf_reader *reader, const struct strata_lane_event *events,
			size_t nr, struct strata_error *error)
{
	struct counting_sink *counting = (struct counting_sink *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recording_traces_stream(reader->stream);
	size_t i;
	uint32_t at;

	(void)stream;
	(void)error;
	if (is_of(recorded->source, HONEST))
		counting->honest_events += nr;
	for (i = 0; i < nr; i++) {
		if (is_of(recorded->source, HONEST))
			check_time(counting, recorded->cpu, events[i].ns);
		counting->disordered |= events[i].ns < counting->last_ns;
		counting->last_ns = events[i].ns;
		for (at = events[i].body / 8; at < (events[i].end + 7) / 8; at++)
			counting->sum += reader->base[at];
	}
	return 0;
}

static void show(void *data, const char *message)
{
	(void)data;
	if (verbs_shown)
		fprintf(stderr, "merge: %s\n", message);
}

const char *outcome_merged(const char *raw, uint64_t honest_records, uint64_t refused)
{
	struct counting_sink counting = { .sink = { .take = count_events } };
	struct strata_error error = { "" };
	struct merge_alone alone;
	const struct strata_host_figures *figures;
	const char *wrong = NULL;

	if (merge_alone_open(&alone, raw, show, NULL, NULL, 0, &error)) {
		show(NULL, error.text);
		return "what it recorded does not open";
	}
	figures = strata_host_check_figures(alone.check);
	counting.base = strata_recording_traces_base(alone.traces);
	if (merge_alone_run(&alone, &counting.sink, &error))
		wrong = "what it recorded does not merge";
	else if (counting.honest_events != honest_records)
		wrong = "the merge lacks events of the honest guest";
	else if (counting.untimely)
		wrong = "the merge gives events of the honest guest other times";
	else if (counting.disordered)
		wrong = "the merge is not in order";
	else if (figures->tally.bad_packets != refused + figures->tally.forged_packets)
		wrong = "the recorder let a packet through that the merger refuses";
	merge_alone_close(&alone);
	return wrong;
}
