// SPDX-License-Identifier: MIT
/*
 * counts.c - counts events in the tables of a channel (strata/aggregate.h, abi/app.h).
 *
 * Where there are restartable sequences, each word of a CPU's table changes in a section of its
 * own, whose last instruction changes it: no LOCK prefix, and each change takes effect once, on
 * whichever CPU the thread then is.  A thread that the kernel does not know, or that a debugger
 * steps through, adds to the last table with LOCK.  So no word is ever changed in both ways.
 *
 * Elsewhere all words change with LOCK, in the table of the CPU that the thread probably is on.
 */
#include "libstrata/counts.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "libstrata/rings.h"

/* Attempts at one change, as of a record. */
#define TRIES 64u

struct count_tables;

#define STRATA_AGGREGATE_TABLE const struct count_tables

static void strata_aggregate_add_to(const struct count_tables *tables, unsigned long word,
				    unsigned long value);
static void strata_aggregate_raise(const struct count_tables *tables, unsigned long word,
				   unsigned long value);

#include <strata/aggregate.h>

/* The tables of a channel: made once, freed never, as threads may be within an event. */
struct count_tables {
	ptrdiff_t rseq; /* 0: not available */
	uint32_t nr;    /* CPUs below count in sections; 0: none may */
	uint32_t nr_cpus;
	uint64_t stride; /* bytes */
	unsigned char *memory;
	unsigned char *event_counts; /* in it: the first CPU's count of event 0 */
	bool has_sections;
	bool counts_in_sections; /* and no times */
	bool stopped;
	uint32_t channel;
	struct strata_aggregate aggregate;
	uint8_t meaning[STRATA_APP_EVENTS_MAX]; /* of times, by id: STRATA_APP_BEGINS, _ENDS */
	unsigned long keys[1u << STRATA_APP_TIME_ROW_BITS];
};

/* By channel; NULL: it does not count. */
static struct count_tables *tables_of[STRATA_APP_CHANNELS];

#ifdef STRATA_HAS_RSEQ

enum section_result {
	SECTION_DONE,
	SECTION_ABORTED,
	SECTION_LEFT, /* this CPU has no table, or nothing is counted any more */
};

/* The part of a section before its change: then rax is what @from points to, in the CPU's table. */
#define SECTION_BEGIN                              \
	STRATA_RSEQ_BEGIN                          \
	"movl %%fs:%c[cpu_id](%[rseq]), %%eax\n\t" \
	"cmpl %c[nr](%[tables]), %%eax\n\t"        \
	"jae %l[left]\n\t"                         \
	"imulq %c[stride](%[tables]), %%rax\n\t"   \
	"addq %c[memory](%[tables]), %%rax\n\t"
#define SECTION_OPERANDS(tables, from, at)                                              \
	[rseq] "r"((tables)->rseq), [cs] "i"(offsetof(struct rseq, rseq_cs)),           \
		[cpu_id] "i"(offsetof(struct rseq, cpu_id)), [signature] "i"(RSEQ_SIG), \
		[tables] "r"(tables), [nr] "i"(offsetof(struct count_tables, nr)),      \
		[stride] "i"(offsetof(struct count_tables, stride)),                    \
		[memory] "i"(offsetof(struct count_tables, from)), [word] "r"(at)

static inline __attribute__((__always_inline__)) enum section_result
add_section(const struct count_tables *tables, unsigned long word, unsigned long value)
{
	__asm__ goto(SECTION_BEGIN "addq %[value], (%%rax, %[word], 8)\n\t" STRATA_RSEQ_LEAVE
		     :
		     : SECTION_OPERANDS(tables, memory, word), [value] "er"(value)
		     : "memory", "cc", "rax"
		     : aborted, left);
	return SECTION_DONE;
aborted:
	return SECTION_ABORTED;
left:
	return SECTION_LEFT;
}

/* Adds one to the count of an event. */
static inline __attribute__((__always_inline__)) enum section_result
count_section(const struct count_tables *tables, unsigned long id)
{
	__asm__ goto(SECTION_BEGIN "incq (%%rax, %[word], 8)\n\t" STRATA_RSEQ_LEAVE
		     :
		     : SECTION_OPERANDS(tables, event_counts, id)
		     : "memory", "cc", "rax"
		     : aborted, left);
	return SECTION_DONE;
aborted:
	return SECTION_ABORTED;
left:
	return SECTION_LEFT;
}

static inline __attribute__((__always_inline__)) enum section_result
raise_section(const struct count_tables *tables, unsigned long word, unsigned long value)
{
	/* 2: the end of the section, behind the store. */
	__asm__ goto(SECTION_BEGIN "cmpq %[value], (%%rax, %[word], 8)\n\t"
				   "jae 2f\n\t"
				   "movq %[value], (%%rax, %[word], 8)\n\t" STRATA_RSEQ_LEAVE
		     :
		     : SECTION_OPERANDS(tables, memory, word), [value] "r"(value)
		     : "memory", "cc", "rax"
		     : aborted, left);
	return SECTION_DONE;
aborted:
	return SECTION_ABORTED;
left:
	return SECTION_LEFT;
}

#endif

/* The CPU that we probably are on. */
static uint32_t cpu_here(const struct count_tables *tables)
{
#ifdef STRATA_HAS_RSEQ
	if (strata_likely(tables->rseq))
		return strata_rseq_cpu(tables->rseq);
#endif
	return (uint32_t)sched_getcpu();
}

/* The word to be changed with LOCK; NULL: nothing is counted any more. */
static unsigned long *shared_word(const struct count_tables *tables, unsigned long word)
{
	uint32_t cpu = tables->nr_cpus;

	if (strata_read_once(&tables->stopped))
		return NULL;
	if (!tables->has_sections) {
		cpu = cpu_here(tables);
		if (cpu > tables->nr_cpus)
			cpu = tables->nr_cpus;
	}
	return (unsigned long *)(void *)(tables->memory + cpu * tables->stride) + word;
}

/* Tries sections again, and changes a shared word if there can be none. */
static __attribute__((__noinline__, __cold__)) void
change_elsewhere(const struct count_tables *tables, unsigned long word, unsigned long value,
		 bool raises)
{
	unsigned long *shared, old, was;
#ifdef STRATA_HAS_RSEQ
	enum section_result result = SECTION_ABORTED;
	unsigned int tries;

	for (tries = 0; tries < TRIES && tables->has_sections && result == SECTION_ABORTED; tries++)
		result = raises ? raise_section(tables, word, value)
				: add_section(tables, word, value);
	if (result == SECTION_DONE)
		return;
	/* The caller's section, too, may have left its descriptor. */
	if (tables->has_sections)
		strata_rseq_clear(tables->rseq);
#endif
	shared = shared_word(tables, word);
	if (!shared)
		return;
	if (!raises) {
		strata_local_add_return(shared, value);
		return;
	}
	for (old = strata_read_once(shared); old < value; old = was) {
		was = strata_local_cmpxchg(shared, old, value);
		if (was == old)
			return;
	}
}

static inline __attribute__((__always_inline__)) void
strata_aggregate_add_to(const struct count_tables *tables, unsigned long word, unsigned long value)
{
#ifdef STRATA_HAS_RSEQ
	if (strata_likely(tables->has_sections) &&
	    strata_likely(add_section(tables, word, value) == SECTION_DONE))
		return;
#endif
	change_elsewhere(tables, word, value, false);
}

static inline void strata_aggregate_raise(const struct count_tables *tables, unsigned long word,
					  unsigned long value)
{
#ifdef STRATA_HAS_RSEQ
	if (strata_likely(tables->has_sections) &&
	    strata_likely(raise_section(tables, word, value) == SECTION_DONE))
		return;
#endif
	change_elsewhere(tables, word, value, true);
}

bool counts_has(uint32_t channel)
{
	return strata_read_once(&tables_of[channel]) != NULL;
}

/* Whether this is what the program counts in, with @nr tables. */
static bool is_known(const struct strata_aggregate_spec *spec, uint32_t nr)
{
	const struct strata_aggregate_spec known =
		strata_app_spec((enum strata_aggregate_kind)spec->kind);

	return strata_aggregate_valid(spec) && !memcmp(spec, &known, sizeof(known)) && nr >= 2 &&
	       nr <= STRATA_APP_RINGS_MAX + 1;
}

int counts_attach(uint32_t channel, int fd, const struct strata_app_packet *packet, bool may_shrink)
{
	const uint32_t nr = packet->head.count;
	const uint64_t stride = strata_app_table_bytes(&packet->u.spec);
	struct count_tables *tables = calloc(1, sizeof(*tables));

	if (!tables || counts_has(channel) || !is_known(&packet->u.spec, nr))
		goto fail;
	tables->memory = rings_map(fd, packet->head.first_page, stride * nr, may_shrink);
	if (!tables->memory)
		goto fail;
	tables->event_counts = tables->memory + STRATA_AGGREGATE_OTHERS * sizeof(uint64_t);
	tables->stride = stride;
	tables->nr_cpus = nr - 1;
	tables->channel = channel;
#ifdef STRATA_HAS_RSEQ
	tables->has_sections = rings_modes() & STRATA_APP_SINGLE_STORE;
	tables->rseq = strata_rseq_available() ? strata_rseq() : 0;
	tables->nr = tables->has_sections ? tables->nr_cpus : 0;
	tables->counts_in_sections = tables->has_sections &&
				     packet->u.spec.kind == STRATA_AGGREGATE_COUNT;
#endif
	strata_aggregate_init(&tables->aggregate, &packet->u.spec, tables->keys);
	/* Threads may have begun times for the aggregator before. */
	tables->aggregate.since_ticks = strata_clock();
	/* Release: after the tables; pairs with the load in counts_event(). */
	strata_store_release(&tables_of[channel], tables);
	return 0;
fail:
	free(tables);
	return -1;
}

const uint8_t *counts_select(uint32_t channel, const struct strata_app_packet *packet,
			     uint8_t merged[STRATA_APP_EVENTS_MAX / 8])
{
	struct count_tables *tables = tables_of[channel];
	const uint8_t *begins = packet->u.measured[0], *ends = packet->u.measured[1];
	uint32_t i;

	if (tables->aggregate.spec.kind != STRATA_AGGREGATE_TIME)
		return packet->u.selected;
	for (i = 0; i < STRATA_APP_EVENTS_MAX; i++)
		strata_write_once(&tables->meaning[i],
				  (uint8_t)((begins[i / 8] >> i % 8 & 1 ? STRATA_APP_BEGINS : 0) |
					    (ends[i / 8] >> i % 8 & 1 ? STRATA_APP_ENDS : 0)));
	for (i = 0; i < STRATA_APP_EVENTS_MAX / 8; i++)
		merged[i] = begins[i] | ends[i];
	return merged;
}

void counts_stop(uint32_t channel)
{
	struct count_tables *tables = tables_of[channel];

	if (!tables)
		return;
	strata_write_once(&tables->stopped, true);
	strata_write_once(&tables->nr, 0);
	/* Sections that began before have ended or been aborted then; those that begin find 0. */
	rings_end_sections();
}

void counts_detach(uint32_t channel)
{
	struct count_tables *tables = tables_of[channel];

	if (!tables)
		return;
	strata_write_once(&tables_of[channel], NULL);
	rings_unmap(tables->memory, tables->stride * (tables->nr_cpus + 1));
}

/* Out of line, so that a count saves no registers. */
static __attribute__((__noinline__)) void measure(const struct count_tables *tables, uint32_t id)
{
	/* When the thread had the first of two events, by channel. */
	static __thread uint64_t begins[STRATA_APP_CHANNELS]
		__attribute__((__tls_model__("initial-exec")));

	rings_leave_section();
	strata_aggregate_measure(&tables->aggregate, tables, 0,
				 strata_read_once(&tables->meaning[id]), strata_clock(),
				 &begins[tables->channel]);
}

static void count(const struct count_tables *tables, uint32_t id)
{
	/* It records, or its aggregator has just ended. */
	if (!tables)
		rings_leave_section();
	else if (tables->aggregate.spec.kind == STRATA_AGGREGATE_COUNT)
		strata_aggregate_add_to(tables, STRATA_AGGREGATE_OTHERS + id, 1);
	else
		measure(tables, id);
}

void counts_event(uint32_t channels, uint32_t id)
{
	for (; channels; channels &= channels - 1)
		count(strata_load_acquire(&tables_of[__builtin_ctz(channels)]), id);
}

const struct count_tables *counts_alone(uint32_t channels)
{
	const struct count_tables *tables;

	if (!channels || channels & (channels - 1))
		return NULL;
	tables = strata_load_acquire(&tables_of[__builtin_ctz(channels)]);
	return tables && tables->counts_in_sections ? tables : NULL;
}

void counts_event_alone(const struct count_tables *tables, uint32_t id)
{
#ifdef STRATA_HAS_RSEQ
	if (strata_likely(count_section(tables, id) == SECTION_DONE))
		return;
#endif
	counts_event(1u << tables->channel, id);
}
