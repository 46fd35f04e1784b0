// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_fixture.c - see merge_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "merge_fixture.h"

#include "xen/xen_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collector {
	struct strata_sink sink;
	struct merged *merged;
};

static void collect(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct merged *merged = ((struct collector *)sink)->merged;
	struct merged_event *copy;

	if (merged->nr_events == merged->capacity) {
		merged->capacity = merged->capacity ? merged->capacity * 2 : 1024;
		merged->events =
			realloc(merged->events, merged->capacity * sizeof(*merged->events));
		if (!merged->events)
			abort();
	}
	copy = &merged->events[merged->nr_events++];
	memset(copy, 0, sizeof(*copy));
	copy->ticks = event->ticks;
	copy->bound_ticks = event->bound_ticks;
	copy->ns = event->ns;
	snprintf(copy->source, sizeof(copy->source), "%s", event->stream->source->name);
	snprintf(copy->name, sizeof(copy->name), "%s", event->class->desc.name);
	copy->cpu = event->stream->cpu;
	copy->domain = event->domain;
	copy->vcpu = event->vcpu;
	copy->pcpu = event->pcpu;
	if (event->payload_bytes)
		copy->first_byte = event->payload[0];
}

static int finish(struct strata_sink *sink, const struct strata_merge *merge,
		  struct strata_error *error)
{
	(void)sink;
	(void)merge;
	(void)error;
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
	struct collector collector = { .sink = { .event = collect, .finish = finish },
				       .merged = merged };
	struct strata_sink *sinks[] = { &collector.sink };
	const struct strata_merge_options options = { .complain = complain, .data = merged };
	struct merge_alone alone;
	size_t i;

	memset(merged, 0, sizeof(*merged));
	merged->status = -1;
	if (merge_alone_open(&alone, dir, &options, source, shift, &merged->error))
		return;
	merged->status = merge_alone_run(&alone, sinks, 1, &merged->error);
	merged->result = *strata_merge_result(alone.merge);
	merged->nr_streams = strata_merge_nr_streams(alone.merge);
	for (i = 0; i < merged->nr_streams && i < 16; i++) {
		merged->lost[i] = strata_merge_stream(alone.merge, i)->lost;
		merged->unsure += strata_merge_stream(alone.merge, i)->unsure;
	}
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
