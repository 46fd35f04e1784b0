/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_audit.h - the books of a ring under test: every record that a writer
 * tried to write is entered with its fate, every record that the reader finds
 * is ticked off, and what does not balance is an error.
 *
 * A record carries (level, number) and words that follow from the two, so a
 * torn record is seen.  The level is the nesting depth or the thread that wrote
 * it; within a level the numbers grow in the order of the reservations.
 *
 * A test whose clock remembers what it showed the writer that runs says so in
 * AUDIT_TICKS; the books then know each record's time, too, which a short header
 * has only a part of.
 *
 * Of a ring that overwrites, the books also say which packet each record went
 * to: all records of a packet that was read are found, and no others.
 *
 * The audit complains instead of asserting, because it also runs in threads and
 * because a control must be able to see that it found something.
 */
#ifndef STRATA_TESTS_RECORD_AUDIT_H
#define STRATA_TESTS_RECORD_AUDIT_H

#include <stdlib.h>

#include "ring_fixture.h"

/* Nesting depths, threads, or one for each pair of them. */
#ifndef AUDIT_LEVELS
#define AUDIT_LEVELS 8u
#endif

/* The time that the clock showed last in this writer's own course. */
#ifdef AUDIT_TICKS
#define AUDIT_KNOWS_TICKS true
#else
#define AUDIT_KNOWS_TICKS false
#define AUDIT_TICKS()     0
#endif

enum record_fate { RECORD_UNKNOWN, RECORD_WRITTEN, RECORD_LOST };

struct record_audit {
	struct strata_ring_geometry geo;
	enum strata_header_form form;
	uint32_t capacity;                     /* records a level */
	uint8_t *fate[AUDIT_LEVELS];           /* what its writer says */
	uint8_t *found[AUDIT_LEVELS];          /* how often the reader saw it */
	strata_count_t *went_to[AUDIT_LEVELS]; /* sequence number of its packet; if it overwrites */
	uint64_t *ticks[AUDIT_LEVELS];         /* of the record, if they are known */
	uint32_t next[AUDIT_LEVELS];
	bool overwrite;        /* packets may be missing */
	uint8_t *read;         /* by sequence number since the start: whether a packet was read */
	strata_count_t first;  /* sequence number of the first packet */
	bool clock_steps_back; /* packets may then overlap; records in one may not */
	/* The reader's side. */
	int64_t newest[AUDIT_LEVELS];
	uint64_t packets, records;
	uint64_t short_headers; /* records that have one */
	uint64_t sequence;      /* that the next packet must have */
	uint64_t lost[STRATA_NR_LOST];
	uint64_t end_ticks;
	unsigned long errors;
	char first_error[256];
};

struct audit_payload {
	uint32_t level;
	uint32_t number;
	uint32_t words;
	uint32_t word[];
};

__attribute__((format(printf, 2, 3))) static inline void audit_complain(struct record_audit *audit,
									const char *format, ...)
{
	va_list args;

	if (audit->errors++)
		return;
	va_start(args, format);
	vsnprintf(audit->first_error, sizeof(audit->first_error), format, args);
	va_end(args);
}

/* Packets that the books can hold. */
#define AUDIT_PACKETS (1u << 20)

/* A packet's place in the books; sequence numbers have the bits that positions leave them. */
static inline strata_count_t audit_place(const struct record_audit *audit, uint64_t sequence)
{
	strata_count_t place = ((strata_count_t)sequence - audit->first) &
			       (~(strata_count_t)0 >> audit->geo.subbuf_bits);

	return place < AUDIT_PACKETS ? place : AUDIT_PACKETS - 1;
}

/* Empties the books for a ring that is new. */
static inline void audit_reset(struct record_audit *audit, const struct strata_ring *ring)
{
	unsigned int i;

	audit->geo = ring->geo;
	audit->form = (enum strata_header_form)ring->form;
	memset(audit->read, 0, audit_place(audit, audit->sequence) + 1);
	audit->first = ring->write_count >> ring->geo.subbuf_bits;
	audit->sequence = audit->first;
	for (i = 0; i < AUDIT_LEVELS; i++) {
		memset(audit->fate[i], 0, audit->next[i]);
		memset(audit->found[i], 0, audit->next[i]);
		audit->next[i] = 0;
		audit->newest[i] = -1;
	}
	memset(audit->lost, 0, sizeof(audit->lost));
	audit->packets = audit->records = audit->end_ticks = audit->short_headers = 0;
	audit->errors = 0;
	audit->clock_steps_back = false;
	audit->overwrite = ring->overwrite;
}

/* Zeroed; a child that the test forks goes on with the same books. */
static inline void *audit_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static inline void audit_open(struct record_audit *audit, const struct strata_ring *ring,
			      uint32_t capacity)
{
	unsigned int i;

	memset(audit, 0, sizeof(*audit));
	audit->geo = ring->geo;
	audit->capacity = capacity;
	audit->read = audit_memory(AUDIT_PACKETS);
	for (i = 0; i < AUDIT_LEVELS; i++) {
		audit->fate[i] = audit_memory(capacity);
		audit->found[i] = audit_memory(capacity);
		audit->went_to[i] = audit_memory(capacity * sizeof(*audit->went_to[i]));
		if (AUDIT_KNOWS_TICKS)
			audit->ticks[i] = audit_memory(capacity * sizeof(*audit->ticks[i]));
	}
	audit_reset(audit, ring);
}

/*
 * Opens an audit of one more ring of the same writers, who may write a record to either ring: they
 * enter it in the books of @first alone.
 */
static inline void audit_open_beside(struct record_audit *audit, const struct record_audit *first,
				     const struct strata_ring *ring)
{
	*audit = *first;
	audit->read = audit_memory(AUDIT_PACKETS);
	memset(audit->next, 0, sizeof(audit->next));
	audit_reset(audit, ring);
}

static inline void audit_close_beside(struct record_audit *audit)
{
	munmap(audit->read, AUDIT_PACKETS);
}

static inline void audit_close(struct record_audit *audit)
{
	unsigned int i;

	for (i = 0; i < AUDIT_LEVELS; i++) {
		munmap(audit->fate[i], audit->capacity);
		munmap(audit->found[i], audit->capacity);
		munmap(audit->went_to[i], audit->capacity * sizeof(*audit->went_to[i]));
		if (AUDIT_KNOWS_TICKS)
			munmap(audit->ticks[i], audit->capacity * sizeof(*audit->ticks[i]));
	}
	audit_close_beside(audit);
}

static inline uint32_t audit_word(uint32_t level, uint32_t number, uint32_t i)
{
	return (number * 2654435761u) ^ (level * 0x9e3779b9u) ^ (i * 40503u);
}

/* Enters the next record of @words words, which has a slot if it was @reserved, and fills it in.
 * False: lost, and entered as such. */
static inline bool audited_fill(struct record_audit *audit, struct strata_ring *ring,
				uint32_t level, uint32_t words, const struct strata_slot *slot,
				uint32_t number, bool reserved)
{
	struct audit_payload *payload;
	uint32_t i;

	if (!reserved) {
		audit->fate[level][number] = RECORD_LOST;
		return false;
	}
	payload = (struct audit_payload *)slot->payload;
	payload->level = level;
	payload->number = number;
	payload->words = words;
	for (i = 0; i < words; i++)
		payload->word[i] = audit_word(level, number, i);
	if (audit->overwrite)
		audit->went_to[level][number] = slot->position >> ring->geo.subbuf_bits;
	if (AUDIT_KNOWS_TICKS)
		audit->ticks[level][number] = AUDIT_TICKS();
	audit->fate[level][number] = RECORD_WRITTEN;
	return true;
}

static inline uint32_t audited_number(struct record_audit *audit, uint32_t level)
{
	if (audit->next[level] >= audit->capacity)
		abort();
	return audit->next[level]++;
}

static inline uint32_t audited_bytes(uint32_t words)
{
	return (uint32_t)sizeof(struct audit_payload) + 4 * words;
}

/* Reserves a record of @words words and fills it in.  False: lost, and entered as such. */
static inline bool audited_reserve(struct record_audit *audit, struct strata_ring *ring,
				   uint32_t level, uint32_t words, struct strata_slot *slot)
{
	uint32_t number = audited_number(audit, level);
	bool reserved = strata_ring_reserve(ring, level, audited_bytes(words), slot);

	return audited_fill(audit, ring, level, words, slot, number, reserved);
}

static inline bool audited_write(struct record_audit *audit, struct strata_ring *ring,
				 uint32_t level, uint32_t words)
{
	struct strata_slot slot;

	if (!audited_reserve(audit, ring, level, words, &slot))
		return false;
	strata_ring_commit(ring, &slot);
	return true;
}

/* Writes a record of an event whose clock has been read already, as the hypervisor does. */
static inline bool audited_write_at(struct record_audit *audit, struct strata_ring *ring,
				    uint32_t level, uint32_t words, uint64_t ticks)
{
	uint32_t number = audited_number(audit, level), bytes = audited_bytes(words);
	struct strata_slot slot;
	bool reserved = strata_ring_try_at(ring, level, bytes, ticks, &slot) ||
			strata_ring_reserve_at(ring, level, bytes, ticks, &slot);

	if (!audited_fill(audit, ring, level, words, &slot, number, reserved))
		return false;
	strata_ring_commit(ring, &slot);
	return true;
}

/*
 * Checks one record of at most @room bytes; returns its length, or 0 to end the packet.
 * @ticks: IN: of the record before, or the packet's begin; OUT: of this one
 */
static inline uint32_t audit_record(struct record_audit *audit, const unsigned char *record,
				    uint32_t room, uint64_t *ticks)
{
	const struct audit_payload *payload;
	uint32_t id = UINT32_MAX, i;
	uint32_t smallest = strata_header_read(audit->form, record, room, *ticks, &id, ticks);

	payload = (const struct audit_payload *)(record + smallest);
	smallest += (uint32_t)sizeof(*payload);
	if (room < smallest || payload->words > (room - smallest) / 4 || id != payload->level ||
	    id >= AUDIT_LEVELS || payload->number >= audit->capacity) {
		audit_complain(audit, "packet %llu: a torn record, %u bytes before the end",
			       (unsigned long long)audit->sequence, room);
		return 0;
	}
	audit->short_headers += smallest - sizeof(*payload) <
				strata_whole_header_bytes(audit->form);
	if (AUDIT_KNOWS_TICKS && audit->ticks[id][payload->number] != *ticks)
		audit_complain(audit, "record %u of level %u: time %llu was %llu", payload->number,
			       id, (unsigned long long)*ticks,
			       (unsigned long long)audit->ticks[id][payload->number]);
	for (i = 0; i < payload->words; i++) {
		if (payload->word[i] != audit_word(payload->level, payload->number, i)) {
			audit_complain(audit, "record %u of level %u: word %u of %u is torn",
				       payload->number, payload->level, i, payload->words);
			break;
		}
	}
	if (audit->found[payload->level][payload->number]++)
		audit_complain(audit, "record %u of level %u came twice", payload->number,
			       payload->level);
	if (payload->number <= audit->newest[payload->level])
		audit_complain(audit, "record %u of level %u came after %lld", payload->number,
			       payload->level, (long long)audit->newest[payload->level]);
	audit->newest[payload->level] = payload->number;
	audit->records++;
	return smallest + 4 * payload->words;
}

static inline void audit_packet_header(struct record_audit *audit,
				       const struct strata_packet_header *header)
{
	uint64_t lost = 0;
	unsigned int i;

	if (header->magic != STRATA_CTF_MAGIC || header->cpu_id != 3 ||
	    header->stream_id != audit->form ||
	    header->packet_size != strata_subbuf_bytes(audit->geo) * 8)
		audit_complain(audit, "packet %llu: a wrong header",
			       (unsigned long long)audit->sequence);
	if (audit->overwrite &&
	    audit_place(audit, header->packet_seq_num) >= audit_place(audit, audit->sequence))
		audit->sequence = header->packet_seq_num;
	if (header->packet_seq_num != audit->sequence)
		audit_complain(audit, "packet %llu says that it is %llu",
			       (unsigned long long)audit->sequence,
			       (unsigned long long)header->packet_seq_num);
	for (i = 0; i < STRATA_NR_LOST; i++) {
		if (header->lost[i] < audit->lost[i])
			audit_complain(audit, "packet %llu: losses of kind %u go back",
				       (unsigned long long)audit->sequence, i);
		audit->lost[i] = header->lost[i];
		lost += header->lost[i];
	}
	if (header->events_discarded != lost)
		audit_complain(audit, "packet %llu: losses do not add up",
			       (unsigned long long)audit->sequence);
	if (header->timestamp_end < header->timestamp_begin)
		audit_complain(audit, "packet %llu ends at %llu before it begins at %llu",
			       (unsigned long long)audit->sequence,
			       (unsigned long long)header->timestamp_end,
			       (unsigned long long)header->timestamp_begin);
	if (!audit->clock_steps_back && header->timestamp_begin < audit->end_ticks)
		audit_complain(audit, "packet %llu begins before the one before it ended",
			       (unsigned long long)audit->sequence);
}

/* Checks a packet and ticks off its records. */
static inline void audit_packet(struct record_audit *audit, const void *subbuf)
{
	const struct strata_packet_header *header = subbuf;
	uint64_t content = header->content_size / 8, ticks = header->timestamp_begin;
	uint64_t offset = STRATA_PACKET_HEADER_BYTES, previous, short_headers;
	uint32_t length;

	audit_packet_header(audit, header);
	if (content <= offset || content > strata_subbuf_bytes(audit->geo)) {
		audit_complain(audit, "packet %llu: %llu bytes of content",
			       (unsigned long long)audit->sequence, (unsigned long long)content);
		content = offset;
	}
	for (; offset < content; offset += length) {
		previous = ticks;
		short_headers = audit->short_headers;
		length = audit_record(audit, (const unsigned char *)subbuf + offset,
				      (uint32_t)(content - offset), &ticks);
		if (!length)
			break;
		if (ticks < previous || ticks > header->timestamp_end)
			audit_complain(audit, "packet %llu: time runs from %llu to %llu, end %llu",
				       (unsigned long long)audit->sequence,
				       (unsigned long long)previous, (unsigned long long)ticks,
				       (unsigned long long)header->timestamp_end);
		else if (offset == STRATA_PACKET_HEADER_BYTES &&
			 (ticks != previous || audit->short_headers != short_headers))
			audit_complain(audit, "packet %llu does not begin with its first record",
				       (unsigned long long)audit->sequence);
	}
	audit->end_ticks = header->timestamp_end;
	audit->packets++;
	audit->read[audit_place(audit, audit->sequence)] = 1;
	audit->sequence = (audit->sequence + 1) & (~(strata_count_t)0 >> audit->geo.subbuf_bits);
}

/* Takes every packet that is ready, as a reader does.  Returns how many. */
static inline unsigned int audit_drain(struct record_audit *audit,
				       struct strata_ring_reader *reader)
{
	unsigned int packets = 0;

	while (strata_reader_get(reader)) {
		audit_packet(audit, strata_reader_subbuf(reader));
		strata_reader_put(reader);
		packets++;
	}
	return packets;
}

/* Checks, while no writer is under way, that both readers see all committed records published. */
static inline void audit_commit_counts(struct record_audit *audit,
				       const struct ring_fixture *fixture)
{
	const struct strata_ring *ring = fixture->ring;
	strata_count_t unpublished;
	unsigned int i;

	for (i = 0; i < strata_nr_subbufs(ring->geo); i++) {
		if (ring->subbuf[i].commit_seq != fixture->writer_area->commit_seq[i])
			audit_complain(audit, "sub-buffer %u: the mapped commit seq is stale", i);
		unpublished = ring->subbuf[i].commit_count - ring->subbuf[i].commit_seq;
		if (unpublished >= (STRATA_WRITERS_SHARE_CPU ? 1 : strata_subbuf_bytes(ring->geo)))
			audit_complain(audit,
				       "sub-buffer %u: %lu committed bytes are not published", i,
				       unpublished);
	}
}

/* Flushes and drains a ring after every writer is done.  Returns the losses that it has counted. */
static inline uint64_t audit_balance_ring(struct record_audit *audit, struct ring_fixture *fixture)
{
	struct strata_ring *ring = fixture->ring;
	uint64_t counted = 0;
	unsigned int i;

	strata_ring_flush(ring);
	audit_drain(audit, &fixture->reader);
	if (fixture->reader.read_count != ring->write_count)
		audit_complain(audit, "the reader stands %lld bytes behind the writer",
			       (long long)(ring->write_count - fixture->reader.read_count));
	if (audit->overwrite && audit->sequence != ring->write_count >> audit->geo.subbuf_bits)
		audit_complain(audit, "the newest packet is %llu, and %llu is to be read next",
			       (unsigned long long)(ring->write_count >> audit->geo.subbuf_bits) -
				       1,
			       (unsigned long long)audit->sequence);
	for (i = 0; i < STRATA_NR_LOST; i++) {
		counted += ring->lost[i];
		if (strata_reader_lost(&fixture->reader, i) != ring->lost[i])
			audit_complain(audit, "losses of kind %u: the reader sees %llu of %llu", i,
				       (unsigned long long)strata_reader_lost(&fixture->reader, i),
				       (unsigned long long)ring->lost[i]);
		if (audit->lost[i] > ring->lost[i])
			audit_complain(audit, "a packet invents losses of kind %u", i);
	}
	audit_commit_counts(audit, fixture);
	return counted;
}

/* Every record has its fate; @counted is how many losses the rings admit. */
static inline void audit_balance_books(struct record_audit *audit, uint64_t counted)
{
	uint32_t level, number;
	uint64_t lost = 0;

	for (level = 0; level < AUDIT_LEVELS; level++) {
		for (number = 0; number < audit->next[level]; number++) {
			enum record_fate fate = audit->fate[level][number];
			bool expected = fate == RECORD_WRITTEN;

			lost += fate == RECORD_LOST;
			if (audit->overwrite)
				expected = expected &&
					   audit->read[audit_place(audit,
								   audit->went_to[level][number])];
			if (audit->found[level][number] != expected)
				audit_complain(audit, "record %u of level %u: fate %d, found %u",
					       number, level, (int)fate,
					       audit->found[level][number]);
		}
	}
	if (counted != lost)
		audit_complain(audit, "%llu records were lost, %llu counted",
			       (unsigned long long)lost, (unsigned long long)counted);
}

/* Closes the books of one ring once every writer is done. */
static inline void audit_balance(struct record_audit *audit, struct ring_fixture *fixture)
{
	audit_balance_books(audit, audit_balance_ring(audit, fixture));
}

#define assert_books_balance(audit)                                            \
	do {                                                                   \
		if ((audit)->errors)                                           \
			fail_msg("%lu errors, the first: %s", (audit)->errors, \
				 (audit)->first_error);                        \
	} while (false)

#endif /* STRATA_TESTS_RECORD_AUDIT_H */
