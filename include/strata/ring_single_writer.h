/* SPDX-License-Identifier: MIT */
/*
 * ring_single_writer.h - the writer's half of a single-store ring (ring_single.h has
 * the layout and the synchronisation): the restartable sections that write a record
 * and that leave a sub-buffer, and the loops that restart them.
 *
 * strata_single_write() handles nearly every event; strata_single_write_slow()
 * handles the rest. May run in any thread and any signal handler, including one that
 * interrupts these functions. Nothing locks, allocates or waits.
 */
#ifndef STRATA_RING_SINGLE_WRITER_H
#define STRATA_RING_SINGLE_WRITER_H

#include <strata/platform/rseq.h>
#include <strata/ring_single.h>

#ifdef STRATA_HAS_RSEQ

/* Attempts at one record: a section is aborted only by a preemption or a signal, or at each step
 * of a debugger, where the record is lost. */
#define STRATA_SINGLE_TRIES 64u

/* A counter that is this far behind was set back. A smaller step is two readings out of order,
 * unless the counter does not catch up soon. */
#define STRATA_SINGLE_SET_BACK_TICKS (1u << 24)

enum strata_single_result {
	STRATA_SINGLE_WRITTEN,
	STRATA_SINGLE_ABORTED,
	STRATA_SINGLE_SLOW, /* the record does not fit, the clock is behind, or writing is not
			       allowed */
};

/* The rings of a process, as its events find them. */
struct strata_single_rings {
	ptrdiff_t rseq;  /* strata_rseq(), beside the words that an event loads anyway */
	uint32_t nr;     /* CPUs below have a ring; 0: none has */
	uint32_t number; /* the owner's, of several */
	struct strata_single_area *area[STRATA_SINGLE_RINGS_MAX];
} __attribute__((__aligned__(64)));

/*
 * Directs records to @nr rings at @memory, @stride bytes apart.  Writers may be under way: each
 * finds a ring of before or one of now, so the memory of neither may go away.
 */
static inline void strata_single_direct(struct strata_single_rings *rings, unsigned char *memory,
					uint32_t nr, uint64_t stride)
{
	uint32_t cpu;

	strata_write_once(&rings->rseq, strata_rseq());
	for (cpu = 0; cpu < nr; cpu++)
		strata_write_once(&rings->area[cpu],
				  (struct strata_single_area *)(memory + cpu * stride));
	/* Release: pairs with the load of nr in a section; x86 keeps the order of loads. */
	strata_store_release(&rings->nr, nr);
}

#define STRATA_SINGLE_OFFSETS                                                    \
	[position] "i"(offsetof(struct strata_single_area, position)),           \
		[newest] "i"(offsetof(struct strata_single_area, newest_ticks)), \
		[fit] "i"(offsetof(struct strata_single_area, fit_mask)),        \
		[mask] "i"(offsetof(struct strata_single_area, data_mask)),      \
		[head] "i"(STRATA_SINGLE_HEAD_BYTES)

#define STRATA_SINGLE_OPERANDS(table)                                                           \
	[rseq] "r"(strata_read_once(&(table)->rseq)), [cs] "i"(offsetof(struct rseq, rseq_cs)), \
		[cpu_id] "i"(offsetof(struct rseq, cpu_id)), [signature] "i"(RSEQ_SIG),         \
		[rings] "r"(table), [nr] "i"(offsetof(struct strata_single_rings, nr)),         \
		[areas] "i"(offsetof(struct strata_single_rings, area)), STRATA_SINGLE_OFFSETS

/* How a section gets the record's ticks, and where they are then: it reads the clock, or they are
 * given. */
#define STRATA_SINGLE_READ_CLOCK \
	"rdtsc\n\t"              \
	"shlq $32, %%rdx\n\t"    \
	"orq %%rdx, %%rax\n\t",  \
		"%%rax"
#define STRATA_SINGLE_GIVEN_TICKS "", "%[ticks]"

/*
 * The part of a section before it copies.  It looks the CPU up itself: until its end it is on that
 * CPU, or it is aborted.  Then rsi is the area, rcx the position, and head(rsi, rdx) the record.
 * @lea computes into rax how far after the position the section may write.
 */
#define STRATA_SINGLE_BEGIN(...) STRATA_SINGLE_BEGIN_(__VA_ARGS__)
#define STRATA_SINGLE_BEGIN_(lea, clock, ticks)                           \
	STRATA_RSEQ_BEGIN                                                 \
	"movl %%fs:%c[cpu_id](%[rseq]), %%eax\n\t"                        \
	"cmpl %c[nr](%[rings]), %%eax\n\t"                                \
	"jae %l[slow]\n\t"                                                \
	"movq %c[areas](%[rings], %%rax, 8), %%rsi\n\t"                   \
	"movq %c[position](%%rsi), %%rcx\n\t" lea "xorq %%rcx, %%rax\n\t" \
	"testq %c[fit](%%rsi), %%rax\n\t"                                 \
	"jnz %l[slow]\n\t" clock "cmpq %c[newest](%%rsi), " ticks "\n\t"  \
	"jb %l[slow]\n\t"                                                 \
	"movq " ticks ", %c[newest](%%rsi)\n\t"                           \
	"movq %%rcx, %%rdx\n\t"                                           \
	"andq %c[mask](%%rsi), %%rdx\n\t"                                 \
	"movl %[id], %c[head](%%rsi, %%rdx)\n\t"                          \
	"movq " ticks ", 4+%c[head](%%rsi, %%rdx)\n\t"

/* The section for a short body of a fixed number of words, held in registers: @put stores them.
 * @time: of the two above; @ticks is for the second */
#define STRATA_SINGLE_SECTION(name, words, time, put, ...)                                         \
	static inline __attribute__((__always_inline__)) enum strata_single_result                 \
		strata_single_section_##name(const struct strata_single_rings *rings, uint32_t id, \
					     const uint64_t *body, uint64_t bytes, uint64_t ticks) \
	{                                                                                          \
		(void)ticks;                                                                       \
		__asm__ goto(STRATA_SINGLE_BEGIN("leaq %c[reach](%%rcx), %%rax\n\t", time) put     \
			     "addq %[bytes], %%rcx\n\t"                                            \
			     "movq %%rcx, %c[position](%%rsi)\n\t" STRATA_RSEQ_LEAVE               \
			     :                                                                     \
			     : STRATA_SINGLE_OPERANDS(rings), [id] "ir"(id), [bytes] "ir"(bytes),  \
			       [reach] "i"(STRATA_RECORD_HEADER_BYTES + 8 * words), __VA_ARGS__    \
			     : "memory", "cc", "rax", "rcx", "rdx", "rsi"                          \
			     : aborted, slow);                                                     \
		return STRATA_SINGLE_WRITTEN;                                                      \
	aborted:                                                                                   \
		return STRATA_SINGLE_ABORTED;                                                      \
	slow:                                                                                      \
		return STRATA_SINGLE_SLOW;                                                         \
	}
#define STRATA_SINGLE_PUT(word, at) "movq %[word" #word "], " #at "+%c[head](%%rsi, %%rdx)\n\t"
#define STRATA_SINGLE_PUT_2         STRATA_SINGLE_PUT(0, 12) STRATA_SINGLE_PUT(1, 20)
#define STRATA_SINGLE_PUT_4         STRATA_SINGLE_PUT_2 STRATA_SINGLE_PUT(2, 28) STRATA_SINGLE_PUT(3, 36)
#define STRATA_SINGLE_WORD(number)  [word##number] "r"(body[number])
#define STRATA_SINGLE_WORDS_2       STRATA_SINGLE_WORD(0), STRATA_SINGLE_WORD(1)
#define STRATA_SINGLE_WORDS_4       STRATA_SINGLE_WORDS_2, STRATA_SINGLE_WORD(2), STRATA_SINGLE_WORD(3)

STRATA_SINGLE_SECTION(1, 1, STRATA_SINGLE_READ_CLOCK, STRATA_SINGLE_PUT(0, 12),
		      STRATA_SINGLE_WORD(0))
STRATA_SINGLE_SECTION(2, 2, STRATA_SINGLE_READ_CLOCK, STRATA_SINGLE_PUT_2, STRATA_SINGLE_WORDS_2)
STRATA_SINGLE_SECTION(3, 3, STRATA_SINGLE_READ_CLOCK, STRATA_SINGLE_PUT_2 STRATA_SINGLE_PUT(2, 28),
		      STRATA_SINGLE_WORDS_2, STRATA_SINGLE_WORD(2))
STRATA_SINGLE_SECTION(4, 4, STRATA_SINGLE_READ_CLOCK, STRATA_SINGLE_PUT_4, STRATA_SINGLE_WORDS_4)
STRATA_SINGLE_SECTION(2_at, 2, STRATA_SINGLE_GIVEN_TICKS, STRATA_SINGLE_PUT_2,
		      STRATA_SINGLE_WORDS_2, [ticks] "r"(ticks))
STRATA_SINGLE_SECTION(4_at, 4, STRATA_SINGLE_GIVEN_TICKS, STRATA_SINGLE_PUT_4,
		      STRATA_SINGLE_WORDS_4, [ticks] "r"(ticks))

/* Writes a record with a short body: whole words of it are copied, @body_bytes are published. */
static inline __attribute__((__always_inline__)) enum strata_single_result
strata_single_section(const struct strata_single_rings *rings, uint32_t id, const uint64_t *body,
		      uint32_t body_bytes)
{
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;

	if (body_bytes <= 8)
		return strata_single_section_1(rings, id, body, bytes, 0);
	if (body_bytes <= 16)
		return strata_single_section_2(rings, id, body, bytes, 0);
	if (body_bytes <= 24)
		return strata_single_section_3(rings, id, body, bytes, 0);
	return strata_single_section_4(rings, id, body, bytes, 0);
}

/*
 * The same for an event of several channels, at @ticks.  One that another event of this CPU has
 * overtaken since is SLOW.  There are only two lengths to copy: behind a body is room for the words
 * that are copied with it.
 */
static inline __attribute__((__always_inline__)) enum strata_single_result
strata_single_section_at(const struct strata_single_rings *rings, uint32_t id, const uint64_t *body,
			 uint32_t body_bytes, uint64_t ticks)
{
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;

	if (strata_likely(body_bytes <= 16))
		return strata_single_section_2_at(rings, id, body, bytes, ticks);
	return strata_single_section_4_at(rings, id, body, bytes, ticks);
}

/* For a body of any length but 0, a multiple of 4: it is copied by words of 4 bytes, from its end;
 * rcx counts the bytes that are left. */
#define STRATA_SINGLE_LONG_SECTION(name, time)                                                     \
	static inline enum strata_single_result strata_single_##name(                              \
		const struct strata_single_rings *rings, uint32_t id, const uint64_t *body,        \
		uint64_t bytes, uint64_t ticks)                                                    \
	{                                                                                          \
		__asm__ goto(STRATA_SINGLE_BEGIN(                                                  \
				     "leaq (%%rcx, %[reach]), %%rax\n\t",                          \
				     time) "leaq 12+%c[head](%%rsi, %%rdx), %%rdx\n\t"             \
					   "leaq -12(%[reach]), %%rcx\n\t"                         \
					   "5:\n\t"                                                \
					   "movl -4(%[body], %%rcx), %%eax\n\t"                    \
					   "movl %%eax, -4(%%rdx, %%rcx)\n\t"                      \
					   "subq $4, %%rcx\n\t"                                    \
					   "jnz 5b\n\t"                                            \
					   "movq %c[position](%%rsi), %%rcx\n\t"                   \
					   "addq %[reach], %%rcx\n\t"                              \
					   "movq %%rcx, %c[position](%%rsi)\n\t" STRATA_RSEQ_LEAVE \
			     :                                                                     \
			     : STRATA_SINGLE_OPERANDS(rings), [id] "r"(id), [body] "r"(body),      \
			       [reach] "r"(bytes), [ticks] "r"(ticks)                              \
			     : "memory", "cc", "rax", "rcx", "rdx", "rsi"                          \
			     : aborted, slow);                                                     \
		return STRATA_SINGLE_WRITTEN;                                                      \
	aborted:                                                                                   \
		return STRATA_SINGLE_ABORTED;                                                      \
	slow:                                                                                      \
		return STRATA_SINGLE_SLOW;                                                         \
	}

STRATA_SINGLE_LONG_SECTION(long_section, STRATA_SINGLE_READ_CLOCK)
STRATA_SINGLE_LONG_SECTION(long_section_at, STRATA_SINGLE_GIVEN_TICKS)

/*
 * Leaves a sub-buffer: describes its contents, and advances the position if it
 * is still @position and writing is allowed.  Otherwise it has no effect.
 */
static inline void strata_single_close(ptrdiff_t rseq, uint32_t cpu,
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

/* Handles the reason why a section was left: opens the next sub-buffer if the reader has released
 * it.  A counter that is behind by more than @patience was set back. */
static inline enum strata_single_room strata_single_make_room(ptrdiff_t rseq, uint32_t cpu,
							      struct strata_single_area *area,
							      uint64_t reach, uint64_t patience)
{
	const struct strata_ring_geometry geo = { area->subbuf_bits, area->nr_subbufs_bits };
	uint64_t position = strata_read_once(&area->position);
	uint64_t newest = strata_read_once(&area->newest_ticks);
	uint64_t offset = strata_subbuf_offset(geo, position);
	uint64_t next = strata_subbuf_start(geo, position) + strata_subbuf_bytes(geo);
	uint64_t read_count;
	bool set_back = newest > strata_clock() + patience;

	if (strata_read_once(&area->fit_mask) == ~(uint64_t)0)
		return STRATA_SINGLE_STOPPED;
	/* Another writer made room, or the clock was behind by less than the time taken to get
	 * here. */
	if (!set_back && offset + reach < strata_subbuf_bytes(geo))
		return STRATA_SINGLE_TRY_AGAIN;
	/* Acquire: the reader's loads come before our stores; pairs with strata_single_put(). */
	read_count = strata_load_acquire(&strata_single_reader_area(area)->read_count);
	if (!area->overwrite && next - read_count >= strata_buffer_bytes(geo))
		return STRATA_SINGLE_FULL;
	strata_single_close(rseq, cpu, area, position, next + STRATA_PACKET_HEADER_BYTES,
			    set_back ? 0 : newest,
			    &area->closed[strata_subbuf_index(geo, position)], (uint32_t)offset);
	return STRATA_SINGLE_TRY_AGAIN;
}

/* One attempt at a record of any length.  @clock: NULL, or the record's ticks */
static inline enum strata_single_result
strata_single_attempt(const struct strata_single_rings *rings, uint32_t id, const uint64_t *body,
		      uint32_t body_bytes, const uint64_t *clock)
{
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;

	if (body_bytes > STRATA_SINGLE_SHORT_BODY)
		return clock ? strata_single_long_section_at(rings, id, body, bytes, *clock)
			     : strata_single_long_section(rings, id, body, bytes, 0);
	return clock ? strata_single_section_at(rings, id, body, body_bytes, *clock)
		     : strata_single_section(rings, id, body, body_bytes);
}

/*
 * Writes a record into the ring of the CPU that we are on; counts it if it is lost.
 * @rings:  has at least one
 * @body:   context and payload: @body_bytes, a multiple of 4, and what fills its last word; with
 *          @clock, what fills STRATA_SINGLE_SHORT_BODY bytes
 * @clock:  NULL, or what the clock was read as for an event of several rings.  If the ring has a
 *          later record by then, as of a thread that ran meanwhile, the clock is read again
 * May run in any thread and any signal handler, including one that interrupts this
 * function.
 * Returns the number of the reader's sleep from which the caller has to wake it; 0: none.
 */
static __attribute__((__unused__, __noinline__, __cold__)) uint64_t
strata_single_write_slow(const struct strata_single_rings *rings, uint32_t id, const uint64_t *body,
			 uint32_t body_bytes, const uint64_t *clock)
{
	struct strata_single_area *area = strata_read_once(&rings->area[0]);
	const bool is_short = body_bytes <= STRATA_SINGLE_SHORT_BODY;
	const ptrdiff_t rseq = strata_read_once(&rings->rseq);
	uint64_t ticks = clock ? *clock : 0;
	enum strata_lost kind = STRATA_LOST_NESTED;
	enum strata_single_result result;
	enum strata_single_room room;
	uint64_t sleep = 0, sleeping;
	unsigned int tries;

	for (tries = 0; tries < STRATA_SINGLE_TRIES; tries++) {
		/* Only a guess: the section looks again. If it found no room on another CPU, this
		 * ring has some, and the next try is made there. */
		uint32_t cpu = strata_rseq_cpu(rseq);

		if (cpu >= strata_load_acquire(&rings->nr)) {
			/* The caller's section may have left its descriptor, which may be unmapped
			 * with its library. */
			if (rseq)
				strata_rseq_clear(rseq);
			break;
		}
		area = strata_read_once(&rings->area[cpu]);
		if (body_bytes > STRATA_SINGLE_BODY_MAX) {
			kind = STRATA_LOST_BIG;
			break;
		}
		result = strata_single_attempt(rings, id, body, body_bytes, clock ? &ticks : NULL);
		if (result == STRATA_SINGLE_WRITTEN)
			return sleep;
		strata_rseq_clear(rseq);
		if (result == STRATA_SINGLE_ABORTED)
			continue;
		room = strata_single_make_room(
			rseq, cpu, area,
			STRATA_RECORD_HEADER_BYTES +
				(is_short ? STRATA_SINGLE_SHORT_BODY : (uint64_t)body_bytes),
			tries < STRATA_SINGLE_TRIES / 2 ? STRATA_SINGLE_SET_BACK_TICKS : 0);
		strata_rseq_clear(rseq);
		if (room == STRATA_SINGLE_STOPPED)
			return sleep;
		/* Perhaps another writer made the room: then both wake the reader. */
		sleeping = strata_single_sleeping(area);
		if (sleeping)
			sleep = sleeping;
		if (room == STRATA_SINGLE_FULL) {
			kind = STRATA_LOST_FULL;
			break;
		}
		if (clock && ticks < strata_read_once(&area->newest_ticks))
			ticks = strata_clock();
	}
	strata_single_count_lost(area, kind);
	return sleep;
}

/* The same, for nearly every event.  False: nothing was written; call
 * strata_single_write_slow(), if there are rings. */
static inline __attribute__((__always_inline__)) bool
strata_single_write(const struct strata_single_rings *rings, uint32_t id, const uint64_t *body,
		    uint32_t body_bytes)
{
	return strata_likely(body_bytes <= STRATA_SINGLE_SHORT_BODY) &&
	       strata_likely(strata_single_section(rings, id, body, body_bytes) ==
			     STRATA_SINGLE_WRITTEN);
}

#endif /* STRATA_HAS_RSEQ */

#endif /* STRATA_RING_SINGLE_WRITER_H */
