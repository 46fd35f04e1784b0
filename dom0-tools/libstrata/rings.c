// SPDX-License-Identifier: MIT
/*
 * rings.c - the rings of a process, for each channel: created in memory from its recorder, and
 * stopped.  write.c and tracepoint.h write them.
 *
 * Threads may be within an event at any time, so no mapping is ever removed: when a
 * recording ends, empty memory replaces it.
 */
#include "libstrata/rings.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <strata/ring_end.h>
#include <strata/ring_switch.h>

#include "libstrata/counts.h"

/* Time that sections have to end if the kernel cannot abort them. */
#define SECTION_NS 10000000

/* Time that a thread may take between reserve and commit at the end; a thread that takes longer is
 * stopped by a debugger, or died there. */
#define SETTLE_NS    1000000
#define SETTLE_TURNS 300u

/* The books of each ring have cache lines of their own, also where the processor fetches them in
 * pairs: another CPU's events load no line that this one's events store to. */
#define BOOKS_ALIGN ((size_t)128)

_Static_assert(STRATA_APP_MARK_SPACING <=
		       STRATA_COMPACT_HEADER_BYTES + sizeof(struct strata_app_context),
	       "two slots could have the same mark");

const struct strata_app_rings *strata_app_rings[STRATA_APP_CHANNELS];

static struct rings *current[STRATA_APP_CHANNELS];

/* Single-store rings of the first recording of a channel.  If the channel's thread allocated them,
 * each program that starts would get another arena of malloc's: 64 MiB of addresses, and four
 * system calls.  Later recordings allocate theirs: what threads find here does not change. */
static struct rings first_of[STRATA_APP_CHANNELS];

#ifdef STRATA_HAS_RSEQ
static struct strata_single_rings single[STRATA_APP_CHANNELS], no_single;
struct strata_single_rings *const rings_single_of[STRATA_APP_CHANNELS] = {
	&single[0], &single[1], &single[2], &single[3],
	&single[4], &single[5], &single[6], &single[7],
};
_Static_assert(STRATA_APP_CHANNELS == 8, "each has a table");
#endif

static struct strata_app_shared_rings never_wiped[STRATA_APP_CHANNELS];
struct strata_app_shared_rings *rings_shared_of = never_wiped;
/* In the same page. */
static bool never_own;
bool *rings_own = &never_own;
/* By the bits of their channels: those of which all reserve and commit, those of which some count,
 * and others. */
static struct strata_app_shared_rings commit_sets[1u << STRATA_APP_CHANNELS],
	count_sets[1u << STRATA_APP_CHANNELS], store_sets[1u << STRATA_APP_CHANNELS];

_Static_assert(sizeof(never_wiped) + sizeof(bool) <= STRATA_PAGE_BYTES, "they are in one page");

static bool is_one(uint32_t channels)
{
	return channels && !(channels & (channels - 1));
}

/* Those of these channels that count. */
static uint32_t counting_of(uint32_t channels)
{
	uint32_t left, counting = 0;

	for (left = channels; left; left &= left - 1)
		if (counts_has((uint32_t)__builtin_ctz(left)))
			counting |= left & -left;
	return counting;
}

const struct strata_single_rings *rings_single(uint32_t channels)
{
#ifdef STRATA_HAS_RSEQ
	return is_one(channels) && !counting_of(channels) ? rings_single_of[__builtin_ctz(channels)]
							  : &no_single;
#else
	(void)channels;
	return NULL;
#endif
}

/* Whether a channel writes single stores.  It does not change while an event is recorded there. */
static bool is_single(uint32_t channel)
{
	return current[channel] && current[channel]->seen.nr_single;
}

/* Threads may be reading the set, and what they find does not change. */
static const struct strata_app_shared_rings *set_of(uint32_t channels)
{
	bool store = false;
	uint32_t left, nr = 0;

	for (left = channels; left; left &= left - 1)
		store |= is_single((uint32_t)__builtin_ctz(left));
#ifdef STRATA_HAS_RSEQ
	store_sets[channels].rseq = commit_sets[channels].rseq =
		strata_rseq_available() ? strata_rseq() : 0;
#endif
	for (left = channels; left; left &= left - 1, nr++)
#ifdef STRATA_HAS_RSEQ
		if (store)
			strata_write_once(&store_sets[channels].stores[nr],
					  rings_single_of[__builtin_ctz(left)]);
		else
#endif
			strata_write_once(&commit_sets[channels].commits[nr],
					  &rings_shared_of[__builtin_ctz(left)]);
	return store ? &store_sets[channels] : &commit_sets[channels];
}

/* Likewise; but a thread may find the one of the fields as it was before.  The two then lead to
 * channels that had the event before, or have it now. */
static const struct strata_app_shared_rings *count_set_of(uint32_t channels, uint32_t counting)
{
	struct strata_app_shared_rings *set = &count_sets[channels];
	const uint32_t recording = channels & ~counting;

	strata_write_once(&set->counting, counting);
	strata_write_once(&set->recording, recording ? set_of(recording) : NULL);
	/* Release: after the tables; pairs with the loads in write.c. */
	strata_store_release(&set->counts, counts_alone(counting));
	strata_store_release(&set->counts_only, recording ? NULL : counts_alone(counting));
	return set;
}

const struct strata_app_shared_rings *rings_shared(uint32_t channels)
{
	const uint32_t counting = counting_of(channels);

	if (counting)
		return count_set_of(channels, counting);
	return is_one(channels) ? &rings_shared_of[__builtin_ctz(channels)] : set_of(channels);
}

static uint32_t find_modes(void)
{
#ifdef STRATA_HAS_RSEQ
	const char *wish = secure_getenv("STRATA_APP_MODE");

	if (strata_rseq_available() && !(wish && strcmp(wish, "reserve-commit") == 0))
		return STRATA_APP_SINGLE_STORE | STRATA_APP_RESERVE_COMMIT;
#endif
	return STRATA_APP_RESERVE_COMMIT;
}

uint32_t rings_modes(void)
{
	/* Found once, before other threads can call this: threads remember in
	 * strata_app_context_word whether they may write single stores, and a program may change
	 * its environment. */
	static uint32_t modes;

	if (!modes)
		modes = find_modes();
	return modes;
}

static void make_shared(void)
{
	void *page;

	if (rings_shared_of != never_wiped)
		return;
	page = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page == MAP_FAILED || madvise(page, STRATA_PAGE_BYTES, MADV_WIPEONFORK))
		return;
	rings_shared_of = page;
	rings_own = (bool *)((unsigned char *)page + sizeof(never_wiped));
}

void rings_mark_own(void)
{
	if (rings_own != &never_own)
		strata_write_once(rings_own, true);
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
	rings_modes();
	make_shared();
#ifdef STRATA_HAS_RSEQ
	/* Sections enter it, and leave it at once. */
	strata_single_direct(&no_single, NULL, 0, 0);
#endif
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

uint32_t rings_nr_cpus(void)
{
	return nr_cpus;
}

static struct strata_ring *make_reserve_commit(unsigned char *memory,
					       const struct strata_app_message *setup, uint32_t cpu)
{
	const struct strata_ring_geometry geo = { setup->subbuf_bits, setup->nr_subbufs_bits };
	const size_t bytes = (strata_ring_bytes(geo) + BOOKS_ALIGN - 1) & ~(BOOKS_ALIGN - 1);
	struct strata_ring *ring = aligned_alloc(BOOKS_ALIGN, bytes);

	if (!ring)
		return NULL;
	memset(ring, 0, bytes);
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

/* Directs events of a channel to these rings. */
static void direct(uint32_t channel, const struct rings *rings)
{
#ifdef STRATA_HAS_RSEQ
	rings_single_of[channel]->number = channel;
	strata_single_direct(rings_single_of[channel], rings->seen.memory, rings->seen.nr_single,
			     rings->seen.stride);
	/* Also where a section that begins here may end in the other way of writing. */
	if (strata_rseq_available())
		rings_shared_of[channel].rseq = strata_rseq();
	if (rings->seen.nr_single)
		return;
#endif
	strata_store_release(&rings_shared_of[channel].rings, rings);
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
		rings->ring[i].books = make_reserve_commit(memory, setup, i);
		if (!rings->ring[i].books)
			return -1;
		rings->ring[i].marks = (uint64_t *)(memory + strata_app_marks_offset(geo));
		rings->ring[i].mark_mask = strata_buffer_bytes(geo) - 1;
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

unsigned char *rings_map(int fd, uint32_t first_page, uint64_t bytes, bool may_shrink)
{
	const uint64_t begin = (uint64_t)first_page * STRATA_PAGE_BYTES;
	void *memory;

	if (!(may_shrink || cannot_shrink(fd)) || !reaches(fd, begin + bytes))
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
	return memory == MAP_FAILED ? NULL : memory;
}

void rings_unmap(unsigned char *memory, uint64_t bytes)
{
	mmap(memory, bytes, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/* NULL: no memory. */
static struct rings *allocate(uint32_t channel, enum strata_app_mode mode, uint32_t nr_rings)
{
	const bool is_single_store = mode == STRATA_APP_SINGLE_STORE;
	struct rings *rings;

	if (is_single_store && !first_of[channel].seen.nr)
		return &first_of[channel];
	rings = calloc(1, sizeof(*rings));
	if (!rings || is_single_store)
		return rings;
	rings->ring = calloc(nr_rings, sizeof(*rings->ring));
	if (rings->ring)
		return rings;
	free(rings);
	return NULL;
}

/* Of rings that no thread has found. */
static void discard(uint32_t channel, struct rings *rings)
{
	if (!rings || rings == &first_of[channel])
		return;
	free(rings->ring);
	free(rings);
}

int rings_attach(uint32_t channel, int fd, const struct strata_app_message *setup, bool may_shrink)
{
	const enum strata_app_mode mode = (enum strata_app_mode)setup->value;
	const struct strata_ring_geometry geo = { setup->subbuf_bits, setup->nr_subbufs_bits };
	const uint32_t nr_rings = setup->count;
	uint64_t stride = strata_app_ring_bytes(mode, geo);
	struct rings *rings;
	unsigned char *memory;

	if (rings_attached(channel) || !strata_geometry_valid(geo) || nr_rings < 1 ||
	    nr_rings > STRATA_APP_RINGS_MAX)
		return -1;
	rings = allocate(channel, mode, nr_rings);
	memory = rings ? rings_map(fd, setup->first_page, stride * nr_rings, may_shrink) : NULL;
	if (!memory)
		goto fail;
	rings->seen.memory = memory;
	rings->seen.stride = stride;
	rings->seen.nr = nr_rings;
	rings->seen.nr_single = mode == STRATA_APP_SINGLE_STORE ? nr_rings : 0;
	if (make_rings(rings, setup)) {
		munmap(memory, stride * nr_rings);
		goto fail;
	}
	current[channel] = rings;
	direct(channel, rings);
	strata_store_release(&strata_app_rings[channel], &rings->seen);
	return 0;
fail:
	discard(channel, rings);
	return -1;
}

/* Hands over the open sub-buffers of reserve/commit rings.  Runs also when the process exits; for a
 * killed process the marks describe them. */
static __attribute__((__destructor__)) void flush(void)
{
	uint32_t channel, i;

	for (channel = 0; channel < STRATA_APP_CHANNELS; channel++) {
		/* Its thread may detach meanwhile; the books are never freed. */
		const struct rings *rings = strata_read_once(&rings_shared_of[channel].rings);

		for (i = 0; rings && i < rings->seen.nr; i++)
			strata_ring_flush(rings->ring[i].books);
	}
}

/* Reserve/commit: ends all rings, and waits until all reserved records are committed. */
static void end_rings(const struct rings *rings)
{
	const struct timespec pause = { .tv_nsec = SETTLE_NS };
	unsigned int turns = 0;
	uint32_t i;

	for (i = 0; i < rings->seen.nr; i++)
		strata_ring_end(rings->ring[i].books);
	for (i = 0; i < rings->seen.nr; i++)
		while (!strata_ring_settled(rings->ring[i].books) && turns++ < SETTLE_TURNS)
			nanosleep(&pause, NULL);
}

void rings_switch(uint32_t channel)
{
	const struct rings *rings = current[channel];
	uint32_t i;

	if (rings && !rings->seen.nr_single)
		for (i = 0; i < rings->seen.nr; i++)
			strata_ring_switch(rings->ring[i].books);
}

bool rings_attached(uint32_t channel)
{
	return current[channel] || counts_has(channel);
}

void rings_end_sections(void)
{
	const struct timespec pause = { .tv_nsec = SECTION_NS };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0))
		nanosleep(&pause, NULL);
}

void rings_stop(uint32_t channel)
{
	const struct rings *rings = current[channel];
	uint32_t i;

	counts_stop(channel);
	if (!rings)
		return;
	if (!rings->seen.nr_single) {
		end_rings(rings);
		return;
	}
	for (i = 0; i < rings->seen.nr; i++)
		strata_single_stop(
			(struct strata_single_area *)(rings->seen.memory + i * rings->seen.stride));
	rings_end_sections();
}

void rings_detach(uint32_t channel)
{
	const struct rings *rings = current[channel];

	counts_detach(channel);
	if (!rings)
		return;
	rings_unmap(rings->seen.memory, rings->seen.stride * rings->seen.nr);
	strata_write_once(&rings_shared_of[channel].rings, NULL);
	current[channel] = NULL;
}
