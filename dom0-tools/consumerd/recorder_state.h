/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder_state.h - the recorder as its own files see it: recorder.c, recorder_*.c and takeover.c.
 *
 *   recorder.c          opens, adds rings, closes
 *   recorder_drain.c    divides the time: picks whose packet is taken next (drain/)
 *   recorder_sources.c  sources come and go
 *   recorder_save.c     writes the tables: metadata and recording.json
 *   recorder_sleep.c    lets programs wake it
 *   recorder_rotate.c   ends a recording and continues in another directory
 *   takeover.c          begins with what an earlier recorder wrote
 */
#ifndef STRATA_CONSUMERD_RECORDER_STATE_H
#define STRATA_CONSUMERD_RECORDER_STATE_H

#include "consumerd/drain/drain.h"
#include "consumerd/live_publisher.h"
#include "consumerd/recorder.h"

/* The rings of one principal.  Each turn goes on where the last one stopped. */
struct recorder_queue {
	struct principal *who;
	struct ring_stream **streams;
	size_t nr;
	size_t capacity;
	size_t next;             /* is polled first in the next turn */
	size_t looks;            /* from there on, in this turn */
	size_t unseen;           /* those that the next turns look at without a pause */
	size_t resume;           /* becomes next */
	uint64_t subbuf_bytes;   /* of the largest that its rings have or had */
	uint64_t written_before; /* what the principal had written when the recording began */
	uint64_t files_before;   /* and the files that it had made */
	bool waits;              /* it has used its share of the disk, which was printed */
};

/* A stream that has ended since the tables were saved last. */
struct recorder_ended {
	struct principal *who; /* holds the slot until its end is published */
	size_t source;
	uint32_t live_slot;
	uint64_t bytes;
};

/* What tables have of a source. */
struct recorder_listed {
	size_t nr_streams;
	size_t nr_files; /* of these, that existed then: followers look for files when tables change
			  */
	size_t nr_events;
};

/* The contents of a source's metadata when it was last written. */
struct recorder_saved {
	bool any;
	size_t nr_events;
	uint32_t tsc_khz;
};

/* The recorder's own state of a source, beside the recording's. */
struct recorder_source {
	struct drain_source drain; /* whose rings are drained; the hypervisor's until it is begun */
	bool begun;                /* by recorder_begin_source() */
	size_t nr_claimed;         /* rings, and as many streams */
	uint32_t announced;        /* of its descriptions, bytes that its share has room for */
	size_t nr_streams;
	enum recorder_presence presence;
	enum strata_source_end reason; /* if it is leaving */
	bool owner_knows;              /* its owner was told that the source has ended */
	struct recorder_saved saved;
	struct recorder_listed listing; /* by the save in progress */
	struct recorder_listed listed;  /* in the tables that are in their place */
	bool only_named; /* in recording.json, because it lost events: without metadata */
};

/* How far the tables are on the disk. */
struct recorder_save {
	struct strata_recording_save *running; /* NULL: none in progress */
	size_t next_source;                    /* in it */
	struct strata_error first; /* why metadata could not be written in it; "": they could */
	size_t nr_events;          /* of all sources, when it began */
	uint64_t ticks;            /* that it took so far */
	uint64_t table_bytes;      /* of recording.json, that it wrote so far */
	size_t nr_events_saved;    /* likewise, in the tables that are in their place */
	bool failed;
	uint64_t again_ticks; /* not before */
};

struct recorder {
	struct output_dir out;
	struct strata_recording recording;
	struct drain drain;
	struct principals *principals;
	struct recorder_queue *queues; /* one for each principal that has or had rings */
	size_t nr_queues;
	size_t next_queue;                /* is drained first in the next turn */
	struct recorder_source **sources; /* each stays where it is: its rings point to it */
	size_t nr_sources;                /* of them; the recording may have more */
	struct recorder_save save;        /* of recorder_save.c */
	bool unsaved; /* a source changed since the tables were saved, or begun to be */
	bool urgent;  /* a ring was nearly full when the last drain had passed it */
	bool asleep;  /* programs wake it */
	bool behind;  /* a ring had more than its share when it was drained last */
	bool looking; /* rings are left that the last turns have not looked at */
	struct live_publisher *live; /* NULL: the recording cannot be followed */
	struct recorder_ended *ended;
	size_t nr_ended;
	struct ring **peeks; /* our rings, which read others (RECORDER_PEEK) */
	size_t nr_peeks;
	void (*meanwhile)(void *data); /* see recorder_set_meanwhile(); NULL: nothing */
	void *meanwhile_data;
};

/* recorder_save.c: whether the tables on the disk have all of a source that has something to read:
 * followers can read its streams then. */
bool recorder_is_listed(const struct recorder *recorder, size_t index);

/* recorder_sources.c: the tables on the disk have nothing of the source: it or they are new. */
void recorder_forget_tables(struct recorder_source *state);

/* recorder_sources.c: the state of a source; NULL: out of memory. */
struct recorder_source *recorder_source_of(struct recorder *recorder, size_t index);

/* recorder_sources.c: a ring has been drained and its file closed: forgets it.  The last one of a
 * source that is leaving ends the source. */
void recorder_forget_stream(struct recorder *recorder, struct ring_stream *stream);

/* recorder_sources.c: ends the sources that are leaving; all of their packets are written. */
void recorder_end_leaving(struct recorder *recorder);

/* recorder_sources.c: lists a source whose tables had no room, if it lost events: no loss is
 * hidden. */
void recorder_name_source(struct recorder *recorder, size_t index);

/* recorder_sources.c: after a rotation: frees the place of a source that ended. */
void recorder_forget_ended(struct recorder *recorder, size_t index);

/* recorder.c: a slot in the followers' table; streams of a principal with too many are not
 * shown. */
uint32_t recorder_live_slot(struct recorder *recorder, struct ring_stream *stream);

/* recorder_drain.c: the queue of a principal; NULL: out of memory. */
struct recorder_queue *recorder_queue_of(struct recorder *recorder, struct principal *who);

/* recorder_drain.c: adds a ring to a queue, or takes it out.  0 or -1. */
int recorder_queue_add(struct recorder_queue *queue, struct ring_stream *stream,
		       struct strata_error *error);
void recorder_queue_remove(struct recorder_queue *queue, const struct ring_stream *stream);

/* recorder_drain.c: takes what remains in all rings, which are read for the last time: principals
 * in turns, because rings whose writers go on lose their oldest events meanwhile (a snapshot).  0,
 * or -1 with the first error. */
int recorder_drain_rest(struct recorder *recorder, struct strata_error *error);

/* recorder_save.c: writes some of the tables, if they changed.  If that fails it is tried again
 * later, at the end at the latest. */
void recorder_save_what_is_new(struct recorder *recorder);

#endif /* STRATA_CONSUMERD_RECORDER_STATE_H */
