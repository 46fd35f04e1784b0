// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_compass.c - the timeline as an experiment for Trace Compass's virtual machine
 * analysis (of its incubator), which knows KVM.
 *
 *     DIR/xen    the host: compass_host.c
 *     DIR/dom0   and DIR/NAME for each guest whose kernel was recorded: compass_guest.c
 *
 * All times are on one clock.  The analysis shows nothing of an experiment in which there is a
 * trace that it knows neither as the host nor as a guest: so applications' events are left out,
 * and a guest without a pair of vmsync events is complained of.
 *
 * What is not a record of Xen's or of a kernel's is said in each trace's environment, by entries
 * whose names begin with "synthetic".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/trace/ctf_trace.h"
#include "base/escape.h"
#include "outputs/trace_compass/compass_guest.h"
#include "outputs/trace_compass/compass_host.h"
#include "outputs/output_directory.h"
#include "outputs/outputs.h"
#include "base/value_hash.h"

/* A stream of a kernel's. */
struct guest_stream {
	struct compass_guest *guest; /* NULL: the stream is none */
	struct compass_file *file;
	struct compass_thread *thread; /* its vCPU's; NULL: no vCPU of Xen's */
};

struct compass {
	struct strata_sink sink;
	const struct strata_merge *merge;
	struct strata_dir dir;
	struct compass_host host;
	struct compass_guest **guests; /* as many as there are sources, or fewer */
	size_t nr_guests;
	struct guest_stream *streams; /* by index in the merge */
	strata_complain_fn *complain;
	void *complain_data;
	struct strata_trace_compass_result *result;
};

/* Events ------------------------------------------------------------------------------------- */

static void set_first(struct compass *compass, uint64_t ns)
{
	size_t i;

	compass->host.trace.first_ns = ns;
	for (i = 0; i < compass->nr_guests; i++)
		compass->guests[i]->trace.first_ns = ns;
}

static void take_guest_event(struct compass *compass, const struct strata_timeline_event *event)
{
	struct guest_stream *stream = &compass->streams[event->stream->index];
	int32_t tid;

	if (!stream->guest)
		return;
	compass->result->guest_events++;
	memcpy(&tid, event->context, sizeof(tid));
	if (stream->thread)
		strata_compass_host_guest_event(&compass->host, stream->thread, event->ns, tid);
	strata_compass_guest_put(stream->guest, stream->file, event);
}

static void compass_event(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct compass *compass = (struct compass *)sink;

	if (!compass->host.trace.first_ns)
		set_first(compass, event->ns);
	switch (event->class->layer) {
	case STRATA_LAYER_XEN:
		compass->result->host_events++;
		strata_compass_host_event(&compass->host, event);
		break;
	case STRATA_LAYER_KERNEL:
		take_guest_event(compass, event);
		break;
	case STRATA_LAYER_APP:
		compass->result->left_out++;
		break;
	}
}

static bool compass_failed(const struct strata_sink *sink)
{
	const struct compass *compass = (const struct compass *)sink;
	bool failed = compass->host.trace.has_failed || compass->host.trace.no_memory;
	size_t i;

	for (i = 0; i < compass->nr_guests && !failed; i++)
		failed = compass->guests[i]->trace.has_failed ||
			 compass->guests[i]->trace.no_memory;
	return failed;
}

/* The end ------------------------------------------------------------------------------------ */

/* All traces say that their times are on one clock, though their machines are several. */
static void name_timeline(struct compass *compass)
{
	char text[STRATA_UUID_TEXT_BYTES];
	uint8_t uuid[16];
	size_t i;

	strata_hash_uuid(uuid, 1, compass->host.trace.uuid, 16);
	strata_uuid_text(text, uuid);
	strata_compass_trace_say(&compass->host.trace, STRATA_CTF_TIMELINE, "%s", text);
	for (i = 0; i < compass->nr_guests; i++)
		strata_compass_trace_say(&compass->guests[i]->trace, STRATA_CTF_TIMELINE, "%s",
					 text);
}

static void complain_of(const struct compass *compass, const struct compass_guest *guest)
{
	char message[512];

	if (guest->sync.gh_pairs || !compass->complain)
		return;
	snprintf(
		message, sizeof(message),
		"%.200s/%s: no event of it lies before one at which Xen took a pCPU or guest mode from "
		"it, so the analysis will not know whose trace it is; leave it out of the experiment",
		compass->dir.path, guest->trace.name);
	compass->complain(compass->complain_data, message);
}

static int compass_finish(struct strata_sink *sink, const struct strata_merge *merge,
			  struct strata_error *error)
{
	struct compass *compass = (struct compass *)sink;
	const struct strata_merge_result *result = strata_merge_result(merge);
	size_t i;

	name_timeline(compass);
	if (strata_compass_host_finish(&compass->host, error))
		return -1;
	for (i = 0; i < compass->nr_guests; i++) {
		if (strata_compass_trace_finish(&compass->guests[i]->trace, result, error))
			return -1;
		complain_of(compass, compass->guests[i]);
		compass->result->unknown += compass->guests[i]->sync.gh_pairs == 0;
	}
	compass->result->guests = compass->nr_guests;
	compass->result->odd = compass->host.threads.odd;
	return 0;
}

static void compass_free(struct strata_sink *sink)
{
	struct compass *compass = (struct compass *)sink;
	size_t i;

	for (i = 0; i < compass->nr_guests; i++) {
		strata_compass_guest_close(compass->guests[i]);
		free(compass->guests[i]);
	}
	strata_compass_host_close(&compass->host);
	strata_dir_close(&compass->dir);
	free(compass->guests);
	free(compass->streams);
	free(compass);
}

/* Set-up ------------------------------------------------------------------------------------- */

static struct compass_guest *find_guest(const struct compass *compass, uint32_t domain)
{
	size_t i;

	for (i = 0; i < compass->nr_guests; i++) {
		if (compass->guests[i]->domain == domain)
			return compass->guests[i];
	}
	return NULL;
}

static struct compass_guest *make_guest(struct compass *compass, const struct strata_source *source,
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

static int add_guest_stream(struct compass *compass, const struct strata_merge_stream *merged,
			    struct strata_error *error)
{
	struct guest_stream *stream = &compass->streams[merged->index];

	stream->guest = find_guest(compass, merged->source->domain);
	if (!stream->guest)
		stream->guest = make_guest(compass, merged->source, error);
	if (!stream->guest)
		return -1;
	stream->file = strata_compass_trace_file(&stream->guest->trace, merged->cpu, merged, error);
	if (!stream->file)
		return -1;
	stream->thread = strata_compass_thread(
		&compass->host.threads, (uint16_t)merged->source->domain, (uint16_t)merged->cpu);
	if (stream->thread) {
		stream->thread->sync.guest = &stream->guest->sync;
		stream->thread->sync.guest_file = stream->file;
	}
	return 0;
}

static const struct strata_source *find_xen(const struct strata_merge *merge)
{
	const struct strata_recording *recording = strata_merge_recording(merge);
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN)
			return &recording->sources[i];
	}
	return NULL;
}

static int set_up(struct compass *compass, const char *dir, bool force, struct strata_error *error)
{
	const struct strata_merge *merge = compass->merge;
	const struct strata_source *xen = find_xen(merge);
	size_t i;

	if (!xen)
		return strata_fail(error,
				   "nothing was recorded of the hypervisor, so there is no host "
				   "to show; record Xen too, or write --format ctf");
	if (strata_output_directory(&compass->dir, dir, force, error) ||
	    strata_compass_host_open(&compass->host, merge, &compass->dir, xen, error))
		return -1;
	for (i = 0; i < strata_merge_nr_streams(merge); i++) {
		const struct strata_merge_stream *stream = strata_merge_stream(merge, i);
		int status = 0;

		if (stream->source->layer == STRATA_LAYER_XEN)
			status = strata_compass_host_stream(&compass->host, stream, error);
		else if (stream->source->layer == STRATA_LAYER_KERNEL)
			status = add_guest_stream(compass, stream, error);
		if (status)
			return -1;
	}
	return 0;
}

struct strata_sink *strata_trace_compass_new(const struct strata_merge *merge, const char *dir,
					     bool force, strata_complain_fn *complain,
					     void *complain_data,
					     struct strata_trace_compass_result *result,
					     struct strata_error *error)
{
	struct compass *compass = calloc(1, sizeof(*compass));

	memset(result, 0, sizeof(*result));
	if (!compass) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	compass->sink.event = compass_event;
	compass->sink.failed = compass_failed;
	compass->sink.finish = compass_finish;
	compass->sink.free = compass_free;
	compass->merge = merge;
	compass->dir.fd = -1;
	compass->host.trace.dir.fd = -1;
	compass->complain = complain;
	compass->complain_data = complain_data;
	compass->result = result;
	compass->guests = calloc(strata_merge_recording(merge)->nr_sources + 1,
				 sizeof(struct compass_guest *));
	compass->streams = calloc(strata_merge_nr_streams(merge) + 1, sizeof(*compass->streams));
	if (!compass->guests || !compass->streams)
		strata_fail(error, "out of memory");
	else if (!set_up(compass, dir, force, error))
		return &compass->sink;
	compass_free(&compass->sink);
	return NULL;
}
