// SPDX-License-Identifier: GPL-2.0-or-later
/* app_memory.c - see app_memory.h; called by app.c. */
#include "consumerd/rings/app_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/rings/app_ring.h"
#include "files/mapped_file.h"

#ifndef F_SEAL_FUTURE_WRITE /* Linux 5.1 */
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/* Maps a piece of the memory in its place. */
static int map_piece(const struct app_memory *memory, int fd, size_t begin, size_t end, int rights)
{
	const off_t at = (off_t)(memory->first_page * STRATA_PAGE_BYTES + begin);

	return mmap(memory->rings + begin, end - begin, rights, MAP_SHARED | MAP_FIXED, fd, at) ==
			       MAP_FAILED
		       ? -1
		       : 0;
}

/* Maps the application's pages read-only, and ours in between.  Each gets its rights at once:
 * taking them from pages that are mapped interrupts all CPUs on which a thread of ours runs. */
static int map_pieces(const struct app_memory *memory, int fd)
{
	const struct ring_file_header *header = &memory->header;
	/* Tables have no reader's page. */
	const uint32_t nr_pages = header->mode == STRATA_APP_COUNT ? 0 : header->nr_rings;
	size_t begin = 0;
	uint32_t i;

	for (i = 0; i < nr_pages; i++) {
		const size_t page = i * header->ring_bytes +
				    app_ring_reader_offset((enum strata_app_mode)header->mode);

		if (map_piece(memory, fd, begin, page, PROT_READ) ||
		    map_piece(memory, fd, page, page + STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE))
			return -1;
		begin = page + STRATA_PAGE_BYTES;
	}
	return map_piece(memory, fd, begin, memory->bytes, PROT_READ);
}

static int map_rings(struct app_memory *memory, int fd, struct strata_error *error)
{
	void *rings = mmap(NULL, memory->bytes, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (rings == MAP_FAILED)
		return strata_fail(error, "its rings cannot be mapped: %s", strerror(errno));
	memory->rings = rings;
	if (map_pieces(memory, fd))
		return strata_fail(error, "its rings cannot be mapped: %s", strerror(errno));
	/* A child that is blocked in the kernel must not keep it. */
	madvise(rings, memory->bytes, MADV_DONTFORK);
	if (memory->kernel_id)
		return 0;
	if (memory->file < 0)
		return ring_pages_open(&memory->pages, memory->rings, memory->bytes, error);
	/* Zeros are not a valid ring: its channel is disabled at the next check of its words. */
	return strata_mapping_guard(memory->rings, memory->bytes, error);
}

static int make_anonymous(const struct app_memory *memory, struct strata_error *error)
{
	int fd = memfd_create("strata", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && !ftruncate(fd, (off_t)memory->bytes) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		return fd;
	strata_fail(error, "out of memory for its rings: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static int take_ready(struct app_memory *memory, struct kernel_memory *ready,
		      struct strata_error *error)
{
	const int fd = ready->fd;

	if (ready->bytes < memory->bytes)
		return strata_fail(error,
				   "its rings are larger than those of other programs; make them "
				   "smaller with --app-buffer");
	memory->kernel_id = ready->id;
	ready->fd = -1;
	return fd;
}

/* The application gets another descriptor than ours, whose lock ends with us. */
static int make_file(struct app_memory *memory, const struct strata_dir *dir,
		     struct strata_error *error)
{
	int fd;

	memory->dir = dir;
	memory->file = ring_file_make(dir, &memory->header, memory->name, &fd, error);
	memory->first_page = RING_FILE_FIRST_PAGE;
	return memory->file < 0 ? -1 : fd;
}

int app_memory_make(struct app_memory *memory, const struct strata_dir *dir,
		    struct kernel_memory *ready, const struct ring_file_header *header,
		    struct strata_error *error)
{
	int fd;

	memory->given = -1;
	memory->header = *header;
	memory->bytes = header->nr_rings * header->ring_bytes;
	if (dir)
		fd = make_file(memory, dir, error);
	else if (ready && ready->fd >= 0)
		fd = take_ready(memory, ready, error);
	else
		fd = make_anonymous(memory, error);
	if (fd >= 0 && map_rings(memory, fd, error)) {
		close(fd);
		return -1;
	}
	return fd;
}

void app_memory_leave_unsealed(struct app_memory *memory)
{
	if (memory->given >= 0)
		close(memory->given);
	memory->given = -1;
}

int app_memory_seal(struct app_memory *memory, struct strata_error *error)
{
	int result = 0;

	if (memory->given < 0)
		return 0;
	if (memory->kernel_id)
		result = 0;
	else if (!fcntl(memory->given, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL))
		result = 1;
	else if (errno != EINVAL)
		result = strata_fail(error, "cannot seal the memory of its rings: %s",
				     strerror(errno));
	app_memory_leave_unsealed(memory);
	return result;
}

void app_memory_trim(struct app_memory *memory)
{
	struct stat status;
	off_t bytes;

	if (memory->file < 0 || fstat(memory->file, &status))
		return;
	bytes = (off_t)(ring_file_table_offset(&memory->header) + memory->header.table_bytes);
	if (status.st_size <= bytes)
		return;
	fprintf(stderr,
		"strata: %s: process %d has extended its file by %lld KiB; the "
		"file is truncated again\n",
		memory->name, memory->header.pid, (long long)(status.st_size - bytes) >> 10);
	if (ftruncate(memory->file, bytes))
		fprintf(stderr, "strata: %s: %s\n", memory->name, strerror(errno));
}

void *app_memory_take(struct app_memory *memory, size_t *bytes)
{
	/* A file that was handed over stays a file. */
	void *rings = memory->dir ? NULL : memory->rings;

	app_memory_leave_unsealed(memory);
	ring_pages_close(&memory->pages);
	*bytes = memory->bytes;
	if (rings)
		memory->rings = NULL;
	return rings;
}

void app_memory_free(struct app_memory *memory)
{
	app_memory_leave_unsealed(memory);
	ring_pages_close(&memory->pages);
	if (memory->rings) {
		munmap(memory->rings, memory->bytes);
		strata_mapping_forget(memory->rings);
	}
	if (memory->file >= 0) {
		close(memory->file);
		ring_file_remove(memory->dir, memory->name);
	}
	memory->rings = NULL;
	memory->file = -1;
}
