/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_put_event.h - appends an event to a packet in the layout of ctf_plan.h: a new header, and the
 * unchanged bytes of its contexts and payload.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_PUT_EVENT_H
#define STRATA_MERGE_OUTPUTS_CTF_PUT_EVENT_H

#include "ctf/reader/lane_event.h"
#include "outputs/ctf/ctf_plan.h"
#include "outputs/ctf/ctf_stream_file.h"

/* Space for an event besides its own bytes: the header, and rounding up to whole chunks. */
#define STRATA_CTF_CHUNK_BYTES      16u
#define STRATA_CTF_HEADER_BYTES_MAX 32u

static inline uint64_t strata_ctf_align_up(uint64_t at, uint64_t align)
{
	return (at + align - 1) & ~(align - 1);
}

/* Copies in whole chunks: both buffers must have slack at the end. */
static inline void strata_ctf_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
	size_t i;

	if (bytes > 8 * STRATA_CTF_CHUNK_BYTES) {
		memcpy(to, from, bytes);
		return;
	}
	for (i = 0; i < bytes; i += STRATA_CTF_CHUNK_BYTES)
		memcpy(to + i, from + i, STRATA_CTF_CHUNK_BYTES);
}

/* Writes a number at any bit position; these bits must be zero. */
static inline void strata_ctf_put_bits(uint8_t *packet, uint64_t at, uint64_t value,
				       unsigned int nr, bool big_endian)
{
	unsigned int i;

	for (i = 0; i < nr; i++, at++) {
		const unsigned int bit = at % 8;
		const uint64_t one = value >> (big_endian ? nr - 1 - i : i) & 1;

		packet[at / 8] |= (uint8_t)(one << (big_endian ? 7 - bit : bit));
	}
}

/* Data about an event in addition to its own trace's. */
struct strata_ctf_known {
	uint64_t bound_ns;
	uint32_t pcpu;
};

/* Writes that and the tick; returns the position after it. */
static inline uint64_t strata_ctf_put_known(const struct strata_ctf_plan_kind *kind,
					    uint8_t *packet, uint64_t at,
					    const struct strata_lane_event *event,
					    const struct strata_ctf_known *known)
{
	const uint64_t bound = known->bound_ns < STRATA_CTF_BOUND_UNKNOWN
				       ? known->bound_ns
				       : STRATA_CTF_BOUND_UNKNOWN;
	const uint64_t pcpu = known->pcpu < STRATA_CTF_PCPU_UNKNOWN ? known->pcpu
								    : STRATA_CTF_PCPU_UNKNOWN;

	if (!kind->kind->has_time)
		return at;
	if (kind->big_endian)
		strata_ctf_put_number(packet + at, bound << 16 | pcpu, 8, true);
	else
		strata_ctf_put_number(packet + at, bound | pcpu << STRATA_CTF_BOUND_BITS, 8, false);
	packet[at + 8] = (uint8_t)(event->tick | (event->is_doubtful ? STRATA_CTF_DOUBTFUL : 0));
	return at + STRATA_CTF_BOUND_BYTES;
}

/* Writes a header with a filler, for a body that was at bit @from. Returns the position after
 * it. */
static inline uint64_t strata_ctf_put_filled_header(const struct strata_ctf_plan_kind *kind,
						    uint8_t *packet, uint64_t at, uint64_t id,
						    uint64_t ns, uint64_t from)
{
	const unsigned int ns_bits = kind->kind->has_time ? 64 : 0;
	const uint64_t filler_at = (at + 1) * 8;
	const uint64_t bits = ((from - (filler_at + 32 + ns_bits) - 1) & (kind->modulus - 1)) + 1;
	const uint64_t id_at = filler_at + bits, end = id_at + 32 + ns_bits;

	memset(packet + at, 0, (end + 7) / 8 - at);
	strata_ctf_put_number(packet + at, bits, 1, kind->big_endian);
	strata_ctf_put_bits(packet, id_at, id, 32, kind->big_endian);
	strata_ctf_put_bits(packet, id_at + 32, ns, ns_bits, kind->big_endian);
	return end;
}

/* Writes a header without filler. Returns the position after it, aligned for the body. */
static inline uint64_t strata_ctf_put_header(const struct strata_ctf_plan_kind *kind,
					     uint8_t *packet, uint64_t at, uint64_t id, uint64_t ns,
					     uint32_t align)
{
	uint64_t to;

	strata_ctf_put_number(packet + at, id, 4, kind->big_endian);
	at += 4;
	if (kind->kind->has_time) {
		strata_ctf_put_number(packet + at, ns, 8, kind->big_endian);
		at += 8;
	}
	to = strata_ctf_align_up(at * 8, align);
	/* Usually this is less than 8 bytes, which are cheaper to store than to count. */
	memset(packet + at, 0, 8);
	if (__builtin_expect(to / 8 > at + 8, 0))
		memset(packet + at, 0, to / 8 - at);
	return to;
}

/* Copies a body to bit @to; the first byte may contain the last bits of the header. */
static inline void strata_ctf_put_body(uint8_t *packet, uint64_t to, const uint8_t *from,
				       size_t bytes, bool big_endian)
{
	const unsigned int bit = to % 8;
	const uint8_t of_header = (uint8_t)(big_endian ? 0xff00u >> bit : (1u << bit) - 1);
	uint8_t *first = packet + to / 8;
	const uint8_t header = *first & of_header;

	strata_ctf_copy(first, from, bytes);
	*first = (uint8_t)((*first & ~of_header) | header);
}

/* Returns where an event's first field was, and the size from there on, both in bits. */
static inline uint64_t strata_ctf_body_at(const struct strata_ctf_plan_kind *kind,
					  const struct strata_lane_event *event, uint64_t *bits)
{
	const uint64_t from = strata_ctf_align_up(event->body, kind->aligns[event->class]);

	*bits = event->end > from ? event->end - from : 0;
	return from;
}

/* Returns the number of bytes that must be free in a packet before an event is appended. */
static inline size_t strata_ctf_event_room(const struct strata_ctf_plan_kind *kind,
					   const struct strata_lane_event *event)
{
	return kind->needed_bytes + STRATA_CTF_HEADER_BYTES_MAX +
	       (kind->aligns[event->class] + kind->modulus) / 8 +
	       (event->end - event->body + 7) / 8 + 1 + STRATA_CTF_CHUNK_BYTES;
}

/* Writes the start of a header; @slots: values from the old header. Returns the position after
 * it. */
static inline uint64_t strata_ctf_put_needed(const struct strata_ctf_plan_kind *kind,
					     const uint64_t *slots, uint8_t *packet, uint64_t at)
{
	size_t i;

	for (i = 0; i < kind->nr_needed; i++) {
		const struct strata_ctf_type *is = &kind->needed[i].is;

		strata_ctf_put_number(packet + at, slots[is->slot], is->bits / 8, is->big_endian);
		at += is->bits / 8;
	}
	return at;
}

/*
 * Appends an event to a packet.
 * @base: origin of the event's positions; STRATA_CTF_PADDING bytes after it must be readable
 * @slots: of the event's old header
 * @used: bits of the packet used so far
 * Returns the number of bits used afterwards.
 */
static inline uint64_t strata_ctf_put_event(const struct strata_ctf_plan_kind *kind,
					    const struct strata_lane_event *event,
					    const struct strata_ctf_known *known,
					    const uint8_t *base, const uint64_t *slots,
					    uint8_t *packet, uint64_t used)
{
	uint64_t bits, to, at = strata_ctf_put_needed(kind, slots, packet, (used + 7) / 8);
	const uint64_t from = strata_ctf_body_at(kind, event, &bits);

	at = strata_ctf_put_known(kind, packet, at, event, known);
	if (kind->modulus)
		to = strata_ctf_put_filled_header(kind, packet, at, event->class, event->ns, from);
	else
		to = strata_ctf_put_header(kind, packet, at, event->class, event->ns,
					   kind->aligns[event->class]);
	strata_ctf_put_body(packet, to, base + from / 8, (size_t)((from % 8 + bits + 7) / 8),
			    kind->big_endian);
	return to + bits;
}

#endif /* STRATA_MERGE_OUTPUTS_CTF_PUT_EVENT_H */
