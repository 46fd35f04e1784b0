/* SPDX-License-Identifier: MIT */
/*
 * packet.h - the bytes of a packet: its header, its context and the header of
 * each record.  The bytes in the ring are CTF 1.8; a reader writes them to a file
 * without rewriting a record.
 *
 * One function builds a packet header.  The writer calls it when a sub-buffer
 * is complete; a reader that does not trust the writer calls it again with
 * values that it has checked.
 *
 * No integer is aligned to more than 4 bytes, and every record is a multiple
 * of 4 long.  Byte order is the machine's; the metadata names it.
 */
#ifndef STRATA_PACKET_H
#define STRATA_PACKET_H

#include <strata/ring_layout.h>

#define STRATA_CTF_MAGIC 0xC1FC1FC1u

struct strata_packet_header {
	/* trace.packet.header */
	uint32_t magic;
	uint8_t uuid[16];   /* of the trace; zero in the ring, set by the writer of the file */
	uint32_t stream_id; /* an enum strata_header_form */
	/* stream.packet.context */
	uint64_t timestamp_begin; /* ticks of the first record */
	uint64_t timestamp_end;   /* ticks when the packet was closed */
	uint64_t content_size;    /* bits, this header included */
	uint64_t packet_size;     /* bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded; /* sum of the three below: all losses before this packet's end */
	uint64_t lost[STRATA_NR_LOST];
	uint32_t cpu_id;
	/* In a ring of a kernel the contexts of its records, STRATA_CONTEXT_BIT()s and
	 * STRATA_COUNTER_BIT()s (abi/guest_context.h); in an application's file its process's
	 * number; else zero. */
	uint32_t layer_word;
};

#define STRATA_PACKET_HEADER_BYTES ((uint32_t)sizeof(struct strata_packet_header))

/*
 * The forms of a record's header.  All records of a packet have one form, which its
 * stream_id names; each form is a stream class in CTF.
 *
 * The two short forms hold a few bits of the id, and the low bits of the ticks. A reader
 * widens the ticks by the preceding record, or timestamp_begin. So a short header is used
 * only if fewer ticks have passed since the preceding record than these bits can count,
 * and never for the first record of a packet. Elsewhere, and for ids that do not fit, the
 * header is extended: an escape value in place of the id, then id and ticks in full. They
 * are LTTng's compact and large headers.
 */
enum strata_header_form {
	STRATA_HEADER_FULL = 0,    /* 12 bytes: 32 bits of id, 64 of ticks */
	STRATA_HEADER_COMPACT = 1, /* 4 bytes: 5 bits of id, 27 of ticks; escaped 16 */
	STRATA_HEADER_LARGE = 2,   /* 8 bytes: 16 bits of id, 16 unused, 32 of ticks; escaped 16 */
	STRATA_NR_HEADER_FORMS
};

/* The contracts announce the forms that a writer supports: a bit for each; 0: full alone. */
#define STRATA_HEADER_FORM_BIT(form) (1u << (form))
#define STRATA_HEADER_FORMS_ALL      ((1u << STRATA_NR_HEADER_FORMS) - 1u)

#define STRATA_COMPACT_ID_BITS    5u
#define STRATA_COMPACT_TICKS_BITS 27u
#define STRATA_COMPACT_ESCAPE     ((1u << STRATA_COMPACT_ID_BITS) - 1u)
#define STRATA_LARGE_ID_BITS      16u
#define STRATA_LARGE_TICKS_BITS   32u
#define STRATA_LARGE_ESCAPE       ((1u << STRATA_LARGE_ID_BITS) - 1u)

struct strata_record_header {
	uint32_t id;
	uint64_t ticks;
} __attribute__((packed, aligned(4)));

/* CTF puts a word's first bits where the machine has its first byte: the id's are the word's low
 * ones, or of a big-endian machine its high ones. */
struct strata_compact_header {
	uint32_t word;
};

struct strata_large_header {
	uint16_t id;
	uint16_t reserved;
	uint32_t ticks;
};

struct strata_extended_header {
	uint32_t escape; /* all ones: the escape value of either form, in either byte order */
	struct strata_record_header full;
};

#define STRATA_RECORD_HEADER_BYTES   ((uint32_t)sizeof(struct strata_record_header))
#define STRATA_COMPACT_HEADER_BYTES  ((uint32_t)sizeof(struct strata_compact_header))
#define STRATA_LARGE_HEADER_BYTES    ((uint32_t)sizeof(struct strata_large_header))
#define STRATA_EXTENDED_HEADER_BYTES ((uint32_t)sizeof(struct strata_extended_header))

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define STRATA_COMPACT_ID_SHIFT    0u
#define STRATA_COMPACT_TICKS_SHIFT STRATA_COMPACT_ID_BITS
#else
#define STRATA_COMPACT_ID_SHIFT    STRATA_COMPACT_TICKS_BITS
#define STRATA_COMPACT_TICKS_SHIFT 0u
#endif

/* The largest payload that a record may carry; larger ones are counted as STRATA_LOST_BIG. */
#define STRATA_PAYLOAD_BYTES_MAX 2048u

/* The wanted form, if it is one of @forms; else full. */
static inline enum strata_header_form strata_header_form_among(uint32_t forms,
							       enum strata_header_form wish)
{
	return forms & STRATA_HEADER_FORM_BIT(wish) ? wish : STRATA_HEADER_FULL;
}

/* Bytes that a payload takes in the ring, padding included. */
static inline uint32_t strata_padded_bytes(uint32_t payload_bytes)
{
	return (payload_bytes + 3u) & ~3u;
}

/* Bytes of a header that needs no widening, as in each packet's first record. */
static inline uint32_t strata_whole_header_bytes(enum strata_header_form form)
{
	return form == STRATA_HEADER_FULL ? STRATA_RECORD_HEADER_BYTES
					  : STRATA_EXTENDED_HEADER_BYTES;
}

/*
 * Bytes of the header of a record that is not its packet's first.
 * @elapsed: ticks since the record before it, or more
 */
static inline uint32_t strata_header_bytes(enum strata_header_form form, uint32_t id,
					   uint64_t elapsed)
{
	if (form == STRATA_HEADER_COMPACT && id < STRATA_COMPACT_ESCAPE &&
	    elapsed >> STRATA_COMPACT_TICKS_BITS == 0)
		return STRATA_COMPACT_HEADER_BYTES;
	if (form == STRATA_HEADER_LARGE && id < STRATA_LARGE_ESCAPE &&
	    elapsed >> STRATA_LARGE_TICKS_BITS == 0)
		return STRATA_LARGE_HEADER_BYTES;
	return strata_whole_header_bytes(form);
}

/* Writes the header of that many bytes: no two kinds have the same length. */
static inline void strata_header_write(void *to, uint32_t header_bytes, uint32_t id, uint64_t ticks)
{
	struct strata_record_header *full = (struct strata_record_header *)to;

	if (header_bytes == STRATA_COMPACT_HEADER_BYTES) {
		((struct strata_compact_header *)to)->word =
			id << STRATA_COMPACT_ID_SHIFT |
			((uint32_t)ticks & (0xffffffffu >> STRATA_COMPACT_ID_BITS))
				<< STRATA_COMPACT_TICKS_SHIFT;
		return;
	}
	if (header_bytes == STRATA_LARGE_HEADER_BYTES) {
		((struct strata_large_header *)to)->id = (uint16_t)id;
		((struct strata_large_header *)to)->reserved = 0;
		((struct strata_large_header *)to)->ticks = (uint32_t)ticks;
		return;
	}
	if (header_bytes == STRATA_EXTENDED_HEADER_BYTES) {
		((struct strata_extended_header *)to)->escape = 0xffffffffu;
		full = &((struct strata_extended_header *)to)->full;
	}
	full->id = id;
	full->ticks = ticks;
}

/* The first time from @previous on whose lowest @bits equal those of @low, as CTF reads narrow
 * clocks. Modulo 2^64: in a hostile packet the result may lie before @previous. */
static inline uint64_t strata_widen_ticks(uint64_t previous, uint32_t low, uint32_t bits)
{
	return previous + ((low - previous) & (((uint64_t)1 << bits) - 1));
}

/*
 * Reads a record's header.  The bytes may be anything.
 * @left:     readable bytes from @from on
 * @previous: ticks of the record before; for the first record, the packet's begin
 * @id, @ticks: OUT
 * Returns the header's bytes; 0, with nothing set: @left is too small.
 */
static inline uint32_t strata_header_read(enum strata_header_form form, const void *from,
					  uint32_t left, uint64_t previous, uint32_t *id,
					  uint64_t *ticks)
{
	uint32_t whole_bytes = strata_whole_header_bytes(form);
	const unsigned char *full =
		(const unsigned char *)from + whole_bytes - sizeof(struct strata_record_header);
	struct strata_compact_header compact;
	struct strata_large_header large;
	uint32_t short_id;

	if (form == STRATA_HEADER_COMPACT && left >= sizeof(compact)) {
		strata_copy(&compact, from, sizeof(compact));
		short_id = compact.word >> STRATA_COMPACT_ID_SHIFT & STRATA_COMPACT_ESCAPE;
		if (short_id != STRATA_COMPACT_ESCAPE) {
			*id = short_id;
			*ticks = strata_widen_ticks(previous,
						    compact.word >> STRATA_COMPACT_TICKS_SHIFT,
						    STRATA_COMPACT_TICKS_BITS);
			return sizeof(compact);
		}
	}
	if (form == STRATA_HEADER_LARGE && left >= sizeof(large)) {
		strata_copy(&large, from, sizeof(large));
		if (large.id != STRATA_LARGE_ESCAPE) {
			*id = large.id;
			*ticks = strata_widen_ticks(previous, large.ticks, STRATA_LARGE_TICKS_BITS);
			return sizeof(large);
		}
	}
	if (left < whole_bytes)
		return 0;
	/* Not as one: a load that spans two stores waits until both have left the store buffer. */
	strata_copy(id, full + offsetof(struct strata_record_header, id), sizeof(*id));
	strata_copy(ticks, full + offsetof(struct strata_record_header, ticks), sizeof(*ticks));
	return whole_bytes;
}

/* The contents of a packet header, in units of the ring. */
struct strata_packet {
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint32_t content_bytes; /* header included */
	uint32_t packet_bytes;
	uint64_t sequence;
	uint64_t lost[STRATA_NR_LOST];
	uint32_t cpu;
	enum strata_header_form form;
	uint32_t layer_word;
};

/*
 * Writes all of @header, and reads none of it: it may lie in memory that
 * another domain reads, and the hypervisor never reads back what it shares.
 * Any context.
 */
static inline void strata_packet_header_build(struct strata_packet_header *header,
					      const struct strata_packet *packet)
{
	uint64_t discarded = 0;
	unsigned int i;

	header->magic = STRATA_CTF_MAGIC;
	for (i = 0; i < sizeof(header->uuid); i++)
		header->uuid[i] = 0;
	header->stream_id = packet->form;
	header->timestamp_begin = packet->begin_ticks;
	header->timestamp_end = packet->end_ticks;
	header->content_size = (uint64_t)packet->content_bytes * 8u;
	header->packet_size = (uint64_t)packet->packet_bytes * 8u;
	header->packet_seq_num = packet->sequence;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		header->lost[i] = packet->lost[i];
		discarded += packet->lost[i];
	}
	header->events_discarded = discarded;
	header->cpu_id = packet->cpu;
	header->layer_word = packet->layer_word;
}

#endif /* STRATA_PACKET_H */
