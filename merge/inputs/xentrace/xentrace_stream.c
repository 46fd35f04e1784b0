// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_stream.c - see xentrace_stream.h.  The importer has one for each physical
 * CPU that it meets.
 *
 * A packet stays in memory until it is complete, so a later record can still complete earlier ones:
 * records before the first time in a stream get that time, and records before the first one that
 * names the running vCPU get that vCPU. A record of lost records gets its own packet: to a reader,
 * the loss lies between the previous packet and the end of this one.
 */
#include "inputs/xentrace/xentrace_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/out_file.h"

#define PACKET_BYTES_MAX 65536u

/* Complete packets are written once they have this many bytes. */
#define WRITE_BYTES 65536u

#define CONTEXT_BYTES ((uint32_t)sizeof(struct strata_hv_context))

/* A CPU that records nothing for longer and then goes back: the later time was wrong. */
#define OUTLIER_HOURS 1u

void strata_xentrace_stream_init(struct strata_xentrace_stream *stream,
				 const struct strata_dir *dir, const struct strata_source *source,
				 uint32_t cpu, uint32_t tsc_khz)
{
	memset(stream, 0, sizeof(*stream));
	stream->dir = dir;
	stream->source = source;
	stream->cpu = cpu;
	stream->outlier_ticks = (uint64_t)tsc_khz * 1000u * 3600u * OUTLIER_HOURS;
	strata_xentrace_current_init(&stream->current);
}

static int write_out(struct strata_xentrace_stream *stream, size_t bytes,
		     struct strata_error *error)
{
	const int flags = stream->created ? O_APPEND : O_CREAT | O_EXCL;
	char path[PATH_MAX + 32], name[32];
	int fd, cause;

	if (bytes == 0)
		return 0;
	snprintf(name, sizeof(name), "cpu_%u", stream->cpu);
	snprintf(path, sizeof(path), "%s/%s", stream->dir->path, name);
	/* Not kept open: there may be more CPUs than file descriptors. */
	fd = openat(stream->dir->fd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0644);
	if (fd < 0)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	stream->created = true;
	cause = strata_write_all(fd, stream->bytes, bytes);
	if (close(fd) && !cause)
		cause = errno;
	if (cause)
		return strata_fail_write(path, cause, error);
	memmove(stream->bytes, stream->bytes + bytes, stream->used - bytes);
	stream->used -= bytes;
	stream->packet_start -= bytes;
	return 0;
}

static bool make_room(struct strata_xentrace_stream *stream, size_t bytes)
{
	size_t capacity = stream->capacity ? stream->capacity : 1024;
	uint8_t *grown;

	while (capacity - stream->used < bytes)
		capacity *= 2;
	if (capacity == stream->capacity)
		return true;
	grown = realloc(stream->bytes, capacity);
	if (!grown)
		return false;
	stream->bytes = grown;
	stream->capacity = capacity;
	return true;
}

/* Returns the header of the record at @at of the current packet. */
static struct strata_record_header load_header(const struct strata_xentrace_stream *stream,
					       size_t at)
{
	struct strata_record_header header;

	memcpy(&header, stream->bytes + at, sizeof(header));
	return header;
}

static size_t bytes_of(uint32_t id)
{
	return STRATA_RECORD_HEADER_BYTES + CONTEXT_BYTES + (id >> STRATA_HV_ID_WORDS_SHIFT) * 4u;
}

/* Sets the time of the records from @from on. */
static void set_ticks(struct strata_xentrace_stream *stream, size_t from, uint64_t ticks)
{
	while (from < stream->used) {
		struct strata_record_header header = load_header(stream, from);

		header.ticks = ticks;
		memcpy(stream->bytes + from, &header, sizeof(header));
		from += bytes_of(header.id);
	}
}

/* Sets the vCPU of records that were written before it was known. */
static void set_contexts(struct strata_xentrace_stream *stream)
{
	size_t at = stream->unknown_from;

	while (at && at < stream->used) {
		memcpy(stream->bytes + at + STRATA_RECORD_HEADER_BYTES, &stream->current.runs,
		       CONTEXT_BYTES);
		stream->tally.unknown--;
		at += bytes_of(load_header(stream, at).id);
	}
	stream->unknown_from = 0;
}

static size_t first_record(const struct strata_xentrace_stream *stream)
{
	return stream->packet_start + STRATA_PACKET_HEADER_BYTES;
}

static uint64_t count_records(const struct strata_xentrace_stream *stream)
{
	uint64_t nr = 0;
	size_t at;

	for (at = first_record(stream); at < stream->used;
	     at += bytes_of(load_header(stream, at).id))
		nr++;
	return nr;
}

/* Replaces ids, from which the length of a record follows, by the numbers of their events. */
static void number_events(struct strata_xentrace_stream *stream)
{
	size_t at = first_record(stream);

	while (at < stream->used) {
		struct strata_record_header header = load_header(stream, at);
		const size_t bytes = bytes_of(header.id);

		header.id = strata_source_shape(stream->source, header.id)->number;
		memcpy(stream->bytes + at, &header, sizeof(header));
		at += bytes;
	}
}

/* Completes the current packet, if there is one. */
static void close_packet(struct strata_xentrace_stream *stream)
{
	struct strata_packet packet = { .cpu = stream->cpu, .form = STRATA_HEADER_FULL };
	struct strata_packet_header header;

	stream->unknown_from = 0;
	stream->suspect_from = 0;
	if (!stream->open)
		return;
	stream->open = false;
	/* Their time is unknown. */
	if (!stream->timed) {
		uint64_t nr = count_records(stream);

		stream->tally.timeless += nr;
		stream->tally.untimed -= nr;
		stream->tally.events -= nr;
		stream->used = stream->packet_start;
		return;
	}
	packet.begin_ticks = load_header(stream, first_record(stream)).ticks;
	packet.end_ticks = stream->last_ticks;
	if (stream->packets == 0 || packet.begin_ticks < stream->first_ticks)
		stream->first_ticks = packet.begin_ticks;
	number_events(stream);
	packet.content_bytes = (uint32_t)(stream->used - stream->packet_start);
	packet.packet_bytes = packet.content_bytes;
	packet.sequence = stream->sequence++;
	packet.lost[STRATA_LOST_FULL] = stream->lost;
	strata_packet_header_build(&header, &packet);
	memcpy(header.uuid, stream->source->uuid, sizeof(header.uuid));
	memcpy(stream->bytes + stream->packet_start, &header, sizeof(header));
	stream->packet_start = stream->used;
	stream->packets++;
}

void strata_xentrace_stream_gap(struct strata_xentrace_stream *stream)
{
	bool any = stream->packets || stream->open;

	close_packet(stream);
	/* To a reader, the loss is a missing sequence number. */
	if (any)
		stream->sequence++;
	strata_xentrace_current_forget(&stream->current);
}

/*
 * Judges the last large step ahead by the time of the next record: if that goes back to the earlier
 * times, the step was an error.
 */
static void judge_suspect(struct strata_xentrace_stream *stream, uint64_t ticks)
{
	uint64_t held = stream->suspect_is_first ? ticks : stream->before_suspect;

	if (!stream->suspect_from)
		return;
	if (ticks < stream->last_ticks && ticks >= held &&
	    stream->last_ticks - ticks > stream->outlier_ticks) {
		set_ticks(stream, stream->suspect_from, held);
		stream->last_ticks = held;
		stream->tally.outliers++;
	}
	stream->suspect_from = 0;
}

/* Marks a time that may turn out to be wrong; its record will be at the end of the packet. */
static void suspect(struct strata_xentrace_stream *stream, bool is_first)
{
	stream->suspect_is_first = is_first;
	stream->suspect_from = is_first ? first_record(stream) : stream->used;
	stream->before_suspect = stream->last_ticks;
}

/* Prepares a packet for a record of that many bytes. */
static int open_packet(struct strata_xentrace_stream *stream, size_t bytes,
		       struct strata_error *error)
{
	if (stream->open && stream->used - stream->packet_start + bytes > PACKET_BYTES_MAX)
		close_packet(stream);
	if (!stream->open && stream->used >= WRITE_BYTES && write_out(stream, stream->used, error))
		return -1;
	if (!make_room(stream, bytes + STRATA_PACKET_HEADER_BYTES))
		return strata_fail(error, "out of memory");
	if (stream->open)
		return 0;
	memset(stream->bytes + stream->used, 0, STRATA_PACKET_HEADER_BYTES);
	stream->packet_start = stream->used;
	stream->used += STRATA_PACKET_HEADER_BYTES;
	stream->open = true;
	return 0;
}

static void append(struct strata_xentrace_stream *stream,
		   const struct strata_xentrace_record *record, uint32_t id)
{
	const struct strata_record_header header = { .id = id, .ticks = stream->last_ticks };
	uint8_t *at = stream->bytes + stream->used;

	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), &stream->current.runs, CONTEXT_BYTES);
	memcpy(at + sizeof(header) + CONTEXT_BYTES, record->payload, record->words * 4u);
	if (stream->current.known && stream->unknown_from)
		set_contexts(stream);
	if (!stream->current.known) {
		stream->tally.unknown++;
		if (!stream->unknown_from)
			stream->unknown_from = stream->used;
	}
	stream->used += bytes_of(id);
	stream->tally.events++;
}

/* Sets the time for the next record. */
static void take_time(struct strata_xentrace_stream *stream, uint64_t ticks)
{
	judge_suspect(stream, ticks);
	if (stream->timed && ticks < stream->last_ticks) {
		close_packet(stream);
		stream->tally.steps_back++;
	}
	/* The records before that lack a time get it, too. */
	if (!stream->timed && stream->open)
		set_ticks(stream, first_record(stream), ticks);
	if (!stream->timed)
		stream->last_ticks = ticks;
	stream->timed = true;
}

int strata_xentrace_stream_add(struct strata_xentrace_stream *stream,
			       const struct strata_xentrace_record *record, uint32_t id,
			       struct strata_error *error)
{
	bool is_loss = record->event == STRATA_XENTRACE_LOST_RECORDS && record->words >= 1;
	bool is_first = !stream->timed;

	if (record->timed)
		take_time(stream, record->ticks);
	else
		stream->tally.untimed++;
	if (is_loss) {
		uint32_t lost = strata_xentrace_word(record, 0);

		close_packet(stream);
		stream->tally.lost += lost;
		stream->lost = stream->tally.lost > INT64_MAX ? INT64_MAX : stream->tally.lost;
	}
	strata_xentrace_current_at(&stream->current, record);
	if (open_packet(stream, bytes_of(id), error))
		return -1;
	if (record->timed) {
		if (is_first || (record->ticks > stream->last_ticks &&
				 record->ticks - stream->last_ticks > stream->outlier_ticks))
			suspect(stream, is_first);
		stream->last_ticks = record->ticks;
	}
	append(stream, record, id);
	strata_xentrace_current_after(&stream->current, record);
	/* The vCPU that runs from here on did not run before. */
	if (stream->current.known)
		stream->unknown_from = 0;
	if (is_loss)
		close_packet(stream);
	return 0;
}

int strata_xentrace_stream_finish(struct strata_xentrace_stream *stream, struct strata_error *error)
{
	close_packet(stream);
	return write_out(stream, stream->used, error);
}

void strata_xentrace_stream_clear(struct strata_xentrace_stream *stream)
{
	free(stream->bytes);
	stream->bytes = NULL;
}
