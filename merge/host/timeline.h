/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - one event of the merged timeline, and what takes them in: an
 * output or an analysis.
 */
#ifndef STRATA_MERGE_TIMELINE_H
#define STRATA_MERGE_TIMELINE_H

#include "host/event_class.h"
#include "base/loss.h"
#include "host/order_check.h"
#include "clocks/stream_clock.h"

struct strata_merge;
struct strata_ctf_reader;
struct strata_lane_event;

/* A stream, as far as outputs may know it. */
struct strata_merge_stream {
	const struct strata_source *source;
	size_t source_index;
	size_t index; /* of all streams of the merge */
	uint32_t cpu;
	uint64_t events;          /* so far */
	uint64_t lost;            /* so far; at the end, all that the recording knows of */
	uint64_t missing_packets; /* so far: gaps in their sequence */
	enum strata_clock_kind clock;
	uint64_t clock_changes; /* while recording */
	uint64_t bound_ticks;   /* largest of its events' so far: their times are off by no more, */
	uint64_t unsure;        /* except so many, of which the hypervisor's records are missing */
	uint64_t doubtful;      /* so many may lie before or after a step back of their counter; */
	uint64_t firm_bound_ticks; /* largest of the others */
	uint64_t gap_until; /* host ticks: events are missing somewhere before this; 0: none yet */
};

struct strata_timeline_event {
	const struct strata_event_class *class;
	const struct strata_merge_stream *stream;
	uint64_t ticks;       /* of the host, */
	uint64_t bound_ticks; /* off by no more; UINT64_MAX: not known */
	uint64_t reading;     /* of the counter that its own CPU saw */
	uint64_t ns;          /* since 1970 */
	uint16_t domain;
	uint16_t vcpu;
	uint16_t pcpu; /* STRATA_PCPU_UNKNOWN */
	const uint8_t *context;
	const uint8_t *payload;
	uint32_t payload_bytes;
	/* What it was made from: a stream of the set, and an event of its reader's batch. */
	size_t set_stream;
	struct strata_ctf_reader *reader;
	const struct strata_lane_event *lane_event;
};

/*
 * Events come in order of ticks.  The bytes they point to are the merger's and
 * valid during the call only.
 */
struct strata_sink {
	void (*event)(struct strata_sink *sink, const struct strata_timeline_event *event);
	/* Something is missing from a stream: comes behind the stream's last event before that, or
	 * with its first one.  May be NULL. */
	void (*loss)(struct strata_sink *sink, const struct strata_merge_stream *stream,
		     const struct strata_loss *loss);
	/* True: it takes nothing in any more (a write failed); the merge may stop. */
	bool (*failed)(const struct strata_sink *sink);
	/* Called once after the last event, or when the merge is given up. 0 or -1. */
	int (*finish)(struct strata_sink *sink, const struct strata_merge *merge,
		      struct strata_error *error);
	void (*free)(struct strata_sink *sink);
};

#endif /* STRATA_MERGE_TIMELINE_H */
