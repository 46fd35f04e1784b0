/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - a recording, in memory and on disk.
 *
 * A recording is a directory: `recording.json`, and a CTF 1.8 trace for each source (the
 * hypervisor, each kernel) in a directory named after it, with one stream file for each CPU,
 * `cpu_N`. recording.json is replaced as a whole (rename), never in place. docs/formats.md
 * describes all files.
 *
 * Event classes are only in the CTF metadata.  Loading a recording does not read them:
 * strata_source_load_events() does, for `strata recover`, which writes more packets of them.
 *
 * The recorder fills and saves it; readers load it.  The files are hostile: every table has been
 * checked when load returns.
 */
#ifndef STRATA_MERGE_RECORDING_H
#define STRATA_MERGE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/event.h>
#include <strata/packet.h>

#include "base/error.h"
#include "recording/kernel_counter.h"
#include "xen/exit_reasons.h"

#define STRATA_RECORDING_FILE "recording.json"
/* The functions of dom0's kernel by address, as kallsyms has them; it may be missing. */
#define STRATA_RECORDING_KALLSYMS "dom0.kallsyms"

/*
 * Limits of every recording, so that a hostile one cannot claim much memory.  The recorder divides
 * them among users and domains (consumerd/shares/principal.h), and never writes more than the
 * loader accepts.  An event's description takes strata_event_packed_bytes().
 */
#define STRATA_SOURCES_MAX                  16384u
#define STRATA_STREAMS_MAX                  65536u /* of all sources together */
#define STRATA_SOURCE_EVENTS_MAX            4096u  /* a source */
#define STRATA_SOURCE_STREAMS_MAX           4096u
#define STRATA_SOURCE_DESCRIPTION_BYTES_MAX (1u << 20)
#define STRATA_DESCRIPTION_BYTES_MAX        (32u << 20) /* of all sources together */
#define STRATA_CPU_MAX                      0xfffeu

/* recording.json takes at most 160 bytes for a stream, 1.2 KiB for the rest of a source, and 40
 * bytes for an event of an imported source.  Version 1 also contains event classes: 100 MiB. */
#define STRATA_RECORDING_BYTES_MAX (128l << 20)

enum strata_layer {
	STRATA_LAYER_XEN,
	STRATA_LAYER_KERNEL,
	STRATA_LAYER_APP,
};

struct strata_stream {
	uint32_t cpu; /* physical CPU for the hypervisor, else the vCPU's number */
	uint64_t packets;
	uint64_t events;
	uint64_t lost;
	uint64_t bad_packets; /* packets that the recorder refused */
};

/* Why a source ended before its recording did. */
enum strata_source_end {
	STRATA_SOURCE_STAYED, /* until the end */
	STRATA_SOURCE_DESTROYED,
	STRATA_SOURCE_SHUT_DOWN,
	STRATA_SOURCE_REBOOTED,
	STRATA_SOURCE_SUSPENDED, /* saved, or migrated away */
	STRATA_SOURCE_CRASHED,
	STRATA_SOURCE_UNLOADED,
	STRATA_SOURCE_EXITED,   /* an application's process */
	STRATA_SOURCE_LEFT_OUT, /* it could not be recorded; the recorder said why */
	STRATA_NR_SOURCE_ENDS,
};

/* The data that determine the length of an event's records. */
struct strata_event_shape {
	uint32_t id;
	uint16_t number;      /* in records in place of the id, if the source numbers its events */
	uint16_t fixed_bytes; /* strata_event_payload_bytes() */
	uint8_t first_variable; /* strata_event_first_variable() */
	bool variable;
};

/* Records of a source that numbers its events contain the number in place of the id. */
struct strata_event_number {
	uint32_t id;
	uint32_t number;
};

struct strata_source {
	char name[80]; /* of its directory: "xen", "dom0", "g1" */
	/* It recorded nothing and left: another source may take its index. Only the recorder and
	 * followers see such sources. */
	bool vacant;
	/* The tables on the disk do not name it yet, as if it were vacant.  Only the recorder sees
	 * such sources. */
	bool unlisted;
	enum strata_layer layer;
	uint32_t domain;      /* its domain's number; the hypervisor's is DOMID_XEN, 0x7ff2 */
	char domain_name[80]; /* "xen", "Domain-0", "g1"; any UTF-8 */
	uint8_t uuid[16];     /* of its CTF trace */
	/* Of an application's process, according to the kernel; 0: no application, or unknown. */
	int32_t pid;
	uint32_t uid;                 /* of that process, according to the kernel */
	enum strata_header_form form; /* of all its records' headers */
	uint32_t contexts; /* of a kernel's records, besides the thread (kernel_context.h) */
	struct strata_counter_fields counters; /* of them, the names of counters */
	uint64_t since_ticks; /* the host's TSC before which it recorded nothing; 0: unknown */
	/* The host's TSC when it appeared; 0: it was present from the beginning. */
	uint64_t came_ticks;
	/* The host's TSC when it ended; 0: it stayed to the end. */
	uint64_t went_ticks;
	enum strata_source_end ended;
	/* Threads migrate: a record's clock may have been read on another CPU than the stream's. */
	bool migrates;
	enum strata_exits exits; /* numbering of VM exit reasons */
	bool has_events;         /* strata_source_load_events() was called */
	/* Ids by event number, from recording.json; a trace's metadata uses the numbers as
	 * ids. */
	struct strata_event_number *numbers;
	size_t nr_numbers;
	/* Sorted by id, checked; each no longer than its fields and its format. */
	struct strata_event_desc **events;
	struct strata_event_shape *shapes; /* of the same events; small, for lookups by record */
	size_t nr_events;
	/* Readers of CTF may use an event's id as an array index. So records contain, in place of
	 * the id, the event's number, counted from 0. Maps each number to the event's index plus
	 * one. NULL: records contain ids. */
	uint16_t *by_number;
	uint32_t description_bytes; /* of the events */
	/* Of the hypervisor's, while it is written; NULL: guests may fill the table. */
	struct strata_guest_numbers *guest_numbers; /* guest_numbers.h */
	struct strata_stream *streams;              /* sorted by cpu */
	size_t nr_streams;
};

/* Largest number of a recording's unreadable sources to list. */
#define STRATA_FAULTS_NAMED 5u

struct strata_recording {
	uint32_t tsc_khz; /* of the host */
	/* Linux's boot_id of the kernel that recorded: recordings of one boot share the host's
	 * counter.  Zero: unknown. */
	uint8_t boot[16];
	uint64_t anchor_ticks;       /* a host TSC ... */
	uint64_t anchor_realtime_ns; /* ... and CLOCK_REALTIME of dom0 at that instant */
	uint64_t ended_ticks;        /* the host's TSC when everything had been read; 0: unknown */
	struct strata_source *sources;
	size_t nr_sources;
	size_t nr_faults; /* sources in the file that could not be read */
	struct strata_error faults[STRATA_FAULTS_NAMED];
};

const char *strata_layer_name(enum strata_layer layer);

/* The text for recording.json and for people: "domain destroyed"; NULL: invalid. */
const char *strata_source_end_text(enum strata_source_end ended);

/* Frees what a recording owns, not the structure itself. */
void strata_recording_clear(struct strata_recording *recording);

/* Whether a source is of that layer. Without one of the hypervisor, the machine ran without Xen. */
bool strata_recording_has_layer(const struct strata_recording *recording, enum strata_layer layer);

/* Adds a source; it and all of its fields are zero but the name.  NULL: out of memory.
 * Pointers to sources from before are invalid afterwards. */
struct strata_source *strata_recording_add_source(struct strata_recording *recording,
						  const char *name);

/* Adds a stream for a CPU; NULL: out of memory.  Earlier stream pointers become invalid. */
struct strata_stream *strata_source_add_stream(struct strata_source *source, uint32_t cpu);

/* The stream of a CPU, or NULL. */
struct strata_stream *strata_source_stream(const struct strata_source *source, uint32_t cpu);

/*
 * Whether losses are all that a recording has of a source: the recorder had no room for its
 * packets, and made neither a directory nor metadata for it.
 * @error: OUT, in that case, how many events it lost
 */
bool strata_source_is_only_lost(const struct strata_source *source, struct strata_error *error);

/* Removes streams without packets, losses and refused packets. */
void strata_source_drop_empty_streams(struct strata_source *source);

/* A copy of a description that ends after its fields and its format, for many to be kept; the
 * structure's other members must not be used.  To be freed; NULL: out of memory. */
struct strata_event_desc *strata_event_copy(const struct strata_event_desc *event);

/* Checks an event (kinds, sizes, names that are C identifiers, payload bound) and adds a copy, in
 * order of id. 0, or -1 with the reason, also if the id exists. */
int strata_source_add_event(struct strata_source *source, const struct strata_event_desc *event,
			    struct strata_error *error);

/* Makes records contain numbers of the source's events instead of ids; before the first event.
 * strata_source_add_event() assigns the next number. 0, or -1: out of memory. */
int strata_source_number_events(struct strata_source *source, struct strata_error *error);

/* Adds an event to such a source, with an unused number. 0 or -1. */
int strata_source_add_numbered(struct strata_source *source, const struct strata_event_desc *event,
			       uint64_t number, struct strata_error *error);

/* Frees a source's event table. */
void strata_source_clear_events(struct strata_source *source);

/* Frees what a source owns, not the structure itself. */
void strata_source_clear(struct strata_source *source);

/*
 * Reads the event classes and the form of the headers of a loaded source from its CTF metadata,
 * RAW/NAME/metadata; once, then it does nothing.
 * 0, or -1 with the reason: the metadata is missing, invalid, or not what a recorder writes.
 */
int strata_source_load_events(struct strata_source *source, const char *raw,
			      struct strata_error *error);

struct strata_ctf_event_class;

/* Describes an event class of a recorded source's metadata as its source did.  0, or -1 with the
 * reason: a recorder does not write such a class. */
int strata_recorded_event_describe(const struct strata_ctf_event_class *class,
				   struct strata_event_desc *event, struct strata_error *error);

struct strata_ctf_type;

/* Finds which contexts the records of a kernel have, by the context in its metadata.  Counters are
 * numbered from 0.  @contexts, @counters: OUT.  0, or -1 with the reason: a recorder does not write
 * such a context. */
int strata_recorded_contexts(const struct strata_ctf_type *context, uint32_t *contexts,
			     struct strata_counter_fields *counters, struct strata_error *error);

/* The event with that id, or NULL.  In the hypervisor's layer, adds a missing id of Xen's own trace
 * points from the table of known names, or as plain words; that invalidates earlier pointers to the
 * source's events. */
const struct strata_event_desc *strata_source_event(struct strata_source *source, uint32_t id);

/* The shape of that event, or NULL; adds nothing. */
const struct strata_event_shape *strata_source_shape(const struct strata_source *source,
						     uint32_t id);

/* The same by a record's id or number. */
const struct strata_event_shape *strata_source_record_shape(const struct strata_source *source,
							    uint32_t id_or_number);

/* The description that a shape of the source belongs to. */
static inline const struct strata_event_desc *
strata_shape_event(const struct strata_source *source, const struct strata_event_shape *shape)
{
	return source->events[shape - source->shapes];
}

/*
 * Returns the bytes of a payload of that shape, unpadded.
 * @payload: @available readable bytes, hostile
 * Returns -1 if the payload is longer than that.
 */
int64_t strata_payload_length(const struct strata_source *source,
			      const struct strata_event_shape *shape, const uint8_t *payload,
			      uint32_t available);

/* The context before the payload of each record of a layer (hypervisor: domain, vcpu; kernel: tid;
 * application: vpid, vtid).  Never NULL. */
const struct strata_event_desc *strata_layer_context(enum strata_layer layer);

/* Describes the context of a source's records: its layer's, and the contexts that were chosen for
 * it. */
void strata_source_context(const struct strata_source *source, struct strata_event_desc *context);

struct strata_dir;

/* Writes DIR/recording.json (to a temporary name, then renamed).  0 or -1. */
int strata_recording_save(const struct strata_recording *recording, const struct strata_dir *dir,
			  struct strata_error *error);

/*
 * The same in steps of one source, for callers that must not block for all of it.  Sources may
 * change and come meanwhile; each is written in its state at its turn.
 * begin: NULL with the reason
 * step:  @bytes: OUT, number of bytes of its text, which is written together with others. Returns
 * 1: more follows; 0: the file is complete and in place; -1. After 0 and -1 the save is freed drop:
 * abandons the save; may be NULL
 */
struct strata_recording_save;
struct strata_recording_save *strata_recording_save_begin(const struct strata_recording *recording,
							  const struct strata_dir *dir,
							  struct strata_error *error);
int strata_recording_save_step(struct strata_recording_save *save, size_t *bytes,
			       struct strata_error *error);
void strata_recording_save_drop(struct strata_recording_save *save);

/*
 * Reads DIR/recording.json and checks all of it; event tables stay empty.  A source that cannot be
 * read is left out, and added to @recording's faults, which the caller reports. If no source can be
 * read, it fails. 0 or -1.
 */
int strata_recording_load(struct strata_recording *recording, const char *dir,
			  struct strata_error *error);
int strata_recording_load_in(struct strata_recording *recording, const struct strata_dir *dir,
			     struct strata_error *error);

/* The same, for followers of the recording: each source keeps its index in the file; absent ones
 * are vacant. */
int strata_recording_load_places(struct strata_recording *recording, const char *dir,
				 struct strata_error *error);

/* Reports the faults. */
void strata_recording_tell_faults(const struct strata_recording *recording,
				  strata_complain_fn *complain, void *data);

#endif /* STRATA_MERGE_RECORDING_H */
