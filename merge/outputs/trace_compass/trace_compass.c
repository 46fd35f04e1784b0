// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_compass.c - writes the timeline as an experiment for Trace Compass's virtual machine
 * analysis (in its incubator), which supports KVM.
 *
 *     DIR/xen    the host: compass_host.c
 *     DIR/dom0   and DIR/NAME for each guest whose kernel was recorded: compass_guest.c
 *
 * All times are on one clock. The analysis shows nothing if the experiment contains a trace that it
 * can identify neither as the host nor as a guest: so applications' events are left out, and a
 * guest without a pair of vmsync events causes a message.
 *
 * Each trace's environment lists the events that are not records of Xen or of a kernel, in entries
 * whose names begin with "synthetic".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "outputs/trace_compass/compass_guest.h"
#include "outputs/trace_compass/compass_host.h"
#include "outputs/output_directory.h"
#include "outputs/outputs.h"
#include "base/derived_uuid.h"

/* A stream of the recording. */
struct compass_stream {
	struct compass_file *file;     /* NULL: an application's */
	struct compass_thread *thread; /* its vCPU's; NULL: not a possible vCPU */
	uint64_t lost;                 /* so far */
	bool is_odd; /* it was reported that some of its events are not described */
};

struct strata_trace_compass {
	struct strata_slice_sink sink;
	const struct strata_recorded_host *of;
	struct strata_dir dir;
	struct compass_host host;
	struct compass_guest **guests; /* parallel to the sources, or fewer */
	size_t nr_guests;
	struct compass_source *sources; /* parallel to the recording's sources */
	struct compass_stream *streams; /* parallel to the host's streams */
	strata_complain_fn *complain;
	void *complain_data;
	struct strata_trace_compass_result *result;
};

/* Events ------------------------------------------------------------------------------------- */

static void set_first(struct strata_trace_compass *compass, uint64_t ns)
{
	size_t i;

	compass->host.trace.first_ns = ns;
	for (i = 0; i < compass->nr_guests; i++)
		compass->guests[i]->trace.first_ns = ns;
}

static void name_odd(struct strata_trace_compass *compass,
		     const struct strata_recorded_stream *recorded, struct compass_stream *stream)
{
	char message[256];

	if (stream->is_odd)
		return;
	stream->is_odd = true;
	snprintf(message, sizeof(message),
		 "%s/cpu_%u: recording.json does not describe some events as its metadata does; "
		 "they are left out",
		 recorded->source->name, recorded->cpu);
	if (compass->complain)
		compass->complain(compass->complain_data, message);
}

static void take_guest_event(struct strata_trace_compass *compass,
			     const struct strata_recorded_stream *recorded,
			     const struct strata_ctf_reader *reader,
			     const struct strata_lane_event *event)
{
	struct compass_stream *stream = &compass->streams[recorded - compass->of->streams];
	struct compass_source *source = &compass->sources[recorded->source_index];
	uint32_t bytes;
	int32_t tid;

	compass->result->guest_events++;
	memcpy(&tid, strata_recorded_payload(reader, event, 0, &bytes), sizeof(tid));
	if (stream->thread)
		strata_compass_host_guest_event(&compass->host, stream->thread, event->ns, tid);
	if (!strata_compass_guest_put(source, stream->file, reader, event))
		name_odd(compass, recorded, stream);
}

static void take_event(struct strata_trace_compass *compass,
		       const struct strata_recorded_stream *recorded,
		       const struct strata_ctf_reader *reader,
		       const struct strata_lane_event *event)
{
	switch (recorded->source->layer) {
	case STRATA_LAYER_XEN:
		compass->result->host_events++;
		strata_compass_host_event(&compass->host, recorded->cpu,
					  strata_recorded_class(recorded, reader, event), reader,
					  event);
		break;
	case STRATA_LAYER_KERNEL:
		take_guest_event(compass, recorded, reader, event);
		break;
	case STRATA_LAYER_APP:
		compass->result->left_out++;
		break;
	}
}

static bool has_failed(const struct strata_trace_compass *compass)
{
	bool failed = compass->host.trace.has_failed || compass->host.trace.no_memory;
	size_t i;

	for (i = 0; i < compass->nr_guests && !failed; i++)
		failed = compass->guests[i]->trace.has_failed ||
			 compass->guests[i]->trace.no_memory;
	return failed;
}

/* @lost: total of the stream so far; the next packet of its file reports it. */
static void note_lost(struct strata_trace_compass *compass,
		      const struct strata_recorded_stream *recorded, uint64_t lost)
{
	struct compass_stream *stream = &compass->streams[recorded - compass->of->streams];

	if (stream->file)
		stream->file->lost += lost - stream->lost;
	stream->lost = lost;
}

static int take(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_trace_compass *compass = (struct strata_trace_compass *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recorded_stream_of(compass->of, reader->stream);
	size_t i;

	(void)at;
	(void)error;
	if (!recorded)
		return 0;
	if (!compass->host.trace.first_ns)
		set_first(compass, events[0].ns);
	note_lost(compass, recorded, reader->tally.discarded);
	for (i = 0; i < nr; i++)
		take_event(compass, recorded, reader, &events[i]);
	return has_failed(compass);
}

static int lose(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_trace_compass *compass = (struct strata_trace_compass *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recorded_stream_of(compass->of, reader->stream);

	(void)at;
	(void)loss;
	(void)error;
	if (recorded)
		note_lost(compass, recorded, reader->tally.discarded);
	return 0;
}

struct strata_slice_sink *strata_trace_compass_observer(struct strata_trace_compass *compass)
{
	return &compass->sink;
}

/* The end ------------------------------------------------------------------------------------ */

/* Writes in all traces that their times are on one clock, although their machines are several. */
static void name_timeline(struct strata_trace_compass *compass)
{
	char text[STRATA_UUID_TEXT_BYTES];
	uint8_t uuid[16];
	size_t i;

	strata_derive_uuid(uuid, STRATA_DERIVED_TIMELINE, 0, compass->host.trace.uuid, 16);
	strata_uuid_text(text, uuid);
	strata_compass_trace_say(&compass->host.trace, STRATA_CTF_TIMELINE, "%s", text);
	for (i = 0; i < compass->nr_guests; i++)
		strata_compass_trace_say(&compass->guests[i]->trace, STRATA_CTF_TIMELINE, "%s",
					 text);
}

static void complain_of(const struct strata_trace_compass *compass,
			const struct compass_guest *guest)
{
	char message[512];

	if (guest->sync.gh_pairs || !compass->complain)
		return;
	snprintf(
		message, sizeof(message),
		"%.200s/%s: no event precedes a preemption or VM exit of its vCPUs, so the analysis cannot identify the trace; leave it out of the experiment",
		compass->dir.path, guest->trace.name);
	compass->complain(compass->complain_data, message);
}

int strata_trace_compass_finish(struct strata_trace_compass *compass,
				const struct strata_trace_set *set, uint64_t last_ns,
				uint64_t precision_ns, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < set->nr_streams; i++) {
		const struct strata_recorded_stream *recorded =
			strata_recorded_stream_of(compass->of, set->streams[i].stream);

		if (recorded)
			note_lost(compass, recorded, set->streams[i].tally.discarded);
	}
	name_timeline(compass);
	if (strata_compass_host_finish(&compass->host, last_ns, precision_ns, error))
		return -1;
	for (i = 0; i < compass->nr_guests; i++) {
		if (strata_compass_trace_finish(&compass->guests[i]->trace, last_ns, precision_ns,
						error))
			return -1;
		complain_of(compass, compass->guests[i]);
		compass->result->unknown += compass->guests[i]->sync.gh_pairs == 0;
	}
	compass->result->guests = compass->nr_guests;
	compass->result->odd = compass->host.threads.odd;
	return 0;
}

void strata_trace_compass_free(struct strata_trace_compass *compass)
{
	size_t i;

	if (!compass)
		return;
	for (i = 0; i < compass->nr_guests; i++) {
		strata_compass_guest_close(compass->guests[i]);
		free(compass->guests[i]);
	}
	for (i = 0; compass->sources && i < compass->of->recording.nr_sources; i++)
		free(compass->sources[i].classes);
	strata_compass_host_close(&compass->host);
	strata_dir_close(&compass->dir);
	free(compass->guests);
	free(compass->sources);
	free(compass->streams);
	free(compass);
}

/* Set-up ------------------------------------------------------------------------------------- */

static struct compass_guest *find_guest(const struct strata_trace_compass *compass, uint32_t domain)
{
	size_t i;

	for (i = 0; i < compass->nr_guests; i++) {
		if (compass->guests[i]->domain == domain)
			return compass->guests[i];
	}
	return NULL;
}

static struct compass_guest *make_guest(struct strata_trace_compass *compass,
					const struct strata_source *source,
					struct strata_error *error)
{
	struct compass_guest *guest = calloc(1, sizeof(*guest));

	if (!guest) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	compass->guests[compass->nr_guests++] = guest;
	return strata_compass_guest_open(guest, &compass->dir, source, error) ? NULL : guest;
}

static int add_guest_stream(struct strata_trace_compass *compass,
			    const struct strata_recorded_stream *recorded,
			    struct strata_error *error)
{
	struct compass_stream *stream = &compass->streams[recorded - compass->of->streams];
	struct compass_source *source = &compass->sources[recorded->source_index];
	struct compass_guest *guest = find_guest(compass, recorded->source->domain);

	if (!guest)
		guest = make_guest(compass, recorded->source, error);
	if (!guest)
		return -1;
	source->guest = guest;
	stream->file = strata_compass_trace_file(&guest->trace, recorded->cpu, error);
	if (!stream->file)
		return -1;
	stream->thread = strata_compass_thread(&compass->host.threads,
					       (uint16_t)recorded->source->domain,
					       (uint16_t)recorded->cpu);
	if (stream->thread) {
		stream->thread->sync.guest = &guest->sync;
		stream->thread->sync.guest_file = stream->file;
	}
	return 0;
}

static int add_stream(struct strata_trace_compass *compass,
		      const struct strata_recorded_stream *recorded, struct strata_error *error)
{
	struct compass_stream *stream = &compass->streams[recorded - compass->of->streams];

	if (recorded->source->layer == STRATA_LAYER_KERNEL)
		return add_guest_stream(compass, recorded, error);
	if (recorded->source->layer != STRATA_LAYER_XEN)
		return 0;
	stream->file = strata_compass_host_stream(&compass->host, recorded->cpu, error);
	return stream->file ? 0 : -1;
}

static const struct strata_source *find_xen(const struct strata_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN)
			return &recording->sources[i];
	}
	return NULL;
}

static int set_up(struct strata_trace_compass *compass, const char *dir, bool force,
		  struct strata_error *error)
{
	const struct strata_recorded_host *of = compass->of;
	const struct strata_source *xen = find_xen(&of->recording);
	size_t i;

	if (!xen)
		return strata_fail(
			error,
			"the hypervisor was not recorded, so there is no host to show; record Xen too, or use --format ctf");
	if (strata_output_directory(&compass->dir, dir, force, error) ||
	    strata_compass_host_open(&compass->host, of, &compass->dir, xen, error))
		return -1;
	for (i = 0; i < of->nr_streams; i++) {
		if (add_stream(compass, &of->streams[i], error))
			return -1;
	}
	return 0;
}

struct strata_trace_compass *
strata_trace_compass_new(struct strata_recording_traces *recording, const char *dir, bool force,
			 strata_complain_fn *complain, void *complain_data,
			 struct strata_trace_compass_result *result, struct strata_error *error)
{
	const struct strata_recorded_host *of = strata_recording_traces_host(recording);
	struct strata_trace_compass *compass = calloc(1, sizeof(*compass));

	memset(result, 0, sizeof(*result));
	if (!compass) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	compass->sink.take = take;
	compass->sink.lose = lose;
	compass->of = of;
	compass->dir.fd = -1;
	compass->host.trace.dir.fd = -1;
	compass->complain = complain;
	compass->complain_data = complain_data;
	compass->result = result;
	compass->guests = calloc(of->recording.nr_sources + 1, sizeof(struct compass_guest *));
	compass->sources = calloc(of->recording.nr_sources + 1, sizeof(*compass->sources));
	compass->streams = calloc(of->nr_streams + 1, sizeof(*compass->streams));
	if (!compass->guests || !compass->sources || !compass->streams)
		strata_fail(error, "out of memory");
	else if (!set_up(compass, dir, force, error))
		return compass;
	strata_trace_compass_free(compass);
	return NULL;
}
