/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - takes packets out of rings and appends them to stream files.
 *
 * A packet passes four steps, a file each:
 *
 *   look.c    examines a ring: how urgent it is, up to when it is complete, whether its writer
 *             sleeps
 *   take.c    copies a piece of the ring: a sub-buffer, the committed part of one, or records
 *   check.c   validates the copy against its source's event table; makes a packet of it
 *   write.c   builds the header from checked values and appends the packet to its file
 *
 * step.c runs these steps for one piece; room.c limits how much of the disk a principal may fill,
 * and place.c makes the file of a stream when its first packet comes. The steps trust nothing in a
 * ring: they use the copy, and only after the check.
 *
 * The recorder (recorder_state.h) decides whose turn it is.  One thread.
 */
#ifndef STRATA_CONSUMERD_DRAIN_H
#define STRATA_CONSUMERD_DRAIN_H

#include "consumerd/drain/stream_file.h"
#include "consumerd/drain/totals.h"
#include "consumerd/drain/write_back.h"
#include "consumerd/rings/ring.h"
#include "consumerd/shares/principal.h"
#include "recording/recording.h"

/* What all rings of a recording share. */
struct drain {
	struct strata_recording *recording;
	const struct strata_dir *dir; /* of the recording */
	bool is_of_now;      /* the rings' writers read this machine's clock, and write now */
	unsigned char *copy; /* one piece of a ring */
	size_t copy_bytes;
	uint64_t work_bytes;   /* that were copied and checked */
	uint64_t switch_ticks; /* how often partly filled sub-buffers are taken; 0: never */
	bool full;             /* the disk was full at the last attempt to write */
	uint64_t write_again_ticks;
	uint64_t room_bytes;       /* free on the disk, by the last query */
	uint64_t room_until_ticks; /* when to query the disk again */
	bool drops;                /* what is taken is dropped, and not written */
	bool tables_changed;       /* the tables on the disk have to be written again */
	struct write_back *write_back;
	struct recorder_totals totals;
};

/* What its rings have in common. */
struct drain_source {
	size_t index; /* in the recording */
	struct principal *who;
	bool broken_said;     /* the user knows that a ring of it is broken */
	bool waits_said;      /* and that a ring of it has no file yet */
	uint64_t table_bytes; /* charged to @who for its tables; 0: nothing is charged */
	size_t nr_files;      /* of its streams, that were made in this recording */
};

/* Why a packet is lost for the recording. */
enum drain_loss {
	DRAIN_NO_ROOM,   /* on the disk */
	DRAIN_NO_SHARE,  /* the disk has room, and the principal has its share of it */
	DRAIN_TOO_LARGE, /* the stream's file may not grow */
};

/* One ring, and the stream file that its packets go to. */
struct ring_stream {
	struct ring *ring;
	struct drain_source *source;
	struct stream_file file;
	/* The file could not be made, and is not tried again before; 0: it was not tried. */
	uint64_t file_again_ticks;
	uint64_t lost[STRATA_NR_LOST]; /* of this ring, up to the last packet */
	uint64_t end_ticks;            /* of the last packet */
	uint64_t next_sequence;        /* the least that the next packet may have */
	uint64_t taken_ticks;          /* single-store rings: when something was taken last */
	enum strata_poll state;        /* in the turn that is under way */
	bool lies_said;
	/* Bytes already taken of the next sub-buffer, as a separate packet, and the time of their
	 * last record. */
	uint32_t part_bytes;
	uint64_t part_ticks;
	uint64_t nr_parts; /* packets so far that were a part of a sub-buffer and not its end */
	bool unwritten;    /* the last packet could not be written, and is still in the ring */
	/* For followers (look.c): what was recorded before complete_ticks is in the file. */
	uint64_t complete_ticks;
	uint64_t seen_ticks; /* of a look that found something; 0: all that was found is taken */
	uint64_t seen_end;   /* the position after what that look found */
	strata_count_t seen_commit; /* of the next sub-buffer, at the last look */
	uint64_t quiet_ticks;       /* when that changed */
	uint32_t live_slot;
	/* A packet could not be written: that one and all later ones stay in the ring, where
	 * `strata recover` may find them. */
	bool stays;
	enum drain_loss loss; /* why the last packet was lost */
	bool too_large_said;
	bool leaving; /* the ring is being drained for the last time */
	/* Steps left: in this turn, or until the ring has been removed. The limit is needed because
	 * a writer may keep filling its ring while we drain it. */
	strata_count_t turns;
	bool resting;            /* what remains is being taken, complete or not */
	strata_count_t rest_end; /* where the next reader resumes */
};

static inline struct strata_source *stream_source(const struct drain *drain,
						  const struct ring_stream *stream)
{
	return &drain->recording->sources[stream->source->index];
}

/* How often the disk is asked for its room, and a share that was used up is tried again. */
#define DRAIN_ROOM_MS 100u

/* Bytes of text in the tables for each byte of an event's description, at most: sequences with long
 * names take the most. */
#define DRAIN_TEXT_OF_DESCRIPTION 7u

/* room.c: whether a principal's share has room for @bytes more, or it must leave that space to
 * others. */
bool drain_has_bytes(struct drain *drain, const struct principal *who, uint64_t bytes);

/* room.c: the same, for packets; notes if not: they wait, or are lost. */
bool drain_may_write(struct drain *drain, struct principal *who, uint64_t bytes);

/* room.c: whether a principal's share has room for @nr more files (inodes). */
bool drain_has_files(const struct drain *drain, const struct principal *who, uint64_t nr);

/* room.c: counts the bytes that it has written. */
void drain_note_written(struct drain *drain, struct principal *who, uint64_t bytes);

/*
 * place.c: whether @who's share has room for another source: an entry in recording.json, a
 * directory and metadata.
 * @nr_streams: streams that will have files
 * @description_bytes: of its events
 * 0, or -1 with the share that is used up.
 */
int drain_may_list(struct drain *drain, struct principal *who, size_t nr_streams,
		   uint32_t description_bytes, struct strata_error *error);

/* place.c: lists a source in the tables from now on, and charges its principal for that and for its
 * present events. */
void drain_list(struct drain *drain, struct drain_source *source, size_t nr_streams);

/* place.c: whether the share of a source that is listed has room for @description_bytes more of
 * events.  0 or -1. */
int drain_may_describe(struct drain *drain, const struct drain_source *source,
		       uint32_t description_bytes, struct strata_error *error);

/* place.c: charges for these, if it is listed. */
void drain_describe(struct drain *drain, struct drain_source *source, uint32_t description_bytes);

/* place.c: takes the charge for its tables back: it left nothing in the recording. */
void drain_unlist(struct drain *drain, struct drain_source *source);

/*
 * place.c: makes the file of a stream for its first packet, and lists its source before, if it is
 * not.
 * @bytes: of the packet
 * @why: OUT, if not: what is missing
 * 1: it has one; 0: there is no room now; or -1.
 */
int drain_make_place(struct drain *drain, struct ring_stream *stream, uint64_t bytes,
		     enum drain_loss *why, struct strata_error *error);

/* place.c: takes back the charge for the file of a stream, which is removed without a packet. */
void drain_unmake_place(struct ring_stream *stream);

/* Whether a stream has to wait before its file is tried again.  The clock is read only if one
 * waits: each ring is asked in each turn. */
static inline bool drain_waits_for_file(const struct ring_stream *stream)
{
	return stream->file_again_ticks && strata_clock() < stream->file_again_ticks;
}

/* look.c: returns what is ready in the ring. @gone: its writer will never write again. */
enum strata_poll drain_look(const struct drain *drain, const struct ring_stream *stream, bool gone);

/* look.c: finds out how far the file is complete; after a turn. */
void drain_note_complete(struct ring_stream *stream);

/* look.c: whether the writer has not handed over, by its timer, what it committed long before. */
bool drain_is_asleep(const struct drain *drain, const struct ring_stream *stream);

/* take.c: releases what an earlier recorder left unreleased, and notes the current losses. 0 or
 * -1. */
int drain_skip_old(struct ring_stream *stream, struct strata_error *error);

/* check.c: reports that the ring cannot be read, once. */
void drain_report_lies(struct drain *drain, struct ring_stream *stream);

/* write.c: when to try again what fails now. */
uint64_t drain_retry_ticks(const struct drain *drain);

/*
 * step.c: takes the next packet that is ready.
 * @nr_packets: counts it
 * 0, also if nothing is ready; 1: it waits for room on the disk, which is full if drain->full,
 * else the principal has its share; or -1.
 */
int drain_step(struct drain *drain, struct ring_stream *stream, uint64_t *nr_packets,
	       struct strata_error *error);

/*
 * step.c: takes the committed part of the sub-buffer that its writer is in. The writer keeps the
 * sub-buffer; the rest becomes a separate packet. For sleeping writers. Otherwise as drain_step().
 */
int drain_open_step(struct drain *drain, struct ring_stream *stream, struct strata_error *error);

/*
 * step.c: takes what remains in a ring that is read for the last time, a sub-buffer at most:
 * complete ones, and what is committed of the others.  There may be several, and complete ones
 * between them: writers that nested in one another when their CPU stopped. Packets that do not fit
 * on the disk are lost, and counted. Where `strata recover` may find the ring, the ring says that
 * this has not been read, until the tables on the disk count it. Set stream->turns before, for
 * single-store rings.
 * @done: OUT, nothing remains
 * 0 or -1.
 */
int drain_rest_step(struct drain *drain, struct ring_stream *stream, bool *done,
		    struct strata_error *error);

/* write.c: writes the last losses, and closes the file.  0 or -1. */
int drain_finish(struct drain *drain, struct ring_stream *stream, struct strata_error *error);

/* write.c: the same, for a ring that goes on in another recording.  Losses for which the file
 * cannot be made, or not now, go on with it: its principal has no credit for more work in this
 * turn. 0 or -1. */
int drain_cut(struct drain *drain, struct ring_stream *stream, struct strata_error *error);

#endif /* STRATA_CONSUMERD_DRAIN_H */
