// SPDX-License-Identifier: MIT
/*
 * rings.c - the rings of a process: created in memory from the recorder, written by tracepoint.h
 * or, where the CPU or the kernel has no restartable sequences, by reserve and commit here.
 *
 * Threads may be within an event at any time, so no mapping is ever removed: when a
 * recording ends, empty memory replaces it.
 */
#include "libstrata/libstrata.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <strata/ring_end.h>
#include <strata/ring_switch.h>

/* Time that sections have to end if the kernel cannot abort them. */
#define SECTION_NS 10000000

/* Time that a thread may take between reserve and commit at the end; a thread that takes longer is
 * stopped by a debugger, or died there. */
#define SETTLE_NS    1000000
#define SETTLE_TURNS 300u

/* The target of strata_app_rings, and what only this file needs. */
struct rings {
	struct strata_app_rings seen;
	struct strata_ring **ring; /* reserve/commit: the writer's books of each */
	uint64_t marks_offset;
};

_Static_assert(STRATA_APP_MARK_SPACING <=
		       STRATA_COMPACT_HEADER_BYTES + sizeof(struct strata_app_context),
	       "two slots could have the same mark");

const struct strata_app_rings *strata_app_rings;

static struct rings *current;

/* Zero in a child of fork() until it has started anew: until then it would write by reserve and
 * commit with its own copy of the books, into its parent's memory. */
static const uint32_t always_alive = 1;
static const uint32_t *alive = &always_alive;

enum strata_app_mode rings_mode(void)
{
#ifdef STRATA_HAS_RSEQ
	const char *wish = secure_getenv("STRATA_APP_MODE");

	if (strata_rseq_available() && !(wish && strcmp(wish, "reserve-commit") == 0))
		return STRATA_APP_SINGLE_STORE;
#endif
	return STRATA_APP_RESERVE_COMMIT;
}

static void mark_alive(void)
{
	uint32_t *page;

	if (alive == &always_alive) {
		page = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED || madvise(page, STRATA_PAGE_BYTES, MADV_WIPEONFORK))
			return;
		alive = page;
	}
	strata_write_once((uint32_t *)alive, 1);
}

/* CPUs that this machine can have. */
static uint32_t nr_cpus;

void rings_prepare(void)
{
	long nr;

	/* This reads a file: see recorder_prepare(). */
	if (!nr_cpus) {
		nr = sysconf(_SC_NPROCESSORS_CONF);
		nr_cpus = nr < 1                            ? 1
			  : nr > (long)STRATA_APP_RINGS_MAX ? STRATA_APP_RINGS_MAX
							    : (uint32_t)nr;
	}
	mark_alive();
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

uint32_t rings_nr_cpus(void)
{
	return nr_cpus;
}

uint8_t rings_header_forms(void)
{
	return rings_mode() == STRATA_APP_RESERVE_COMMIT
		       ? STRATA_HEADER_FORMS_ALL
		       : STRATA_HEADER_FORM_BIT(STRATA_HEADER_FULL);
}

static struct strata_ring *make_reserve_commit(unsigned char *memory,
					       const struct strata_app_message *setup, uint32_t cpu)
{
	const struct strata_ring_geometry geo = { setup->subbuf_bits, setup->nr_subbufs_bits };
	struct strata_ring *ring = calloc(1, strata_ring_bytes(geo));

	if (!ring)
		return NULL;
	strata_ring_init(ring, geo,
			 memory + (STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES) *
					  STRATA_PAGE_BYTES,
			 (struct strata_ring_writer_area *)memory,
			 (struct strata_ring_reader_area *)(memory + STRATA_WRITER_AREA_PAGES *
									     STRATA_PAGE_BYTES),
			 cpu, 0);
	ring->overwrite = setup->overwrite;
	strata_ring_set_form(ring, (enum strata_header_form)setup->headers);
	return ring;
}

static int make_rings(struct rings *rings, const struct strata_app_message *setup)
{
	const struct strata_ring_geometry geo = { setup->subbuf_bits, setup->nr_subbufs_bits };
	uint32_t i;

	for (i = 0; i < rings->seen.nr; i++) {
		unsigned char *memory = rings->seen.memory + i * rings->seen.stride;

		if (rings->seen.nr_single) {
			strata_single_init((struct strata_single_area *)memory, geo, i,
					   setup->overwrite);
			continue;
		}
		rings->ring[i] = make_reserve_commit(memory, setup, i);
		if (!rings->ring[i])
			return -1;
	}
	return 0;
}

/* Whether the memory cannot shrink.  A write after its end would kill the process. */
static bool cannot_shrink(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && seals & F_SEAL_SHRINK;
}

/* Whether the memory reaches up to @end. For memory that is not a file the kernel reports no size:
 * it refuses to map more than there is, and no such memory shrinks. */
static bool reaches(int fd, uint64_t end)
{
	struct stat status;

	return !fstat(fd, &status) && (!S_ISREG(status.st_mode) || (uint64_t)status.st_size >= end);
}

int rings_attach(int fd, const struct strata_app_message *setup, bool may_shrink)
{
	const struct strata_ring_geometry geo = { setup->subbuf_bits, setup->nr_subbufs_bits };
	const uint32_t nr_rings = setup->count;
	uint64_t stride = strata_app_ring_bytes(rings_mode(), geo);
	uint64_t begin = (uint64_t)setup->first_page * STRATA_PAGE_BYTES;
	struct rings *rings = calloc(1, sizeof(*rings));
	void *memory;

	if (!rings || current || !strata_geometry_valid(geo) || nr_rings < 1 ||
	    nr_rings > STRATA_APP_RINGS_MAX || !(may_shrink || cannot_shrink(fd)) ||
	    !reaches(fd, begin + stride * nr_rings))
		goto fail;
	rings->ring = calloc(nr_rings, sizeof(struct strata_ring *));
	memory =
		mmap(NULL, stride * nr_rings, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
	if (!rings->ring || memory == MAP_FAILED)
		goto fail;
	rings->seen.memory = memory;
	rings->seen.stride = stride;
	rings->seen.nr = nr_rings;
	rings->marks_offset = strata_app_marks_offset(geo);
	rings->seen.nr_single = rings_mode() == STRATA_APP_SINGLE_STORE ? nr_rings : 0;
	if (make_rings(rings, setup)) {
		munmap(memory, stride * nr_rings);
		goto fail;
	}
	current = rings;
	strata_store_release(&strata_app_rings, &rings->seen);
	return 0;
fail:
	if (rings)
		free(rings->ring);
	free(rings);
	return -1;
}

/* Hands over the open sub-buffers of reserve/commit rings.  Runs also when the process exits; for a
 * killed process the marks describe them. */
static __attribute__((__destructor__)) void flush(void)
{
	/* The thread of attach.c may detach meanwhile; the books are never freed. */
	const struct rings *rings = strata_read_once(&current);
	uint32_t i;

	if (rings && !rings->seen.nr_single && strata_read_once(alive))
		for (i = 0; i < rings->seen.nr; i++)
			strata_ring_flush(rings->ring[i]);
}

/* Reserve/commit: ends all rings, and waits until all reserved records are committed. */
static void end_rings(void)
{
	const struct timespec pause = { .tv_nsec = SETTLE_NS };
	unsigned int turns = 0;
	uint32_t i;

	for (i = 0; i < current->seen.nr; i++)
		strata_ring_end(current->ring[i]);
	for (i = 0; i < current->seen.nr; i++)
		while (!strata_ring_settled(current->ring[i]) && turns++ < SETTLE_TURNS)
			nanosleep(&pause, NULL);
}

void rings_switch(void)
{
	uint32_t i;

	if (current && !current->seen.nr_single)
		for (i = 0; i < current->seen.nr; i++)
			strata_ring_switch(current->ring[i]);
}

void rings_stop(void)
{
	const struct timespec pause = { .tv_nsec = SECTION_NS };
	uint32_t i;

	if (!current)
		return;
	if (!current->seen.nr_single) {
		end_rings();
		return;
	}
	for (i = 0; i < current->seen.nr; i++)
		strata_single_stop((struct strata_single_area *)(current->seen.memory +
								 i * current->seen.stride));
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0))
		nanosleep(&pause, NULL);
}

void rings_detach(void)
{
	if (!current)
		return;
	mmap(current->seen.memory, current->seen.stride * current->seen.nr, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	current = NULL;
}

/* Any thread may write to any ring, even after a migration: operations are atomic. */
void strata_app_reserve_commit(const struct strata_app_rings *seen, uint32_t id,
			       const uint64_t *body, uint32_t body_bytes)
{
	const struct rings *rings = (const struct rings *)seen;
	int cpu = sched_getcpu();
	uint32_t index = cpu < 0 || (uint32_t)cpu >= seen->nr ? 0 : (uint32_t)cpu;
	struct strata_ring *ring = rings->ring[index];
	struct strata_slot slot;
	uint64_t *mark, end;

	if (strata_unlikely(!strata_read_once(alive)))
		return;
	if (body_bytes > STRATA_SINGLE_BODY_MAX) {
		strata_ring_count_lost(ring, STRATA_LOST_BIG);
		return;
	}
	if (!strata_ring_reserve(ring, id, body_bytes, &slot))
		return;
	mark = (uint64_t *)(seen->memory + index * seen->stride + rings->marks_offset) +
	       strata_app_mark(ring->geo, slot.position);
	end = slot.position + slot.bytes;
	strata_write_once(mark, end | STRATA_APP_MARK_OPEN);
	memcpy(slot.payload, body, body_bytes);
	/* Release: after header and payload; a recorder that reads the mark after our death sees
	 * them. */
	strata_store_release(mark, end);
	strata_ring_commit(ring, &slot);
}
