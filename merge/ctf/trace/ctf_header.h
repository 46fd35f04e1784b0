/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_header.h - reads an event's header: its id and its time.
 *
 * The metadata may define any header, but in practice two forms occur: an id followed by a time; or
 * a small tag, which is the id and precedes the low bits of the time, or says that both follow in
 * full (LTTng's "compact" and "large"). These two are recognised, and read without a walk through
 * their types.
 */
#ifndef STRATA_MERGE_CTF_HEADER_H
#define STRATA_MERGE_CTF_HEADER_H

#include <endian.h>

#include "ctf/values/ctf_cursor.h"

/* Position of a number, from the begin of the header: little-endian, and within eight bytes. */
struct strata_ctf_place {
	uint32_t byte;
	uint32_t shift;
	uint64_t mask;
	uint32_t bits;
};

static inline uint64_t strata_ctf_at_place(const uint8_t *header,
					   const struct strata_ctf_place *place)
{
	uint64_t value;

	memcpy(&value, header + place->byte, sizeof(value));
	return value >> place->shift & place->mask;
}

/*
 * A merged trace's headers have the bound of the event's time in ns, the physical CPU if it is
 * known only from other traces, and a byte with the host's tick within the ns (STRATA_TICK_BITS)
 * and a bit for doubtful times. Each number is in a structure of its own; the first one has this
 * name.
 */
#define STRATA_CTF_BOUND_NAME    "strata_bound_ns"
#define STRATA_CTF_BOUND_BITS    48u
#define STRATA_CTF_BOUND_UNKNOWN ((1ull << STRATA_CTF_BOUND_BITS) - 1)
#define STRATA_CTF_PCPU_UNKNOWN  0xffffu
#define STRATA_CTF_DOUBTFUL      0x80u
#define STRATA_CTF_BOUND_BYTES   9u /* all three */

struct strata_ctf_header {
	enum {
		STRATA_CTF_HEADER_ANY,   /* read by its type */
		STRATA_CTF_HEADER_PLAIN, /* id and time at fixed places */
		STRATA_CTF_HEADER_TAGGED,
	} form;
	const struct strata_ctf_type *type; /* NULL: events have none */
	uint32_t align;                     /* bits */
	/* If plain; for a tagged header, those of the extended form. */
	struct strata_ctf_place id, time;
	uint32_t bits; /* of the whole header, likewise */
	struct strata_ctf_place tag, short_time;
	/* Slot of the tag, to which fields may refer; NO_SLOT: no field refers to the header. For
	 * any other form it is 0: to fill the slots, read the header again. */
	int16_t tag_slot;
	uint32_t short_bits;
	uint64_t extended_tag; /* tags from here on mean the extended form */
	bool has_bound;        /* at bound_byte */
	bool bound_is_big;     /* big-endian */
	uint32_t bound_byte;
};

/* Returns the bound in a header; the following bits have the CPU. @header: its bytes */
static inline uint64_t strata_ctf_header_bound(const struct strata_ctf_header *header,
					       const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes + header->bound_byte, sizeof(value));
	if (!header->bound_is_big)
		return le64toh(value);
	value = be64toh(value);
	return value >> 16 | value << STRATA_CTF_BOUND_BITS;
}

void strata_ctf_header_init(struct strata_ctf_header *header, const struct strata_ctf_type *type);

/* Advances a clock to the next value whose low @bits are @low. */
static inline uint64_t strata_ctf_widen(uint64_t clock, uint64_t low, uint32_t bits)
{
	uint64_t span, next;

	if (bits >= 64)
		return low;
	span = 1ull << bits;
	next = (clock & ~(span - 1)) | low;
	return next < clock ? next + span : next;
}

/* The general case. The two functions below behave as strata_ctf_header_read(). */
bool strata_ctf_header_read_any(const struct strata_ctf_header *header,
				struct strata_ctf_cursor *cursor, uint64_t *clock, uint64_t *id);

static inline bool strata_ctf_header_read_tagged(const struct strata_ctf_header *header,
						 struct strata_ctf_cursor *cursor, uint64_t *clock,
						 uint64_t *id)
{
	const uint8_t *from = cursor->bytes + cursor->at / 8;
	const uint64_t tag = strata_ctf_at_place(from, &header->tag);

	if (header->tag_slot >= 0)
		cursor->slots[header->tag_slot] = tag;
	if (tag < header->extended_tag) {
		if (cursor->end - cursor->at < header->short_bits)
			return false;
		*id = tag;
		*clock = strata_ctf_widen(*clock, strata_ctf_at_place(from, &header->short_time),
					  header->short_time.bits);
		cursor->at += header->short_bits;
		return true;
	}
	if (cursor->end - cursor->at < header->bits)
		return false;
	*id = strata_ctf_at_place(from, &header->id);
	*clock = strata_ctf_widen(*clock, strata_ctf_at_place(from, &header->time),
				  header->time.bits);
	cursor->at += header->bits;
	return true;
}

/*
 * Reads a header.
 * @clock: IN/OUT, the stream's clock in cycles: of the previous event, or the packet's begin
 * @id:    OUT
 * False: it exceeds the end.
 */
static inline bool strata_ctf_header_read(const struct strata_ctf_header *header,
					  struct strata_ctf_cursor *cursor, uint64_t *clock,
					  uint64_t *id)
{
	const uint8_t *from;

	if (header->form == STRATA_CTF_HEADER_ANY)
		return strata_ctf_header_read_any(header, cursor, clock, id);
	if (!strata_ctf_align(cursor, header->align))
		return false;
	if (header->form == STRATA_CTF_HEADER_TAGGED)
		return strata_ctf_header_read_tagged(header, cursor, clock, id);
	if (cursor->end - cursor->at < header->bits)
		return false;
	from = cursor->bytes + cursor->at / 8;
	*id = strata_ctf_at_place(from, &header->id);
	*clock = strata_ctf_widen(*clock, strata_ctf_at_place(from, &header->time),
				  header->time.bits);
	cursor->at += header->bits;
	return true;
}

#endif /* STRATA_MERGE_CTF_HEADER_H */
