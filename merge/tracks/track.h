/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - tracks: the rows of a timeline of hosts, the slices on them, and the sinks that receive
 * both (the page, Perfetto's format, Chrome's).
 *
 * Slices of one track never overlap. They come in the order of their ends, and so also of their
 * begins. Slices that would overlap (concurrent requests, nested interrupts) go to overflow tracks
 * with the same name.
 *
 * All text is safe to print: control characters and non-ASCII bytes are escaped, and names are
 * truncated to STRATA_TRACK_NAME.
 */
#ifndef STRATA_MERGE_TRACKS_TRACK_H
#define STRATA_MERGE_TRACKS_TRACK_H

#include "state/span.h"

#define STRATA_NO_TRACK   UINT32_MAX
#define STRATA_TRACK_NAME 128u

enum strata_track_kind {
	STRATA_TRACK_GROUP, /* without slices: a host, its physical CPUs, a domain, a program */
	STRATA_TRACK_PCPU,
	STRATA_TRACK_REQUESTS,
	STRATA_TRACK_MESSAGES,
	STRATA_TRACK_VCPU,
	STRATA_TRACK_EXITS,
	STRATA_TRACK_HYPERCALLS,
	STRATA_TRACK_IRQS,
	STRATA_TRACK_SOFTIRQS,
	STRATA_TRACK_SOURCE, /* a stream of which only losses are known */
	STRATA_TRACK_TASK,
	STRATA_TRACK_SYSCALLS,
	STRATA_TRACK_QUEUE, /* without slices: the number of waiters for a CPU */
	STRATA_NR_TRACK_KINDS,
};

/* The kinds' names in files. */
extern const char *const strata_track_kind_names[STRATA_NR_TRACK_KINDS];

struct strata_track {
	uint32_t id;     /* from 0, in order of creation */
	uint32_t parent; /* STRATA_NO_TRACK: none */
	enum strata_track_kind kind;
	char name[STRATA_TRACK_NAME], detail[STRATA_TRACK_NAME];
	const char *host, *domain, *process; /* "": none */
	uint64_t rank;                  /* sort key among siblings of the same kind, ascending */
	uint32_t place;                 /* among tracks of one name: 0 is the first */
	uint64_t slices, busy_ns;       /* number of slices; running time, of a task */
	uint64_t end_ns;                /* end of the last slice */
	uint32_t next;                  /* the next overflow track */
	uint64_t owner;                 /* whose share of the tracks those below it count for */
	const struct strata_task *task; /* NULL: not a task's track */
};

/* What determines the colour of a slice. */
enum strata_hue {
	STRATA_HUE_RUNNING,
	STRATA_HUE_WAITING,
	STRATA_HUE_BLOCKED,
	STRATA_HUE_PAUSED,
	STRATA_HUE_UNKNOWN,
	STRATA_HUE_IDLE,
	STRATA_HUE_EXIT,
	STRATA_HUE_HYPERCALL,
	STRATA_HUE_SYSCALL,
	STRATA_HUE_IRQ,
	STRATA_HUE_SOFTIRQ,
	STRATA_HUE_MESSAGE,
	STRATA_HUE_REQUEST, /* by name: `index` */
	STRATA_HUE_DOMAIN,  /* by domain: `index` */
	STRATA_NR_HUES,
};

extern const char *const strata_hue_names[STRATA_NR_HUES];

struct strata_track_category {
	enum strata_hue hue;
	uint32_t index;
	uint32_t name; /* index in the names of strata_tracks */
};

struct strata_track_slice {
	uint32_t track, name, category;
	uint64_t from_ns, to_ns;
	uint64_t bound_ns;  /* of its length, or of a message's time; UINT64_MAX: unknown */
	const char *detail; /* lines of KEY=VALUE, or ""; valid during the call */
};

enum strata_arrow_kind {
	STRATA_ARROW_WAKEUP,
	STRATA_ARROW_EVENT_CHANNEL,
	STRATA_ARROW_INTERRUPT,
	STRATA_ARROW_HELD, /* from the vCPU that held a physical CPU to the one that waited */
	STRATA_NR_ARROWS,
};

struct strata_track_arrow {
	enum strata_arrow_kind kind;
	uint32_t from_track, to_track;
	uint64_t from_ns, to_ns;
	uint64_t bound_ns;
};

struct strata_track_loss {
	uint32_t track;
	uint64_t from_ns, to_ns;
	uint64_t discarded; /* 0: unknown number */
};

/* The number of waiters from a time on; passed only to sinks that want it, in order per track. */
struct strata_track_queue {
	uint32_t track;
	uint64_t from_ns, waiting;
};

struct strata_tracks;

/* Receives tracks, each before its first slice, and the slices. Any callback may be NULL. A sink
 * stores its own errors. */
struct strata_track_sink {
	void (*track)(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track *track);
	void (*slice)(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track_slice *slice);
	void (*arrow)(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track_arrow *arrow);
	void (*queue)(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track_queue *queue);
	void (*loss)(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		     const struct strata_track_loss *loss);
};

#endif /* STRATA_MERGE_TRACKS_TRACK_H */
