/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_header.h - reads an event's header: which event it is, and when it was.
 *
 * Headers are whatever the metadata says, but in the field they are of two forms:
 * an id and a time side by side, or a small tag that is the id and lies in front
 * of the low bits of the time, unless it says that both follow in full (LTTng's
 * "compact" and "large").  These two are recognised, and read without a walk
 * through their types.
 */
#ifndef STRATA_MERGE_CTF_HEADER_H
#define STRATA_MERGE_CTF_HEADER_H

#include "ctf/ctf_cursor.h"

/* Where a number lies: bits, from where the header begins. */
struct strata_ctf_place {
	uint32_t at;
	uint32_t bits;
};

struct strata_ctf_header {
	enum {
		STRATA_CTF_HEADER_ANY,   /* read by its type */
		STRATA_CTF_HEADER_PLAIN, /* id and time at fixed places */
		STRATA_CTF_HEADER_TAGGED,
	} form;
	const struct strata_ctf_type *type; /* NULL: events have none */
	uint32_t align;                     /* bits */
	struct strata_ctf_place id, time;   /* plain; of a tagged one when it is extended */
	uint32_t bits;                      /* likewise: all of it */
	struct strata_ctf_place tag, short_time;
	/* Others may want to know the tag, too; NO_SLOT: nothing of the header.  Of any other form
	 * it is 0: read it again. */
	int16_t tag_slot;
	uint32_t short_bits;
	uint64_t extended_tag; /* from here on it is extended */
};

void strata_ctf_header_init(struct strata_ctf_header *header, const struct strata_ctf_type *type);

/* A clock moved on to the next value whose low @bits are @low. */
static inline uint64_t strata_ctf_widen(uint64_t clock, uint64_t low, uint32_t bits)
{
	uint64_t span, next;

	if (bits >= 64)
		return low;
	span = 1ull << bits;
	next = (clock & ~(span - 1)) | low;
	return next < clock ? next + span : next;
}

/* The general way.  The two that follow are as strata_ctf_header_read() says. */
bool strata_ctf_header_read_any(const struct strata_ctf_header *header,
				struct strata_ctf_cursor *cursor, uint64_t *clock, uint64_t *id);

static inline bool strata_ctf_header_read_tagged(const struct strata_ctf_header *header,
						 struct strata_ctf_cursor *cursor, uint64_t *clock,
						 uint64_t *id)
{
	const uint64_t tag =
		strata_ctf_bits_le(cursor->bytes, cursor->at + header->tag.at, header->tag.bits);

	if (header->tag_slot >= 0)
		cursor->slots[header->tag_slot] = tag;
	if (tag < header->extended_tag) {
		if (cursor->end - cursor->at < header->short_bits)
			return false;
		*id = tag;
		*clock = strata_ctf_widen(*clock,
					  strata_ctf_bits_le(cursor->bytes,
							     cursor->at + header->short_time.at,
							     header->short_time.bits),
					  header->short_time.bits);
		cursor->at += header->short_bits;
		return true;
	}
	if (cursor->end - cursor->at < header->bits)
		return false;
	*id = strata_ctf_bits_le(cursor->bytes, cursor->at + header->id.at, header->id.bits);
	*clock = strata_ctf_widen(
		*clock,
		strata_ctf_bits_le(cursor->bytes, cursor->at + header->time.at, header->time.bits),
		header->time.bits);
	cursor->at += header->bits;
	return true;
}

/*
 * Reads a header.
 * @clock: IN/OUT, the stream's clock in cycles: of the event before, or the packet's begin
 * @id:    OUT
 * False: it reaches beyond the end.
 */
static inline bool strata_ctf_header_read(const struct strata_ctf_header *header,
					  struct strata_ctf_cursor *cursor, uint64_t *clock,
					  uint64_t *id)
{
	if (header->form == STRATA_CTF_HEADER_ANY)
		return strata_ctf_header_read_any(header, cursor, clock, id);
	if (!strata_ctf_align(cursor, header->align))
		return false;
	if (header->form == STRATA_CTF_HEADER_TAGGED)
		return strata_ctf_header_read_tagged(header, cursor, clock, id);
	if (cursor->end - cursor->at < header->bits)
		return false;
	*id = strata_ctf_bits_le(cursor->bytes, cursor->at + header->id.at, header->id.bits);
	*clock = strata_ctf_widen(
		*clock,
		strata_ctf_bits_le(cursor->bytes, cursor->at + header->time.at, header->time.bits),
		header->time.bits);
	cursor->at += header->bits;
	return true;
}

#endif /* STRATA_MERGE_CTF_HEADER_H */
