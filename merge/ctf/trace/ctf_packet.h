/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_packet.h - reads the begin of a packet: its stream, size, times, and losses.
 */
#ifndef STRATA_MERGE_CTF_PACKET_H
#define STRATA_MERGE_CTF_PACKET_H

#include <strata/packet.h>

#include "ctf/values/ctf_cursor.h"
#include "base/error.h"

struct strata_ctf_packet {
	uint64_t offset; /* bytes, in its file */
	uint64_t cpu;
	bool has_begin, has_end, has_discarded, has_sequence, has_cpu, has_instance;
	bool takes_all;        /* it has no size field: extends to the end of the file */
	bool cut;              /* the file ends within it */
	bool has_hole;         /* its content ends at a hole of the file */
	uint64_t packet_bits;  /* a multiple of 8; limited to the size of the file */
	uint64_t content_bits; /* likewise */
	uint64_t events_at;    /* bits, from the packet's begin */
	const struct strata_ctf_stream_class *class;
	uint64_t missing_bytes; /* content bytes beyond the end of the file */
	uint64_t begin, end;    /* cycles of the stream's clock */
	uint64_t discarded;     /* events, of the stream so far */
	bool has_lost;          /* its context has Strata's array of these by reason: */
	uint64_t lost[STRATA_NR_LOST];
	uint64_t sequence;
	uint64_t instance; /* id of the stream */
};

enum strata_ctf_packet_status {
	STRATA_CTF_PACKET_OK,
	STRATA_CTF_PACKET_BAD,
	STRATA_CTF_PACKET_MORE, /* its header is longer than the given bytes */
};

/*
 * Reads the header and context of a packet.
 * @bytes:     its first @available bytes, and STRATA_CTF_PADDING more that may be read
 * @file_left: bytes from its begin to the end of the file
 * @packet: OUT, except @offset, which the caller sets
 * @slots:     OUT, the values that events' fields may refer to; STRATA_CTF_SLOTS_MAX of them
 * Bad: with the reason.
 */
enum strata_ctf_packet_status strata_ctf_packet_read(const struct strata_ctf_metadata *metadata,
						     const uint8_t *bytes, size_t available,
						     uint64_t file_left,
						     struct strata_ctf_packet *packet,
						     uint64_t *slots, struct strata_error *error);

/* Whether a field of a packet's context is Strata's `uint64_t lost[3]`: discarded events by enum
 * strata_lost. */
bool strata_ctf_packet_is_lost(const struct strata_ctf_field *field);

/* Whether packets begin with a magic number, by which one can be found. */
bool strata_ctf_packet_has_magic(const struct strata_ctf_metadata *metadata);

/*
 * Returns the offset in @bytes of the next possible packet: the first position from @from on with
 * the magic number (and the trace's UUID if packets carry it); @size: none. Always @size if packets
 * have no magic number.
 */
size_t strata_ctf_packet_find(const struct strata_ctf_metadata *metadata, const uint8_t *bytes,
			      size_t size, size_t from);

#endif /* STRATA_MERGE_CTF_PACKET_H */
