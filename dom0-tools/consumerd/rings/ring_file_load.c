// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring_file_load.c - reads a file of rings, for `strata recover`.
 *
 * The file may belong to any user, and a process may still write to it: it is copied once and then
 * checked. It is read, not mapped, because a mapped file that shrinks causes SIGBUS.
 */
#include "consumerd/rings/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/rings/event_table.h"
#include "files/read_at.h"

/* A recording has no faster clock (recording_load.c). */
#define TSC_KHZ_MAX 100000000u

/* Reads the whole range.  0, or -1 with the reason. */
static int read_at(int fd, void *to, uint64_t bytes, uint64_t offset, struct strata_error *error)
{
	const size_t done = strata_read_at(fd, to, bytes, offset);

	return done == bytes ? 0
			     : strata_fail(error, "it cannot be read at byte %llu: %s",
					   (unsigned long long)(offset + done),
					   errno ? strerror(errno) : "it ends there");
}

static int check_version(const struct ring_file_header *header, struct strata_error *error)
{
	if (header->magic != RING_FILE_MAGIC)
		return strata_fail(error, "not a file of rings (magic 0x%08x)", header->magic);
	if (header->version < RING_FILE_VERSION_MIN || header->version > RING_FILE_VERSION)
		return strata_fail(error,
				   "version %u; this program reads versions %u to %u: use the "
				   "strata that recorded it",
				   header->version, RING_FILE_VERSION_MIN, RING_FILE_VERSION);
	if (header->app_version != STRATA_APP_ABI_VERSION)
		return strata_fail(
			error,
			"its rings are of version %u; this program reads version %u: use "
			"the strata that recorded it",
			header->app_version, STRATA_APP_ABI_VERSION);
	if (header->count_bits != STRATA_COUNT_BITS)
		return strata_fail(error, "its counters have %u bits, and this machine's %u",
				   header->count_bits, STRATA_COUNT_BITS);
	return 0;
}

static int check_header(struct ring_file_header *header, struct strata_error *error)
{
	const struct strata_ring_geometry geo = { header->subbuf_bits, header->nr_subbufs_bits };

	if (check_version(header, error))
		return -1;
	if (header->mode != STRATA_APP_SINGLE_STORE && header->mode != STRATA_APP_RESERVE_COMMIT)
		return strata_fail(error, "its rings are of an unknown kind %u", header->mode);
	if (header->form >= STRATA_NR_HEADER_FORMS || header->overwrite > 1)
		return strata_fail(error, "its records are of an unknown form");
	if (!strata_geometry_valid(geo))
		return strata_fail(error, "bad sizes: 2^%u sub-buffers of 2^%u bytes",
				   header->nr_subbufs_bits, header->subbuf_bits);
	if (header->nr_rings < 1 || header->nr_rings > STRATA_APP_RINGS_MAX)
		return strata_fail(error, "bad number of rings: %u (1 to %u)", header->nr_rings,
				   STRATA_APP_RINGS_MAX);
	if (header->ring_bytes != strata_app_ring_bytes((enum strata_app_mode)header->mode, geo) ||
	    header->ring_bytes > RING_FILE_BYTES_MAX / header->nr_rings)
		return strata_fail(error, "bad sizes: %u rings of %llu bytes", header->nr_rings,
				   (unsigned long long)header->ring_bytes);
	if (header->nr_events > STRATA_APP_EVENTS_MAX ||
	    header->table_bytes > STRATA_APP_EVENTS_MAX * sizeof(struct strata_event_desc))
		return strata_fail(error, "bad event table: %u events in %llu bytes",
				   header->nr_events, (unsigned long long)header->table_bytes);
	if (header->tsc_khz == 0 || header->tsc_khz > TSC_KHZ_MAX ||
	    header->anchor_realtime_ns > INT64_MAX)
		return strata_fail(error, "bad clock frequency: %u kHz", header->tsc_khz);
	if (header->pid <= 0)
		return strata_fail(error, "bad process number: %d", header->pid);
	header->comm[sizeof(header->comm) - 1] = '\0';
	return 0;
}

static int check_length(const struct ring_file_header *header, const struct stat *status,
			struct strata_error *error)
{
	uint64_t needed = ring_file_table_offset(header) + header->table_bytes;

	if ((uint64_t)status->st_size < needed)
		return strata_fail(error, "it is truncated: %llu of its %llu bytes are there",
				   (unsigned long long)status->st_size, (unsigned long long)needed);
	return 0;
}

static int read_table(struct ring_file *file, int fd, struct strata_error *error)
{
	const struct ring_file_header *header = &file->header;
	unsigned char *table;
	int result = -1;

	if (header->nr_events == 0)
		return 0;
	table = malloc(header->table_bytes ? header->table_bytes : 1);
	if (!table)
		return strata_fail(error, "out of memory");
	if (!read_at(fd, table, header->table_bytes, ring_file_table_offset(header), error)) {
		file->events = event_table_parse(table, header->table_bytes, header->nr_events,
						 header->version >= RING_FILE_VERSION_FORMATS
							 ? EVENT_TABLE_WITH_FORMATS
							 : EVENT_TABLE_BEFORE_FORMATS,
						 error);
		result = file->events ? 0 : -1;
	}
	free(table);
	return result;
}

static int read_rings(struct ring_file *file, int fd, struct strata_error *error)
{
	uint64_t bytes = file->header.nr_rings * file->header.ring_bytes;
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return strata_fail(error, "out of memory for its rings: %s", strerror(errno));
	file->rings = memory;
	return read_at(fd, memory, bytes, RING_FILE_FIRST_PAGE * (uint64_t)STRATA_PAGE_BYTES,
		       error);
}

static int load(struct ring_file *file, int fd, struct strata_error *error)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return strata_fail(error, "not a regular file");
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return strata_fail(
			error,
			"a recorder still reads it; end that with Ctrl-C or SIGINT, which completes its recording");
	if ((uint64_t)status.st_size < sizeof(file->header))
		return strata_fail(error, "it is truncated: %llu bytes are too few for a header",
				   (unsigned long long)status.st_size);
	if (read_at(fd, &file->header, sizeof(file->header), 0, error) ||
	    check_header(&file->header, error) || check_length(&file->header, &status, error))
		return -1;
	return read_rings(file, fd, error) || read_table(file, fd, error) ? -1 : 0;
}

int ring_file_load(struct ring_file *file, const char *path, struct strata_error *error)
{
	/* Not blocking: the file could be a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	int result;

	memset(file, 0, sizeof(*file));
	if (fd < 0)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	result = load(file, fd, error);
	close(fd);
	if (result) {
		ring_file_clear(file);
		strata_fail_in(error, "%s", path);
	}
	return result;
}

void ring_file_clear(struct ring_file *file)
{
	if (file->rings)
		munmap(file->rings, file->header.nr_rings * file->header.ring_bytes);
	free(file->events);
	memset(file, 0, sizeof(*file));
}
