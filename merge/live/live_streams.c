// SPDX-License-Identifier: GPL-2.0-or-later
/* live_streams.c - see live_streams.h. */
#include "live/live_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/recording_traces.h"

#define WINDOW_BYTES (32u << 10)

struct live_stream *live_streams_find(const struct live_streams *streams, size_t source,
				      uint32_t cpu)
{
	size_t i;

	for (i = 0; i < streams->nr; i++) {
		if (streams->streams[i]->source == source && streams->streams[i]->cpu == cpu)
			return streams->streams[i];
	}
	return NULL;
}

struct live_stream *live_streams_add(struct live_streams *streams, size_t source, uint32_t cpu)
{
	struct live_stream **more = reallocarray(streams->streams, streams->nr + 1, sizeof(*more));
	struct live_stream *stream = calloc(1, sizeof(*stream));

	if (more)
		streams->streams = more;
	if (!more || !stream) {
		free(stream);
		return NULL;
	}
	stream->source = source;
	stream->cpu = cpu;
	more[streams->nr++] = stream;
	return stream;
}

void live_stream_note(struct live_stream *stream, const struct live_said *said)
{
	/* If the clocks lag for long, the newest look replaces the previous one. */
	if (stream->nr_said == LIVE_SAID)
		stream->nr_said--;
	stream->said[stream->nr_said++] = *said;
}

static bool is_of_xen(const struct live_streams *streams, const struct live_stream *stream)
{
	return stream->source < streams->host.recording.nr_sources &&
	       streams->host.recording.sources[stream->source].layer == STRATA_LAYER_XEN;
}

/* Allows reading up to the looks that @known_ticks covers. */
static void allow(struct live_stream *stream, uint64_t known_ticks)
{
	size_t nr = 0;

	while (nr < stream->nr_said && stream->said[nr].at_ticks <= known_ticks)
		nr++;
	if (nr == 0)
		return;
	stream->bytes = stream->said[nr - 1].bytes;
	stream->complete_ticks = stream->said[nr - 1].complete_ticks;
	stream->nr_said -= nr;
	memmove(stream->said, stream->said + nr, stream->nr_said * sizeof(*stream->said));
}

static void close_reader(struct live_streams *streams, struct live_stream *stream)
{
	if (!stream->is_open)
		return;
	streams->lost += stream->reader.tally.discarded;
	strata_ctf_reader_close(&stream->reader);
	/* The next reader must not skip what this one did not skip. */
	stream->packet_events += stream->skip;
	stream->all_events += stream->skip;
	stream->next = stream->end = NULL;
	stream->is_open = false;
}

/* Nothing that is read now can be of later. */
static void limit_times(struct live_streams *streams, struct live_stream *stream)
{
	strata_host_converter_set_until(
		&stream->converter,
		(struct strata_ctf_stream *)streams->set.streams[stream->index].stream,
		streams->now_ticks);
}

/* Sets up its clock and its converter, from what is known now. False: the recorded data of its
 * domain's clock are impossible. */
static bool set_converter(struct live_streams *streams, struct live_stream *stream)
{
	const struct strata_source *source = &streams->host.recording.sources[stream->source];

	if (!strata_recorded_host_is_usable(&streams->host, source))
		return false;
	stream->recorded = (struct strata_recorded_stream){
		.host = &streams->host,
		.source = source,
		.source_index = stream->source,
		.cpu = stream->cpu,
		/* The tables' counts lag behind the streams until the end. */
		.recorded = streams->has_ended ? strata_source_stream(source, stream->cpu) : NULL,
	};
	strata_recorded_stream_set_clock(&stream->recorded);
	strata_host_converter_attach(
		&stream->converter, &stream->recorded,
		(struct strata_ctf_stream *)streams->set.streams[stream->index].stream);
	limit_times(streams, stream);
	return true;
}

/* Opens its reader at the position of the last one. 0; -1: out of memory. */
static int open_reader(struct live_streams *streams, struct live_stream *stream,
		       struct strata_error *error)
{
	const struct strata_ctf_stream *ctf = streams->set.streams[stream->index].stream;

	if (!set_converter(streams, stream))
		return 0;
	if (strata_ctf_reader_open(&stream->reader, ctf, WINDOW_BYTES, error))
		return -1;
	stream->is_open = true;
	stream->reader.tells_losses = true;
	stream->skip = stream->packet_events;
	if (stream->converter.converter.from_start) {
		stream->packet_offset = 0;
		stream->skip = stream->all_events;
	}
	stream->packet_events = 0;
	stream->all_events -= stream->skip;
	/* Reading from the beginning meets the first loss again. */
	if (stream->packet_offset == 0)
		stream->has_loss = false;
	strata_ctf_reader_seek(&stream->reader, stream->packet_offset, 0, UINT64_MAX);
	return 0;
}

static int open_readers(struct live_streams *streams, bool of_guests_only,
			struct strata_error *error)
{
	size_t i;

	for (i = 0; i < streams->set.nr_streams; i++) {
		struct live_stream *stream = streams->of_set[i];

		if (!stream || (of_guests_only && is_of_xen(streams, stream)))
			continue;
		close_reader(streams, stream);
		if (open_reader(streams, stream, error))
			return -1;
	}
	return 0;
}

/* Opens the trace of a source. 0, also if it is unreadable, which is reported; -1: out of
 * memory. */
static int add_source(struct live_streams *streams, size_t index, struct strata_error *error)
{
	const struct strata_source *source = &streams->host.recording.sources[index];
	struct strata_ctf_trace *trace = strata_recorded_source_open(
		source, streams->raw, streams->complain, streams->complain_data, error);
	size_t i, first;

	if (!trace) {
		if (streams->complain)
			streams->complain(streams->complain_data, error->text);
		return 0;
	}
	trace->recording = streams;
	if (source->layer == STRATA_LAYER_XEN &&
	    strata_recording_name_domains(&streams->host.recording, trace, error)) {
		strata_ctf_trace_close(trace);
		return -1;
	}
	first = streams->set.nr_streams;
	if (strata_trace_set_add(&streams->set, trace, error))
		return -1;
	/* All are of one host, whose ticks order their events. */
	trace->clock_group = trace->machine = 0;
	trace->times_are_tied = true;
	for (i = first; i < streams->set.nr_streams; i++) {
		struct live_stream **of_set = reallocarray(streams->of_set, i + 1, sizeof(*of_set));
		struct live_stream *stream;
		uint32_t cpu;

		if (!of_set)
			return strata_fail(error, "out of memory");
		streams->of_set = of_set;
		of_set[i] = NULL;
		if (!strata_cpu_of_stream(streams->set.streams[i].stream->name, &cpu))
			continue;
		stream = live_streams_find(streams, index, cpu);
		if (!stream)
			stream = live_streams_add(streams, index, cpu);
		if (!stream)
			return strata_fail(error, "out of memory");
		stream->index = i;
		of_set[i] = stream;
	}
	return 0;
}

/* Whether all events of a source were passed on and, by the current tables, no more will come. */
static bool is_done(const struct live_streams *streams, const struct strata_recording *now,
		    size_t source)
{
	const struct strata_stream *of;
	bool any = false;
	size_t i;

	if (now->sources[source].went_ticks == 0)
		return false;
	for (i = 0; i < streams->nr; i++) {
		const struct live_stream *stream = streams->streams[i];

		if (stream->source != source)
			continue;
		any = true;
		/* The counts of a source that ended are final: such a stream has no file. */
		of = strata_source_stream(&now->sources[source], stream->cpu);
		if (of && !of->packets)
			continue;
		/* A stream that is new in these tables, or whose end was not yet determined, was
		 * not read. */
		if ((!stream->is_open || !stream->has_ended) && of)
			return false;
		if (stream->in_table || stream->nr_said || stream->next != stream->end ||
		    (stream->is_open &&
		     (stream->reader.in_packet || stream->reader.next_packet < stream->bytes)))
			return false;
	}
	return any;
}

/* Reports the losses of streams that have no packet to tell them. */
static void tell_losses(const struct live_streams *streams, const struct strata_source *source)
{
	char message[256];
	size_t i;

	for (i = 0; i < source->nr_streams && streams->complain; i++) {
		if (source->streams[i].packets || !source->streams[i].lost)
			continue;
		snprintf(message, sizeof(message),
			 "%s/cpu_%" PRIu32 ": its %" PRIu64
			 " events are lost: the recorder had no room for them",
			 source->name, source->streams[i].cpu, source->streams[i].lost);
		streams->complain(streams->complain_data, message);
	}
}

/* Marks sources that are done, and frees their streams. 0 or -1: out of memory. */
static int forget_done(struct live_streams *streams, const struct strata_recording *now,
		       struct strata_error *error)
{
	const size_t nr_sources = now->nr_sources;
	bool *done = reallocarray(streams->done, nr_sources + 1, sizeof(*done));
	size_t i, kept = 0;

	if (!done)
		return strata_fail(error, "out of memory");
	streams->done = done;
	for (i = streams->nr_done; i < nr_sources; i++)
		done[i] = false;
	if (streams->nr_done < nr_sources)
		streams->nr_done = nr_sources;
	for (i = 0; i < streams->host.recording.nr_sources && i < nr_sources; i++)
		if (!done[i] && is_done(streams, now, i)) {
			done[i] = true;
			tell_losses(streams, &now->sources[i]);
		}
	for (i = 0; i < streams->nr; i++) {
		struct live_stream *stream = streams->streams[i];

		close_reader(streams, stream);
		if (stream->source < nr_sources && done[stream->source])
			free(stream);
		else
			streams->streams[kept++] = stream;
	}
	streams->nr = kept;
	return 0;
}

/* Whether these are the tables of another recording: a recording's anchor never changes, and its
 * number of sources never decreases. */
static bool is_another(const struct live_streams *streams, const struct strata_recording *recording)
{
	const struct strata_timebase *known = &streams->host.timebase;

	return streams->is_loaded && (recording->anchor_ticks != known->anchor_ticks ||
				      recording->anchor_realtime_ns != known->anchor_ns ||
				      recording->nr_sources < streams->host.recording.nr_sources);
}

/* Adds the hypervisor's unfinished sources, or all others. */
static int add_sources(struct live_streams *streams, bool of_xen, struct strata_error *error)
{
	const struct strata_recording *recording = &streams->host.recording;
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		if (source->nr_streams && !streams->done[i] &&
		    (source->layer == STRATA_LAYER_XEN) == of_xen && add_source(streams, i, error))
			return -1;
	}
	return 0;
}

int live_streams_load(struct live_streams *streams, struct strata_error *error)
{
	struct strata_recording recording = { 0 };
	size_t i;

	if (strata_recording_load_places(&recording, streams->raw, error))
		return -1;
	if (is_another(streams, &recording)) {
		strata_recording_clear(&recording);
		return strata_fail(
			error,
			"%s: another recording replaced the one that was followed; follow the new one",
			streams->raw);
	}
	if (forget_done(streams, &recording, error)) {
		strata_recording_clear(&recording);
		return -1;
	}
	strata_trace_set_clear(&streams->set);
	live_clocks_load(&streams->clocks);
	if (recording.nr_faults > streams->host.recording.nr_faults)
		strata_recording_tell_faults(&recording, streams->complain, streams->complain_data);
	strata_recording_clear(&streams->host.recording);
	streams->host.recording = recording;
	if (!streams->is_loaded)
		strata_recorded_host_set_timebase(&streams->host);
	streams->is_loaded = true;
	streams->has_xen = false;
	for (i = 0; i < recording.nr_sources; i++)
		streams->has_xen |= recording.sources[i].layer == STRATA_LAYER_XEN;
	/* At equal ticks, the hypervisor's events come first. */
	if (add_sources(streams, true, error) || add_sources(streams, false, error))
		return -1;
	for (i = 0; i < streams->set.nr_streams; i++) {
		if (streams->of_set[i])
			set_converter(streams, streams->of_set[i]);
	}
	return 0;
}

int live_streams_open(struct live_streams *streams, struct strata_error *error)
{
	return open_readers(streams, false, error);
}

static bool is_in_set(const struct live_streams *streams, const struct live_stream *stream)
{
	return stream->index < streams->set.nr_streams && streams->of_set[stream->index] == stream;
}

/* Reads clocks from the hypervisor's streams.  @known_ticks: OUT, host ticks up to which they are
 * complete */
static int scan_clocks(struct live_streams *streams, uint64_t *known_ticks,
		       struct strata_error *error)
{
	const struct live_clocks_known before = live_clocks_known(&streams->host);
	size_t i;
	int changed;

	*known_ticks = UINT64_MAX;
	for (i = 0; i < streams->nr; i++) {
		struct live_stream *stream = streams->streams[i];

		if (!is_of_xen(streams, stream))
			continue;
		allow(stream, UINT64_MAX);
		if (is_in_set(streams, stream) &&
		    live_clocks_scan(&streams->clocks, &streams->host, stream->source, stream->cpu,
				     streams->set.streams[stream->index].stream, stream->bytes,
				     error))
			return -1;
		if (stream->complete_ticks < *known_ticks)
			*known_ticks = stream->complete_ticks;
	}
	changed = live_clocks_settle(&streams->host, &before, *known_ticks, error);
	return changed > 0 ? open_readers(streams, true, error) : changed;
}

int live_streams_advance(struct live_streams *streams, struct strata_error *error)
{
	size_t i;

	streams->clocks_ticks = UINT64_MAX;
	if (streams->has_xen && scan_clocks(streams, &streams->clocks_ticks, error))
		return -1;
	for (i = 0; i < streams->nr; i++) {
		struct live_stream *stream = streams->streams[i];

		allow(stream, streams->clocks_ticks);
		if (!stream->is_open)
			continue;
		stream->reader.file_bytes = stream->bytes;
		limit_times(streams, stream);
	}
	return 0;
}

int live_streams_seek(struct live_streams *streams, uint64_t ns, struct strata_error *error)
{
	size_t i;

	if (strata_trace_set_make_index(&streams->set, error))
		return -1;
	for (i = 0; i < streams->set.nr_streams; i++) {
		struct live_stream *stream = streams->of_set[i];

		if (!stream || !stream->is_open || stream->converter.converter.from_start)
			continue;
		stream->packet_offset = strata_ctf_index_find(&streams->set.streams[i].index, ns);
		strata_ctf_reader_seek(&stream->reader, stream->packet_offset, 0, UINT64_MAX);
	}
	return 0;
}

void live_stream_taken(struct live_stream *stream, size_t nr)
{
	stream->next += nr;
	stream->packet_events += nr;
	stream->all_events += nr;
}

/* Adds its reader's current loss to those before its next event, unless it lies among events that
 * are read again. */
static void note_loss(struct live_stream *stream)
{
	const struct strata_loss *more = &stream->reader.loss;

	if (stream->skip)
		return;
	if (stream->has_loss)
		strata_loss_add(&stream->loss, more);
	else
		stream->loss = *more;
	stream->has_loss = true;
}

/* Reads the next batch.  False: no event of the stream is ready. */
static bool read_batch(struct live_stream *stream)
{
	size_t skipped;
	bool is_loss;
	int got;

	do {
		got = strata_ctf_reader_next(&stream->reader);
		if (got == 0)
			return false;
		if (stream->reader.packet.offset != stream->packet_offset) {
			stream->packet_offset = stream->reader.packet.offset;
			stream->packet_events = 0;
		}
		is_loss = stream->reader.events[0].class == STRATA_LANE_LOSS;
		if (is_loss)
			note_loss(stream);
	} while (is_loss);
	stream->next = stream->reader.events;
	stream->end = stream->next + got;
	skipped = stream->skip < (uint64_t)got ? (size_t)stream->skip : (size_t)got;
	stream->skip -= skipped;
	live_stream_taken(stream, skipped);
	return true;
}

void live_stream_read(struct live_stream *stream, uint64_t from_ns, uint64_t to_ns,
		      struct strata_lane *lane)
{
	const struct strata_lane_event *event;

	lane->next = lane->end = NULL;
	if (!stream->is_open)
		return;
	for (;;) {
		size_t skipped = 0;

		while (stream->next + skipped < stream->end && stream->next[skipped].ns < from_ns)
			skipped++;
		live_stream_taken(stream, skipped);
		if (stream->next < stream->end)
			break;
		/* At the end the reader reports losses that only the table knows. */
		if (stream->reader.next_packet >= stream->reader.file_bytes &&
		    !stream->reader.in_packet && !stream->recorded.recorded)
			return;
		if (!read_batch(stream))
			return;
	}
	for (event = stream->next; event < stream->end && event->ns < to_ns; event++)
		;
	lane->next = stream->next;
	lane->end = event;
}

void live_streams_clear(struct live_streams *streams)
{
	size_t i;

	for (i = 0; i < streams->nr; i++) {
		close_reader(streams, streams->streams[i]);
		free(streams->streams[i]);
	}
	free(streams->streams);
	free(streams->of_set);
	free(streams->done);
	strata_trace_set_clear(&streams->set);
	live_clocks_clear(&streams->clocks);
	strata_recorded_host_clear(&streams->host);
	memset(streams, 0, sizeof(*streams));
}
