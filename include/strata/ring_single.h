/* SPDX-License-Identifier: MIT */
/*
 * ring_single.h - a ring of an application, written by single stores: a record is
 * built aside, and one restartable section of the CPU's (platform/rseq.h) copies
 * it behind the last one and publishes it by its final store, of the position.
 *
 * There is no reserve and no commit: what lies below the position is whole,
 * nothing above it counts, and a process that is killed leaves no hole.  No LOCK
 * prefix, and no fence.  Discard mode: a full ring loses the newest, counted.
 *
 *   writer / writer          sections of one CPU never overlap, and each checks
 *                            that it runs on the ring's CPU: threads, signal
 *                            handlers, and processes that share the ring
 *   writer / reader          the position is released by the writer (x86: any
 *                            store) and acquired by the reader; read_count is
 *                            released by the reader and acquired by the writer
 *   flush / anything         there is none: the reader takes a sub-buffer up to the
 *                            position whenever it wants, so no CPU must be woken
 *   stop / writer            fit_mask is set to all ones, then the home aborts all
 *                            sections (membarrier): none commits after that
 *   reader / reader          outside: one reader owns a ring
 *
 * Time: the TSC is read inside the section, without a fence.  Two sections of a
 * CPU are in program order, with a return from the kernel (serialising) between
 * those of two threads; so only two readings of one thread that are a few
 * instructions apart could come out of order.  newest_ticks guards against that:
 * a section that reads less is run again.  A counter that was set back (the
 * machine slept) closes the sub-buffer, so that no packet holds time that runs
 * backwards.
 *
 * Packet headers are the reader's to build: the writer leaves room for one at the
 * start of each sub-buffer.
 */
#ifndef STRATA_RING_SINGLE_H
#define STRATA_RING_SINGLE_H

#include <strata/packet.h>
#include <strata/platform/rseq.h>

#define STRATA_SINGLE_MAGIC   0x53525453u /* "STRS" */
#define STRATA_SINGLE_VERSION 1u

/* Context and payload of the largest record; larger ones are counted as STRATA_LOST_BIG. */
#define STRATA_SINGLE_BODY_MAX 1024u

/* Bodies up to this are copied without a loop: as many words as they take. */
#define STRATA_SINGLE_SHORT_BODY 32u

/* What the writer says of a sub-buffer when it leaves it. */
struct strata_single_closed {
	uint64_t lost[STRATA_NR_LOST]; /* until then */
	uint32_t content_bytes;        /* the room for the header included */
	uint32_t reserved;
};

/* The writer's part; the reader maps it read-only.  The first line is all that an event touches. */
struct strata_single_area {
	uint32_t magic;
	uint16_t version;
	uint8_t subbuf_bits;
	uint8_t nr_subbufs_bits;
	uint32_t cpu;
	uint32_t reserved0;
	uint64_t position;     /* where the next record goes; never at a sub-buffer's start */
	uint64_t newest_ticks; /* of the last record, or more */
	uint64_t fit_mask;     /* ones from subbuf_bits on; all ones: nothing may be written */
	uint64_t data_mask;    /* bytes of the data, less one */
	uint64_t reserved1[2];
	uint64_t lost[STRATA_NR_LOST]; /* up to now; any CPU may add */
	uint64_t reserved2[5];
	struct strata_single_closed closed[STRATA_NR_SUBBUFS_MAX];
};

/* A ring in memory: the writer's part, a page that the reader writes, the data. */
#define STRATA_SINGLE_AREA_BYTES   (3u * STRATA_PAGE_BYTES)
#define STRATA_SINGLE_READER_BYTES STRATA_PAGE_BYTES
#define STRATA_SINGLE_HEAD_BYTES   (STRATA_SINGLE_AREA_BYTES + STRATA_SINGLE_READER_BYTES)

/* The reader's page. */
struct strata_single_reader_area {
	uint64_t read_count; /* start of the first sub-buffer that is not the writer's yet */
	uint64_t reserved[7];
};

static inline uint64_t strata_single_bytes(struct strata_ring_geometry geo)
{
	return STRATA_SINGLE_HEAD_BYTES + (uint64_t)strata_buffer_bytes(geo);
}

static inline struct strata_single_reader_area *
strata_single_reader_area(struct strata_single_area *area)
{
	return (struct strata_single_reader_area *)((unsigned char *)area +
						    STRATA_SINGLE_AREA_BYTES);
}

/* Makes an empty ring of strata_single_bytes(geo) zeroed bytes.  The writer, before its first
 * record. */
static inline void strata_single_init(struct strata_single_area *area,
				      struct strata_ring_geometry geo, uint32_t cpu)
{
	area->version = STRATA_SINGLE_VERSION;
	area->subbuf_bits = geo.subbuf_bits;
	area->nr_subbufs_bits = geo.nr_subbufs_bits;
	area->cpu = cpu;
	area->position = STRATA_PACKET_HEADER_BYTES;
	area->data_mask = strata_buffer_bytes(geo) - 1;
	area->fit_mask = ~(uint64_t)(strata_subbuf_bytes(geo) - 1);
	strata_store_release(&area->magic, STRATA_SINGLE_MAGIC);
}

/* Nothing is written from here on, but by sections that are under way: abort them. */
static inline void strata_single_stop(struct strata_single_area *area)
{
	strata_write_once(&area->fit_mask, ~(uint64_t)0);
}

static inline void strata_single_count_lost(struct strata_single_area *area, enum strata_lost kind)
{
	__atomic_fetch_add(&area->lost[kind], 1, __ATOMIC_RELAXED);
}

/* The reader's half --------------------------------------------------------------------------- */

/*
 * The writer's memory is hostile: every word is loaded once, and checked before it
 * says where to read.
 */
struct strata_single_reader {
	struct strata_ring_geometry geo;
	uint64_t position; /* what is read next; ours */
	const struct strata_single_area *area;
	struct strata_single_reader_area *shared;
	const unsigned char *data;
};

/* Whether @reader's area, mapped with its data by @geo, is a ring of that size. */
static inline bool strata_single_reader_init(struct strata_single_reader *reader,
					     struct strata_ring_geometry geo,
					     const struct strata_single_area *area,
					     struct strata_single_reader_area *shared,
					     const void *data)
{
	reader->geo = geo;
	reader->position = STRATA_PACKET_HEADER_BYTES;
	reader->area = area;
	reader->shared = shared;
	reader->data = (const unsigned char *)data;
	return strata_load_acquire(&area->magic) == STRATA_SINGLE_MAGIC &&
	       strata_read_once(&area->version) == STRATA_SINGLE_VERSION &&
	       strata_read_once(&area->subbuf_bits) == geo.subbuf_bits &&
	       strata_read_once(&area->nr_subbufs_bits) == geo.nr_subbufs_bits;
}

enum strata_single_take {
	STRATA_SINGLE_NOTHING,
	STRATA_SINGLE_TAKEN,
	STRATA_SINGLE_LIES, /* no ring's words; reading goes on where the position says */
};

/*
 * Copies the records that are to be read next, up to the end of their sub-buffer,
 * and goes on behind them.  strata_single_put() lets them go.
 * @partly: also from the sub-buffer that is being written, up to its position
 * @to:     strata_subbuf_bytes(geo); the room of a packet header comes first
 * @bytes:  OUT, that room included
 * @lost:   OUT: losses until the writer left the sub-buffer, or until now
 */
static inline enum strata_single_take strata_single_take(struct strata_single_reader *reader,
							 bool partly, void *to, uint32_t *bytes,
							 uint64_t lost[STRATA_NR_LOST])
{
	const uint64_t subbuf_bytes = strata_subbuf_bytes(reader->geo);
	/* Acquire: the records below it; pairs with the store that published them. */
	const uint64_t written = strata_load_acquire(&reader->area->position);
	const uint64_t begin = strata_subbuf_offset(reader->geo, reader->position);
	const uint64_t start = reader->position - begin;
	const uint64_t last = strata_subbuf_start(reader->geo, written);
	const uint64_t *lost_from = reader->area->lost;
	uint64_t end = written - last;
	unsigned int i;

	if (written == reader->position)
		return STRATA_SINGLE_NOTHING;
	if (written - start > strata_buffer_bytes(reader->geo))
		goto lies;
	if (start != last) {
		const struct strata_single_closed *closed =
			&reader->area->closed[strata_subbuf_index(reader->geo, start)];

		end = strata_read_once(&closed->content_bytes);
		lost_from = closed->lost;
	} else if (!partly) {
		return STRATA_SINGLE_NOTHING;
	}
	if (end < begin || end > subbuf_bytes || end % 4)
		goto lies;
	for (i = 0; i < STRATA_NR_LOST; i++)
		lost[i] = strata_read_once(&lost_from[i]);
	*bytes = (uint32_t)(STRATA_PACKET_HEADER_BYTES + end - begin);
	strata_copy((unsigned char *)to + STRATA_PACKET_HEADER_BYTES,
		    reader->data + (start & (strata_buffer_bytes(reader->geo) - 1)) + begin,
		    end - begin);
	reader->position = start == last ? written
					 : start + subbuf_bytes + STRATA_PACKET_HEADER_BYTES;
	return end == begin ? STRATA_SINGLE_NOTHING : STRATA_SINGLE_TAKEN;
lies:
	reader->position = last + STRATA_PACKET_HEADER_BYTES;
	return STRATA_SINGLE_LIES;
}

/* What was taken is the writer's again, as far as whole sub-buffers go. */
static inline void strata_single_put(struct strata_single_reader *reader)
{
	/* Release: our loads come before the writer's next stores; pairs with the acquire in
	 * strata_single_make_room(). */
	strata_store_release(&reader->shared->read_count,
			     strata_subbuf_start(reader->geo, reader->position));
}

/* The writer's half --------------------------------------------------------------------------- */

#ifdef STRATA_HAS_RSEQ

/* Attempts at one record: a section is aborted only by a preemption or a signal, or at each step
 * of a debugger, where the record is lost. */
#define STRATA_SINGLE_TRIES 64u

/* A counter that is this far behind was set back; less is two readings out of order. */
#define STRATA_SINGLE_SET_BACK_TICKS (1u << 24)

enum strata_single_result {
	STRATA_SINGLE_WRITTEN,
	STRATA_SINGLE_ABORTED,
	STRATA_SINGLE_SLOW, /* it does not fit, the clock is behind, or nothing may be written */
};

#define STRATA_SINGLE_OFFSETS                                                    \
	[position] "i"(offsetof(struct strata_single_area, position)),           \
		[newest] "i"(offsetof(struct strata_single_area, newest_ticks)), \
		[fit] "i"(offsetof(struct strata_single_area, fit_mask)),        \
		[mask] "i"(offsetof(struct strata_single_area, data_mask)),      \
		[head] "i"(STRATA_SINGLE_HEAD_BYTES)

/* What a section does before it copies.  Then rcx is the position, rdx where the record's body
 * goes.  @lea computes into rax how far behind the position it may touch. */
#define STRATA_SINGLE_BEGIN(lea)                                            \
	"movq %c[position](%[area]), %%rcx\n\t" lea "xorq %%rcx, %%rax\n\t" \
	"testq %c[fit](%[area]), %%rax\n\t"                                 \
	"jnz %l[slow]\n\t"                                                  \
	"rdtsc\n\t"                                                         \
	"shlq $32, %%rdx\n\t"                                               \
	"orq %%rdx, %%rax\n\t"                                              \
	"cmpq %c[newest](%[area]), %%rax\n\t"                               \
	"jb %l[slow]\n\t"                                                   \
	"movq %%rax, %c[newest](%[area])\n\t"                               \
	"movq %%rcx, %%rdx\n\t"                                             \
	"andq %c[mask](%[area]), %%rdx\n\t"                                 \
	"leaq %c[head](%[area], %%rdx), %%rdx\n\t"                          \
	"movl %[id], (%%rdx)\n\t"                                           \
	"movq %%rax, 4(%%rdx)\n\t"                                          \
	"addq $12, %%rdx\n\t"

/* The section for a short body, of so many words: @copy copies them. */
#define STRATA_SINGLE_SECTION(words, copy)                                                        \
	static inline __attribute__((__always_inline__)) enum strata_single_result                \
		strata_single_section_##words(struct rseq *rseq, uint32_t cpu,                    \
					      struct strata_single_area *area, uint32_t id,       \
					      const uint64_t *body, uint64_t bytes)               \
	{                                                                                         \
		__asm__ goto(                                                                     \
			STRATA_RSEQ_ENTER STRATA_SINGLE_BEGIN("leaq %c[reach](%%rcx), %%rax\n\t") \
				copy "addq %[bytes], %%rcx\n\t"                                   \
				     "movq %%rcx, %c[position](%[area])\n\t" STRATA_RSEQ_LEAVE    \
			:                                                                         \
			: STRATA_RSEQ_OPERANDS(rseq, cpu), STRATA_SINGLE_OFFSETS,                 \
			  [area] "r"(area), [id] "ir"(id), [body] "r"(body), [bytes] "ir"(bytes), \
			  [reach] "i"(STRATA_RECORD_HEADER_BYTES + 8 * words)                     \
			: "memory", "cc", "rax", "rcx", "rdx"                                     \
			: aborted, slow);                                                         \
		return STRATA_SINGLE_WRITTEN;                                                     \
	aborted:                                                                                  \
		return STRATA_SINGLE_ABORTED;                                                     \
	slow:                                                                                     \
		return STRATA_SINGLE_SLOW;                                                        \
	}
#define STRATA_SINGLE_COPY(at)             \
	"movq " #at "(%[body]), %%rax\n\t" \
	"movq %%rax, " #at "(%%rdx)\n\t"

STRATA_SINGLE_SECTION(1, STRATA_SINGLE_COPY(0))
STRATA_SINGLE_SECTION(2, STRATA_SINGLE_COPY(0) STRATA_SINGLE_COPY(8))
STRATA_SINGLE_SECTION(3, STRATA_SINGLE_COPY(0) STRATA_SINGLE_COPY(8) STRATA_SINGLE_COPY(16))
STRATA_SINGLE_SECTION(4, STRATA_SINGLE_COPY(0) STRATA_SINGLE_COPY(8) STRATA_SINGLE_COPY(16)
				 STRATA_SINGLE_COPY(24))

/* Writes a record with a short body: whole words of it are copied, @body_bytes are published. */
static inline __attribute__((__always_inline__)) enum strata_single_result
strata_single_section(struct rseq *rseq, uint32_t cpu, struct strata_single_area *area, uint32_t id,
		      const uint64_t *body, uint32_t body_bytes)
{
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;

	if (body_bytes <= 8)
		return strata_single_section_1(rseq, cpu, area, id, body, bytes);
	if (body_bytes <= 16)
		return strata_single_section_2(rseq, cpu, area, id, body, bytes);
	if (body_bytes <= 24)
		return strata_single_section_3(rseq, cpu, area, id, body, bytes);
	return strata_single_section_4(rseq, cpu, area, id, body, bytes);
}

/* The same for a body of any length, a multiple of 4: it is copied by words of 4 bytes. */
static inline enum strata_single_result
strata_single_long_section(struct rseq *rseq, uint32_t cpu, struct strata_single_area *area,
			   uint32_t id, const uint64_t *body, uint64_t bytes)
{
	__asm__ goto(
		STRATA_RSEQ_ENTER STRATA_SINGLE_BEGIN(
			"leaq (%%rcx, %[reach]), %%rax\n\t") "leaq -12(%[reach]), %%rcx\n\t" /* bytes
												that
												are
												left
												to
												copy:
												not
												0 */
							     "5:\n\t"
							     "movl -4(%[body], %%rcx), %%eax\n\t"
							     "movl %%eax, -4(%%rdx, %%rcx)\n\t"
							     "subq $4, %%rcx\n\t"
							     "jnz 5b\n\t"
							     "movq %c[position](%[area]), %%rcx\n\t"
							     "addq %[reach], %%rcx\n\t"
							     "movq %%rcx, %c[position](%[area])\n\t" STRATA_RSEQ_LEAVE
		:
		: STRATA_RSEQ_OPERANDS(rseq, cpu), STRATA_SINGLE_OFFSETS, [area] "r"(area),
		  [id] "r"(id), [body] "r"(body), [reach] "r"(bytes)
		: "memory", "cc", "rax", "rcx", "rdx"
		: aborted, slow);
	return STRATA_SINGLE_WRITTEN;
aborted:
	return STRATA_SINGLE_ABORTED;
slow:
	return STRATA_SINGLE_SLOW;
}

/*
 * Leaves a sub-buffer: says what it holds, and moves the position on, if it is
 * @position still and writing is allowed.  Without effect if not.
 */
static inline void strata_single_close(struct rseq *rseq, uint32_t cpu,
				       struct strata_single_area *area, uint64_t position,
				       uint64_t next, uint64_t newest_ticks,
				       struct strata_single_closed *closed, uint32_t content_bytes)
{
	__asm__ goto(STRATA_RSEQ_ENTER "cmpq $-1, %c[fit](%[area])\n\t"
				       "je %l[aborted]\n\t"
				       "cmpq %[old], %c[position](%[area])\n\t"
				       "jne %l[aborted]\n\t"
				       "movq %c[lost](%[area]), %%rax\n\t"
				       "movq %%rax, (%[closed])\n\t"
				       "movq 8+%c[lost](%[area]), %%rax\n\t"
				       "movq %%rax, 8(%[closed])\n\t"
				       "movq 16+%c[lost](%[area]), %%rax\n\t"
				       "movq %%rax, 16(%[closed])\n\t"
				       "movl %[content], 24(%[closed])\n\t"
				       "movq %[ticks], %c[newest](%[area])\n\t"
				       "movq %[next], %c[position](%[area])\n\t" STRATA_RSEQ_LEAVE
		     :
		     : STRATA_RSEQ_OPERANDS(rseq, cpu), STRATA_SINGLE_OFFSETS, [area] "r"(area),
		       [lost] "i"(offsetof(struct strata_single_area, lost)), [old] "r"(position),
		       [next] "r"(next), [ticks] "r"(newest_ticks), [closed] "r"(closed),
		       [content] "r"(content_bytes)
		     : "memory", "cc", "rax"
		     : aborted);
	return;
aborted:
	return;
}

enum strata_single_room {
	STRATA_SINGLE_TRY_AGAIN,
	STRATA_SINGLE_FULL,
	STRATA_SINGLE_STOPPED,
};

/* Why a section was left, and what follows: the next sub-buffer is opened if it is the reader's no
 * more. */
static inline enum strata_single_room strata_single_make_room(struct rseq *rseq, uint32_t cpu,
							      struct strata_single_area *area,
							      uint64_t reach)
{
	const struct strata_ring_geometry geo = { area->subbuf_bits, area->nr_subbufs_bits };
	uint64_t position = strata_read_once(&area->position);
	uint64_t newest = strata_read_once(&area->newest_ticks);
	uint64_t offset = strata_subbuf_offset(geo, position);
	uint64_t next = strata_subbuf_start(geo, position) + strata_subbuf_bytes(geo);
	uint64_t read_count;
	bool set_back = newest > strata_clock() + STRATA_SINGLE_SET_BACK_TICKS;

	if (strata_read_once(&area->fit_mask) == ~(uint64_t)0)
		return STRATA_SINGLE_STOPPED;
	/* Somebody else made room, or the clock was behind by less than it takes to come here. */
	if (!set_back && offset + reach < strata_subbuf_bytes(geo))
		return STRATA_SINGLE_TRY_AGAIN;
	/* Acquire: the reader's loads come before our stores; pairs with strata_single_put(). */
	read_count = strata_load_acquire(&strata_single_reader_area(area)->read_count);
	if (next - read_count >= strata_buffer_bytes(geo))
		return STRATA_SINGLE_FULL;
	strata_single_close(rseq, cpu, area, position, next + STRATA_PACKET_HEADER_BYTES,
			    set_back ? 0 : newest,
			    &area->closed[strata_subbuf_index(geo, position)], (uint32_t)offset);
	return STRATA_SINGLE_TRY_AGAIN;
}

/*
 * Writes a record into the ring of the CPU that we are on; counts it if it is lost.
 * @rings:  @nr rings, @stride bytes apart
 * @body:   context and payload: @body_bytes, a multiple of 4, and what fills its last word
 * Any thread, and any signal handler, also of a thread that is in here.
 */
static __attribute__((__unused__, __noinline__, __cold__)) void
strata_single_write_slow(unsigned char *rings, uint32_t nr, uint64_t stride, uint32_t id,
			 const uint64_t *body, uint32_t body_bytes)
{
	struct strata_single_area *area = (struct strata_single_area *)rings;
	const bool is_short = body_bytes <= STRATA_SINGLE_SHORT_BODY;
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;
	struct rseq *rseq = strata_rseq();
	enum strata_lost kind = STRATA_LOST_NESTED;
	enum strata_single_result result;
	enum strata_single_room room;
	unsigned int tries;

	for (tries = 0; tries < STRATA_SINGLE_TRIES; tries++) {
		uint32_t cpu = strata_rseq_cpu(rseq);

		if (cpu >= nr)
			break;
		area = (struct strata_single_area *)(rings + cpu * stride);
		if (body_bytes > STRATA_SINGLE_BODY_MAX) {
			kind = STRATA_LOST_BIG;
			break;
		}
		result = is_short ? strata_single_section(rseq, cpu, area, id, body, body_bytes)
				  : strata_single_long_section(rseq, cpu, area, id, body, bytes);
		if (result == STRATA_SINGLE_WRITTEN)
			return;
		strata_rseq_clear(rseq);
		if (result == STRATA_SINGLE_ABORTED)
			continue;
		room = strata_single_make_room(
			rseq, cpu, area,
			is_short ? STRATA_RECORD_HEADER_BYTES + STRATA_SINGLE_SHORT_BODY : bytes);
		strata_rseq_clear(rseq);
		if (room == STRATA_SINGLE_STOPPED)
			return;
		if (room == STRATA_SINGLE_FULL) {
			kind = STRATA_LOST_FULL;
			break;
		}
	}
	strata_single_count_lost(area, kind);
}

/* The same: what nearly every event takes.  False: nothing was written; call the other one. */
static inline __attribute__((__always_inline__)) bool
strata_single_write(unsigned char *rings, uint32_t nr, uint64_t stride, uint32_t id,
		    const uint64_t *body, uint32_t body_bytes)
{
	struct rseq *rseq = strata_rseq();
	uint32_t cpu = strata_rseq_cpu(rseq);

	return strata_likely(body_bytes <= STRATA_SINGLE_SHORT_BODY && cpu < nr) &&
	       strata_likely(strata_single_section(
				     rseq, cpu, (struct strata_single_area *)(rings + cpu * stride),
				     id, body, body_bytes) == STRATA_SINGLE_WRITTEN);
}

#endif /* STRATA_HAS_RSEQ */

#endif /* STRATA_RING_SINGLE_H */
