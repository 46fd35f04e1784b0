// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_reader.c - see xentrace_reader.h.  The importer walks through a file with
 * it, and before that whoever looks for the host's frequency.
 *
 * How a lie is found out: windows must follow each other without a byte between
 * them, records must fill a window exactly, and each event has a bit of its class
 * and one of its subclass set, because Xen compares both with a mask before it
 * records anything.  After a lie reading resumes where the window says that it
 * ends if another begins there, else at the next place that looks like a window.
 */
#include "inputs/xentrace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES 262144u

/* A file is one of xentrace's if so many records are, or as many as it has: they are within its
 * first bytes unless there are windows without any. */
#define RECOGNISED_RECORDS 8u
#define RECOGNISED_BYTES   4096u

/* A file with more bad places than this is given up: each costs a search and a message. */
#define BAD_PLACES_MAX 1000u

/* The header of a record. */
#define EVENT_MASK    0x0fffffffu
#define WORDS_SHIFT   28u
#define WORDS_MASK    7u
#define TIMED_FLAG    0x80000000u
#define CLASS_MASK    0x0fff0000u
#define SUBCLASS_MASK 0x0000f000u

#define RECORD_BYTES_MAX 40u

/* xentrace's own record: two words, the CPU and the bytes that follow, and no time. */
#define WINDOW_HEADER       (STRATA_XENTRACE_CPU_CHANGE | 2u << WORDS_SHIFT)
#define WINDOW_HEADER_BYTES 12u

static void complain(struct strata_xentrace_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct strata_xentrace_reader *reader, const char *format, ...)
{
	char message[1600];
	va_list args;
	int length;

	if (!reader->complain)
		return;
	length = snprintf(message, sizeof(message), "%s: ", reader->path);
	va_start(args, format);
	vsnprintf(message + length, sizeof(message) - (size_t)length, format, args);
	va_end(args);
	reader->complain(reader->complain_data, message);
}

static uint32_t load_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static uint64_t load_u64(const uint8_t *at)
{
	return (uint64_t)load_u32(at + 4) << 32 | load_u32(at);
}

static uint32_t record_bytes(uint32_t header)
{
	return 4u + (header & TIMED_FLAG ? 8u : 0u) + (header >> WORDS_SHIFT & WORDS_MASK) * 4u;
}

/* Xen records no event that has no bit of a class and of a subclass. */
static bool is_event(uint32_t header)
{
	return (header & CLASS_MASK) && (header & SUBCLASS_MASK);
}

/* Whether these twelve bytes can begin a window. */
static bool is_window(const uint8_t *at)
{
	return load_u32(at) == WINDOW_HEADER && load_u32(at + 4) <= STRATA_XENTRACE_CPU_MAX &&
	       load_u32(at + 8) % 4u == 0;
}

/* Reads as much of the range as there is; returns the bytes. */
static size_t read_at(const struct strata_xentrace_reader *reader, void *to, size_t bytes,
		      uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got =
			pread(reader->fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/*
 * Makes the range readable in one piece, at most RECORD_BYTES_MAX bytes.  NULL: the
 * file ends before, by what it said when it was opened or because it has shrunk.
 */
static const uint8_t *peek(struct strata_xentrace_reader *reader, uint64_t offset, size_t bytes)
{
	uint64_t left;

	if (offset >= reader->buffered_from && offset - reader->buffered_from <= reader->buffered &&
	    bytes <= reader->buffered - (size_t)(offset - reader->buffered_from))
		return reader->buffer + (offset - reader->buffered_from);
	if (offset >= reader->size || bytes > reader->size - offset)
		return NULL;
	left = reader->size - offset;
	reader->buffered_from = offset;
	reader->buffered = read_at(reader, reader->buffer,
				   left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES, offset);
	return bytes <= reader->buffered ? reader->buffer : NULL;
}

/* Whether another window begins at @offset, or nothing more. */
static bool ends_well(struct strata_xentrace_reader *reader, uint64_t offset)
{
	uint8_t header[WINDOW_HEADER_BYTES];

	return offset == reader->size ||
	       (read_at(reader, header, sizeof(header), offset) == sizeof(header) &&
		is_window(header));
}

/* Whether a window can begin at @offset, by its first records too.  It may be torn. */
static bool looks_like_window(struct strata_xentrace_reader *reader, uint64_t offset)
{
	const uint8_t *at = peek(reader, offset, WINDOW_HEADER_BYTES);
	unsigned int records;
	uint32_t window_bytes;

	if (!at || !is_window(at))
		return false;
	window_bytes = load_u32(at + 8);
	offset += WINDOW_HEADER_BYTES;
	for (records = 0; window_bytes && records < RECOGNISED_RECORDS; records++) {
		uint32_t header, length;

		at = peek(reader, offset, 4);
		if (!at)
			return true;
		header = load_u32(at);
		length = record_bytes(header);
		if (!is_event(header) || header == WINDOW_HEADER || length > window_bytes)
			return false;
		offset += length;
		window_bytes -= length;
	}
	return true;
}

/* Where the next window is from @offset on; the file's size: nowhere. */
static uint64_t search_window(struct strata_xentrace_reader *reader, uint64_t offset)
{
	static const uint8_t header[4] = { WINDOW_HEADER & 0xffu, WINDOW_HEADER >> 8 & 0xffu,
					   WINDOW_HEADER >> 16 & 0xffu, WINDOW_HEADER >> 24 };

	while (peek(reader, offset, WINDOW_HEADER_BYTES)) {
		size_t at = (size_t)(offset - reader->buffered_from);
		const uint8_t *found =
			memmem(reader->buffer + at, reader->buffered - at, header, sizeof(header));

		if (!found) {
			/* One may begin in the last bytes. */
			offset = reader->buffered_from + reader->buffered - (sizeof(header) - 1);
			continue;
		}
		offset = reader->buffered_from + (uint64_t)(found - reader->buffer);
		if (looks_like_window(reader, offset))
			return offset;
		offset++;
	}
	return reader->size;
}

/* Names what is wrong at reader->offset, and goes on at @next. */
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

/* The rest of the window is no use. */
static enum strata_xentrace_step leave_window(struct strata_xentrace_reader *reader,
					      const struct strata_error *why)
{
	uint64_t end = reader->window_start + WINDOW_HEADER_BYTES + reader->window_bytes;

	if (end > reader->offset && end <= reader->size && ends_well(reader, end))
		return leave_out(reader, end, why);
	return leave_out(reader, search_window(reader, reader->offset + 1), why);
}

/* Steps into the window at reader->offset.  False: there is none, and *step says how it ended. */
static bool enter_window(struct strata_xentrace_reader *reader, enum strata_xentrace_step *step)
{
	const uint8_t *at = peek(reader, reader->offset, WINDOW_HEADER_BYTES);
	struct strata_error why;
	uint64_t left;

	if (reader->offset >= reader->limit) {
		*step = STRATA_XENTRACE_END;
		return false;
	}
	if (!at) {
		strata_fail(&why, "torn: the header of a window is cut");
		*step = leave_out(reader, reader->size, &why);
		return false;
	}
	if (!is_window(at)) {
		if (load_u32(at) == WINDOW_HEADER)
			strata_fail(&why, "a window of %u bytes for CPU %u cannot be",
				    load_u32(at + 8), load_u32(at + 4));
		else
			strata_fail(&why,
				    "no window begins here (0x%08x), though the one before ends",
				    load_u32(at));
		*step = leave_out(reader, search_window(reader, reader->offset + 1), &why);
		return false;
	}
	reader->window_start = reader->offset;
	reader->cpu = load_u32(at + 4);
	reader->window_bytes = load_u32(at + 8);
	reader->offset += WINDOW_HEADER_BYTES;
	left = reader->size - reader->offset;
	reader->window_end =
		reader->offset + (reader->window_bytes < left ? reader->window_bytes : left);
	reader->windows++;
	return true;
}

static bool is_torn(const struct strata_xentrace_reader *reader)
{
	return reader->window_end - reader->window_start - WINDOW_HEADER_BYTES <
	       reader->window_bytes;
}

/* Why no record can be read at reader->offset, of which @left bytes belong to the window. */
static enum strata_xentrace_step bad_record(struct strata_xentrace_reader *reader, uint64_t left,
					    const uint8_t *at)
{
	uint32_t header = at ? load_u32(at) : 0;
	struct strata_error why;

	if (at && header == WINDOW_HEADER) {
		strata_fail(&why,
			    "another window begins within that of CPU %u at offset %llu, which "
			    "should have %llu bytes",
			    reader->cpu, (unsigned long long)reader->window_start,
			    (unsigned long long)reader->window_bytes);
		if (looks_like_window(reader, reader->offset))
			return leave_out(reader, reader->offset, &why);
	} else if (at && !is_event(header)) {
		strata_fail(&why, "no event has the number 0x%07x", header & EVENT_MASK);
	} else if (is_torn(reader) || !at) {
		strata_fail(&why, "torn: %llu of the %llu bytes of CPU %u's window are there",
			    (unsigned long long)(reader->window_end - reader->window_start -
						 WINDOW_HEADER_BYTES),
			    (unsigned long long)reader->window_bytes, reader->cpu);
		return leave_out(reader, reader->size, &why);
	} else {
		strata_fail(&why,
			    "a record of %u bytes runs over the end of CPU %u's window, by "
			    "%llu bytes",
			    record_bytes(header), reader->cpu,
			    (unsigned long long)(record_bytes(header) - left));
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
		/* A window that was cut between two records looks whole otherwise. */
		if (reader->window_bytes && is_torn(reader))
			return bad_record(reader, 0, NULL);
		if (!enter_window(reader, &step))
			return step;
	}
	left = reader->window_end - reader->offset;
	at = left < 4 ? NULL : peek(reader, reader->offset, 4);
	header = at ? load_u32(at) : 0;
	bytes = record_bytes(header);
	if (!at || !is_event(header) || header == WINDOW_HEADER || bytes > left)
		return bad_record(reader, left, at);
	at = peek(reader, reader->offset, bytes);
	if (!at)
		return bad_record(reader, left, NULL);

	record->offset = reader->offset;
	record->cpu = reader->cpu;
	record->event = header & EVENT_MASK;
	record->words = header >> WORDS_SHIFT & WORDS_MASK;
	record->timed = header & TIMED_FLAG;
	record->ticks = record->timed ? load_u64(at + 4) : 0;
	record->payload = at + bytes - record->words * 4u;
	reader->offset += bytes;
	return STRATA_XENTRACE_RECORD;
}

/*
 * Whether a file that begins with these bytes is one of xentrace's: whose first
 * records are right may be damaged behind them.  @whole: they are all of it
 */
static bool begins_well(const uint8_t *bytes, size_t nr, bool whole)
{
	size_t at = 0, records = 0;

	while (nr - at >= WINDOW_HEADER_BYTES) {
		uint32_t window_bytes = load_u32(bytes + at + 8);

		if (!is_window(bytes + at))
			return false;
		at += WINDOW_HEADER_BYTES;
		for (; window_bytes; records++) {
			uint32_t header = nr - at < 4 ? 0 : load_u32(bytes + at);
			uint32_t length = record_bytes(header);

			if (records == RECOGNISED_RECORDS || nr - at < 4)
				return records > 0;
			if (!is_event(header) || header == WINDOW_HEADER || length > window_bytes)
				return false;
			if (length > nr - at)
				return records > 0;
			at += length;
			window_bytes -= length;
		}
	}
	return records > 0 && whole;
}

/* Why not, if it does not. */
static int recognise(struct strata_xentrace_reader *reader, struct strata_error *error)
{
	size_t nr = reader->size < RECOGNISED_BYTES ? (size_t)reader->size : RECOGNISED_BYTES;
	const size_t got = read_at(reader, reader->buffer, nr, 0);

	reader->buffered = got;
	if (reader->size == 0)
		return strata_fail(error, "the file is empty: xentrace recorded nothing. It needs "
					  "an event mask, `xentrace -e all FILE`");
	if (got < nr)
		return strata_fail(error, "it cannot be read: %s",
				   errno ? strerror(errno) : "it ends early");
	if (!begins_well(reader->buffer, got, got == reader->size))
		return strata_fail(error,
				   "it is not a binary file of xentrace's: that begins with "
				   "a CPU_CHANGE record (0x%08x) and the records of one CPU",
				   WINDOW_HEADER);
	return 0;
}

static int open_file(struct strata_xentrace_reader *reader, const char *path,
		     struct strata_error *error)
{
	struct stat status;

	memset(reader, 0, sizeof(*reader));
	reader->fd = -1;
	if (snprintf(reader->path, sizeof(reader->path), "%s", path) >= (int)sizeof(reader->path))
		return strata_fail(error, "%.100s...: the path is too long", path);
	/* Not blocking: what should be a file could be a pipe. */
	reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reader->fd < 0 || fstat(reader->fd, &status))
		return strata_fail(error, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return strata_fail(error, "%s: not a regular file", path);
	reader->size = (uint64_t)status.st_size;
	reader->limit = reader->size;
	if (status.st_mtim.tv_sec > 0)
		reader->mtime_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u +
				   (uint64_t)status.st_mtim.tv_nsec;
	reader->buffer = malloc(BUFFER_BYTES);
	if (!reader->buffer)
		return strata_fail(error, "%s: out of memory", path);
	errno = 0;
	return recognise(reader, error) ? strata_fail_in(error, "%s", path) : 0;
}

int strata_xentrace_open(struct strata_xentrace_reader *reader, const char *path,
			 strata_complain_fn *complain_fn, void *complain_data,
			 struct strata_error *error)
{
	if (open_file(reader, path, error)) {
		strata_xentrace_close(reader);
		return -1;
	}
	reader->complain = complain_fn;
	reader->complain_data = complain_data;
	return 0;
}

const uint8_t *strata_xentrace_beginning(const struct strata_xentrace_reader *reader, size_t *nr)
{
	*nr = reader->buffered;
	return reader->buffer;
}

bool strata_is_xentrace(const char *path)
{
	struct strata_xentrace_reader reader;
	struct strata_error ignored;
	bool is = open_file(&reader, path, &ignored) == 0;

	strata_xentrace_close(&reader);
	return is;
}

void strata_xentrace_close(struct strata_xentrace_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->buffer);
	reader->fd = -1;
	reader->buffer = NULL;
}
