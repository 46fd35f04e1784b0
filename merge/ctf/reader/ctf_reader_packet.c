// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_reader_packet.c - finds the packets of a stream's file: see ctf_reader.h. */
#include "ctf/reader/ctf_reader_packet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctf/reader/window_room.h"
#include "ctf/trace/stream_file.h"
#include "files/sparse.h"

/* A shorter hole may be zeroes in an event. */
#define HOLE_BYTES_LEAST (1u << 20)
#define COMPLAINTS_MAX   8u /* per stream */
/* No tracer's packet headers are larger; at each candidate, at most this much is read. */
#define HEADER_BYTES_MAX (1u << 16)

void strata_ctf_reader_complain(struct strata_ctf_reader *reader, uint64_t at, const char *format,
				...)
{
	char what[768];
	va_list args;

	if (reader->is_silent || !strata_ctf_reader_owns(reader) ||
	    reader->complaints++ > COMPLAINTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	strata_ctf_complain(
		reader->stream, "byte %llu, packet at %llu: %s%s",
		(unsigned long long)(reader->packet.offset + at / 8),
		(unsigned long long)reader->packet.offset, what,
		reader->complaints > COMPLAINTS_MAX ? ". Further damage here is only counted" : "");
}

void strata_ctf_reader_fetch(struct strata_ctf_reader *reader, uint64_t offset, size_t gap)
{
	const uint64_t left = offset < reader->file_bytes ? reader->file_bytes - offset : 0;
	const size_t want = left < reader->window_room ? (size_t)left : reader->window_room;

	reader->window_at = offset - gap;
	reader->window_bytes = reader->window_gap = gap;
	while (reader->window_bytes < gap + want) {
		const ssize_t got = strata_stream_file_read(
			reader->stream, reader->window + reader->window_bytes,
			gap + want - reader->window_bytes,
			reader->window_at + reader->window_bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			reader->file_bytes = reader->window_at + reader->window_bytes;
			if (reader->is_silent)
				break;
			strata_ctf_complain(reader->stream, "byte %llu: %s; what follows is lost",
					    (unsigned long long)reader->file_bytes,
					    got < 0 ? strerror(errno)
						    : "the file became shorter while it was read");
			break;
		}
		reader->window_bytes += (size_t)got;
	}
	/* Bytes after the data may be loaded, so their values must be deterministic. */
	memset(reader->window + reader->window_bytes, 0, STRATA_CTF_PADDING);
}

static bool is_in_window(const struct strata_ctf_reader *reader, uint64_t offset)
{
	return offset >= reader->window_at + reader->window_gap &&
	       offset < reader->window_at + reader->window_bytes;
}

/* Moves the window to @offset of the file. */
static void fetch_packet(struct strata_ctf_reader *reader, uint64_t offset)
{
	if (!is_in_window(reader, offset))
		strata_ctf_reader_fetch(reader, offset, 0);
	reader->base = reader->window + (offset - reader->window_at);
	reader->base_at = 0;
}

static size_t available(const struct strata_ctf_reader *reader)
{
	return reader->window_bytes - (size_t)(reader->base - reader->window);
}

void strata_ctf_reader_hold_to_file(struct strata_ctf_reader *reader)
{
	struct strata_ctf_packet *packet = &reader->packet;
	const uint64_t left = packet->offset + reader->base_at < reader->file_bytes
				      ? reader->file_bytes - packet->offset
				      : reader->base_at;

	if (packet->content_bits <= left * 8)
		return;
	packet->missing_bytes += (packet->content_bits - left * 8 + 7) / 8;
	packet->content_bits = left * 8;
	packet->cut = true;
}

bool strata_ctf_reader_enlarge(struct strata_ctf_reader *reader)
{
	const size_t more = reader->window_room;
	uint8_t *larger;

	if (!strata_window_room_take(reader->room_owner, more))
		return false;
	larger = realloc(reader->window, STRATA_CTF_WINDOW_BYTES(reader->window_room + more));
	if (!larger) {
		strata_window_room_give_back(reader->room_owner, more);
		return false;
	}
	reader->window = larger;
	reader->window_room += more;
	return true;
}

/* Returns the window to its ordinary size; its contents stay as far as they fit. */
static void shrink_window(struct strata_ctf_reader *reader)
{
	const size_t room = reader->least_room;
	uint8_t *smaller;

	if (reader->window_room == room)
		return;
	smaller = realloc(reader->window, STRATA_CTF_WINDOW_BYTES(room));
	if (!smaller)
		return;
	reader->window = smaller;
	strata_window_room_give_back(reader->room_owner, reader->window_room - room);
	reader->window_room = room;
	if (reader->window_bytes > reader->window_gap + room)
		reader->window_bytes = reader->window_gap + room;
}

/* Reads the header of the packet at @offset, enlarging the window as necessary. */
static enum strata_ctf_packet_status read_header(struct strata_ctf_reader *reader, uint64_t offset,
						 struct strata_error *why)
{
	fetch_packet(reader, offset);
	for (;;) {
		struct strata_ctf_packet *packet = &reader->packet;
		enum strata_ctf_packet_status status;

		packet->offset = offset;
		status = strata_ctf_packet_read(&reader->stream->trace->metadata, reader->base,
						available(reader), reader->file_bytes - offset,
						packet, reader->slots, why);
		if (status == STRATA_CTF_PACKET_BAD)
			return status;
		if (status == STRATA_CTF_PACKET_OK &&
		    (available(reader) >= packet->packet_bits / 8 ||
		     reader->base == reader->window))
			return status;
		/* First from the start of the window, then in a larger one. */
		if (reader->base == reader->window) {
			if (reader->window_room >= HEADER_BYTES_MAX) {
				strata_fail(why, "its header is longer than %u bytes",
					    HEADER_BYTES_MAX);
				return STRATA_CTF_PACKET_BAD;
			}
			if (!strata_ctf_reader_enlarge(reader)) {
				strata_fail(why,
					    "its header is longer than %zu bytes, and no memory "
					    "is left for it",
					    reader->window_room);
				return STRATA_CTF_PACKET_BAD;
			}
		}
		strata_ctf_reader_fetch(reader, offset, 0);
		reader->base = reader->window;
		if (reader->window_bytes == 0)
			return STRATA_CTF_PACKET_BAD;
	}
}

static uint64_t next_data(const struct strata_ctf_reader *reader, uint64_t offset)
{
	const int fd = strata_stream_file_enter(reader->stream);

	offset = strata_next_data(fd, offset, reader->file_bytes);
	strata_stream_file_leave(reader->stream, fd);
	return offset;
}

#define PACKET_ID_BYTES 24u /* magic, UUID and stream id: minimum start of a packet */

/* Searches for the next position after @offset where a packet may begin. */
static uint64_t find_packet(struct strata_ctf_reader *reader, uint64_t offset)
{
	size_t found;

	if (!strata_ctf_packet_has_magic(&reader->stream->trace->metadata))
		return reader->file_bytes;
	for (offset++; offset < reader->file_bytes;) {
		/* A candidate near the window's end is checked in another window. */
		if (!is_in_window(reader, offset) ||
		    (reader->window_at + reader->window_bytes - offset < PACKET_ID_BYTES &&
		     reader->window_at + reader->window_bytes < reader->file_bytes)) {
			offset = next_data(reader, offset);
			strata_ctf_reader_fetch(reader, offset, 0);
		}
		fetch_packet(reader, offset);
		if (available(reader) == 0)
			break;
		found = strata_ctf_packet_find(&reader->stream->trace->metadata, reader->base,
					       available(reader), 0);
		if (found < available(reader))
			return offset + found;
		/* Its beginning may be in this window, and its end in the next. */
		offset += available(reader) >= PACKET_ID_BYTES
				  ? available(reader) - (PACKET_ID_BYTES - 1)
				  : available(reader);
		if (offset + PACKET_ID_BYTES > reader->file_bytes)
			break;
	}
	return reader->file_bytes;
}

/* Searches for a packet within the one that was given up; that one is then not left out. */
static bool find_swallowed(struct strata_ctf_reader *reader)
{
	const uint64_t next = find_packet(reader, reader->doubt_at);

	reader->doubt_at = 0;
	if (next >= reader->file_bytes)
		return false;
	if (next < reader->left_out_to)
		reader->tally.skipped_bytes -= reader->left_out_to - next;
	reader->next_packet = next;
	return true;
}

static void skip_bad_packet(struct strata_ctf_reader *reader, uint64_t offset,
			    const struct strata_error *why)
{
	uint64_t next, left_out;

	reader->packet.offset = offset;
	if (reader->doubt_at && find_swallowed(reader) && reader->next_packet < offset) {
		strata_ctf_reader_complain(reader, 0,
					   "%s; the size of the packet before it may be wrong: "
					   "reading continues at byte %llu, within it",
					   why->text, (unsigned long long)reader->next_packet);
		return;
	}
	reader->has_damage = true;
	next = find_packet(reader, offset);
	/* The file may have become shorter. */
	left_out = next > offset ? next - offset : 0;
	if (strata_ctf_reader_owns(reader)) {
		reader->tally.bad_packets++;
		reader->tally.skipped_bytes += left_out;
	}
	strata_ctf_reader_complain(reader, 0, "%s; %llu bytes are left out, %s", why->text,
				   (unsigned long long)left_out,
				   next < reader->file_bytes
					   ? "up to the next place where a packet begins"
					   : "up to the end of the file");
	reader->next_packet = next;
}

/* Whether a packet's times are possible for its stream. Unknown limits are not checked. */
static bool is_of_its_time(const struct strata_ctf_reader *reader)
{
	const struct strata_ctf_stream *stream = reader->stream;
	const struct strata_ctf_packet *packet = &reader->packet;
	uint64_t begin_ns, end_ns, bound_ns, more_ns;

	if ((!stream->since_ns && !stream->until_ns) || !reader->conversion || !packet->has_begin ||
	    !packet->has_end)
		return true;
	begin_ns = stream->converter->ns_later(reader->conversion, &reader->kind->time,
					       packet->begin, &bound_ns);
	end_ns = stream->converter->ns_later(reader->conversion, &reader->kind->time, packet->end,
					     &more_ns);
	bound_ns = more_ns > bound_ns ? more_ns : bound_ns;
	if (begin_ns < stream->since_ns)
		return stream->since_ns - begin_ns <= bound_ns;
	return !stream->until_ns || end_ns <= stream->until_ns ||
	       end_ns - stream->until_ns <= bound_ns;
}

/* Whether a packet of a Strata recording can be at this position of the stream. */
static bool is_in_place(const struct strata_ctf_reader *reader, struct strata_error *why)
{
	const struct strata_ctf_packet *packet = &reader->packet;

	if (!reader->stream->is_recorded)
		return true;
	if (packet->has_cpu && packet->cpu != reader->stream->cpu) {
		strata_fail(why, "it is of CPU %llu", (unsigned long long)packet->cpu);
		return false;
	}
	if (packet->has_sequence && reader->knows_sequence &&
	    packet->sequence < reader->next_sequence) {
		strata_fail(why, "its sequence number %llu comes after %llu",
			    (unsigned long long)packet->sequence,
			    (unsigned long long)(reader->next_sequence - 1));
		return false;
	}
	return true;
}

/* Leaves out a packet that is intact but has impossible contents. */
static void skip_packet(struct strata_ctf_reader *reader, const struct strata_error *why)
{
	const uint64_t bytes = reader->packet.packet_bits / 8;

	if (strata_ctf_reader_owns(reader)) {
		reader->tally.bad_packets++;
		reader->tally.skipped_bytes += bytes;
	}
	reader->has_damage = true;
	strata_ctf_reader_complain(reader, 0, "%s; %llu bytes are left out", why->text,
				   (unsigned long long)bytes);
	reader->next_packet = reader->packet.offset + bytes;
}

/* Leaves out the packet if its contents are impossible. Returns whether it did. */
static bool skip_impossible(struct strata_ctf_reader *reader)
{
	struct strata_error why;

	if (!is_in_place(reader, &why)) {
		skip_packet(reader, &why);
		return true;
	}
	if (is_of_its_time(reader))
		return false;
	strata_fail(&why, "its times are before its source appeared, or after it was read");
	reader->tally.forged_packets += strata_ctf_reader_owns(reader);
	skip_packet(reader, &why);
	return true;
}

/* Reports times beyond the range of CTF readers, and those before 1970. */
static void check_times(struct strata_ctf_reader *reader)
{
	struct strata_ctf_packet *packet = &reader->packet;
	const struct strata_ctf_time *time = &reader->kind->time;

	if ((packet->has_begin && packet->begin > time->cycles_max) ||
	    (packet->has_end && packet->end > time->cycles_max)) {
		strata_ctf_reader_complain(reader, 0,
					   "the packet's times lie beyond the year 2262; they are "
					   "left out");
		packet->has_begin = packet->has_end = false;
	}
	if (packet->has_begin && time->base_ns < 0 && strata_ctf_ns(time, packet->begin) == 0)
		strata_ctf_reader_complain(
			reader, 0,
			"the packet begins before 1970; times before 1970 are replaced "
			"by 1970");
}

/* Sets the clock value from which the packet's events continue. */
static void set_clock(struct strata_ctf_reader *reader)
{
	struct strata_ctf_packet *packet = &reader->packet;
	const struct strata_ctf_time *time = &reader->kind->time;
	uint64_t limit;

	/* The converter's limits are more exact than the packet's times. */
	reader->clock_limit = reader->conversion ? UINT64_MAX : time->cycles_max;
	if (!reader->conversion)
		check_times(reader);
	if (packet->has_begin && packet->has_end && packet->begin > packet->end) {
		strata_ctf_reader_complain(
			reader, 0,
			"the packet ends (%llu) before it begins (%llu); only the "
			"times of its events are used",
			(unsigned long long)packet->end, (unsigned long long)packet->begin);
		packet->has_begin = packet->has_end = false;
	}
	/* Some tracers write an event or two after the end time of the packet. */
	if (packet->has_end && !__builtin_add_overflow(packet->end, time->frequency, &limit) &&
	    limit < reader->clock_limit)
		reader->clock_limit = limit;
	/* Events are not clamped to the begin, because the begin may be wrong. */
	if (packet->has_begin)
		reader->clock = packet->begin;
}

/* The next hole in a file; found again without a search, which may be long. */
static uint64_t next_hole(struct strata_ctf_reader *reader, uint64_t offset)
{
	int fd;

	if (offset >= reader->dense_from && offset < reader->dense_to)
		return reader->dense_to;
	fd = strata_stream_file_enter(reader->stream);
	reader->dense_from = offset;
	reader->dense_to = strata_next_hole(fd, offset, reader->file_bytes);
	strata_stream_file_leave(reader->stream, fd);
	return reader->dense_to;
}

/* Returns where the first large hole in a part of the file begins; @end: it has none. */
static uint64_t find_large_hole(struct strata_ctf_reader *reader, uint64_t from, uint64_t end)
{
	while (from < end && end - from >= HOLE_BYTES_LEAST) {
		const uint64_t hole = next_hole(reader, from);

		if (hole >= end)
			break;
		from = next_data(reader, hole);
		if ((from < end ? from : end) - hole >= HOLE_BYTES_LEAST)
			return hole;
	}
	return end;
}

/* Ends the content of a packet at the first large hole in it: its zeroes, for which its writer
 * needs no space, could be decoded as any number of events. */
static void end_at_hole(struct strata_ctf_reader *reader)
{
	struct strata_ctf_packet *packet = &reader->packet;
	const uint64_t end = packet->offset + packet->content_bits / 8;
	uint64_t hole, left_out;

	if (!reader->stream->hole_bytes)
		return;
	hole = find_large_hole(reader, packet->offset + packet->events_at / 8, end);
	if (hole == end)
		return;
	left_out = end - hole;
	packet->content_bits = (hole - packet->offset) * 8;
	if (packet->content_bits < packet->events_at)
		packet->content_bits = packet->events_at;
	packet->has_hole = true;
	if (strata_ctf_reader_owns(reader)) {
		reader->tally.bad_packets++;
		reader->tally.skipped_bytes += left_out;
	}
	strata_ctf_reader_complain(reader, (hole - packet->offset) * 8,
				   "a hole in the file, which was never written; the last %llu "
				   "bytes of the packet's content are left out",
				   (unsigned long long)left_out);
}

/* Lets a packet without a size field end where the file's last hole begins. */
static void leave_hole(struct strata_ctf_reader *reader)
{
	const int fd = strata_stream_file_enter(reader->stream);
	const uint64_t hole = strata_last_hole(fd, reader->packet.offset, reader->file_bytes);

	strata_stream_file_leave(reader->stream, fd);

	if (reader->file_bytes - hole < HOLE_BYTES_LEAST || hole <= reader->packet.offset)
		return;
	reader->packet.packet_bits = (hole - reader->packet.offset) * 8;
	strata_ctf_reader_complain(reader, 0,
				   "the packet does not say how large it is, and the last %llu "
				   "bytes of the file were never written; they are left out",
				   (unsigned long long)(reader->file_bytes - hole));
	reader->file_bytes = hole;
}

/*
 * Handles a packet that is longer than its file although all of its content is present: its size
 * may be wrong, and other packets may follow the content. Returns whether one does.
 */
static bool find_behind_content(struct strata_ctf_reader *reader)
{
	struct strata_ctf_packet *packet = &reader->packet;

	if (!packet->cut || packet->missing_bytes)
		return false;
	packet->cut = false;
	reader->doubt_at = packet->offset + (packet->content_bits + 7) / 8;
	reader->left_out_to = 0;
	if (reader->doubt_at >= reader->file_bytes || !find_swallowed(reader))
		return false;
	/* One with a hole is counted already. */
	if (strata_ctf_reader_owns(reader))
		reader->tally.bad_packets += !packet->has_hole;
	strata_ctf_reader_complain(reader, 0,
				   "the packet claims to be longer than the file; reading "
				   "continues at byte %llu, within it",
				   (unsigned long long)reader->next_packet);
	return true;
}

int strata_ctf_reader_next_packet(struct strata_ctf_reader *reader)
{
	const struct strata_ctf_trace *trace = reader->stream->trace;
	struct strata_error why;

	for (;;) {
		const uint64_t offset = reader->next_packet;

		shrink_window(reader);
		if (offset >= reader->file_bytes) {
			if (!(reader->doubt_at && find_swallowed(reader)) &&
			    !find_behind_content(reader))
				return 0;
			continue;
		}
		if (read_header(reader, offset, &why) == STRATA_CTF_PACKET_OK) {
			reader->kind =
				&trace->kinds[reader->packet.class - trace->metadata.streams];
			if (skip_impossible(reader))
				continue;
			break;
		}
		if (reader->window_bytes == 0)
			return 0;
		skip_bad_packet(reader, offset, &why);
	}
	reader->doubt_at = 0;
	if (reader->packet.takes_all)
		leave_hole(reader);
	strata_ctf_reader_hold_to_file(reader);
	end_at_hole(reader);
	reader->next_packet = reader->packet.offset + reader->packet.packet_bits / 8;
	reader->at = reader->packet.events_at;
	reader->in_packet = true;
	set_clock(reader);
	reader->tally.entered_packets++;
	reader->tally.entered_bytes += reader->packet.packet_bits / 8;
	if (strata_ctf_reader_owns(reader)) {
		reader->tally.packets++;
		reader->tally.bytes += reader->packet.packet_bits / 8;
	}
	strata_ctf_reader_note_losses(reader);
	reader->has_damage |= reader->packet.has_hole;
	if (reader->packet.missing_bytes)
		strata_ctf_reader_complain(reader, 0,
					   "the file ends within the packet: %llu bytes of its "
					   "content are not there",
					   (unsigned long long)reader->packet.missing_bytes);
	return 1;
}
