// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_fixture.c - see merge_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "merge_fixture.h"

#include "host/host_converter.h"
#include "xen/xen_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a vCPU runs, or ran last, by the order of the merge alone: tests compare with it the places
 * that the product finds in another way. */
struct home {
	struct strata_hv_context vcpu;
	uint32_t pcpu;
};

struct collector {
	struct strata_slice_sink sink;
	struct merged *merged;
	struct home homes[64];
	size_t nr_homes;
};

static struct home *home_of(struct collector *collector, struct strata_hv_context vcpu)
{
	struct home *home = collector->homes;

	for (; home < collector->homes + collector->nr_homes; home++) {
		if (home->vcpu.domain == vcpu.domain && home->vcpu.vcpu == vcpu.vcpu)
			return home;
	}
	if (++collector->nr_homes > sizeof(collector->homes) / sizeof(collector->homes[0]))
		abort();
	*home = (struct home){ vcpu, UINT32_MAX };
	return home;
}

static void note_home(struct collector *collector, const struct strata_recorded_stream *recorded,
		      const struct strata_ctf_reader *reader, const struct strata_lane_event *event)
{
	const struct strata_xen_class *class = strata_recorded_class(recorded, reader, event);
	struct strata_hv_context changed;
	struct strata_hv_vcpu_state state;
	struct home *home;

	if (class->tells == STRATA_XEN_RUNSTATE && class->change.after == STRATA_RUNSTATE_RUNNING &&
	    strata_xen_read_changed(reader, event, &changed))
		home_of(collector, changed)->pcpu = recorded->cpu;
	if (class->tells != STRATA_XEN_VCPU_STATE ||
	    !strata_xen_read(reader, event, &state, sizeof(state)))
		return;
	home = home_of(collector, (struct strata_hv_context){ state.domain, state.vcpu });
	if (home->pcpu == UINT32_MAX)
		home->pcpu = state.pcpu;
}

static void set_place(struct collector *collector, struct merged_event *copy,
		      const struct strata_recorded_stream *recorded,
		      const struct strata_ctf_reader *reader, const struct strata_lane_event *event)
{
	struct strata_hv_context vcpu = { (uint16_t)recorded->source->domain,
					  (uint16_t)recorded->cpu };

	if (recorded->source->layer == STRATA_LAYER_XEN)
		assert_true(strata_xen_read_context(reader, event, &vcpu));
	copy->domain = vcpu.domain;
	copy->vcpu = vcpu.vcpu;
	copy->pcpu = recorded->source->layer == STRATA_LAYER_XEN ? recorded->cpu
								 : home_of(collector, vcpu)->pcpu;
}

static struct merged_event *add_event(struct merged *merged)
{
	if (merged->nr_events == merged->capacity) {
		merged->capacity = merged->capacity ? merged->capacity * 2 : 1024;
		merged->events =
			realloc(merged->events, merged->capacity * sizeof(*merged->events));
		if (!merged->events)
			abort();
	}
	return memset(&merged->events[merged->nr_events++], 0, sizeof(*merged->events));
}

static void collect_event(struct collector *collector,
			  const struct strata_recorded_stream *recorded,
			  const struct strata_ctf_reader *reader,
			  const struct strata_lane_event *event)
{
	const struct strata_source *source = recorded->source;
	struct merged_event *copy = add_event(collector->merged);
	uint32_t bytes;
	const uint8_t *payload = strata_recorded_payload(
		reader, event, strata_event_payload_bytes(strata_layer_context(source->layer)),
		&bytes);

	if (source->layer == STRATA_LAYER_XEN)
		note_home(collector, recorded, reader, event);
	copy->ticks = strata_recorded_ticks(recorded->host, event);
	copy->bound_ticks = strata_ctf_add_clamped(
		event->bound, strata_source_early_ticks(source, recorded->host->timebase.tsc_khz));
	copy->ns = event->ns;
	snprintf(copy->source, sizeof(copy->source), "%s", source->name);
	snprintf(copy->name, sizeof(copy->name), "%s",
		 reader->kind->classes[event->class].event->name);
	copy->cpu = recorded->cpu;
	set_place(collector, copy, recorded, reader, event);
	if (bytes)
		copy->first_byte = payload[0];
}

static int collect(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		   const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	const struct strata_recorded_stream *recorded =
		strata_recording_traces_stream(reader->stream);
	size_t i;

	(void)stream;
	(void)error;
	for (i = 0; i < nr; i++)
		collect_event((struct collector *)sink, recorded, reader, &events[i]);
	return 0;
}

static void complain(void *data, const char *message)
{
	struct merged *merged = data;
	size_t length = strlen(merged->complaints);

	merged->nr_complaints++;
	snprintf(merged->complaints + length, sizeof(merged->complaints) - length, "%s\n", message);
}

void merge_directory(struct merged *merged, const char *dir, const char *source, int64_t shift)
{
	struct collector collector = { .sink = { .take = collect }, .merged = merged };
	const struct strata_host_figures *figures;
	struct merge_alone alone;
	size_t i;

	memset(merged, 0, sizeof(*merged));
	merged->status = -1;
	if (merge_alone_open(&alone, dir, complain, merged, source, shift, &merged->error))
		return;
	merged->status = merge_alone_run(&alone, &collector.sink, &merged->error);
	figures = strata_host_check_figures(alone.check);
	merged->nr_streams = figures->host->nr_streams;
	merged->pcpus = figures->host->scan.skew.nr_pcpus;
	merged->unmeasured_pcpus = figures->host->scan.skew.nr_unmeasured;
	for (i = 0; i < merged->nr_streams; i++) {
		if (i < 16)
			merged->lost[i] = figures->streams[i].lost;
		merged->unsure += figures->streams[i].unsure;
	}
	merged->result = *figures;
	merged->result.streams = NULL;
	merged->result.host = NULL;
	merge_alone_close(&alone);
}

void merged_free(struct merged *merged)
{
	free(merged->events);
	memset(merged, 0, sizeof(*merged));
}

size_t merged_count(const struct merged *merged, const char *source, const char *name)
{
	size_t i, count = 0;

	for (i = 0; i < merged->nr_events; i++) {
		const struct merged_event *event = &merged->events[i];

		if (strcmp(event->source, source) == 0 && (!name || strcmp(event->name, name) == 0))
			count++;
	}
	return count;
}

void merge_build_turns(struct synthetic *rec, const struct merge_notice *notices)
{
	const struct synthetic_clock clock = { .is_hvm = true };
	const uint16_t context[2] = { 1, 0 };

	synthetic_init(rec);
	synthetic_add_source(rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(rec, "g1", "kernel", 1);
	synthetic_vcpu_clock(rec, 0, 100, 1, 0, &clock);
	synthetic_vcpu_state(rec, 0, 101, 1, 0, STRATA_RUNSTATE_RUNNING);
	synthetic_guest_mode(rec, 0, 1000, 1, 0, true);
	synthetic_guest_mode(rec, 0, 2000, 1, 0, false);
	if (notices)
		synthetic_record(rec, synthetic_stream(rec, "xen", 0), 2010, notices[0].id, context,
				 sizeof(context), notices[0].payload, notices[0].bytes);
	if (notices)
		synthetic_record(rec, synthetic_stream(rec, "xen", 0), 2990, notices[1].id, context,
				 sizeof(context), notices[1].payload, notices[1].bytes);
	synthetic_guest_mode(rec, 0, 3000, 1, 0, true);
	synthetic_guest_mode(rec, 0, 4000, 1, 0, false);
	synthetic_runstate(rec, 0, 5000, 1, 0, STRATA_RUNSTATE_RUNNING, STRATA_RUNSTATE_BLOCKED);
}

void merge_written(struct synthetic *rec, struct merged *merged)
{
	synthetic_write(rec);
	merge_directory(merged, rec->dir, NULL, 0);
	assert_int_equal(merged->status, 0);
	synthetic_free(rec);
}
