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

/* The books of each ring have cache lines of their own, also where the processor fetches them in
 * pairs: another CPU's events load no line that this one's events store to. */
#define BOOKS_ALIGN ((size_t)128)

/* Reserve/commit: what an event needs of a ring. */
struct shared_ring {
	struct strata_ring *books;
	uint64_t *marks;
	strata_count_t mark_mask; /* for strata_app_mark_at() */
};

/* The target of strata_app_rings, and what only this file needs. */
struct rings {
	struct strata_app_rings seen;
	struct shared_ring *ring; /* reserve/commit */
};

_Static_assert(STRATA_APP_MARK_SPACING <=
		       STRATA_COMPACT_HEADER_BYTES + sizeof(struct strata_app_context),
	       "two slots could have the same mark");

const struct strata_app_rings *strata_app_rings;
#ifdef STRATA_HAS_RSEQ
struct strata_single_rings strata_app_single;
#endif

static struct rings *current;

/*
 * What a reserve/commit event looks at first.  Where the kernel can do that, it is zero in a child
 * of fork() until it has started anew: until then it would write with its own copy of the books,
 * into its parent's memory.
 */
struct shared_rings {
	const struct rings *rings; /* NULL: none, or single-store rings */
	ptrdiff_t rseq;            /* strata_rseq(); 0: not available */
};

static struct shared_rings never_wiped;
static struct shared_rings *shared = &never_wiped;

static enum strata_app_mode choose_mode(void)
{
#ifdef STRATA_HAS_RSEQ
	const char *wish = secure_getenv("STRATA_APP_MODE");

	if (strata_rseq_available() && !(wish && strcmp(wish, "reserve-commit") == 0))
		return STRATA_APP_SINGLE_STORE;
#endif
	return STRATA_APP_RESERVE_COMMIT;
}

enum strata_app_mode rings_mode(void)
{
	/* Chosen once, before other threads can call this: threads remember the mode in
	 * strata_app_context_word, and a program may change its environment. */
	static enum strata_app_mode mode;

	if (!mode)
		mode = choose_mode();
	return mode;
}

static void make_shared(void)
{
	void *page;

	if (shared != &never_wiped)
		return;
	page = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page != MAP_FAILED && !madvise(page, STRATA_PAGE_BYTES, MADV_WIPEONFORK))
		shared = page;
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
	rings_mode();
	make_shared();
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

/* Directs events to these rings. */
static void direct(const struct rings *rings)
{
#ifdef STRATA_HAS_RSEQ
	if (rings->seen.nr_single) {
		strata_single_direct(&strata_app_single, rings->seen.memory, rings->seen.nr_single,
				     rings->seen.stride);
		return;
	}
	if (strata_rseq_available())
		shared->rseq = strata_rseq();
#endif
	strata_store_release(&shared->rings, rings);
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
	rings->ring = calloc(nr_rings, sizeof(*rings->ring));
	memory =
		mmap(NULL, stride * nr_rings, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
	if (!rings->ring || memory == MAP_FAILED)
		goto fail;
	rings->seen.memory = memory;
	rings->seen.stride = stride;
	rings->seen.nr = nr_rings;
	rings->seen.nr_single = rings_mode() == STRATA_APP_SINGLE_STORE ? nr_rings : 0;
	if (make_rings(rings, setup)) {
		munmap(memory, stride * nr_rings);
		goto fail;
	}
	current = rings;
	direct(rings);
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
	const struct rings *rings = strata_read_once(&shared->rings);
	uint32_t i;

	if (rings)
		for (i = 0; i < rings->seen.nr; i++)
			strata_ring_flush(rings->ring[i].books);
}

/* Reserve/commit: ends all rings, and waits until all reserved records are committed. */
static void end_rings(void)
{
	const struct timespec pause = { .tv_nsec = SETTLE_NS };
	unsigned int turns = 0;
	uint32_t i;

	for (i = 0; i < current->seen.nr; i++)
		strata_ring_end(current->ring[i].books);
	for (i = 0; i < current->seen.nr; i++)
		while (!strata_ring_settled(current->ring[i].books) && turns++ < SETTLE_TURNS)
			nanosleep(&pause, NULL);
}

void rings_switch(void)
{
	uint32_t i;

	if (current && !current->seen.nr_single)
		for (i = 0; i < current->seen.nr; i++)
			strata_ring_switch(current->ring[i].books);
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
	strata_write_once(&shared->rings, NULL);
	current = NULL;
}

/* The ring of the CPU that we are on.  Any thread may write to any ring, even after a migration:
 * operations are atomic. */
static inline __attribute__((__always_inline__)) const struct shared_ring *
ring_here(const struct rings *rings)
{
	uint32_t cpu;
#ifdef STRATA_HAS_RSEQ
	const ptrdiff_t rseq = shared->rseq;

	if (strata_likely(rseq))
		cpu = strata_rseq_cpu(rseq);
	else
#endif
		cpu = (uint32_t)sched_getcpu();
	return &rings->ring[strata_likely(cpu < rings->seen.nr) ? cpu : 0];
}

/* Marks a slot that is to be written.  Returns its mark. */
static inline __attribute__((__always_inline__)) uint64_t *open_slot(const struct shared_ring *ring,
								     const struct strata_slot *slot)
{
	uint64_t *mark = &ring->marks[strata_app_mark_at(ring->mark_mask, slot->position)];

	strata_write_once(mark, (slot->position + slot->bytes) | STRATA_APP_MARK_OPEN);
	return mark;
}

/* Commits a slot that is written. */
static inline __attribute__((__always_inline__)) void
close_slot(struct strata_ring *books, const struct strata_slot *slot, uint64_t *mark)
{
	/* Release: after header and payload; a recorder that reads the mark after our death sees
	 * them. */
	strata_store_release(mark, slot->position + slot->bytes);
	strata_ring_commit(books, slot);
}

/* Records in a reserve/commit ring, however long it is, and where a sub-buffer begins. */
static __attribute__((__noinline__)) void commit_any(const struct shared_ring *ring, uint32_t id,
						     const uint64_t *body, uint32_t body_bytes)
{
	struct strata_slot slot;
	uint64_t *mark;

	if (body_bytes > STRATA_SINGLE_BODY_MAX) {
		strata_ring_count_lost(ring->books, STRATA_LOST_BIG);
		return;
	}
	if (!strata_ring_reserve(ring->books, id, body_bytes, &slot))
		return;
	mark = open_slot(ring, &slot);
	memcpy(slot.payload, body, body_bytes);
	close_slot(ring->books, &slot, mark);
}

/* A short body in registers; the context is its first word. */
struct short_body {
	uint32_t bytes;
	uint64_t word0, word1, word2, word3;
};

/* Half a word may be behind the whole ones. */
static inline __attribute__((__always_inline__)) void store_body(unsigned char *to,
								 struct short_body body)
{
	memcpy(to, &body.word0, 8);
	if (body.bytes < 16) {
		if (body.bytes > 8)
			memcpy(to + 8, &body.word1, 4);
		return;
	}
	memcpy(to + 8, &body.word1, 8);
	if (body.bytes < 24) {
		if (body.bytes > 16)
			memcpy(to + 16, &body.word2, 4);
		return;
	}
	memcpy(to + 16, &body.word2, 8);
	if (body.bytes < 32) {
		if (body.bytes > 24)
			memcpy(to + 24, &body.word3, 4);
		return;
	}
	memcpy(to + 24, &body.word3, 8);
}

/* Records in a reserve/commit ring, within a sub-buffer.  False: nothing is recorded, nor lost. */
static inline __attribute__((__always_inline__)) bool commit_short(const struct shared_ring *ring,
								   enum strata_header_form form,
								   uint32_t id,
								   struct short_body body)
{
	struct strata_ring *books = ring->books;
	struct strata_slot slot;
	uint64_t *mark;

	if (!strata_ring_try(books, form, id, body.bytes, NULL, &slot))
		return false;
	mark = open_slot(ring, &slot);
	store_body(slot.payload, body);
	close_slot(books, &slot, mark);
	return true;
}

static __attribute__((__noinline__, __cold__)) void
write_short_slowly(uint32_t id, uint32_t body_bytes, uint64_t word1, uint64_t word2, uint64_t word3)
{
	uint64_t body[STRATA_SINGLE_SHORT_BODY / 8] = { 0, word1, word2, word3 };

	strata_app_write_long(id, body, body_bytes);
}

void strata_app_write_short(uint32_t id, uint32_t body_bytes, uint64_t word1, uint64_t word2,
			    uint64_t word3)
{
	const struct rings *rings = strata_load_acquire(&shared->rings);
	const struct short_body body = { body_bytes, registry_context_word, word1, word2, word3 };
	const struct shared_ring *ring;
	bool written;

	if (strata_likely(rings && body.word0)) {
		ring = ring_here(rings);
		switch (ring->books->form) {
		case STRATA_HEADER_COMPACT:
			written = commit_short(ring, STRATA_HEADER_COMPACT, id, body);
			break;
		case STRATA_HEADER_LARGE:
			written = commit_short(ring, STRATA_HEADER_LARGE, id, body);
			break;
		default:
			written = commit_short(ring, STRATA_HEADER_FULL, id, body);
		}
		if (strata_likely(written))
			return;
	}
	write_short_slowly(id, body_bytes, word1, word2, word3);
}

void strata_app_write_long(uint32_t id, uint64_t *body, uint32_t body_bytes)
{
	const struct rings *rings = strata_load_acquire(&shared->rings);

	body[0] = registry_context();
#ifdef STRATA_HAS_RSEQ
	if (rings_mode() == STRATA_APP_SINGLE_STORE) {
		strata_single_write_slow(&strata_app_single, id, body, body_bytes);
		return;
	}
#endif
	if (rings)
		commit_any(ring_here(rings), id, body, body_bytes);
}
