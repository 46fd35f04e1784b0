// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_reader.c - see xentrace_reader.h. The importer reads a file with it, and so does the
 * search for the host's frequency.
 *
 * Damage is detected as follows: windows must follow each other without a gap, records must fill a
 * window exactly, and each event must have a bit of its class and one of its subclass set, because
 * Xen compares both with a mask before it records anything. After damage, reading resumes at the
 * end of the window, according to its header, if another window begins there; else at the next
 * place that looks like a window.
 */
#include "inputs/xentrace/xentrace_format.h"
#include "files/read_at.h"
#include "files/sparse.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* Reading stops after this many bad places: each costs a search and a message. */
#define BAD_PLACES_MAX 1000u

static void complain(struct strata_xentrace_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct strata_xentrace_reader *reader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strata_complain(reader->complain, reader->complain_data, reader->path, format, args);
	va_end(args);
}

/*
 * Buffers the range contiguously; at most a record's bytes. NULL: the file ends before, according
 * to its size when opened or because it has shrunk.
 */
static const uint8_t *peek(struct strata_xentrace_reader *reader, uint64_t offset, size_t bytes)
{
	size_t wanted = XENTRACE_BUFFER_BYTES;

	if (offset >= reader->buffered_from && offset - reader->buffered_from <= reader->buffered &&
	    bytes <= reader->buffered - (size_t)(offset - reader->buffered_from))
		return reader->buffer + (offset - reader->buffered_from);
	if (offset >= reader->size || bytes > reader->size - offset)
		return NULL;
	if (wanted > reader->size - offset)
		wanted = (size_t)(reader->size - offset);
	errno = 0;
	reader->buffered_from = offset;
	reader->buffered = strata_read_at(reader->fd, reader->buffer, wanted, offset);
	if (reader->buffered < wanted) {
		reader->cut_short = true;
		reader->read_errno = errno;
	}
	return bytes <= reader->buffered ? reader->buffer : NULL;
}

/* Whether another window, or the end of the file, is at @offset. */
static bool ends_well(struct strata_xentrace_reader *reader, uint64_t offset)
{
	uint8_t header[XENTRACE_WINDOW_BYTES];

	return offset == reader->size ||
	       (strata_read_at(reader->fd, header, sizeof(header), offset) == sizeof(header) &&
		xentrace_is_window(header));
}

/* Whether a window can begin at @offset, judging by its first records too. It may be truncated. */
static bool looks_like_window(struct strata_xentrace_reader *reader, uint64_t offset)
{
	const uint8_t *at = peek(reader, offset, XENTRACE_WINDOW_BYTES);
	unsigned int records;
	uint32_t window_bytes;

	/* xentrace does not write empty windows. */
	if (!at || !xentrace_is_window(at) || xentrace_load_u32(at + 8) == 0)
		return false;
	window_bytes = xentrace_load_u32(at + 8);
	offset += XENTRACE_WINDOW_BYTES;
	for (records = 0; window_bytes && records < XENTRACE_RECORDS_TRIED; records++) {
		uint32_t header, length;

		at = peek(reader, offset, 4);
		if (!at)
			return true;
		header = xentrace_load_u32(at);
		length = xentrace_record_bytes(header);
		if (!xentrace_is_record(header) || length > window_bytes)
			return false;
		offset += length;
		window_bytes -= length;
	}
	return true;
}

/* Returns the offset of the next window from @offset on; the file's size: none. */
static uint64_t search_window(struct strata_xentrace_reader *reader, uint64_t offset)
{
	static const uint8_t header[4] = { XENTRACE_WINDOW & 0xffu, XENTRACE_WINDOW >> 8 & 0xffu,
					   XENTRACE_WINDOW >> 16 & 0xffu, XENTRACE_WINDOW >> 24 };

	while (peek(reader, offset, XENTRACE_WINDOW_BYTES)) {
		size_t at = (size_t)(offset - reader->buffered_from);
		const uint8_t *found =
			memmem(reader->buffer + at, reader->buffered - at, header, sizeof(header));

		if (!found) {
			/* A window may begin in the last bytes, but not in a hole: its first byte
			 * is not zero. */
			offset = reader->buffered_from + reader->buffered - (sizeof(header) - 1);
			offset = strata_next_data(reader->fd, offset, reader->size);
			continue;
		}
		offset = reader->buffered_from + (uint64_t)(found - reader->buffer);
		if (looks_like_window(reader, offset))
			return offset;
		offset++;
	}
	return reader->size;
}

/* Reports what is wrong at reader->offset, and continues at @next. */
static enum strata_xentrace_step leave_out(struct strata_xentrace_reader *reader, uint64_t next,
					   const struct strata_error *why)
{
	uint64_t bytes = next - reader->offset;

	reader->bad_places++;
	if (reader->bad_places >= BAD_PLACES_MAX && next < reader->limit) {
		complain(reader, "offset %llu: %s", (unsigned long long)reader->offset, why->text);
		bytes = reader->size - reader->offset;
		next = reader->size;
		complain(reader, "offset %llu: %u bad places; the rest, %llu bytes, is left out",
			 (unsigned long long)reader->offset, BAD_PLACES_MAX,
			 (unsigned long long)bytes);
	} else {
		complain(reader, "offset %llu: %s; %llu bytes are left out",
			 (unsigned long long)reader->offset, why->text, (unsigned long long)bytes);
	}
	reader->left_out_bytes += bytes;
	reader->offset = next;
	reader->window_end = next;
	reader->window_bytes = 0;
	return STRATA_XENTRACE_GAP;
}

/* Skips the rest of the window. */
static enum strata_xentrace_step leave_window(struct strata_xentrace_reader *reader,
					      const struct strata_error *why)
{
	uint64_t end = reader->window_start + XENTRACE_WINDOW_BYTES + reader->window_bytes;

	if (end > reader->offset && end <= reader->size && ends_well(reader, end))
		return leave_out(reader, end, why);
	return leave_out(reader, search_window(reader, reader->offset + 1), why);
}

/* Reports why nothing more can be read. */
static void name_end(const struct strata_xentrace_reader *reader, struct strata_error *why)
{
	if (reader->cut_short && reader->read_errno)
		strata_fail(why, "it cannot be read from here: %s", strerror(reader->read_errno));
	else if (reader->cut_short)
		strata_fail(why, "it ends here, though it had %llu bytes when it was opened",
			    (unsigned long long)reader->size);
	else if (reader->window_bytes)
		strata_fail(why, "torn: %llu of the %llu bytes of CPU %u's window are there",
			    (unsigned long long)(reader->window_end - reader->window_start -
						 XENTRACE_WINDOW_BYTES),
			    (unsigned long long)reader->window_bytes, reader->cpu);
	else
		strata_fail(why, "torn: the header of a window is incomplete");
}

/* Enters the window at reader->offset. False: no window begins there; *step says why. */
static bool enter_window(struct strata_xentrace_reader *reader, enum strata_xentrace_step *step)
{
	const uint8_t *at = peek(reader, reader->offset, XENTRACE_WINDOW_BYTES);
	struct strata_error why;
	uint64_t left;

	if (reader->offset >= reader->limit) {
		*step = STRATA_XENTRACE_END;
		return false;
	}
	if (!at) {
		reader->window_bytes = 0;
		name_end(reader, &why);
		*step = leave_out(reader, reader->size, &why);
		return false;
	}
	if (!xentrace_is_window(at)) {
		if (xentrace_load_u32(at) == XENTRACE_WINDOW)
			strata_fail(&why, "invalid window of %u bytes for CPU %u",
				    xentrace_load_u32(at + 8), xentrace_load_u32(at + 4));
		else
			strata_fail(&why,
				    "no window begins here (0x%08x), where the previous one ends",
				    xentrace_load_u32(at));
		*step = leave_out(reader, search_window(reader, reader->offset + 1), &why);
		return false;
	}
	reader->window_start = reader->offset;
	reader->cpu = xentrace_load_u32(at + 4);
	reader->window_bytes = xentrace_load_u32(at + 8);
	reader->offset += XENTRACE_WINDOW_BYTES;
	left = reader->size - reader->offset;
	reader->window_end =
		reader->offset + (reader->window_bytes < left ? reader->window_bytes : left);
	reader->windows++;
	return true;
}

static bool is_torn(const struct strata_xentrace_reader *reader)
{
	return reader->window_end - reader->window_start - XENTRACE_WINDOW_BYTES <
	       reader->window_bytes;
}

/* Reports why no record can be read at reader->offset. @left: bytes of the window from there */
static enum strata_xentrace_step bad_record(struct strata_xentrace_reader *reader, uint64_t left,
					    const uint8_t *at)
{
	uint32_t header = at ? xentrace_load_u32(at) : 0;
	struct strata_error why;

	if (at && header == XENTRACE_WINDOW) {
		strata_fail(&why,
			    "another window begins within that of CPU %u at offset %llu, which "
			    "should have %llu bytes",
			    reader->cpu, (unsigned long long)reader->window_start,
			    (unsigned long long)reader->window_bytes);
		if (looks_like_window(reader, reader->offset))
			return leave_out(reader, reader->offset, &why);
	} else if (at && !xentrace_is_record(header)) {
		strata_fail(&why, "no event has the number 0x%07x", header & XENTRACE_EVENT_MASK);
	} else if (is_torn(reader) || !at) {
		name_end(reader, &why);
		return leave_out(reader, reader->size, &why);
	} else {
		strata_fail(&why,
			    "a record of %u bytes runs over the end of CPU %u's window, by "
			    "%llu bytes",
			    xentrace_record_bytes(header), reader->cpu,
			    (unsigned long long)(xentrace_record_bytes(header) - left));
	}
	return leave_window(reader, &why);
}

enum strata_xentrace_step strata_xentrace_next(struct strata_xentrace_reader *reader,
					       struct strata_xentrace_record *record)
{
	enum strata_xentrace_step step;
	const uint8_t *at;
	uint32_t header, bytes;
	uint64_t left;

	while (reader->offset >= reader->window_end) {
		/* A window truncated between two records looks whole otherwise. */
		if (reader->window_bytes && is_torn(reader))
			return bad_record(reader, 0, NULL);
		if (!enter_window(reader, &step))
			return step;
	}
	left = reader->window_end - reader->offset;
	at = left < 4 ? NULL : peek(reader, reader->offset, 4);
	header = at ? xentrace_load_u32(at) : 0;
	bytes = xentrace_record_bytes(header);
	if (!at || !xentrace_is_record(header) || bytes > left)
		return bad_record(reader, left, at);
	at = peek(reader, reader->offset, bytes);
	if (!at)
		return bad_record(reader, left, NULL);

	record->offset = reader->offset;
	record->cpu = reader->cpu;
	record->event = header & XENTRACE_EVENT_MASK;
	record->words = header >> XENTRACE_WORDS_SHIFT & XENTRACE_WORDS_MASK;
	record->timed = header & XENTRACE_TIMED_FLAG;
	record->ticks = record->timed ? xentrace_load_u64(at + 4) : 0;
	record->payload = at + bytes - record->words * 4u;
	reader->offset += bytes;
	return STRATA_XENTRACE_RECORD;
}
