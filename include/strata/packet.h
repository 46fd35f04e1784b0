/* SPDX-License-Identifier: MIT */
/*
 * packet.h - the bytes of a packet: its header, its context and the header of
 * each record.  They are CTF 1.8 bytes as they stand in the ring; a reader
 * writes them to a file without rewriting a record.
 *
 * One function builds a packet header.  The writer calls it when a sub-buffer
 * is complete; a reader that does not trust the writer calls it again with
 * values that it has checked.
 *
 * No integer is aligned to more than 4 bytes, and every record is a multiple
 * of 4 long.  Byte order is the machine's; the metadata says which.
 */
#ifndef STRATA_PACKET_H
#define STRATA_PACKET_H

#include <strata/ring_layout.h>

#define STRATA_CTF_MAGIC 0xC1FC1FC1u

struct strata_packet_header {
	/* trace.packet.header */
	uint32_t magic;
	uint8_t uuid[16]; /* of the trace; zero in the ring, set by whoever writes the file */
	uint32_t stream_id;
	/* stream.packet.context */
	uint64_t timestamp_begin; /* ticks of the first record */
	uint64_t timestamp_end;   /* ticks when the packet was closed */
	uint64_t content_size;    /* bits, this header included */
	uint64_t packet_size;     /* bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded; /* sum of the three below: all losses before this packet's end */
	uint64_t lost[STRATA_NR_LOST];
	uint32_t cpu_id;
	uint32_t reserved;
};

#define STRATA_PACKET_HEADER_BYTES ((uint32_t)sizeof(struct strata_packet_header))

struct strata_record_header {
	uint32_t id;
	uint64_t ticks;
} __attribute__((packed, aligned(4)));

#define STRATA_RECORD_HEADER_BYTES ((uint32_t)sizeof(struct strata_record_header))

/* The largest payload that a record may carry; larger ones are counted as STRATA_LOST_BIG. */
#define STRATA_PAYLOAD_BYTES_MAX 2048u

/* Bytes that a record with @payload_bytes takes in the ring, header and padding included. */
static inline uint32_t strata_record_bytes(uint32_t payload_bytes)
{
	return (STRATA_RECORD_HEADER_BYTES + payload_bytes + 3u) & ~3u;
}

/* What a packet header says, in units of the ring. */
struct strata_packet {
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint32_t content_bytes; /* header included */
	uint32_t packet_bytes;
	uint64_t sequence;
	uint64_t lost[STRATA_NR_LOST];
	uint32_t cpu;
};

/*
 * Writes the whole of @header, and reads nothing of it: it may lie in memory
 * that another domain can read, and in the hypervisor's case is never read
 * back.  Any context.
 */
static inline void strata_packet_header_build(struct strata_packet_header *header,
					      const struct strata_packet *packet)
{
	uint64_t discarded = 0;
	unsigned int i;

	header->magic = STRATA_CTF_MAGIC;
	for (i = 0; i < sizeof(header->uuid); i++)
		header->uuid[i] = 0;
	header->stream_id = 0;
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
	header->reserved = 0;
}

#endif /* STRATA_PACKET_H */
