// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_open.c - prepares a merge: loads the recording, reads the clocks from
 * the hypervisor's streams, opens every stream that can be ordered.
 *
 * Streams are put in the order that decides ties: the hypervisor's first, then
 * by source, then by CPU.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "inputs/xentrace_current.h"
#include "merge_state.h"

#define DOMAIN_IDLE 0x7fffu
#define DOMAIN_XEN  0x7ff2u

static void complain(struct strata_merge *merge, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct strata_merge *merge, const char *format, ...)
{
	char message[1600];
	va_list args;

	if (!merge->options.complain)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	merge->options.complain(merge->options.data, message);
}

/* A domain 0 of which the hypervisor says nothing, because it was not recorded: it is PV, and
 * sees the host's counter. */
static bool is_host_clock(const struct strata_merge *merge, const struct strata_source *source)
{
	return source->domain == 0 && !merge->scan.any;
}

/* Whether the times of a source can be made the host's; says so if not. */
static bool can_be_ordered(struct strata_merge *merge, const struct strata_source *source)
{
	if (source->layer == STRATA_LAYER_XEN ||
	    strata_clock_maps_usable(&merge->scan.maps, (uint16_t)source->domain))
		return true;
	complain(merge,
		 "%s: what was recorded of this domain's time stamp counter cannot be, so its "
		 "events cannot be ordered; it is left out. Take the recording again",
		 source->name);
	merge->result.left_out_sources++;
	return false;
}

static size_t count_streams(const struct strata_merge *merge)
{
	size_t i, nr = 0;

	for (i = 0; i < merge->recording.nr_sources; i++)
		nr += merge->recording.sources[i].nr_streams;
	return nr;
}

/* Tells a stream's clock where readings go back; the stream is read once more for that. */
static int find_steps_back(struct merge_stream *stream, const char *raw,
			   const struct strata_stream *recorded, struct strata_error *error)
{
	struct strata_packet_reader reader;
	struct strata_record record;
	uint64_t last = 0;
	int result = 0;

	if (strata_packet_reader_open(&reader, raw, stream->reader.source, recorded, NULL, NULL,
				      error))
		return -1;
	while (!result && strata_packet_reader_next(&reader)) {
		size_t offset = STRATA_PACKET_HEADER_BYTES;

		while (!result && strata_packet_next(reader.source, reader.bytes, &reader.packet,
						     &offset, &record)) {
			if (record.ticks < last &&
			    strata_stream_clock_went_back(&stream->clock, last, record.ticks))
				result = strata_fail(error, "out of memory");
			last = record.ticks;
		}
	}
	strata_packet_reader_close(&reader);
	return result;
}

static int set_up_clock(struct strata_merge *merge, struct merge_stream *stream, const char *raw,
			const struct strata_stream *recorded, struct strata_error *error)
{
	const struct strata_source *source = stream->seen.source;

	strata_stream_clock_init(&stream->clock, &merge->scan.maps, &merge->scan.stimes,
				 strata_skew_bound_ticks(&merge->scan.skew),
				 (uint16_t)source->domain, (uint16_t)stream->seen.cpu);
	stream->seen.clock = strata_stream_clock_kind(&stream->clock);
	if (stream->clock.nr)
		stream->seen.clock_changes = stream->clock.nr - 1;
	if (stream->clock.nr == 0 && is_host_clock(merge, source))
		stream->seen.clock = STRATA_CLOCK_HOST;
	if (stream->seen.clock == STRATA_CLOCK_ASSUMED) {
		merge->result.assumed_clocks++;
		if (merge->recording.nr_sources > 1)
			complain(merge,
				 "%s: the clock of vCPU %u was not recorded; its times are taken "
				 "as the host's. Record the hypervisor too",
				 source->name, stream->seen.cpu);
	}
	if (stream->clock.incomplete)
		complain(
			merge,
			"%s: vCPU %u set its time stamp counter more often than is recorded, so no "
			"time of its events is sure; other vCPUs are not affected. Find out what "
			"in that guest sets the counter",
			source->name, stream->seen.cpu);
	if (strata_vcpu_stime_dropped(&merge->scan.stimes, (uint16_t)source->domain))
		complain(
			merge,
			"%s: vCPU %u: the vCPUs of this domain began to run so often that where is "
			"not kept; the bounds of its times allow for every physical CPU",
			source->name, stream->seen.cpu);
	if (strata_stream_clock_steps_back(&stream->clock) == 0)
		return 0;
	return find_steps_back(stream, raw, recorded, error);
}

static int open_stream(struct strata_merge *merge, const char *raw, size_t source_index,
		       const struct strata_stream *recorded, struct strata_error *error)
{
	struct strata_source *source = &merge->recording.sources[source_index];
	struct merge_stream *stream = &merge->streams[merge->nr_streams];

	stream->seen.source = source;
	stream->seen.source_index = source_index;
	stream->seen.index = merge->nr_streams;
	stream->seen.cpu = recorded->cpu;
	if (strata_packet_reader_open(&stream->reader, raw, source, recorded,
				      merge->options.complain, merge->options.data, error))
		return -1;
	merge->nr_streams++;
	merge->bytes_total += stream->reader.size;
	if (source->layer != STRATA_LAYER_XEN) {
		if (set_up_clock(merge, stream, raw, recorded, error))
			return -1;
		stream->vcpu = strata_order_check_vcpu(merge->check, (uint16_t)source->domain,
						       (uint16_t)recorded->cpu);
		if (stream->seen.clock == STRATA_CLOCK_EMULATED)
			strata_order_check_read_by_xen(stream->vcpu);
	}
	return 0;
}

static int open_sources(struct strata_merge *merge, const char *raw, bool of_xen,
			struct strata_error *error)
{
	size_t i, j;

	for (i = 0; i < merge->recording.nr_sources; i++) {
		struct strata_source *source = &merge->recording.sources[i];

		if ((source->layer == STRATA_LAYER_XEN) != of_xen || !can_be_ordered(merge, source))
			continue;
		for (j = 0; j < source->nr_streams; j++) {
			if (open_stream(merge, raw, i, &source->streams[j], error))
				return -1;
		}
	}
	return 0;
}

static void name_domains(struct strata_merge *merge)
{
	size_t i;

	merge->domain_names[DOMAIN_IDLE] = "idle";
	merge->domain_names[DOMAIN_XEN] = "xen";
	merge->domain_names[STRATA_DOMAIN_UNKNOWN] = "unknown";
	for (i = 0; i < merge->recording.nr_sources; i++) {
		const struct strata_source *source = &merge->recording.sources[i];

		/* The source's name, not the domain's own: it is fit to be shown and is unique.
		 * If its module was loaded anew it has several: the first one's. */
		if (source->layer == STRATA_LAYER_KERNEL && source->domain < STRATA_DOMAINS &&
		    !merge->domain_names[source->domain])
			merge->domain_names[source->domain] = source->name;
	}
	/* Applications are dom0's, or run on a machine without Xen. */
	if (!merge->domain_names[0])
		merge->domain_names[0] =
			strata_recording_has_layer(&merge->recording, STRATA_LAYER_XEN) ? "dom0"
											: "host";
}

/* Where the recording does not say it. */
static void name_exits(struct strata_merge *merge)
{
	size_t i;

	for (i = 0; i < merge->recording.nr_sources; i++) {
		struct strata_source *source = &merge->recording.sources[i];

		if (source->layer == STRATA_LAYER_XEN && source->exits == STRATA_EXITS_UNKNOWN)
			source->exits = strata_exits_judge(&merge->scan.exits);
	}
}

static int allocate(struct strata_merge *merge, struct strata_error *error)
{
	size_t nr_streams = count_streams(merge);

	merge->check = strata_order_check_new(merge->scan.covered_from, merge->scan.covered_until);
	merge->classes = calloc(merge->recording.nr_sources + 1, sizeof(*merge->classes));
	merge->domain_names = calloc(STRATA_DOMAINS, sizeof(*merge->domain_names));
	merge->streams = calloc(nr_streams + 1, sizeof(*merge->streams));
	merge->heap = calloc(nr_streams + 1, sizeof(struct merge_stream *));
	if (!merge->check || !merge->classes || !merge->domain_names || !merge->streams ||
	    !merge->heap)
		return strata_fail(error, "out of memory for %zu streams", nr_streams);
	return 0;
}

static int set_up(struct strata_merge *merge, const char *raw, struct strata_error *error)
{
	struct strata_recording *recording = &merge->recording;

	if (strata_recording_load(recording, raw, error))
		return strata_fail_in(error, "%s is not a recording that can be read", raw);
	strata_recording_tell_faults(recording, merge->options.complain, merge->options.data);
	merge->result.left_out_sources += recording->nr_faults;
	if (count_streams(merge) == 0)
		return strata_fail(
			error, "%s: nothing was recorded; `strata list` shows what can be", raw);
	merge->timebase.anchor_ticks = recording->anchor_ticks;
	merge->timebase.anchor_ns = recording->anchor_realtime_ns;
	merge->timebase.tsc_khz = recording->tsc_khz;
	if (strata_xen_scan(&merge->scan, recording, raw, error) || allocate(merge, error))
		return -1;
	name_domains(merge);
	name_exits(merge);
	if (open_sources(merge, raw, true, error) || open_sources(merge, raw, false, error))
		return -1;
	return 0;
}

struct strata_merge *strata_merge_open(const char *raw, const struct strata_merge_options *options,
				       struct strata_error *error)
{
	struct strata_merge *merge = calloc(1, sizeof(*merge));

	if (!merge) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	if (options)
		merge->options = *options;
	if (set_up(merge, raw, error)) {
		strata_merge_close(merge);
		return NULL;
	}
	return merge;
}

int strata_merge_shift(struct strata_merge *merge, const char *source, int64_t ticks,
		       struct strata_error *error)
{
	char shown[128];
	bool found = false;
	bool of_xen = false;
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		if (strcmp(merge->streams[i].seen.source->name, source) != 0)
			continue;
		merge->streams[i].shift_ticks = ticks;
		of_xen = merge->streams[i].seen.source->layer == STRATA_LAYER_XEN;
		found = true;
	}
	if (!found)
		return strata_fail(error, "the recording has no source \"%s\" to shift",
				   strata_escape_name(shown, sizeof(shown), source));
	if (!of_xen)
		return 0;

	/* The time that the hypervisor's streams cover moves with them. */
	strata_order_check_cover(merge->check, shifted_ticks(merge->scan.covered_from, ticks),
				 shifted_ticks(merge->scan.covered_until, ticks));
	return 0;
}

void strata_merge_close(struct strata_merge *merge)
{
	size_t i;

	if (!merge)
		return;
	for (i = 0; i < merge->nr_streams; i++) {
		strata_packet_reader_close(&merge->streams[i].reader);
		strata_stream_clock_clear(&merge->streams[i].clock);
	}
	for (i = 0; merge->classes && i < merge->recording.nr_sources; i++)
		strata_event_classes_clear(&merge->classes[i]);
	free(merge->streams);
	free(merge->heap);
	free(merge->classes);
	free(merge->domain_names);
	strata_order_check_free(merge->check);
	strata_xen_scan_clear(&merge->scan);
	strata_recording_clear(&merge->recording);
	free(merge);
}

bool strata_merge_stream_clock(const struct strata_merge *merge, size_t source_index, uint32_t cpu,
			       struct strata_stream_clock *clock)
{
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		if (merge->streams[i].seen.source_index != source_index ||
		    merge->streams[i].seen.cpu != cpu)
			continue;
		*clock = merge->streams[i].clock;
		return true;
	}
	return false;
}

bool strata_merge_has_guest_mode(const struct strata_merge *merge, uint16_t domain)
{
	return (merge->scan.guest_mode[domain / 8] >> domain % 8 & 1u) != 0;
}

bool strata_merge_has_hypercall_returns(const struct strata_merge *merge)
{
	return merge->scan.hypercall_returns;
}

uint64_t strata_merge_skew_ticks(const struct strata_merge *merge)
{
	return strata_skew_bound_ticks(&merge->scan.skew);
}

const struct strata_recording *strata_merge_recording(const struct strata_merge *merge)
{
	return &merge->recording;
}

const struct strata_merge_result *strata_merge_result(const struct strata_merge *merge)
{
	return &merge->result;
}

const struct strata_timebase *strata_merge_timebase(const struct strata_merge *merge)
{
	return &merge->timebase;
}

size_t strata_merge_nr_streams(const struct strata_merge *merge)
{
	return merge->nr_streams;
}

const struct strata_merge_stream *strata_merge_stream(const struct strata_merge *merge,
						      size_t index)
{
	return &merge->streams[index].seen;
}

const struct strata_event_class *strata_merge_class(const struct strata_merge *merge,
						    size_t source_index, uint32_t number)
{
	const struct strata_event_classes *classes = &merge->classes[source_index];

	return number < classes->nr ? classes->by_number[number] : NULL;
}

const char *strata_merge_domain_name(const struct strata_merge *merge, uint16_t domain)
{
	return merge->domain_names[domain];
}
