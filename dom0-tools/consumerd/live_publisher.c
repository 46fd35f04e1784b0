// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_publisher.c - see live_publisher.h.
 *
 * A slot that becomes free is reused last, so that followers have time to see the end of the stream
 * that had it.
 */
#include "consumerd/live_publisher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <strata/platform/platform.h>

#include "live/live_table.h"
#include "files/mapped_file.h"
#include "files/out_file.h"

struct live_publisher {
	struct strata_live_table *table;
	uint32_t next; /* slot that is tried first */
	int memory;    /* that holds the table; -1: the file does */
	const struct strata_dir *dir;
};

/* Maps the table in the file itself.  0 or an errno. */
static int map_file(struct live_publisher *live, int fd)
{
	/* With disk space for all of it: a page without space would raise SIGBUS. */
	const int reason = posix_fallocate(fd, 0, sizeof(*live->table));
	void *memory;

	if (reason)
		return reason;
	memory = mmap(NULL, sizeof(*live->table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return errno;
	live->table = memory;
	return 0;
}

/* Maps the table in anonymous memory, and writes its place into the file.  0 or an errno. */
static int map_memory(struct live_publisher *live, int file)
{
	struct strata_live_elsewhere elsewhere = { .magic = STRATA_LIVE_ELSEWHERE_MAGIC,
						   .version = STRATA_LIVE_VERSION,
						   .pid = (uint32_t)getpid() };
	struct stat status;
	void *memory;

	live->memory = memfd_create("strata-live", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (live->memory < 0 || ftruncate(live->memory, sizeof(*live->table)) ||
	    fcntl(live->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) ||
	    fstat(live->memory, &status))
		return errno;
	memory = mmap(NULL, sizeof(*live->table), PROT_READ | PROT_WRITE, MAP_SHARED, live->memory,
		      0);
	if (memory == MAP_FAILED)
		return errno;
	live->table = memory;
	elsewhere.fd = (uint32_t)live->memory;
	elsewhere.inode = status.st_ino;
	if (ftruncate(file, 0))
		return errno;
	return strata_write_all(file, &elsewhere, sizeof(elsewhere));
}

static void give_up(struct live_publisher *live)
{
	if (live->table)
		munmap(live->table, sizeof(*live->table));
	if (live->memory >= 0)
		close(live->memory);
	strata_dir_remove(live->dir, STRATA_LIVE_FILE);
	free(live);
}

struct live_publisher *live_publisher_open(const struct strata_dir *dir, struct strata_error *error)
{
	struct live_publisher *live = calloc(1, sizeof(*live));
	int fd, reason;

	if (!live) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	live->memory = -1;
	live->dir = dir;
	strata_dir_remove(dir, STRATA_LIVE_FILE);
	fd = strata_dir_create(dir, STRATA_LIVE_FILE, 0640, error);
	if (fd < 0) {
		free(live);
		return NULL;
	}
	reason = map_file(live, fd);
	/* The answers of file systems without shared, writable mappings. */
	if (reason == EINVAL || reason == ENODEV || reason == EOPNOTSUPP)
		reason = map_memory(live, fd);
	close(fd);
	if (reason)
		strata_fail(error, "%s/" STRATA_LIVE_FILE ": %s", dir->path, strerror(reason));
	/* If the file was truncated, the recording continues, but can no longer be followed. */
	if (reason || strata_mapping_guard(live->table, sizeof(*live->table), error)) {
		give_up(live);
		return NULL;
	}
	live->table->version = STRATA_LIVE_VERSION;
	/* Release: all of it; pairs with the acquire in strata_live_table_open(). */
	strata_store_release(&live->table->magic, STRATA_LIVE_MAGIC);
	return live;
}

void live_publisher_close(struct live_publisher *live)
{
	if (!live)
		return;
	/* Release: all that was written to the files; pairs with the acquire in
	 * strata_live_look(). */
	strata_store_release(&live->table->state, STRATA_LIVE_ENDED);
	munmap(live->table, sizeof(*live->table));
	strata_mapping_forget(live->table);
	if (live->memory >= 0)
		close(live->memory);
	strata_dir_remove(live->dir, STRATA_LIVE_FILE);
	free(live);
}

static bool is_free(const struct strata_live_table *table, uint32_t slot)
{
	return slot >= table->nr_slots || table->slots[slot].complete_ticks == UINT64_MAX;
}

uint32_t live_publisher_add(struct live_publisher *live, uint32_t source, uint32_t cpu,
			    uint64_t ticks)
{
	struct strata_live_table *table;
	uint32_t tried, slot;

	if (!live)
		return LIVE_NO_SLOT;
	table = live->table;
	for (tried = 0; tried < STRATA_LIVE_SLOTS; tried++) {
		slot = (live->next + tried) % STRATA_LIVE_SLOTS;
		if (is_free(table, slot))
			break;
	}
	if (tried == STRATA_LIVE_SLOTS) {
		table->slotless++;
		return LIVE_NO_SLOT;
	}
	live->next = (slot + 1) % STRATA_LIVE_SLOTS;
	table->slots[slot].source = source;
	table->slots[slot].cpu = cpu;
	table->slots[slot].bytes = 0;
	/* Release: the slot is complete when it is no longer free; pairs with the acquire of
	 * readers that search the slots. */
	strata_store_release(&table->slots[slot].complete_ticks, ticks);
	if (slot >= table->nr_slots)
		strata_store_release(&table->nr_slots, slot + 1);
	return slot;
}

void live_publisher_tables(struct live_publisher *live)
{
	/* Release: before the bytes that they describe; pairs with the acquire in
	 * strata_live_look(). */
	if (live)
		strata_store_release(&live->table->generation, live->table->generation + 1);
}

void live_publisher_set(struct live_publisher *live, uint32_t slot, uint64_t bytes, uint64_t ticks)
{
	if (slot == LIVE_NO_SLOT)
		return;
	strata_store_release(&live->table->slots[slot].bytes, bytes);
	/* Release: the bytes first; pairs with the acquire of readers that search the slots. */
	strata_store_release(&live->table->slots[slot].complete_ticks, ticks);
}

void live_publisher_end(struct live_publisher *live, uint32_t slot, uint64_t bytes)
{
	live_publisher_set(live, slot, bytes, UINT64_MAX);
}
