// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_recognise.c - opens a file after its first bytes have shown that xentrace wrote it; see
 * xentrace_reader.h.
 */
#include "inputs/xentrace/xentrace_format.h"
#include "files/read_at.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* These bytes contain XENTRACE_RECORDS_TRIED records, or all of a shorter file, unless there are
 * windows without any. */
#define RECOGNISED_BYTES 4096u

/*
 * Whether a file that begins with these bytes is from xentrace: if its first records are valid, it
 * may be damaged later. @whole: these are all bytes of the file
 */
static bool begins_well(const uint8_t *bytes, size_t nr, bool whole)
{
	size_t at = 0, records = 0;

	while (nr - at >= XENTRACE_WINDOW_BYTES) {
		uint32_t window_bytes = xentrace_load_u32(bytes + at + 8);

		if (!xentrace_is_window(bytes + at))
			return false;
		at += XENTRACE_WINDOW_BYTES;
		for (; window_bytes; records++) {
			uint32_t header = nr - at < 4 ? 0 : xentrace_load_u32(bytes + at);
			uint32_t length = xentrace_record_bytes(header);

			if (records == XENTRACE_RECORDS_TRIED || nr - at < 4)
				return records > 0;
			if (!xentrace_is_record(header) || length > window_bytes)
				return false;
			if (length > nr - at)
				return records > 0;
			at += length;
			window_bytes -= length;
		}
	}
	return records > 0 && whole;
}

/* Reports why the file is not from xentrace. */
static int recognise(struct strata_xentrace_reader *reader, struct strata_error *error)
{
	size_t nr = reader->size < RECOGNISED_BYTES ? (size_t)reader->size : RECOGNISED_BYTES;
	const size_t got = strata_read_at(reader->fd, reader->buffer, nr, 0);

	reader->buffered = got;
	if (reader->size == 0)
		return strata_fail(error, "the file is empty: xentrace recorded nothing. It needs "
					  "an event mask, `xentrace -e all FILE`");
	if (got < nr)
		return strata_fail(error, "cannot be read: %s",
				   errno ? strerror(errno) : "it ends early");
	if (!begins_well(reader->buffer, got, got == reader->size))
		return strata_fail(error,
				   "not a binary file of xentrace, which begins with a CPU_CHANGE "
				   "record (0x%08x) and the records of one CPU",
				   XENTRACE_WINDOW);
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
	/* Non-blocking: the path could be a pipe. */
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
	reader->buffer = malloc(XENTRACE_BUFFER_BYTES);
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

void strata_xentrace_close(struct strata_xentrace_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->buffer);
	reader->fd = -1;
	reader->buffer = NULL;
}
