/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shown.h - events of a set of traces in the form in which outputs show them: with unique names of
 * their sources, their places, and the positions of their fields.
 */
#ifndef STRATA_MERGE_OUTPUTS_SHOWN_H
#define STRATA_MERGE_OUTPUTS_SHOWN_H

#include "base/id_map.h"
#include "ctf/reader/ctf_packet_head.h"
#include "timeline/event_place.h"
#include "host/recording_traces.h"
#include "outputs/event_writer.h"
#include "timeline/holders.h"
#include "timeline/trace_set.h"

/* Data about a set, known before its events; then immutable, so that threads share it. */
struct strata_shown {
	const struct strata_trace_set *set;
	struct strata_shown_source *sources; /* one for each trace, in the set's order */
	size_t nr_sources;
	/* For each trace and each of its kinds of streams: the hidden fields of its packets, and
	 * the index of the first visible one (the number of fields: all are hidden). */
	struct strata_shown_hidden {
		bool *fields;
		size_t first;
	} * *hidden;
	struct strata_place **places; /* likewise: how to read the places of events */
	uint64_t **place_fields;      /* likewise: strata_shown_event.place_fields */
	char ***domain_names;         /* for each trace; traces of one host share it */
	size_t *hosts;                /* the first trace of each of those hosts */
	size_t nr_hosts;
	struct strata_id_map taken; /* the names of sources, by their identities */
	struct strata_holders holders;
	struct strata_ctf_arena *arena;
};

/* Returns 0, or -1: out of memory. @set must outlive it. */
int strata_shown_init(struct strata_shown *shown, const struct strata_trace_set *set,
		      struct strata_error *error);
void strata_shown_clear(struct strata_shown *shown);

/* The pCPUs on which a stream's vCPU ran. */
struct strata_shown_path {
	const struct strata_recorded_stream *recorded; /* NULL: the vCPU is unknown */
	struct strata_vcpu_path path;
	uint64_t settled; /* the value of places->settled at the last look */
	size_t at;        /* position of the last result */
};

/* Initialises it for a kernel's or an application's stream of a recording; empty for any other
 * stream. */
void strata_shown_path_init(struct strata_shown_path *path, const struct strata_ctf_stream *stream);

/* To be called before a run of events: updates the path. Returns whether it is known. */
bool strata_shown_path_is_known(struct strata_shown_path *path);

/* Returns the physical CPU of an event of the stream, or STRATA_PCPU_NOT_KNOWN. */
static inline uint32_t strata_shown_path_find(struct strata_shown_path *path,
					      const struct strata_lane_event *event)
{
	return strata_vcpu_path_find(
		&path->path,
		strata_realtime_to_ticks(&path->recorded->host->timebase, event->ns, event->tick),
		&path->at);
}

/* A copy of the start of a reader's packet, with the fields to show. */
struct strata_shown_copy {
	uint64_t offset;
	struct strata_ctf_packet_head head;
	struct strata_shown_packet packet;
	struct strata_buffer memo;       /* for the writer */
	struct strata_shown_event event; /* the current one, with what the packet's others share */
	uint32_t pcpu;                   /* of those without one of their own */
	bool is_set;
};

/* One for each merge, so for each slice. */
struct strata_shown_view {
	const struct strata_shown *shown;
	struct strata_shown_copy *copies; /* for each stream of the set, */
	struct strata_shown_path *paths;  /* for each stream; empty if no path is known */
};

int strata_shown_view_init(struct strata_shown_view *view, const struct strata_shown *shown);
void strata_shown_view_clear(struct strata_shown_view *view);

/*
 * Begins a run of a stream's events: sets what all of them have in common.
 * @stream: of the set
 * Returns the view's event of the stream, which stays valid until the view is cleared. The caller
 * sets the time of the previous event, and what follows from it.
 */
struct strata_shown_event *strata_shown_run(struct strata_shown_view *view, size_t stream,
					    struct strata_ctf_reader *reader);

/* Sets the source of a loss that @reader has reached. */
void strata_shown_lose(const struct strata_shown *shown, size_t stream,
		       const struct strata_ctf_reader *reader, const struct strata_loss *loss,
		       struct strata_shown_loss *lost);

/* Sets where one event happened, if its context contains that. */
void strata_shown_place(struct strata_shown_event *shown);

/* Sets the rest for one event of the run. */
static inline void strata_shown_next(struct strata_ctf_reader *reader,
				     const struct strata_lane_event *event,
				     struct strata_shown_event *shown)
{
	const struct strata_ctf_event_class *class = reader->kind->classes[event->class].event;

	shown->ns = event->ns;
	shown->bound_ns = strata_ctf_add_clamped(strata_ctf_bound_ns(reader, event->bound),
						 shown->run_bound_ns);
	shown->name = class->name;
	shown->class_index = class->index;
	shown->format = class->format;
	shown->types[1] = class->context;
	shown->types[2] = class->payload;
	strata_ctf_event_open(reader, event, &shown->cursor);
	if (shown->place)
		strata_shown_place(shown);
	if (shown->path)
		shown->pcpu = strata_shown_path_find(shown->path, event);
	else if (shown->has_pcpu)
		shown->pcpu = strata_ctf_event_pcpu(reader, event);
}

#endif /* STRATA_MERGE_OUTPUTS_SHOWN_H */
