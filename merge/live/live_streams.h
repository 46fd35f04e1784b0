/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_streams.h - the streams of a recording in progress.  Each is read as far as it is complete,
 * and keeps its position when tables or clocks are replaced; for live.c.
 */
#ifndef STRATA_MERGE_LIVE_LIVE_STREAMS_H
#define STRATA_MERGE_LIVE_LIVE_STREAMS_H

#include "host/host_converter.h"
#include "live/live_clocks.h"
#include "live/live_table.h"
#include "timeline/trace_set.h"
#include "timeline/lanes.h"

#define LIVE_SAID 64u

/* One look at a stream's slot. */
struct live_said {
	uint64_t at_ticks; /* of the look: no event in those bytes is later */
	uint64_t bytes;
	uint64_t complete_ticks;
};

struct live_stream {
	size_t source;
	uint32_t cpu;
	bool in_table;  /* has a slot */
	bool has_ended; /* its file no longer grows */
	/* Looks whose bytes wait until the clocks are known up to then; the oldest first. */
	struct live_said said[LIVE_SAID];
	size_t nr_said;
	uint64_t bytes;          /* readable */
	uint64_t complete_ticks; /* of what they hold; 0: not known yet */
	uint64_t met_ticks;      /* when first waited for; 0: not yet */
	bool was_named;          /* reported as no longer waited for */

	size_t index; /* index in the set, if it is in it */
	bool is_open;
	struct strata_recorded_stream recorded; /* as the tables and clocks are now */
	struct strata_host_converter converter;
	struct strata_ctf_reader reader;
	const struct strata_lane_event *next, *end; /* rest of its batch */
	/* Position: events of the packet, and of the whole stream, that were passed on or left
	 * out. */
	uint64_t packet_offset, packet_events, all_events;
	uint64_t skip;           /* events to read again */
	struct strata_loss loss; /* before its next event, not yet passed on; if has_loss */
	bool has_loss;
};

struct live_streams {
	const char *raw;
	struct live_stream **streams; /* in no order */
	size_t nr;
	struct live_stream **of_set; /* by their index in the set */
	bool *done; /* for each source: everything was passed on, and its streams are freed */
	size_t nr_done;
	struct strata_recorded_host host; /* with the first frequency and anchor: times that were
					   * shown must not move */
	bool is_loaded;
	bool has_ended;     /* the recording: its tables are complete */
	uint64_t now_ticks; /* of the host, at the current look: no event is later; 0: unknown */
	struct strata_trace_set set;
	struct live_clocks clocks;
	bool has_xen; /* it is recorded: its streams determine up to when clocks are known */
	uint64_t clocks_ticks; /* up to then; UINT64_MAX: without the hypervisor, at all times */
	uint64_t lost;
	strata_complain_fn *complain;
	void *complain_data;
};

/* Loads the tables, also after they were replaced, which may free ended streams. 0 or -1. */
int live_streams_load(struct live_streams *streams, struct strata_error *error);

/* Opens the streams of the loaded tables, each at its last position. 0 or -1. */
int live_streams_open(struct live_streams *streams, struct strata_error *error);

/* Returns the stream of a source's CPU, or NULL. */
struct live_stream *live_streams_find(const struct live_streams *streams, size_t source,
				      uint32_t cpu);

/* Creates a stream. NULL: out of memory. */
struct live_stream *live_streams_add(struct live_streams *streams, size_t source, uint32_t cpu);

/* Adds a look at a stream. */
void live_stream_note(struct live_stream *stream, const struct live_said *said);

/* Reads more clocks from the hypervisor's streams, and allows reading of the others up to there. 0
 * or -1. */
int live_streams_advance(struct live_streams *streams, struct strata_error *error);

/* Begins with the packet that may contain events of @ns; before anything was read. 0 or -1. */
int live_streams_seek(struct live_streams *streams, uint64_t ns, struct strata_error *error);

/* Reads the next events of a stream before @to_ns, and skips those before @from_ns. If there are
 * none, next equals end. */
void live_stream_read(struct live_stream *stream, uint64_t from_ns, uint64_t to_ns,
		      struct strata_lane *lane);

/* Marks @nr events as passed on. */
void live_stream_taken(struct live_stream *stream, size_t nr);

void live_streams_clear(struct live_streams *streams);

#endif /* STRATA_MERGE_LIVE_LIVE_STREAMS_H */
