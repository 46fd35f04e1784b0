/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - drains rings into a recording: copies a sub-buffer, checks the
 * copy, builds its packet header anew, appends it to a stream file, and releases the sub-buffer.
 * It does not depend on where a ring's writer runs.
 */
#ifndef STRATA_CONSUMERD_RECORDER_H
#define STRATA_CONSUMERD_RECORDER_H

#include "consumerd/drain/totals.h"
#include "consumerd/output_dir.h"
#include "consumerd/shares/principal.h"
#include "recording/recording.h"
#include "consumerd/rings/ring.h"

struct recorder;

/*
 * Makes the output directory and begins a recording in it.
 * @place: what to do if the directory holds a recording; see output_dir_open()
 * NULL with the reason.
 */
struct recorder *recorder_open(const char *dir, enum output_place place,
			       struct strata_error *error);

/*
 * Begins a recording of the final events of a source: in DIR-died-SOURCE, or in DIR/died-SOURCE if
 * the former cannot be made, because another user keeps the directory in which DIR lies locked.
 * @dir: of the recording that goes on
 */
struct recorder *recorder_open_final(const char *dir, const char *source,
				     struct strata_error *error);

/* The rings that are copied when a guest has died. */
enum recorder_copy {
	RECORDER_COPY_ALL,
	RECORDER_COPY_OWN, /* the guest's, and those of the host: the hypervisor's and dom0's
			    * kernel's */
};

/* Whether a principal's rings are in such a copy.  @who: the guest's */
bool recorder_is_copied(const struct principal *one, const struct principal *who,
			enum recorder_copy extent);

/*
 * Whether these rings can be copied to the recording's disk within the share of @who: as many bytes
 * as the rings have, and a file for each ring.
 */
bool recorder_has_room_for_copy(struct recorder *recorder, const struct principal *who,
				enum recorder_copy extent);

/* Charges such a copy to @who.  @bytes: of the packets in it */
void recorder_note_copy(struct recorder *recorder, struct principal *who, enum recorder_copy extent,
			uint64_t bytes);

/* The output directory; its path is the name that was chosen for it. */
const struct strata_dir *recorder_dir(const struct recorder *recorder);

/* All is set up: an earlier recording that this one replaces is removed now.  Until then
 * recorder_abandon() brings it back. */
void recorder_began(struct recorder *recorder);

/* The recording in progress; set its anchor, and add sources before recorder_add_ring(). */
struct strata_recording *recorder_recording(struct recorder *recorder);

/* Its rings are written on this machine while it records: nothing in them is later than now. */
void recorder_set_of_now(struct recorder *recorder);

/* The accounts of all principals; the recorder frees them when it closes. */
struct principals *recorder_principals(struct recorder *recorder);

/* Whose a source is.  NULL: it has no state yet. */
const struct principal *recorder_owner(const struct recorder *recorder, size_t index);

/*
 * Begins a source of principal @who with space for @nr_rings rings, and charges @who's shares. It
 * reuses the index of a source that recorded nothing, if any. When the source has ended, @who gets
 * back every charge for things that do not stay in the recording. Call recorder_add_event() for
 * each of its events next, and recorder_add_ring() for each ring.
 * @description_bytes: of the events that it is known to have (strata_event_packed_bytes())
 * 0, or -1: @error names the share or limit that is used up.
 */
int recorder_begin_source(struct recorder *recorder, struct principal *who, const char *name,
			  size_t nr_rings, uint32_t description_bytes, size_t *index,
			  struct strata_error *error);

/* Adds an event to a source, if the share of @who allows it; otherwise the same as
 * strata_source_add_event(). */
int recorder_add_event(struct recorder *recorder, size_t source_index,
		       const struct strata_event_desc *event, struct strata_error *error);

/* Sets how often the recorder takes records out of partly filled sub-buffers. 0, the default: only
 * when a sub-buffer is full or the ring ends. */
void recorder_set_switch(struct recorder *recorder, uint32_t switch_ms);

/* Publishes the progress of the recording for followers (live_table.h) from now on.  Call it before
 * the first ring is added.  0, or -1: the recording cannot be followed. */
int recorder_publish(struct recorder *recorder, struct strata_error *error);

/* The part of a ring that belongs to the recording. */
enum recorder_begin {
	RECORDER_FROM_NOW,  /* older records are dropped, older losses do not count */
	RECORDER_WITH_PAST, /* everything: a flight recorder's */
	RECORDER_PEEK,      /* likewise, and it stays there for the next (ring_peek.h) */
};

/*
 * Records @ring into the source of that index.  Two recorders may know one ring: each packet goes
 * to the one that takes it first. 0 or -1.
 */
int recorder_add_ring(struct recorder *recorder, size_t source_index, struct ring *ring,
		      enum recorder_begin begin, struct strata_error *error);

/* The part of a stream that an earlier recorder had written. */
struct recorder_taken {
	uint64_t packets;
	uint64_t events;
	uint64_t next_sequence; /* one more than that of the last packet; 0: no packet */
	uint64_t missing;       /* packets, by the gaps between those that are there */
	uint64_t bad;           /* places without a valid packet; a torn end is one */
};

/*
 * Copies the whole packets of DIR/SOURCE/cpu_N to the beginning of the stream of that CPU.  Bad
 * packets are named on stderr and left out.  Once for each stream, before its first drain.
 * 0, or -1: it cannot be read or written.
 */
int recorder_take_over(struct recorder *recorder, size_t source_index, uint32_t cpu,
		       const char *dir, struct recorder_taken *taken, struct strata_error *error);

/*
 * Makes the files of all streams before their first packets, for a recording that takes what it
 * does not write out of a flight recorder's memory.  Rings whose principal's share has no room for
 * them are left out, which is printed: they keep their contents for the next one.
 * 0, or -1: the disk has no room, or a file cannot be made; no ring was touched.
 */
int recorder_make_files(struct recorder *recorder, struct strata_error *error);

enum recorder_presence {
	RECORDER_SOURCE_IS_THERE,
	RECORDER_SOURCE_LEAVES, /* its rings are being drained; they have to stay mapped */
	RECORDER_SOURCE_IS_GONE,
	RECORDER_SOURCE_LEFT_NOTHING, /* and it is no longer in the recording */
	RECORDER_SOURCE_FAILED,       /* ended; not all of it could be written, which was printed */
};

/*
 * Ends a source before the recording ends. The following turns of recorder_drain() take all
 * committed records of its rings, also from incomplete sub-buffers, count the last losses, close
 * the files and forget the rings; the work is spread over turns, so that other sources do not wait
 * for all of it. The rings must stay mapped until recorder_presence() reports the end. Events that
 * do not fit on the disk are lost. A source that recorded nothing is removed from the recording.
 * @reason: any but STRATA_SOURCE_STAYED
 */
void recorder_leave_source(struct recorder *recorder, size_t source_index,
			   enum strata_source_end reason);

/* Poll this until the source has ended: its index is not reused before the end was returned. */
enum recorder_presence recorder_presence(struct recorder *recorder, size_t source_index);

/* Writes metadata and recording.json as they stand.  0, or -1 with the first error.  If one
 * source's metadata cannot be written, the other tables are written all the same. */
int recorder_save(struct recorder *recorder, struct strata_error *error);

/* Whether the tables on the disk describe all sources.  Until they do, written packets cannot be
 * read if the recorder dies. */
bool recorder_is_saved(const struct recorder *recorder);

enum recorder_drain {
	RECORDER_DRAIN_NONE, /* a flight recorder: only sources that leave, and the tables */
	RECORDER_DRAIN_SOME, /* a turn: a share for each principal, so that none waits for
			      * another */
	RECORDER_DRAIN_ALL,  /* as much as a ring can hold: when no writer is left */
};

/*
 * Takes packets that are ready.  The work is bounded, however fast writers write.  In a turn each
 * principal that has credit (principal.h) gets its share; within it, rings that are nearly full
 * come first, and the others in turns.  A full disk is reported once and does not end the
 * recording: packets stay in the rings, which count their losses, and writing is tried again every
 * second.
 * @nr_packets: OUT, how many were taken
 * 0, or -1 if nothing more can be written; what is on disk stays whole.
 */
int recorder_drain(struct recorder *recorder, enum recorder_drain extent, uint64_t *nr_packets,
		   struct strata_error *error);

/* Whether a principal used up its share of the last drain, so that the next one should follow at
 * once.  Guests do not count: their load must not take dom0's CPU. */
bool recorder_is_behind(const struct recorder *recorder);

/* Whether rings are left that the last drains have not looked at, because there are many: the next
 * one should follow at once.  Guests do not count. */
bool recorder_is_looking(const struct recorder *recorder);

/* Whether a ring was nearly full after the last drain: the next one should come soon. */
bool recorder_is_urgent(const struct recorder *recorder);

/*
 * Falls asleep, if no ring has anything to take and the tables are saved: from now on programs wake
 * the caller by a message when they leave a sub-buffer.  Events in open sub-buffers do not: drain
 * the rings now and then.
 * @extent: as of recorder_drain(); a flight recorder takes nothing, and is not woken
 * False: it is awake.  Kernels' rings and those that reserve and commit keep it awake.
 */
bool recorder_sleep(struct recorder *recorder, enum recorder_drain extent);

/* Wakes up: rings are looked at by recorder_drain() alone. */
void recorder_awake(struct recorder *recorder);

/* Discards what is in the rings.  Sources that leave are not cleared: their records are written.
 * Records in a sub-buffer that its writer is still in stay as well, except in single-store rings:
 * have writers flush before.  Losses count from the beginning, as before.  0, or -1 with the first
 * ring that failed; the others are cleared. */
int recorder_clear(struct recorder *recorder, struct strata_error *error);

/* A principal's share of an ended recording. */
struct recorder_share {
	struct principal *who;
	uint64_t bytes;
	uint64_t files;
};

/* A recording that ended with a rotation. */
struct recorder_finished {
	char path[PATH_MAX];
	dev_t device; /* of the directory */
	ino_t inode;
	bool partial; /* it is incomplete; the reason was printed */
	struct recorder_share *shares;
	size_t nr_shares;
};

/*
 * Rotates: ends the recording, and continues in a new directory, @path, or @path with a number if
 * it exists.  Every event is in exactly one of the two.  The new recording has no sources that
 * ended.
 * @finished: OUT, the ended recording, for recorder_note_removed()
 * 0, or -1: the present recording continues.
 */
int recorder_rotate(struct recorder *recorder, const char *path, struct recorder_finished *finished,
		    struct strata_error *error);

/* Gives the shares of an ended recording back after its files were removed, and frees @finished's
 * contents.  Before recorder_close(). */
void recorder_note_removed(struct recorder_finished *finished);

struct recorder_totals recorder_totals(const struct recorder *recorder);

/*
 * Has recorder_close() and recorder_clear() call a function after each sub-buffer that they take
 * out of rings, for work that cannot wait until all of them are empty; nor does recorder_close()
 * wait for the disk then (output_dir_await_disk()).
 * @meanwhile: may add events and rings, which are not emptied, and end sources, but not drain;
 * NULL: none
 */
void recorder_set_meanwhile(struct recorder *recorder, void (*meanwhile)(void *data), void *data);

/*
 * Finishes all sources, whose rings still have to be mapped, writes the tables, and frees the
 * recorder.
 * @totals: OUT, of the whole recording
 * 0, or -1 with the first thing that could not be written.
 */
int recorder_close(struct recorder *recorder, struct recorder_totals *totals,
		   struct strata_error *error);

/* Frees the recorder and removes its files; leaves all rings as they are.  Only before the first
 * drain. */
void recorder_abandon(struct recorder *recorder);

#endif /* STRATA_CONSUMERD_RECORDER_H */
