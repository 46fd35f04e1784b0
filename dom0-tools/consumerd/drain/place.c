// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c - gives a stream its place in the recording when its first packet comes: its source is
 * listed in the tables, and its file is made.
 *
 * Both use up the share of its principal: bytes of the disk, and files (inodes).  Where the share
 * has no room for them, the packet waits in its ring, as it does where the disk has none.  So no
 * packet is written that no table will describe, and a recording that rotates cannot make the disk
 * full with tables and files of streams without packets.
 */
#include "consumerd/drain/drain.h"

/* A file or directory takes whole blocks. */
#define BLOCK_BYTES 4096u

/* Bytes of a source's tables, at most: the fixed part of its metadata, its entry in recording.json
 * and its directory; and the entry of each stream. */
#define TABLE_BYTES           (3 * BLOCK_BYTES)
#define TABLE_BYTES_OF_STREAM 160u

static int no_files(const struct principal *who, struct strata_error *error)
{
	return strata_fail(error,
			   "%s has created as many files as the disk still has free (`df -i`); "
			   "the rest is reserved for others",
			   who->name);
}

static int no_bytes(const struct principal *who, struct strata_error *error)
{
	return strata_fail(
		error,
		"%s has written as much as is left on the disk; the rest is reserved for "
		"others",
		who->name);
}

static uint64_t table_bytes(size_t nr_streams, uint32_t description_bytes)
{
	return TABLE_BYTES + (uint64_t)TABLE_BYTES_OF_STREAM * nr_streams +
	       (uint64_t)DRAIN_TEXT_OF_DESCRIPTION * description_bytes;
}

int drain_may_list(struct drain *drain, struct principal *who, size_t nr_streams,
		   uint32_t description_bytes, struct strata_error *error)
{
	if (!drain_has_files(drain, who, nr_streams + PRINCIPAL_SOURCE_FILES))
		return no_files(who, error);
	if (!drain_has_bytes(drain, who, table_bytes(nr_streams, description_bytes)))
		return no_bytes(who, error);
	return 0;
}

static void charge(struct drain *drain, struct drain_source *source, uint64_t bytes)
{
	source->table_bytes += bytes;
	drain_note_written(drain, source->who, bytes);
	drain->tables_changed = true;
}

void drain_list(struct drain *drain, struct drain_source *source, size_t nr_streams)
{
	struct strata_source *listed = &drain->recording->sources[source->index];

	listed->unlisted = false;
	principal_note_files(source->who, PRINCIPAL_SOURCE_FILES);
	charge(drain, source, table_bytes(nr_streams, listed->description_bytes));
}

void drain_describe(struct drain *drain, struct drain_source *source, uint32_t description_bytes)
{
	/* Until then nothing is charged. */
	if (!drain->recording->sources[source->index].unlisted)
		charge(drain, source, (uint64_t)DRAIN_TEXT_OF_DESCRIPTION * description_bytes);
}

int drain_may_describe(struct drain *drain, const struct drain_source *source,
		       uint32_t description_bytes, struct strata_error *error)
{
	if (drain->recording->sources[source->index].unlisted ||
	    drain_has_bytes(drain, source->who,
			    (uint64_t)DRAIN_TEXT_OF_DESCRIPTION * description_bytes))
		return 0;
	return no_bytes(source->who, error);
}

void drain_unlist(struct drain *drain, struct drain_source *source)
{
	if (source->table_bytes)
		principal_note_undone(source->who, source->table_bytes, PRINCIPAL_SOURCE_FILES);
	source->table_bytes = 0;
	/* What was never written was subtracted from the room. */
	drain->room_until_ticks = 0;
}

/* Lists the source of a stream for its first packet.  0 or -1. */
static int list_for(struct drain *drain, struct ring_stream *stream, struct strata_error *error)
{
	const struct strata_source *source = stream_source(drain, stream);

	if (!source->unlisted)
		return drain_has_files(drain, stream->source->who, 1)
			       ? 0
			       : no_files(stream->source->who, error);
	if (drain_may_list(drain, stream->source->who, 1, source->description_bytes, error))
		return -1;
	drain_list(drain, stream->source, source->nr_streams);
	return 0;
}

static uint64_t share_again_ticks(const struct drain *drain)
{
	return strata_clock() + (uint64_t)drain->recording->tsc_khz * DRAIN_ROOM_MS;
}

/* Has the stream wait for its file until @again_ticks. */
static int wait_for_file(struct drain *drain, struct ring_stream *stream, uint64_t again_ticks,
			 const struct strata_error *why)
{
	if (!stream->source->waits_said)
		principal_complain(stream->source->who,
				   "%s is not recorded on all CPUs: %s. Until there is more room, "
				   "events that do not fit into its buffers are lost and counted",
				   stream_source(drain, stream)->name, why->text);
	stream->source->waits_said = true;
	stream->file_again_ticks = again_ticks;
	return 0;
}

void drain_unmake_place(struct ring_stream *stream)
{
	principal_note_undone(stream->source->who, BLOCK_BYTES, 1);
}

int drain_make_place(struct drain *drain, struct ring_stream *stream, uint64_t bytes,
		     enum drain_loss *why, struct strata_error *error)
{
	enum stream_file_result made;

	if (stream_file_exists(&stream->file))
		return 1;
	*why = DRAIN_NO_SHARE;
	if ((!drain_has_bytes(drain, stream->source->who, bytes + BLOCK_BYTES) &&
	     no_bytes(stream->source->who, error)) ||
	    list_for(drain, stream, error)) {
		drain->totals.was_shared = true;
		return wait_for_file(drain, stream, share_again_ticks(drain), error);
	}
	made = stream_file_make(&stream->file, error);
	/* A file of an untrusted one that cannot be made, for whatever reason, is no reason to end
	 * the recording of all. */
	if (made == STREAM_FILE_NO_ROOM ||
	    (made != STREAM_FILE_OK && drain->is_of_now && !stream->source->who->trusted)) {
		*why = DRAIN_NO_ROOM;
		drain->totals.was_full = true;
		return wait_for_file(drain, stream, drain_retry_ticks(drain), error);
	}
	if (made != STREAM_FILE_OK)
		return -1;
	stream->file_again_ticks = 0;
	stream->source->waits_said = false;
	drain->work_bytes += PRINCIPAL_FILE_BYTES;
	principal_note_files(stream->source->who, 1);
	drain_note_written(drain, stream->source->who, BLOCK_BYTES);
	stream->source->nr_files++;
	/* Followers look for new files when the tables change. */
	drain->tables_changed = true;
	return 1;
}
