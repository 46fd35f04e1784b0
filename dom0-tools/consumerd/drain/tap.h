/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tap.h - one ring on its way into one stream file, and the recorder that it is a
 * part of: what recorder.c runs and the tap files do for each ring.  Nobody else's.
 *
 *   tap.c           takes complete sub-buffers: look, take, check
 *   tap_singles.c   the same for single-store rings, where no writer builds packets
 *   tap_partly.c    takes a sub-buffer in parts
 *   tap_rest.c      takes what is left in a ring that is read for the last time
 *   tap_append.c    writes packets that were checked, and counts what is lost
 *   tap_complete.c  up to when what is in the file is complete
 *   tap_times.c     whether a packet can be of the times that it says
 */
#ifndef STRATA_CONSUMERD_TAP_H
#define STRATA_CONSUMERD_TAP_H

#include "consumerd/live_publisher.h"
#include "consumerd/shares/principal.h"
#include "consumerd/recorder.h"
#include "consumerd/drain/stream_file.h"

struct tap {
	struct ring *ring;
	size_t source;
	struct stream_file file;
	uint64_t lost[STRATA_NR_LOST]; /* of this one, up to the last packet */
	uint64_t end_ticks;            /* of the last packet */
	uint64_t next_sequence;        /* the least that the next packet may have */
	uint64_t taken_ticks;          /* single-store rings: when something was taken last */
	enum strata_poll state;        /* in the drain that is under way */
	bool lied;                     /* that was said */
	/* Of the sub-buffer that is read next so many bytes were taken before it was complete, and
	 * are a packet of their own; 0: none. */
	uint32_t partly_bytes;
	uint64_t partly_ticks;   /* of the last record of them */
	uint64_t partly_packets; /* so many packets more than sub-buffers */
	bool unwritten;          /* a packet could not be written, and is in the ring still */
	/* For those who follow the recording (tap_complete.c): what was recorded before these host
	 * ticks is in the file; and a look at the ring, until all that it found is. */
	uint64_t complete_ticks;
	uint64_t seen_ticks;        /* 0: there is none */
	uint64_t seen_end;          /* the position behind what it found */
	strata_count_t seen_commit; /* of what is read next, at the last look */
	uint64_t quiet_ticks;       /* when that changed */
	uint32_t live_slot;
	bool left;     /* the disk had no room for one: it and what follows are in the ring still */
	bool no_share; /* not the disk, but its principal had no room, for what was lost last */
	bool leaving;
	/* Sub-buffers that may be taken: in this turn, or until it has left.  A writer that goes on
	 * fills its ring while we take. */
	strata_count_t turns;
	bool resting; /* what is left is being taken, complete or not (tap_take_rest()) */
	strata_count_t rest_end; /* where reading goes on behind it */
};

/* The rings of one principal.  Each turn goes on where the last one stopped. */
struct recorder_queue {
	struct principal *who;
	struct tap **taps;
	size_t nr;
	size_t capacity;
	size_t next;           /* is looked at first in the next turn */
	size_t looks;          /* from there on, in this turn */
	size_t resume;         /* becomes next */
	uint64_t subbuf_bytes; /* of the largest that its rings have or had */
	bool waits;            /* it has written as much as is left on the disk, which was said */
};

/* A stream that has ended since the tables were saved last. */
struct recorder_ended {
	uint32_t live_slot;
	uint64_t bytes;
};

/* What the metadata of a source was made from when it was written last. */
struct recorder_saved {
	bool any;
	size_t nr_events;
	uint32_t tsc_khz;
};

/* What the recorder knows of a source, and the recording need not say. */
struct recorder_source {
	struct principal *who; /* NULL: the hypervisor */
	size_t nr_claimed;     /* rings, and as many streams */
	size_t nr_taps;
	enum recorder_presence presence;
	enum strata_source_end reason; /* if it is leaving */
	bool owner_knows;              /* it has been told that the source left nothing */
	bool broken_said;
	struct recorder_saved saved;
};

/* How far the tables are on the disk. */
struct recorder_save {
	struct strata_recording_save *running; /* NULL: none is under way */
	size_t next_source;                    /* in it */
	size_t nr_events;                      /* of all sources, when it began */
	uint64_t ticks;                        /* that it took so far */
	size_t nr_events_saved;                /* likewise, in the tables that are in their place */
	bool failed;
	uint64_t again_ticks; /* not before */
};

struct recorder {
	struct output_dir out;
	struct strata_recording recording;
	bool is_of_now; /* the clock that its rings' writers read is this machine's, now */
	struct principals *principals;
	struct recorder_queue *queues; /* one for each principal that has or had rings */
	size_t nr_queues;
	size_t next_queue; /* is drained first in the next turn */
	struct recorder_source *sources;
	size_t nr_sources;   /* of them; the recording may have more */
	uint64_t work_bytes; /* that were copied and checked */
	unsigned char *copy; /* one sub-buffer */
	size_t copy_bytes;
	uint64_t switch_ticks; /* how often what is in half full sub-buffers is taken; 0: never */
	struct recorder_save save; /* of recorder_save.c */
	bool unsaved; /* a source changed since the tables were saved, or begun to be */
	bool urgent;  /* a ring was nearly full when the last drain had passed it */
	bool behind;  /* a ring had more than its share when it was drained last */
	bool full;    /* the disk was, at the last attempt */
	uint64_t write_again_ticks;
	uint64_t room_bytes;       /* on the disk, as far as we know */
	uint64_t room_until_ticks; /* the disk is asked again then */
	struct recorder_totals totals;
	struct live_publisher *live; /* NULL: nobody can follow */
	struct recorder_ended *ended;
	size_t nr_ended;
	struct ring **peeks; /* rings of ours, which read those of others (RECORDER_PEEK) */
	size_t nr_peeks;
};

static inline struct strata_source *tap_source(struct recorder *recorder, const struct tap *tap)
{
	return &recorder->recording.sources[tap->source];
}

/* recorder_sources.c: what is known of a source; NULL: out of memory. */
struct recorder_source *recorder_source_of(struct recorder *recorder, size_t index);

/* recorder_sources.c: who answers for the source of a ring. */
struct principal *recorder_who(struct recorder *recorder, size_t source_index);

/* recorder_sources.c: a ring has been drained and its file closed: forgets it.  The last one of a
 * source that is leaving ends the source. */
void recorder_forget_tap(struct recorder *recorder, struct tap *tap);

/* recorder_sources.c: all that was taken of sources that leave has been written: they are gone. */
void recorder_end_leaving(struct recorder *recorder);

/* recorder_drain.c: the queue of a principal; NULL: out of memory. */
struct recorder_queue *recorder_queue_of(struct recorder *recorder, struct principal *who);

/* recorder_drain.c: adds a ring to a queue, or takes it out.  0 or -1. */
int recorder_queue_add(struct recorder_queue *queue, struct tap *tap, struct strata_error *error);
void recorder_queue_remove(struct recorder_queue *queue, const struct tap *tap);

/* recorder_room.c: may a principal begin a source with so many streams, or has the disk no more
 * files than the others have left?  0 or -1. */
int recorder_may_begin(const struct recorder *recorder, const struct principal *who,
		       size_t nr_streams, struct strata_error *error);

/* May a principal write @bytes more, or is that what the others have left? */
bool recorder_may_write(struct recorder *recorder, struct principal *who, uint64_t bytes);

/* recorder_room.c: it has. */
void recorder_note_written(struct recorder *recorder, struct principal *who, uint64_t bytes);

/* recorder_save.c: writes some of the tables, if there is something new in them.  What cannot be
 * written now is written later, at the end at the latest. */
void recorder_save_what_is_new(struct recorder *recorder);

/* When what failed now is to be tried again. */
uint64_t tap_retry_ticks(const struct recorder *recorder);

/* Lets go what an earlier recorder left, and remembers where the losses stood.  0 or -1. */
int tap_skip_old(struct tap *tap, struct strata_error *error);

/* Looks at its ring.  @gone: its writer will never write again. */
enum strata_poll tap_poll(const struct recorder *recorder, const struct tap *tap, bool gone);

/* Says that its ring cannot be read, if that is news. */
void tap_note_lies(struct recorder *recorder, struct tap *tap);

/*
 * Takes what is ready in its ring, up to @turns sub-buffers (1 or more).
 * 0: all, or as many; 1: the rest waits for room on the disk, which is full if recorder->full, else
 * the principal has its share; or -1.
 */
int tap_take(struct recorder *recorder, struct tap *tap, strata_count_t turns, uint64_t *nr_packets,
	     struct strata_error *error);

/*
 * Takes what is left in its ring: complete sub-buffers, and what is committed of
 * the others.  There may be several, and complete ones between them: writers that
 * nested in one another when their CPU stopped.  What the disk has no room for
 * is lost, and counted.  Where `strata recover` may find the ring, it says that this
 * has not been read, until the tables on the disk count it.  0 or -1.
 */
int tap_take_rest(struct recorder *recorder, struct tap *tap, struct strata_error *error);

/*
 * Takes what is committed of the sub-buffer that its writer is in, and leaves that to it: the rest
 * becomes a packet of its own.  For a writer that sleeps.  0, 1 if the disk has no room, or -1.
 */
int tap_take_partly(struct recorder *recorder, struct tap *tap, struct strata_error *error);

/* Whether that is due: its writer has not handed over, by its timer, what was there long before. */
bool tap_is_asleep(const struct recorder *recorder, const struct tap *tap);

/*
 * Takes one step of what tap_take_rest() does, at most a sub-buffer.  @done: OUT, nothing is left
 * to take.  0 or -1.
 */
int tap_leave_step(struct recorder *recorder, struct tap *tap, bool *done,
		   struct strata_error *error);

/* Finds out how far what is in its file is complete; behind tap_take(). */
void tap_note_complete(struct tap *tap);

/* tap_times.c: whether a packet that was checked can be of the times that it says.  0 or -1. */
int tap_check_times(struct recorder *recorder, const struct tap *tap,
		    const struct strata_packet *packet, struct strata_error *error);

/* Its last losses and the end of its file.  0 or -1. */
int tap_finish(struct recorder *recorder, struct tap *tap, struct strata_error *error);

#endif /* STRATA_CONSUMERD_TAP_H */
