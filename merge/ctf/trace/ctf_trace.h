/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_trace.h - one CTF 1.8 trace: a directory with metadata, and a file for each
 * stream. It does not change once it is open, so that any number of readers (ctf_reader.h), also in
 * several threads, can share it.
 */
#ifndef STRATA_MERGE_CTF_TRACE_H
#define STRATA_MERGE_CTF_TRACE_H

#include <sys/types.h>

#include "base/partition.h"
#include "ctf/trace/ctf_header.h"
#include "ctf/trace/ctf_packet.h"
#include "ctf/values/ctf_program.h"
#include "base/error.h"
#include "xen/exit_reasons.h"

/* How a clock's cycles are converted to nanoseconds since 1970, or since another origin of the
 * clock. */
struct strata_ctf_time {
	uint64_t frequency;  /* Hz */
	int64_t base_ns;     /* the clock's offset in ns, rounded down; and the remainder: */
	uint64_t base_rest;  /* 1 / frequency ns */
	uint64_t cycles_max; /* more are beyond the times that readers of CTF support */
};

/* The last of these times, in 2262. */
#define STRATA_CTF_NS_KNOWN ((uint64_t)INT64_MAX)

/* An event, ready to be read. */
struct strata_ctf_class {
	const struct strata_ctf_event_class *event;
	struct strata_ctf_program program; /* of contexts and payload */
	uint64_t id;                       /* copy of the event's, for locality */
	uint32_t index;                    /* of the kind's classes */
};

/* The events of one kind of stream. */
struct strata_ctf_kind_of_stream {
	const struct strata_ctf_stream_class *class;
	struct strata_ctf_header header;
	struct strata_ctf_class *classes; /* as class->events: by id */
	bool ids_are_dense;               /* events[id].id is id */
	struct strata_ctf_time time;      /* of its events */
	int32_t clock;                    /* index in the metadata; if has_time */
	bool has_time;                    /* false: its events have no time */
};

struct strata_ctf_trace;

/* An event's time, converted. */
struct strata_ctf_when {
	uint64_t ns;
	uint32_t tick;    /* of the host, within ns: see strata_realtime_tick() */
	uint64_t bound;   /* largest error, in the converter's unit; UINT64_MAX: unknown */
	bool is_doubtful; /* see struct strata_host_time */
	bool is_wrong;    /* it was clamped by more than its bound: the clock's map is wrong */
};

/* A sum of bounds; UINT64_MAX: unknown, or too large. */
static inline uint64_t strata_ctf_add_clamped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Clamps a time to the last one of its stream, which it follows, and widens its bound by as much:
 * the true time stays within it.
 * @last:  IN/OUT
 * @bound: IN/OUT, in the unit of the time; UINT64_MAX: not known
 * Returns by how much the time preceded the last one; 0: unchanged.
 */
static inline uint64_t strata_ctf_clamp(uint64_t *last, uint64_t *time, uint64_t *bound)
{
	const uint64_t back = *last > *time ? *last - *time : 0;

	*bound = strata_ctf_add_clamped(*bound, back);
	*time += back;
	*last = *time;
	return back;
}

/*
 * Converts the cycles of a stream's events to ns, if a better conversion than its metadata's is
 * known.
 */
struct strata_ctf_converter {
	/* Creates the state for a reader that reads the stream in order. NULL: out of memory. */
	void *(*begin)(const struct strata_ctf_converter *converter);
	/* Converts the next reading. No time is before that of the previous reading.
	 * @clock: of the packet's kind of stream: the packets of a file may be of several clocks */
	void (*convert)(void *state, const struct strata_ctf_time *clock, uint64_t cycles,
			struct strata_ctf_when *when);
	/* Returns the approximate time of a later reading in ns; the state does not change.
	 * @bound_ns: OUT, its largest error */
	uint64_t (*ns_later)(const void *state, const struct strata_ctf_time *clock,
			     uint64_t cycles, uint64_t *bound_ns);
	/* Returns a bound as ns, rounded up; UINT64_MAX: not known.  NULL: bounds are ns. */
	uint64_t (*bound_ns)(const struct strata_ctf_converter *converter, uint64_t bound);
	void (*end)(void *state);
	bool from_start; /* a reader must begin at the stream's beginning */
};

/* A stream's file. */
struct strata_ctf_stream {
	const struct strata_ctf_trace *trace;
	const struct strata_ctf_converter *converter; /* owned by its creator; NULL: none */
	char *name;                                   /* of the file */
	int fd;                                       /* of stream_file.h alone, as the next two */
	dev_t device;
	ino_t inode;
	uint64_t bytes;      /* of the file when it was opened */
	uint64_t hole_bytes; /* bytes of the file that take no place on the disk */
	uint64_t bound_ns;   /* largest error of its own times */
	/* When it was written; 0: unknown. */
	uint64_t since_ns, until_ns;
	uint64_t discarded; /* total of events, if known independently of packets; or 0 */
	/* It belongs to one of Strata's recordings: its recorder gave each packet a larger sequence
	 * number than the previous one, and its true size. */
	bool is_recorded;
	uint64_t packets; /* in its recording's table; 0: unknown */
	bool has_cpu;     /* from its first packet */
	uint64_t cpu;
};

struct strata_ctf_trace {
	char *path;
	struct strata_ctf_metadata metadata;
	struct strata_ctf_kind_of_stream *kinds; /* as metadata.streams */
	struct strata_ctf_stream *streams;       /* by name */
	size_t nr_streams;
	uint64_t bytes;  /* of all of them */
	int open_flags;  /* of its files */
	void *recording; /* the recording that it is part of, whose times are one host's;
			    NULL: none */
	/* Traces of one group have one clock, which orders their events; and whether that clock is
	 * the set's common clock, or is converted to it. */
	size_t clock_group;
	size_t machine; /* the number of its machine, in its set */
	/* The first trace of its set by the same holder (timeline/holders.h); NULL: itself. */
	const struct strata_ctf_trace *holder;
	bool times_are_tied;
	uint64_t own_bound_ns; /* largest error of its own clock's offset from the machine's */
	/* Names of numbers: the numbering of VM exit reasons, if its recording has it, and the
	 * tables of event_names.h. */
	enum strata_exits vm_exits;
	struct strata_ctf_arena *names_arena;
	struct strata_number_names domains; /* of its host; domain_names.h sets it */
	struct strata_ctf_arena *domains_arena;
	struct strata_ctf_symbols symbols; /* which its opener may set */
	strata_complain_fn *complain;
	void *complain_data;
};

/*
 * Opens the trace in the directory @path.
 * @complain: receives non-fatal faults, from any thread that reads; may be NULL
 * NULL with the reason: no metadata, or unreadable metadata. A stream file that cannot be opened is
 * reported and left out.
 */
struct strata_ctf_trace *strata_ctf_trace_open(const char *path, strata_complain_fn *complain,
					       void *data, struct strata_error *error);

/* The same for a source of one of Strata's recordings: nothing in it is opened through a link,
 * which could lead to the reader's own files. */
struct strata_ctf_trace *strata_ctf_trace_open_recorded(const char *path,
							strata_complain_fn *complain, void *data,
							struct strata_error *error);

void strata_ctf_trace_close(struct strata_ctf_trace *trace);

/* Reports a message about a stream: "PATH/NAME: ...". */
void strata_ctf_complain(const struct strata_ctf_stream *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* An entry in the environment of traces that were converted together: traces with the same value
 * have their times on one clock already. */
#define STRATA_CTF_TIMELINE "strata_timeline"
/* Further entries there, with what was known about a trace when it was converted: a text shared by
 * all traces converted together; the name of its source; its position among them; and the positions
 * of the first traces of the same machine, and of the same clock. */
#define STRATA_CTF_MERGE   "strata_merge"
#define STRATA_CTF_SOURCE  "strata_source"
#define STRATA_CTF_PLACE   "strata_place"
#define STRATA_CTF_MACHINE "strata_machine"
#define STRATA_CTF_CLOCK   "strata_clock"
/* A hypervisor's trace of a recording has the names of guests: domain_name_7 = "g1". */
#define STRATA_CTF_DOMAIN_NAME "domain_name_"

/* Whether two traces were converted together, and are of one machine. */
bool strata_ctf_converted_alike(const struct strata_ctf_trace *a, const struct strata_ctf_trace *b);

/* Text or a number of the trace's environment; NULL and false: no entry of that name and kind. */
const char *strata_ctf_env_text(const struct strata_ctf_trace *trace, const char *name);
bool strata_ctf_env_number(const struct strata_ctf_trace *trace, const char *name, int64_t *number);

/* The last supported time: events beyond it end a merge. */
#define STRATA_CTF_NS_MAX (UINT64_MAX - 1)

/* Converts cycles to ns; clamped to the last time, and to 0 if before 1970. */
static inline uint64_t strata_ctf_ns(const struct strata_ctf_time *time, uint64_t cycles)
{
	__extension__ __int128 ns;
	uint64_t sum;

	/* Usually the clock counts nanoseconds, and nothing is out of range. */
	if (time->frequency == 1000000000u && time->base_ns >= 0 &&
	    !__builtin_add_overflow(cycles, (uint64_t)time->base_ns, &sum) &&
	    sum <= STRATA_CTF_NS_MAX)
		return sum;
	if (time->frequency == 1000000000u)
		ns = cycles;
	else
		/* Offset and cycles are rounded down together, once. */
		ns = (__int128)(((unsigned __int128)cycles * 1000000000u + time->base_rest) /
				time->frequency);
	ns += time->base_ns;
	if (ns < 0)
		return 0;
	return ns > STRATA_CTF_NS_MAX ? STRATA_CTF_NS_MAX : (uint64_t)ns;
}

/* The largest rounding error of a time, in ns. */
static inline uint64_t strata_ctf_rounding_ns(const struct strata_ctf_time *time)
{
	return 1000000000u % time->frequency != 0;
}

/* The event of an id, or NULL. */
static inline const struct strata_ctf_class *
strata_ctf_class_of(const struct strata_ctf_kind_of_stream *kind, uint64_t id)
{
	const size_t nr = kind->class->nr_events;
	size_t low;

	if (kind->ids_are_dense)
		return id < nr ? &kind->classes[id] : NULL;
	low = STRATA_PARTITION(i, 0, nr, kind->classes[i].event->id < id);
	return low < nr && kind->classes[low].event->id == id ? &kind->classes[low] : NULL;
}

#endif /* STRATA_MERGE_CTF_TRACE_H */
