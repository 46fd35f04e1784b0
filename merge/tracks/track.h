/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - tracks: rows of a picture of hosts over time, the slices that lie on them, and the
 * sinks that take them in (a page, Perfetto's form, Chrome's).
 *
 * Slices of one track never overlap, and come in the order of their ends, so of their begins, too.
 * What would overlap (requests at the same time, interrupts within interrupts) is on further tracks
 * of the same name.
 *
 * All text is safe to show: control characters and bytes that are no ASCII are escaped, and names
 * are cut to STRATA_TRACK_NAME.
 */
#ifndef STRATA_MERGE_TRACKS_TRACK_H
#define STRATA_MERGE_TRACKS_TRACK_H

#include "state/span.h"

#define STRATA_NO_TRACK   UINT32_MAX
#define STRATA_TRACK_NAME 128u

enum strata_track_kind {
	STRATA_TRACK_GROUP, /* has no slices: a host, its physical CPUs, a domain, a program */
	STRATA_TRACK_PCPU,
	STRATA_TRACK_REQUESTS,
	STRATA_TRACK_VCPU,
	STRATA_TRACK_EXITS,
	STRATA_TRACK_HYPERCALLS,
	STRATA_TRACK_IRQS,
	STRATA_TRACK_SOFTIRQS,
	STRATA_TRACK_SOURCE, /* a stream of which only losses are known */
	STRATA_TRACK_TASK,
	STRATA_TRACK_SYSCALLS,
	STRATA_TRACK_QUEUE, /* has no slices: how many wait for a CPU */
	STRATA_NR_TRACK_KINDS,
};

/* Their names in files. */
extern const char *const strata_track_kind_names[STRATA_NR_TRACK_KINDS];

struct strata_track {
	uint32_t id;     /* from 0, in the order in which tracks appear */
	uint32_t parent; /* STRATA_NO_TRACK: none */
	enum strata_track_kind kind;
	char name[STRATA_TRACK_NAME], detail[STRATA_TRACK_NAME];
	const char *host, *domain, *process; /* "": none */
	uint64_t rank;                       /* among its siblings of the same kind: ascending */
	uint32_t place;                      /* likewise, of tracks of one name: 0 is the first */
	uint64_t slices, busy_ns;            /* that were on it; and running, of a task */
	uint64_t end_ns;                     /* of the last one */
	uint32_t next;                       /* the further track of the same name */
	const struct strata_task *task;      /* NULL: it is none of a task */
};

/* How a slice is coloured. */
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
	STRATA_HUE_REQUEST, /* of a name, by `index` */
	STRATA_HUE_DOMAIN,  /* of a domain, by `index` */
	STRATA_NR_HUES,
};

extern const char *const strata_hue_names[STRATA_NR_HUES];

struct strata_track_category {
	enum strata_hue hue;
	uint32_t index;
	uint32_t name; /* of strata_tracks' names */
};

struct strata_track_slice {
	uint32_t track, name, category;
	uint64_t from_ns, to_ns;
	uint64_t bound_ns;  /* of its length; UINT64_MAX: nobody knows */
	const char *detail; /* lines of KEY=VALUE; "": none; during the call */
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
	uint64_t discarded; /* 0: nobody knows how many */
};

/* How many wait, from a time on; told if a sink wants it, in order for each track. */
struct strata_track_queue {
	uint32_t track;
	uint64_t from_ns, waiting;
};

struct strata_tracks;

/* Takes in tracks, before anything lies on them, and what lies on them.  Any may be NULL.  A sink
 * remembers its own failures. */
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
