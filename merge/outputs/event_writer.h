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
	size_t first;                       /* the first field shown */
	const bool *hidden;                 /* for each field */
	struct strata_ctf_cursor cursor;    /* at the first field shown */
	/* A writer may store its output of them here for the packet's other events: empty when the
	 * packet begins.  NULL: not available. */
	struct strata_buffer *memo;
};

struct strata_shown_event {
	uint64_t ns;           /* since 1970 */
	bool has_time;         /* false: its stream has no clock */
	bool is_first;         /* of all */
	uint64_t previous_ns;  /* of the previous event; its own if it is the first */
	uint64_t bound_ns;     /* largest error of the time; UINT64_MAX: unknown */
	uint64_t run_bound_ns; /* the part of it that all events of the stream share */
	bool unordered;        /* it may have happened before the previous event */
	bool late;             /* later events have already been shown */
	const char *source;    /* "host1/g1"; safe to print */
	size_t clock_group;    /* events of one group have one clock */
	size_t source_index;   /* of all sources, from 0 */
	const char *layer;     /* "xen", "kernel", "app"; "": unknown */
	const char *name;      /* any bytes: escape it */
	const char *format;    /* of its message, for message.h; NULL: it has none */
	size_t class_index;    /* index in all classes of its source's metadata, if it has one */
	uint32_t cpu;          /* of its stream: physical or virtual, depending on the layer */
	uint32_t pcpu, domain, vcpu;
	/* How to read these three from the event; NULL: they are the run's. */
	const struct strata_place *place;
	struct strata_shown_path *path; /* to find its pCPU; NULL: it is the run's */
	bool has_pcpu;                  /* the pCPU is in its header */
	/* Bits of the fields of types[0] that only repeat one of these three. */
	uint64_t place_fields;
	struct strata_shown_packet packet;
	/* Fields: consecutive types from the cursor on, each NULL or a structure. */
	const struct strata_ctf_type *types[STRATA_SHOWN_TYPES];
	/* The name of each: "stream.event.context", "event.context", "event.fields". */
	struct strata_ctf_cursor cursor;
};

/* The slow path of strata_buffer_room(): the buffer is too small. */
char *strata_buffer_grow(struct strata_buffer *buffer, size_t bytes);

/* Returns room for @bytes more; NULL: out of memory, which the buffer remembers. */
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

/* A source, passed before the first event to outputs that declare sources. */
struct strata_shown_source {
	const char *name; /* safe to print */
	const char *layer;
	uint32_t domain;
	bool knows_places; /* some of its events have a pCPU, domain or vCPU */
	/* By domain number below STRATA_SHOWN_DOMAINS; NULL elements: unknown. NULL: no domain has
	 * a name. */
	const char *const *domain_names;
	uint64_t bound_ns;    /* largest of its events' times; UINT64_MAX: unknown */
	const uint32_t *cpus; /* of its streams, ascending */
	size_t nr_cpus;
	const struct strata_ctf_metadata *metadata; /* of its trace; NULL: none */
	/* From its trace's environment: arbitrary bytes. NULL: absent. */
	const char *hostname, *procname;
	const char *process;    /* name of the process, if a Strata application; likewise */
	bool has_vpid, has_pid; /* pid: of a Strata application, according to the kernel */
	int64_t vpid, pid;
};

/* A loss of a stream. */
struct strata_shown_loss {
	const struct strata_loss *loss;
	bool has_time;      /* false: its stream has no clock */
	const char *source; /* as in an event, as are these: */
	size_t source_index;
	const char *layer;
	uint32_t cpu;
	const char *stream; /* name of its file: arbitrary bytes */
	uint64_t bound_ns;  /* of each of its times; UINT64_MAX: unknown */
};

struct strata_event_writer {
	/* Write the start and the end; either may be NULL. The sources stay valid until the end. */
	void (*begin)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_source *sources, size_t nr_sources);
	void (*event)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_event *event);
	/* Several threads may call it, like event. */
	void (*loss)(struct strata_event_writer *writer, struct strata_buffer *buffer,
		     const struct strata_shown_loss *loss);
	void (*end)(struct strata_event_writer *writer, struct strata_buffer *buffer);
	void (*free)(struct strata_event_writer *writer);
};

/* Visits the fields of an event's packet as one structure. False: they exceed the packet. */
bool strata_shown_packet_visit(struct strata_field_visitor *visitor,
			       const struct strata_shown_packet *packet);

#endif /* STRATA_MERGE_OUTPUTS_EVENT_WRITER_H */
