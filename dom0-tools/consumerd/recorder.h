/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - drains rings into a recording: copies a sub-buffer, checks the
 * copy, builds its packet header anew, appends it to a stream file, and lets the
 * sub-buffer go.  It knows nothing of where a ring's writer lives.
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
 * @place: what to do where a recording is already; see output_dir_open()
 * NULL with the reason.
 */
struct recorder *recorder_open(const char *dir, enum output_place place,
			       struct strata_error *error);

/* The output directory; its path is the name that was chosen for it. */
const struct strata_dir *recorder_dir(const struct recorder *recorder);

/* All is set up: an earlier recording that this one replaces is removed now.  Until then
 * recorder_abandon() brings it back. */
void recorder_began(struct recorder *recorder);

/* The recording that is being made; set its anchor, add sources before recorder_add_ring(). */
struct strata_recording *recorder_recording(struct recorder *recorder);

/* Its rings are written on this machine while it records: nothing in them is later than now. */
void recorder_set_of_now(struct recorder *recorder);
/* Who uses how much of it; frees them with itself. */
struct principals *recorder_principals(struct recorder *recorder);

/*
 * Begins a source of @who's, with room for @nr_rings rings; gives it the index of one that left
 * nothing behind, if there is one.  What it takes of @who's shares is given back when it is gone,
 * as far as nothing of it stays in the recording.  recorder_add_ring() follows for each ring.
 * 0, or -1: @error says which share or limit does not allow it.
 */
int recorder_begin_source(struct recorder *recorder, struct principal *who, const char *name,
			  size_t nr_rings, size_t *index, struct strata_error *error);

/* Adds an event to a source, if @who's share allows it; else as strata_source_add_event(). */
int recorder_add_event(struct recorder *recorder, size_t source_index,
		       const struct strata_event_desc *event, struct strata_error *error);

/* How often what is in a half full sub-buffer is to be in the recording, as far as that is up to
 * us; 0, and until this is called: not before the sub-buffer is full, or the ring goes. */
void recorder_set_switch(struct recorder *recorder, uint32_t switch_ms);

/* Tells whoever wants to follow the recording how far it is (live_table.h), from now on; before the
 * first ring is added.  0, or -1: nobody can follow it. */
int recorder_publish(struct recorder *recorder, struct strata_error *error);

/* What of a ring belongs to the recording. */
enum recorder_begin {
	RECORDER_FROM_NOW,  /* what lies ready from before is let go, its losses do not count */
	RECORDER_WITH_PAST, /* all that is there: a flight recorder's */
	RECORDER_PEEK,      /* likewise, and it stays there for the next (ring_peek.h) */
};

/*
 * Records @ring into the source of that index.  A ring may be known to two
 * recorders; what one took the other does not find.
 * 0 or -1.
 */
int recorder_add_ring(struct recorder *recorder, size_t source_index, struct ring *ring,
		      enum recorder_begin begin, struct strata_error *error);

/* What an earlier recorder had written of a stream. */
struct recorder_taken {
	uint64_t packets;
	uint64_t events;
	uint64_t next_sequence; /* one more than that of the last packet; 0: there is none */
	uint64_t missing;       /* packets, by the gaps between those that are there */
	uint64_t bad;           /* places where no good packet is; a torn end is one */
};

/*
 * Takes over DIR/SOURCE/cpu_N, as far as it is whole packets: what is recorded here of
 * that CPU's ring, if there is one, goes behind them.  What is bad in it is named on
 * stderr, and left out.  Once a stream, before its first drain.
 * 0, or -1: it cannot be read or written.
 */
int recorder_take_over(struct recorder *recorder, size_t source_index, uint32_t cpu,
		       const char *dir, struct recorder_taken *taken, struct strata_error *error);

enum recorder_presence {
	RECORDER_SOURCE_IS_THERE,
	RECORDER_SOURCE_LEAVES, /* its rings are being drained; they have to stay mapped */
	RECORDER_SOURCE_IS_GONE,
	RECORDER_SOURCE_LEFT_NOTHING, /* and it is no longer in the recording */
	RECORDER_SOURCE_FAILED,       /* gone, but not all of it could be written, which was said */
};

/*
 * Ends a source before the recording does, in the turns of recorder_drain() that follow, so that
 * nobody else waits for all of it: takes all that is committed in its rings, also of sub-buffers
 * that their writers never completed, counts their last losses, closes its files and forgets the
 * rings.  The caller may unmap them when recorder_presence() says that it is done; a dead domain's
 * stay mapped until then.  What the disk has no room for is counted as lost.  A source that
 * recorded nothing at all is taken out of the recording.
 * @reason: any but STRATA_SOURCE_STAYED, which is of sources that nobody ends
 */
void recorder_leave_source(struct recorder *recorder, size_t source_index,
			   enum strata_source_end reason);

/* Ask until it is gone: a source that left nothing has its place until then. */
enum recorder_presence recorder_presence(struct recorder *recorder, size_t source_index);

/* Writes metadata and recording.json as they stand.  0 or -1. */
int recorder_save(struct recorder *recorder, struct strata_error *error);

/* Do the tables on the disk say all that is known of the sources?  Until they do, who dies takes
 * with him what a reader must know of what has been written. */
bool recorder_is_saved(const struct recorder *recorder);

enum recorder_drain {
	RECORDER_DRAIN_NONE, /* a flight recorder: sources that leave, and what is said of all */
	RECORDER_DRAIN_SOME, /* a turn: a share for each principal, so that none waits for another
			      */
	RECORDER_DRAIN_ALL,  /* as much as a ring can hold: when nobody writes any more */
};

/*
 * Takes what is ready, in bounds, so that no writer can hold us here.  In a turn each principal
 * that has credit (principal.h) gets its share; within it, rings that are nearly full come first,
 * and the others in turns.  A full disk
 * is said once and is no end: what is ready stays in the rings, which count what
 * they lose, until there is room again; that is tried every second.
 * @nr_packets: OUT, how many were taken.
 * 0, or -1 when nothing more can be written: what is on disk stays whole.
 */
int recorder_drain(struct recorder *recorder, enum recorder_drain extent, uint64_t *nr_packets,
		   struct strata_error *error);

/* Whether somebody had a share of the last drain, and likely has more: there is nothing to wait for
 * before the next.  Kernels are not counted. */
bool recorder_is_behind(const struct recorder *recorder);

/* Was a ring nearly full when the last drain had passed it?  Then the next one is to come soon. */
bool recorder_is_urgent(const struct recorder *recorder);

struct recorder_totals recorder_totals(const struct recorder *recorder);

/*
 * Finishes all sources, whose rings still have to be mapped; writes what there is
 * to say, frees.
 * @totals: OUT, of the whole recording
 * 0, or -1 with the first thing that could not be written.
 */
int recorder_close(struct recorder *recorder, struct recorder_totals *totals,
		   struct strata_error *error);

/* Leaves all rings as they are, removes what it has made for them, frees.  Before the first drain
 * only. */
void recorder_abandon(struct recorder *recorder);

#endif /* STRATA_CONSUMERD_RECORDER_H */
