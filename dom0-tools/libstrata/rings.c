// SPDX-License-Identifier: MIT
/*
 * rings.c - the rings that a process writes to: made in memory that the recorder
 * gave, written through tracepoint.h, and, where the CPU or the kernel has no
 * restartable sequences, by reserve and commit here.
 *
 * Nobody knows which threads are in the middle of an event, so no mapping is ever
 * taken away: when a recording ends, empty memory is put in its place.
 */
#include "libstrata.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <strata/ring_switch.h>

/* If the kernel cannot abort sections, they have this long to end. */
#define SECTION_NS 10000000

/* What strata_app_rings points to, with what only this file needs. */
struct rings {
	struct strata_app_rings seen;
	struct strata_ring **ring; /* reserve/commit: the writer's books of each */
};

const struct strata_app_rings *strata_app_rings;

static struct rings *current;

enum strata_app_mode rings_mode(void)
{
#ifdef STRATA_HAS_RSEQ
	const char *wish = secure_getenv("STRATA_APP_MODE");

	if (strata_rseq_available() && !(wish && strcmp(wish, "reserve-commit") == 0))
		return STRATA_APP_SINGLE_STORE;
#endif
	return STRATA_APP_RESERVE_COMMIT;
}

void rings_prepare(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

uint32_t rings_nr_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	return nr < 1 ? 1 : nr > (long)STRATA_APP_RINGS_MAX ? STRATA_APP_RINGS_MAX : (uint32_t)nr;
}

static struct strata_ring *make_reserve_commit(unsigned char *memory,
					       struct strata_ring_geometry geo, uint32_t cpu)
{
	struct strata_ring *ring = calloc(1, strata_ring_bytes(geo));

	if (ring)
		strata_ring_init(
			ring, geo,
			memory + (STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES) *
					 STRATA_PAGE_BYTES,
			(struct strata_ring_writer_area *)memory,
			(struct strata_ring_reader_area *)(memory + STRATA_WRITER_AREA_PAGES *
									    STRATA_PAGE_BYTES),
			cpu, 0);
	return ring;
}

static int make_rings(struct rings *rings, struct strata_ring_geometry geo)
{
	uint32_t i;

	for (i = 0; i < rings->seen.nr; i++) {
		unsigned char *memory = rings->seen.memory + i * rings->seen.stride;

		if (rings->seen.nr_single) {
			strata_single_init((struct strata_single_area *)memory, geo, i);
			continue;
		}
		rings->ring[i] = make_reserve_commit(memory, geo, i);
		if (!rings->ring[i])
			return -1;
	}
	return 0;
}

int rings_attach(int fd, uint32_t nr_rings, struct strata_ring_geometry geo)
{
	uint64_t stride = strata_app_ring_bytes(rings_mode(), geo);
	struct rings *rings = calloc(1, sizeof(*rings));
	struct stat status;
	void *memory;

	if (!rings || current || !strata_geometry_valid(geo) || nr_rings < 1 ||
	    nr_rings > STRATA_APP_RINGS_MAX || fstat(fd, &status) ||
	    (uint64_t)status.st_size < stride * nr_rings)
		goto fail;
	rings->ring = calloc(nr_rings, sizeof(struct strata_ring *));
	memory = mmap(NULL, stride * nr_rings, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!rings->ring || memory == MAP_FAILED)
		goto fail;
	rings->seen.memory = memory;
	rings->seen.stride = stride;
	rings->seen.nr = nr_rings;
	rings->seen.nr_single = rings_mode() == STRATA_APP_SINGLE_STORE ? nr_rings : 0;
	if (make_rings(rings, geo)) {
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

/* Reserve/commit: hands over what each ring's sub-buffer holds.  Also when the process ends; one
 * that is killed keeps that from its recorder. */
static __attribute__((__destructor__)) void flush(void)
{
	uint32_t i;

	if (current && !current->seen.nr_single)
		for (i = 0; i < current->seen.nr; i++)
			strata_ring_flush(current->ring[i]);
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

	flush();
	if (!current || !current->seen.nr_single)
		return;
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

/* Any thread may write to any ring: whichever CPU it is on then, operations are atomic. */
void strata_app_reserve_commit(const struct strata_app_rings *seen, uint32_t id,
			       const uint64_t *body, uint32_t body_bytes)
{
	const struct rings *rings = (const struct rings *)seen;
	int cpu = sched_getcpu();
	struct strata_ring *ring =
		rings->ring[cpu < 0 || (uint32_t)cpu >= seen->nr ? 0 : (uint32_t)cpu];
	struct strata_slot slot;

	if (body_bytes > STRATA_SINGLE_BODY_MAX) {
		strata_ring_count_lost(ring, STRATA_LOST_BIG);
		return;
	}
	if (!strata_ring_reserve(ring, id, body_bytes, &slot))
		return;
	memcpy(slot.payload, body, body_bytes);
	strata_ring_commit(ring, &slot);
}
