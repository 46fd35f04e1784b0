// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_writer.c - the core's writer, as a guest has it, in both modes, under a
 * dom0 that lies: the page that dom0 may write holds anything, and changes
 * between two loads.  The writer must stay within its memory, end each operation
 * in a few steps, keep the records under way from each other (unless dom0 says
 * that two sub-buffers lie in one page), and count what it loses; and once dom0
 * reads as it should, everything arrives again.
 *
 *     fuzz_writer [--mutations N] [--seed N]   runs until N mutations were made
 *     fuzz_writer --one SEED                   one run again, as a failure named it
 *
 * Speaks TAP.  The areas lie between pages that nobody may touch.
 */
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/ring_reader.h>
#include <strata/ring_switch.h>

#include "random.h"
#include "watchdog.h"

#define SECONDS_MAX 300u
#define DATA_PAGES  18u
#define RING_PAGES  2u
/* Loads in one operation of the writer that nothing interrupts; more is a loop. */
#define LOADS_MAX  64u
#define DEPTH_MAX  3u
#define OPERATIONS 400u

/* The words of dom0's page that are no table's. */
#define PLAIN_BYTES offsetof(struct strata_ring_reader_area, table)

static struct {
	unsigned char *ring_pages, *writer_area, *data;
	unsigned char *reader_area; /* as the guest sees it */
	unsigned char *dom0;        /* the same page, as dom0 sees it */
	struct strata_ring *ring;
	struct strata_ring_geometry geo;
} memory;

static struct randomness random_numbers;
static uint64_t ticks = 1, mutations, mutations_of_run, run_seed, stores;
static uint64_t reserved, refused; /* of the run */
static uint32_t depth, loads;
static bool lying;
static bool table_lies;   /* of the run: dom0 also lies about which page is where */
static const char *wrong; /* the first thing that is */

static void operate(void);

static void blame(const char *what)
{
	if (!wrong)
		wrong = what;
}

/* Dom0 --------------------------------------------------------------------------------------- */

/* The bits of a table's word that count holders. */
#define HOLDERS ((((strata_count_t)1 << STRATA_TABLE_TURN_SHIFT) - 1) & ~STRATA_TABLE_PAGE_MASK)

/* A place in the table: another page, holders that there are not, a turn that was not. */
static void mutate_table(struct strata_ring_reader_area *area, struct randomness *random)
{
	strata_count_t *word = &area->table[random_below(
		random, random_one_in(random, 8) ? STRATA_NR_SUBBUFS_MAX
						 : (uint32_t)strata_nr_subbufs(memory.geo))];

	switch (random_below(random, 4)) {
	case 0:
		*word = (*word & ~STRATA_TABLE_PAGE_MASK) | random_below(random, 10);
		break;
	case 1:
		*word |= HOLDERS;
		break;
	case 2:
		*word = strata_table_word(memory.geo,
					  memory.ring->write_count -
						  random_below(random, 3) *
							  strata_buffer_bytes(memory.geo),
					  random_below(random, 10));
		break;
	default:
		*word = random_awkward(random, *word);
		break;
	}
}

/* Changes one word, or the whole page; most values are near the true ones. */
static void mutate_page(unsigned char *page, struct randomness *random)
{
	uint32_t bytes = table_lies ? STRATA_PAGE_BYTES : (uint32_t)PLAIN_BYTES;
	uint64_t *words = (uint64_t *)page, *word;
	uint32_t i;

	word = &words[random_below(random, random_one_in(random, 2) ? 8 : bytes / 8)];
	switch (random_below(random, 16)) {
	case 0:
		memset(page, (int)random_next(random), bytes);
		break;
	case 1:
		for (i = 0; i < bytes / 8; i++)
			words[i] = random_next(random);
		break;
	case 2:
	case 3:
		*word = random_awkward(random, *word);
		break;
	case 4 ... 9:
		if (table_lies) {
			mutate_table((struct strata_ring_reader_area *)page, random);
			break;
		}
		/* fall through */
	default:
		/* As if all, or more, or nothing had been read. */
		*words = memory.ring->write_count +
			 (random_below(random, 24) - 12ul) * (strata_subbuf_bytes(memory.geo) /
							      (random_one_in(random, 8) ? 3 : 1));
		break;
	}
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool wanted, running;
	struct randomness random;
} scribbler = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static void *scribbler_main(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&scribbler.lock);
	while (true) {
		while (!scribbler.wanted)
			pthread_cond_wait(&scribbler.change, &scribbler.lock);
		scribbler.running = true;
		pthread_cond_broadcast(&scribbler.change);
		pthread_mutex_unlock(&scribbler.lock);
		while (__atomic_load_n(&scribbler.wanted, __ATOMIC_ACQUIRE)) {
			mutate_page(memory.dom0, &scribbler.random);
			stores++;
		}
		pthread_mutex_lock(&scribbler.lock);
		scribbler.running = false;
		pthread_cond_broadcast(&scribbler.change);
	}
	return NULL;
}

static void scribble(bool on)
{
	pthread_mutex_lock(&scribbler.lock);
	if (on)
		scribbler.random.state = run_seed;
	__atomic_store_n(&scribbler.wanted, on, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&scribbler.change);
	while (scribbler.running != on)
		pthread_cond_wait(&scribbler.change, &scribbler.lock);
	pthread_mutex_unlock(&scribbler.lock);
}

/* The writer --------------------------------------------------------------------------------- */

uint64_t virtual_clock(void)
{
	/* A clock that steps back is a switch. */
	if (lying && random_one_in(&random_numbers, 200))
		ticks -= random_below(&random_numbers, 100);
	return ++ticks;
}

/* Before each load of the writer: dom0 may lie, and an interrupt may come. */
void before_load(const volatile void *word, uint32_t bytes)
{
	const volatile unsigned char *byte = word;

	(void)bytes;
	if (!lying)
		return;
	if (++loads > LOADS_MAX)
		blame("an operation of the writer does not come to its end");
	if (byte >= memory.reader_area && byte < memory.reader_area + STRATA_PAGE_BYTES &&
	    random_one_in(&random_numbers, 2)) {
		mutate_page(memory.dom0, &random_numbers);
		mutations_of_run++;
	}
	if (depth < DEPTH_MAX && random_one_in(&random_numbers, 24)) {
		uint32_t interrupted = loads;

		operate();
		/* An interrupted writer has to try again: those tries are no loop of its own. */
		loads = interrupted > 8 ? interrupted - 8 : 0;
	}
}

/* Bytes that a record with a full header takes in the ring. */
static uint32_t record_bytes(uint32_t payload_bytes)
{
	return STRATA_RECORD_HEADER_BYTES + strata_padded_bytes(payload_bytes);
}

/* A slot lies in one sub-buffer, behind its header, and contains its record. */
static void check_slot(const struct strata_slot *slot, uint32_t payload_bytes)
{
	strata_count_t place = (strata_count_t)(slot->payload - memory.data);
	strata_count_t begin = place - STRATA_RECORD_HEADER_BYTES;

	if (slot->payload < memory.data || place >= strata_data_bytes(memory.geo) ||
	    strata_subbuf_offset(memory.geo, begin) < STRATA_PACKET_HEADER_BYTES ||
	    strata_subbuf_offset(memory.geo, begin) + record_bytes(payload_bytes) >
		    strata_subbuf_bytes(memory.geo) ||
	    slot->bytes != record_bytes(payload_bytes))
		blame("a slot lies where none can be");
}

static void write_record(uint32_t payload_bytes)
{
	unsigned char mark = (unsigned char)random_next(&random_numbers);
	struct strata_slot slot;
	uint32_t i;

	if (!strata_ring_reserve(memory.ring, mark, payload_bytes, &slot)) {
		refused++;
		return;
	}
	reserved++;
	check_slot(&slot, payload_bytes);
	if (wrong)
		return;
	memset(slot.payload, mark, payload_bytes);
	if (depth < DEPTH_MAX && random_one_in(&random_numbers, 4))
		for (i = random_below(&random_numbers, 30); lying && i > 0 && !wrong; i--)
			operate();
	for (i = 0; i < payload_bytes; i++)
		if (slot.payload[i] != mark && !table_lies)
			blame("a record under way was overwritten");
	loads = 0;
	strata_ring_commit(memory.ring, &slot);
}

/* A probe or a flush, at any depth. */
static void operate(void)
{
	uint32_t size = random_below(&random_numbers, 40);

	depth++;
	loads = 0;
	if (strata_ring_enter(memory.ring)) {
		if (size == 0)
			strata_ring_flush(memory.ring);
		else if (size == 1)
			strata_ring_switch(memory.ring);
		else if (size < 4)
			write_record(size * 1000);
		else
			write_record(size * 7);
		strata_ring_exit(memory.ring);
	} else {
		refused++;
	}
	depth--;
}

static void check_losses(void)
{
	const struct strata_ring_writer_area *shared = (const void *)memory.writer_area;
	uint64_t lost = 0;
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		lost += memory.ring->lost[i];
		if (shared->lost[i] != memory.ring->lost[i])
			blame("dom0 is told of other losses than there were");
	}
	if (lost != refused)
		blame("a record was refused and not counted");
	if (memory.ring->overwrite && memory.ring->lost[STRATA_LOST_FULL])
		blame("a ring that is overwritten was full");
	if (memory.ring->nesting)
		blame("a probe is under way that is not");
}

/* An honest dom0 ----------------------------------------------------------------------------- */

/* The records of a packet, up to @content bytes of it. */
static uint64_t count_records(const unsigned char *packet, uint64_t content)
{
	uint32_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_record_header record;
	uint64_t records = 0;

	for (; offset < content; records++) {
		memcpy(&record, packet + offset, sizeof(record));
		if (packet[offset + sizeof(record)] != record.id)
			blame("a record is not as it was written");
		offset += record_bytes(20);
	}
	return records;
}

/* Drains the ready sub-buffers; returns the number of records in them. */
static uint64_t drain(struct strata_ring_reader *reader)
{
	struct strata_packet_header header;
	uint64_t records = 0;

	while (strata_reader_get(reader)) {
		memcpy(&header, strata_reader_subbuf(reader), sizeof(header));
		records += count_records(strata_reader_subbuf(reader), header.content_size / 8);
		strata_reader_put(reader);
	}
	return records;
}

/* The committed part of the sub-buffer that stays incomplete. */
static uint64_t take_prefix(const struct strata_ring_reader *reader)
{
	static unsigned char copy[1u << 13];
	uint32_t bytes = strata_reader_copy_prefix(reader, reader->read_count, copy);

	return bytes ? count_records(copy, bytes) : 0;
}

/* The reader area as an honest dom0 has it, which is through with all that there is. */
static void make_honest(struct strata_ring_reader_area *area)
{
	strata_count_t end = strata_subbuf_align_up(memory.geo, memory.ring->write_count);
	unsigned int i;

	memset(area, 0, STRATA_PAGE_BYTES);
	area->read_count = end;
	for (i = 0; i < strata_nr_subbufs(memory.geo); i++)
		area->table[i] =
			strata_table_word(memory.geo, end - strata_buffer_bytes(memory.geo), i);
}

/* From now on dom0 reads as it should: nothing is lost any more, and all arrives. */
static void check_recovery(void)
{
	struct strata_ring_reader_area *area = (struct strata_ring_reader_area *)memory.dom0;
	uint64_t written = reserved, lost = refused, records = 0;
	struct strata_ring_reader reader;
	uint32_t i;

	strata_ring_flush(memory.ring);
	make_honest(area);
	if (strata_reader_init(&reader, memory.geo, (const void *)memory.writer_area, area,
			       memory.data) != STRATA_READER_OK)
		blame("its writer area is no ring's any more");
	reader.read_count = area->read_count;
	reader.overwrite = memory.ring->overwrite;
	for (i = 0; i < 600 && !wrong; i++) {
		write_record(20);
		if (i % 20 == 0)
			records += drain(&reader);
	}
	if (random_one_in(&random_numbers, 2))
		strata_ring_flush(memory.ring);
	records += drain(&reader);
	records += take_prefix(&reader);
	if (!wrong && (refused != lost || records != reserved - written))
		blame("after the lies not everything arrives");
}

/* One run ------------------------------------------------------------------------------------ */

static void make_ring(void)
{
	strata_count_t first = 0;
	size_t bytes;

	memory.geo.subbuf_bits = (uint8_t)(12 + random_below(&random_numbers, 2));
	memory.geo.nr_subbufs_bits = (uint8_t)(1 + random_below(&random_numbers, 3));
	if (random_one_in(&random_numbers, 2))
		first -= 2 * strata_buffer_bytes(memory.geo); /* its counters wrap soon */
	/* The end of each area is the end of its pages. */
	bytes = (strata_ring_bytes(memory.geo) + 15) & ~(size_t)15;
	memory.ring =
		(struct strata_ring *)(memory.ring_pages + RING_PAGES * STRATA_PAGE_BYTES - bytes);
	memset(memory.ring, 0, bytes);
	memset(memory.writer_area, 0, STRATA_PAGE_BYTES);
	memset(memory.dom0, 0, STRATA_PAGE_BYTES);
	memory.data += (size_t)DATA_PAGES * STRATA_PAGE_BYTES;
	memory.data -= strata_data_bytes(memory.geo);
	memset(memory.data, 0, strata_data_bytes(memory.geo));
	strata_ring_init(memory.ring, memory.geo, memory.data,
			 (struct strata_ring_writer_area *)memory.writer_area,
			 (struct strata_ring_reader_area *)memory.reader_area, 0, first);
	memory.ring->overwrite = random_one_in(&random_numbers, 2);
}

static void lie_and_write(bool scribbling)
{
	uint32_t i;

	lying = true;
	if (scribbling)
		scribble(true);
	for (i = 0; i < OPERATIONS && !wrong; i++) {
		if (random_one_in(&random_numbers, 2)) {
			mutate_page(memory.dom0, &random_numbers);
			mutations_of_run++;
		}
		operate();
	}
	if (scribbling)
		scribble(false);
	lying = false;
}

static const char *run(uint64_t seed, bool with_lies)
{
	unsigned char *data = memory.data;

	random_numbers.state = seed;
	run_seed = seed;
	wrong = NULL;
	reserved = refused = mutations_of_run = 0;
	depth = 0;
	table_lies = with_lies && random_one_in(&random_numbers, 2);
	watchdog_begin(seed, SECONDS_MAX);
	make_ring();
	if (with_lies)
		lie_and_write(random_one_in(&random_numbers, 3));
	if (!wrong)
		check_losses();
	if (!wrong)
		check_recovery();
	watchdog_end();
	memory.data = data;
	mutations += mutations_of_run;
	return wrong;
}

/* The program -------------------------------------------------------------------------------- */

static unsigned char *guarded(uint32_t pages)
{
	unsigned char *area = mmap(NULL, (size_t)(pages + 2) * STRATA_PAGE_BYTES, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED ||
	    mprotect(area + STRATA_PAGE_BYTES, (size_t)pages * STRATA_PAGE_BYTES,
		     PROT_READ | PROT_WRITE))
		abort();
	return area + STRATA_PAGE_BYTES;
}

static void make_memory(void)
{
	int page = memfd_create("reader area", MFD_CLOEXEC);
	unsigned char *seen = guarded(1);

	if (page < 0 || ftruncate(page, STRATA_PAGE_BYTES) ||
	    mmap(seen, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, page,
		 0) == MAP_FAILED)
		abort();
	memory.reader_area = seen;
	memory.dom0 = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
	if (memory.dom0 == MAP_FAILED)
		abort();
	memory.ring_pages = guarded(RING_PAGES);
	memory.writer_area = guarded(STRATA_WRITER_AREA_PAGES);
	memory.data = guarded(DATA_PAGES);
}

static unsigned int results;
static bool failed;

static void result(const char *name, const char *why)
{
	printf("%s %u - %s\n", why ? "not ok" : "ok", ++results, name);
	if (why)
		printf("# %s; seed %" PRIu64 ", again with --one\n", why, run_seed);
	fflush(stdout);
	failed |= why != NULL;
}

static void fuzz(uint64_t first_seed, uint64_t wanted)
{
	struct randomness seeds = { first_seed };
	uint64_t runs = 0, in_ring = 0, lost = 0;
	const char *why = NULL;

	printf("# seed %" PRIu64 "\n", first_seed);
	fflush(stdout);
	for (; !why && mutations < wanted; runs++) {
		why = run(random_next(&seeds), true);
		in_ring += reserved;
		lost += refused;
	}
	printf("# seed %" PRIu64 ": %" PRIu64 " runs, %" PRIu64 " mutations, and %" PRIu64
	       " of another thread meanwhile; %" PRIu64 " records written, %" PRIu64 " lost\n",
	       first_seed, runs, mutations, stores, in_ring, lost);
	result("no lie of dom0 harms the writer", why);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mutations", required_argument, NULL, 'm' },
		{ "seed", required_argument, NULL, 's' },
		{ "one", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t wanted = 500000, seed = 20260101, one = 0, i;
	const char *why = NULL;
	bool again = false;
	pthread_t thread;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'm')
			wanted = strtoull(optarg, NULL, 10);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (option == 'o')
			one = strtoull(optarg, NULL, 10), again = true;
		else
			return 2;
	}
	watchdog_make();
	make_memory();
	if (pthread_create(&thread, NULL, scribbler_main, NULL))
		abort();
	for (i = 0; i < 100 && !why; i++)
		why = run(i, false);
	result("under a dom0 that does not lie, everything arrives", why);
	if (again)
		result("this seed", run(one, true));
	else
		fuzz(seed, wanted);
	printf("1..%u\n", results);
	return failed;
}
