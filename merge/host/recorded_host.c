// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded_host.c - see recorded_host.h.
 *
 * Streams are sorted in the order that decides ties: the hypervisor's first, then by source, then
 * by CPU.
 */
#include "host/recorded_host.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "clocks/raw_stream.h"

#define NO_STREAM SIZE_MAX

static void tell(const struct strata_recorded_host *host, strata_complain_fn *how,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

static void tell(const struct strata_recorded_host *host, strata_complain_fn *how,
		 const char *format, ...)
{
	char message[1600];
	va_list args;

	if (!how)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	how(host->complain_data, message);
}

/* Domain 0 has no record of its clock if the hypervisor was not recorded: it is PV, and reads the
 * host's counter. */
static bool is_host_clock(const struct strata_recorded_host *host,
			  const struct strata_source *source)
{
	return source->domain == 0 && !host->scan.any;
}

void strata_recorded_host_set_timebase(struct strata_recorded_host *host)
{
	host->timebase.anchor_ticks = host->recording.anchor_ticks;
	host->timebase.anchor_ns = host->recording.anchor_realtime_ns;
	host->timebase.tsc_khz = host->recording.tsc_khz;
}

bool strata_recorded_host_is_usable(const struct strata_recorded_host *host,
				    const struct strata_source *source)
{
	return source->layer == STRATA_LAYER_XEN ||
	       strata_clock_maps_usable(&host->scan.maps, (uint16_t)source->domain);
}

/* Whether a source can be ordered; complains if not. */
static bool can_be_ordered(struct strata_recorded_host *host, const struct strata_source *source)
{
	if (strata_recorded_host_is_usable(host, source))
		return true;
	tell(host, host->complain,
	     "%s: the recorded time stamp counter of this domain is impossible, so its events cannot be ordered; it is left out. Repeat the recording",
	     source->name);
	host->left_out_sources++;
	return false;
}

static size_t count_streams(const struct strata_recorded_host *host)
{
	size_t i, nr = 0;

	for (i = 0; i < host->recording.nr_sources; i++)
		nr += host->recording.sources[i].nr_streams;
	return nr;
}

/* Notes all readings of a stream that step back.  0 or -1. */
static int note_steps_back(struct strata_recorded_stream *stream, struct strata_raw_stream *raw,
			   struct strata_error *error)
{
	uint64_t last = 0;
	int got, i;

	while ((got = strata_ctf_reader_next(&raw->reader)) > 0) {
		for (i = 0; i < got; i++) {
			const struct strata_lane_event *event = &raw->reader.events[i];

			if (event->class == STRATA_LANE_LOSS)
				continue;
			if (event->ns < last &&
			    strata_stream_clock_went_back(&stream->clock, last, event->ns))
				return strata_fail(error, "out of memory");
			last = event->ns;
		}
	}
	return 0;
}

/* Notes in a stream's clock where readings step back, by reading the stream once more. */
static int find_steps_back(struct strata_recorded_stream *stream, const char *raw,
			   struct strata_error *error)
{
	struct strata_error unreadable; /* reported when the source's trace is opened */
	struct strata_ctf_trace *trace =
		strata_recorded_source_open(stream->source, raw, NULL, NULL, &unreadable);
	struct strata_raw_stream read;
	uint32_t cpu;
	size_t i;
	int result = 0;

	for (i = 0; trace && i < trace->nr_streams && !result; i++) {
		if (!strata_cpu_of_stream(trace->streams[i].name, &cpu) || cpu != stream->cpu)
			continue;
		result = strata_raw_stream_open(&read, &trace->streams[i], error);
		if (!result)
			result = note_steps_back(stream, &read, error);
		strata_raw_stream_close(&read);
	}
	strata_ctf_trace_close(trace);
	return result;
}

void strata_recorded_stream_set_clock(struct strata_recorded_stream *stream)
{
	const struct strata_recorded_host *host = stream->host;

	if (stream->source->layer == STRATA_LAYER_XEN)
		return;
	strata_stream_clock_init(&stream->clock, &host->scan.maps, &host->scan.stimes,
				 strata_skew_bound_ticks(&host->scan.skew),
				 (uint16_t)stream->source->domain, (uint16_t)stream->cpu);
}

static int set_up_clock(struct strata_recorded_host *host, struct strata_recorded_stream *stream,
			const char *raw, struct strata_error *error)
{
	const struct strata_source *source = stream->source;

	strata_recorded_stream_set_clock(stream);
	stream->kind = strata_stream_clock_kind(&stream->clock);
	if (stream->clock.nr)
		stream->clock_changes = stream->clock.nr - 1;
	if (stream->clock.nr == 0 && is_host_clock(host, source))
		stream->kind = STRATA_CLOCK_HOST;
	if (stream->kind == STRATA_CLOCK_ASSUMED) {
		host->assumed_clocks++;
		if (host->recording.nr_sources > 1)
			tell(host, host->remark,
			     "%s: the clock of vCPU %u was not recorded; its times are taken "
			     "as the host's. Record the hypervisor too",
			     source->name, stream->cpu);
	}
	if (stream->clock.incomplete)
		tell(host, host->remark,
		     "%s: vCPU %u set its time stamp counter more often than Xen records, so the times of its events have no bound; other vCPUs are not affected. Find out what in that guest sets the counter",
		     source->name, stream->cpu);
	if (strata_vcpu_stime_dropped(&host->scan.stimes, (uint16_t)source->domain))
		tell(host, host->remark,
		     "%s: vCPU %u: the vCPUs of this domain were scheduled too often to remember where each ran; the bounds of its times allow for every physical CPU",
		     source->name, stream->cpu);
	if (strata_stream_clock_steps_back(&stream->clock) == 0)
		return 0;
	return find_steps_back(stream, raw, error);
}

static int add_stream(struct strata_recorded_host *host, const char *raw, size_t source_index,
		      const struct strata_stream *recorded, struct strata_error *error)
{
	struct strata_recorded_stream *stream = &host->streams[host->nr_streams++];

	stream->host = host;
	stream->source = &host->recording.sources[source_index];
	stream->source_index = source_index;
	stream->cpu = recorded->cpu;
	stream->recorded = recorded;
	if (recorded->bad_packets)
		tell(host, host->complain,
		     "%s/cpu_%u: the recorder refused %llu packets, which this source cannot have written",
		     stream->source->name, recorded->cpu,
		     (unsigned long long)recorded->bad_packets);
	if (stream->source->layer == STRATA_LAYER_XEN)
		return 0;
	return set_up_clock(host, stream, raw, error);
}

static int add_sources(struct strata_recorded_host *host, const char *raw, bool of_xen,
		       struct strata_error *error)
{
	size_t i, j;

	for (i = 0; i < host->recording.nr_sources; i++) {
		struct strata_source *source = &host->recording.sources[i];

		if ((source->layer == STRATA_LAYER_XEN) != of_xen)
			continue;
		host->first_streams[i] = NO_STREAM;
		if (!can_be_ordered(host, source))
			continue;
		host->first_streams[i] = host->nr_streams;
		for (j = 0; j < source->nr_streams; j++) {
			if (add_stream(host, raw, i, &source->streams[j], error))
				return -1;
		}
	}
	return 0;
}

/* In case the recording does not say it. */
static void name_exits(struct strata_recorded_host *host)
{
	size_t i;

	for (i = 0; i < host->recording.nr_sources; i++) {
		struct strata_source *source = &host->recording.sources[i];

		if (source->layer == STRATA_LAYER_XEN && source->exits == STRATA_EXITS_UNKNOWN)
			source->exits = strata_exits_judge(&host->scan.exits);
	}
}

int strata_recorded_host_load(struct strata_recorded_host *host, const char *raw,
			      strata_complain_fn *complain_fn, strata_complain_fn *remark_fn,
			      void *data, struct strata_error *error)
{
	struct strata_recording *recording = &host->recording;
	size_t nr_streams;

	memset(host, 0, sizeof(*host));
	host->complain = complain_fn;
	host->remark = remark_fn;
	host->complain_data = data;
	if (strata_recording_load(recording, raw, error))
		return strata_fail_in(error, "%s is not a recording that can be read", raw);
	strata_recording_tell_faults(recording, complain_fn, data);
	host->left_out_sources = recording->nr_faults;
	nr_streams = count_streams(host);
	if (nr_streams == 0)
		return strata_fail(
			error,
			"%s: nothing was recorded; `strata list` shows the available sources", raw);
	strata_recorded_host_set_timebase(host);
	if (strata_xen_scan(&host->scan, recording, raw, error))
		return -1;
	host->streams = calloc(nr_streams + 1, sizeof(*host->streams));
	host->first_streams = calloc(recording->nr_sources, sizeof(*host->first_streams));
	host->xen_classes = calloc(recording->nr_sources, sizeof(struct strata_xen_class *));
	if (!host->streams || !host->first_streams || !host->xen_classes)
		return strata_fail(error, "out of memory for %zu streams", nr_streams);
	name_exits(host);
	return add_sources(host, raw, true, error) || add_sources(host, raw, false, error) ? -1 : 0;
}

int strata_recorded_host_shift(struct strata_recorded_host *host, const char *source, int64_t ticks,
			       struct strata_error *error)
{
	char shown[128];
	bool found = false;
	size_t i;

	for (i = 0; i < host->nr_streams; i++) {
		if (strcmp(host->streams[i].source->name, source) != 0)
			continue;
		host->streams[i].shift_ticks = ticks;
		found = true;
	}
	if (found)
		return 0;
	return strata_fail(error, "the recording has no source \"%s\" to shift",
			   strata_escape_name(shown, sizeof(shown), source));
}

struct strata_recorded_stream *strata_recorded_host_stream(const struct strata_recorded_host *host,
							   size_t source_index, uint32_t cpu)
{
	const struct strata_source *source = &host->recording.sources[source_index];
	const struct strata_stream *recorded = strata_source_stream(source, cpu);

	if (!recorded || host->first_streams[source_index] == NO_STREAM)
		return NULL;
	return &host->streams[host->first_streams[source_index] +
			      (size_t)(recorded - source->streams)];
}

bool strata_recorded_host_can_order(const struct strata_recorded_host *host, size_t source_index)
{
	return host->recording.sources[source_index].nr_streams &&
	       host->first_streams[source_index] != NO_STREAM;
}

const char *strata_recorded_domain_name(const struct strata_recorded_host *host, uint32_t domain)
{
	return host->domains ? strata_number_name(host->domains, domain) : NULL;
}

const char *strata_recorded_domain_text(const struct strata_recorded_host *host, uint32_t domain,
					char text[STRATA_DOMAIN_TEXT_BYTES])
{
	const char *name = strata_recorded_domain_name(host, domain);

	if (name)
		snprintf(text, STRATA_DOMAIN_TEXT_BYTES, "%s", name);
	else
		snprintf(text, STRATA_DOMAIN_TEXT_BYTES, "d%" PRIu32, domain);
	return text;
}

void strata_recorded_host_clear(struct strata_recorded_host *host)
{
	size_t i;

	for (i = 0; i < host->nr_streams; i++)
		strata_stream_clock_clear(&host->streams[i].clock);
	for (i = 0; host->xen_classes && i < host->recording.nr_sources; i++)
		free(host->xen_classes[i]);
	free(host->xen_classes);
	free(host->streams);
	free(host->first_streams);
	strata_xen_scan_clear(&host->scan);
	strata_recording_clear(&host->recording);
	memset(host, 0, sizeof(*host));
}
