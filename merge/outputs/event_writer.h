/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_writer.h - what the outputs that write one piece for each event have in
 * common: text, JSON lines, Perfetto, Chrome.
 *
 * An event comes as it is shown to people, from whatever trace it is; its fields are
 * still bytes, which fields.h walks through.  A writer appends to a buffer; buffers of
 * several slices of the timeline are put one behind the other, so that a writer must not
 * depend on what it wrote before, but for what `previous_ns` tells.
 */
#ifndef STRATA_MERGE_OUTPUTS_EVENT_WRITER_H
#define STRATA_MERGE_OUTPUTS_EVENT_WRITER_H

#include "ctf/ctf_cursor.h"
#include "error.h"

#define STRATA_SHOWN_TYPES   4u
#define STRATA_SHOWN_UNKNOWN UINT32_MAX /* of a number below */

struct strata_shown_event {
	uint64_t ns;          /* since 1970 */
	uint64_t previous_ns; /* of the event before; its own if it is the first */
	uint64_t bound_ns;    /* the time is off by no more; UINT64_MAX: nobody knows */
	bool unordered;       /* it and the event before may have been the other way round */
	const char *source;   /* whose it is: "host1/g1"; fit to be shown */
	size_t source_index;  /* of all sources, from 0 */
	const char *layer;    /* "xen", "kernel", "app"; "": not known */
	const char *name;     /* any bytes: escape it */
	uint32_t cpu;         /* of its stream: physical or virtual, as its layer has it */
	uint32_t pcpu, domain, vcpu;
	/* Fields: types that follow each other from the cursor on, each NULL or a structure. */
	const struct strata_ctf_type *types[STRATA_SHOWN_TYPES];
	/* What each is: "stream.event.context", "event.context", "event.fields". */
	struct strata_ctf_cursor cursor;
};

/* A buffer that grows. */
struct strata_buffer {
	char *bytes;
	size_t used;
	size_t room;
	bool no_memory; /* what did not fit is missing */
};

/* Room for @bytes more; NULL: out of memory, which the buffer remembers. */
char *strata_buffer_room(struct strata_buffer *buffer, size_t bytes);
void strata_buffer_free(struct strata_buffer *buffer);

/* A source, before the first event: for outputs that declare them. */
struct strata_shown_source {
	const char *name; /* fit to be shown */
	const char *layer;
	uint32_t domain;
	uint32_t nr_cpus;
};

struct strata_event_writer {
	/* What comes first, and last; either may be NULL. */
	void (*begin)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_source *sources, size_t nr_sources);
	void (*event)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_event *event);
	void (*end)(struct strata_event_writer *writer, struct strata_buffer *buffer);
	void (*free)(struct strata_event_writer *writer);
};

#endif /* STRATA_MERGE_OUTPUTS_EVENT_WRITER_H */
