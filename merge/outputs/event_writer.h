/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_writer.h - the interface of outputs that write one piece of text for each event: text, JSON
 * lines, Perfetto, Chrome.
 *
 * An event comes with names and places resolved, from whatever trace it is; its fields are still
 * bytes, which fields.h decodes.  A writer appends to a buffer.  The buffers of several slices of
 * the timeline are concatenated, so a writer must not depend on earlier output, except through
 * `previous_ns`.
 *
 * Synchronisation: begin, end and free are called by one thread.  Several threads may call
 * event at once, each with a buffer of its own; a writer does not change meanwhile.
 */
#ifndef STRATA_MERGE_OUTPUTS_EVENT_WRITER_H
#define STRATA_MERGE_OUTPUTS_EVENT_WRITER_H

#include "ctf/values/ctf_cursor.h"
#include "base/error.h"
#include "ctf/values/fields.h"
#include "base/loss.h"
#include "base/put_text.h"

struct strata_place;
struct strata_shown_path;

#define STRATA_SHOWN_TYPES   3u
#define STRATA_SHOWN_UNKNOWN UINT32_MAX /* of a number below */
#define STRATA_SHOWN_DOMAINS 65536u

/* A buffer that grows. */
struct strata_buffer {
	char *bytes;
	size_t used;
	size_t room;
	bool no_memory;                /* output that did not fit is missing */
	struct strata_put_clock clock; /* for writers: the last second that was written */
};

/* The fields of an event's packet, without those of its position and size. */
struct strata_shown_packet {
	const struct strata_ctf_type *type; /* a structure; NULL: there are no such fields */
	size_t first;                       /* field that is shown */
	const bool *hidden;                 /* for each field */
	struct strata_ctf_cursor cursor;    /* at the first that is shown */
	/* A writer may store its output of them here for the packet's other events: empty when the
	 * packet begins.  NULL: not available. */
	struct strata_buffer *memo;
};

struct strata_shown_event {
	uint64_t ns;           /* since 1970 */
	bool has_time;         /* false: its stream has no clock */
	bool is_first;         /* of all */
	uint64_t previous_ns;  /* of the event before; its own if it is the first */
	uint64_t bound_ns;     /* largest error of the time; UINT64_MAX: unknown */
	uint64_t run_bound_ns; /* the part of it that all events of the stream share */
	bool unordered;        /* it may have happened before the event before */
	bool late;             /* later events have already been shown */
	const char *source;    /* "host1/g1"; safe to print */
	size_t clock_group;    /* events of one group have one clock */
	size_t source_index;   /* of all sources, from 0 */
	const char *layer;     /* "xen", "kernel", "app"; "": unknown */
	const char *name;      /* any bytes: escape it */
	size_t class_index;    /* of all events of its source's metadata, if it has one */
	uint32_t cpu;          /* of its stream: physical or virtual, as its layer has it */
	uint32_t pcpu, domain, vcpu;
	const struct strata_place *place; /* where these three are read; NULL: they are the run's */
	struct strata_shown_path *path;   /* to find its pCPU; NULL: likewise */
	bool has_pcpu;                    /* in its header */
	uint64_t place_fields; /* of types[0]: bits of those that only say one of the three */
	struct strata_shown_packet packet;
	/* Fields: types that follow each other from the cursor on, each NULL or a structure. */
	const struct strata_ctf_type *types[STRATA_SHOWN_TYPES];
	/* What each is: "stream.event.context", "event.context", "event.fields". */
	struct strata_ctf_cursor cursor;
};

/* The same as strata_buffer_room(), where the buffer is too small. */
char *strata_buffer_grow(struct strata_buffer *buffer, size_t bytes);

/* Room for @bytes more; NULL: out of memory, which the buffer remembers. */
static inline char *strata_buffer_room(struct strata_buffer *buffer, size_t bytes)
{
	if (__builtin_expect(buffer->room - buffer->used < bytes, 0))
		return strata_buffer_grow(buffer, bytes);
	return buffer->bytes + buffer->used;
}

/* Appends what was written into the room, up to @end. */
static inline void strata_buffer_advance(struct strata_buffer *buffer, const char *end)
{
	buffer->used = (size_t)(end - buffer->bytes);
}

static inline void strata_buffer_put(struct strata_buffer *buffer, const char *bytes, size_t length)
{
	char *out = strata_buffer_room(buffer, length);

	if (out)
		strata_buffer_advance(buffer, strata_put_bytes(out, bytes, length));
}

void strata_buffer_text(struct strata_buffer *buffer, const char *text);
void strata_buffer_free(struct strata_buffer *buffer);

/* A source, before the first event: for outputs that declare them. */
struct strata_shown_source {
	const char *name; /* safe to print */
	const char *layer;
	uint32_t domain;
	bool knows_places; /* pCPU, domain or vCPU of some of its events */
	/* By number, STRATA_SHOWN_DOMAINS; NULL for those without.  NULL: no domain has a name. */
	const char *const *domain_names;
	uint64_t bound_ns;    /* of its events' times; UINT64_MAX: unknown */
	const uint32_t *cpus; /* of its streams, ascending */
	size_t nr_cpus;
	const struct strata_ctf_metadata *metadata; /* of its trace; NULL: it has none */
	/* As its trace's environment has them: any bytes.  NULL: it does not. */
	const char *hostname, *procname;
	const char *process;    /* the name of the one of Strata's applications, likewise */
	bool has_vpid, has_pid; /* pid: of one of Strata's applications, by the kernel's word */
	int64_t vpid, pid;
};

/* Something that is missing from a stream. */
struct strata_shown_loss {
	const struct strata_loss *loss;
	bool has_time;      /* false: its stream has no clock */
	const char *source; /* as an event's, as are these: */
	size_t source_index;
	const char *layer;
	uint32_t cpu;
	const char *stream; /* the name of its file: any bytes */
	uint64_t bound_ns;  /* each of its times is off by no more; UINT64_MAX: not known */
};

struct strata_event_writer {
	/* What comes first, and last; either may be NULL.  The sources stay until the end. */
	void (*begin)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_source *sources, size_t nr_sources);
	void (*event)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_event *event);
	/* Several threads may call it, as event. */
	void (*loss)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		     const struct strata_shown_loss *loss);
	void (*end)(struct strata_event_writer *writer, struct strata_buffer *buffer);
	void (*free)(struct strata_event_writer *writer);
};

/* Walks through the fields of an event's packet as one structure.  False: they do not fit. */
bool strata_shown_packet_visit(struct strata_field_visitor *visitor,
			       const struct strata_shown_packet *packet);

#endif /* STRATA_MERGE_OUTPUTS_EVENT_WRITER_H */
