/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet_check.h - checks whether a packet is what its source's event table allows.
 *
 * The recorder checks a packet of another domain before it writes it to disk, and those of an
 * earlier recorder before it continues their stream.  The bytes must be a private copy, because
 * they are read twice.  Where the source limits the numbers of guests (guest_numbers.h), an id
 * that has no place is replaced in the copy.
 */
#ifndef STRATA_CONSUMERD_PACKET_CHECK_H
#define STRATA_CONSUMERD_PACKET_CHECK_H

#include <strata/packet.h>

#include "recording/recording.h"

/*
 * Checks header and every record: magic, form of the records' headers, sizes within @bytes, begin
 * and end times in order, every id known, no record over the end, no payload over
 * STRATA_PAYLOAD_BYTES_MAX, no call stack over STRATA_CONTEXT_FRAMES_MAX, times that never go back
 * and lie between begin and end.
 * @packet: OUT, from the header; but the content ends with the last record, without its padding,
 *          which readers would take for another record
 * @nr_events: OUT
 * Returns 0, or -1 with the first thing that is wrong and its offset.
 */
int strata_packet_check(struct strata_source *source, void *bytes, size_t size,
			struct strata_packet *packet, uint64_t *nr_events,
			struct strata_error *error);

/*
 * Checks the records of an incomplete packet, and derives its header from them: it begins with its
 * first record and ends with its last.
 * @content_bytes: of @bytes, the room for the header included
 * @begin_ticks: of the last record of the packet before, with whose time this one begins; 0: none
 * @packet: OUT; sequence, losses and CPU are left zero: the caller knows them
 * @nr_events: OUT
 * Returns 0, or -1 with the first thing that is wrong and its offset.
 */
int strata_packet_check_unfinished(struct strata_source *source, void *bytes,
				   uint32_t content_bytes, uint64_t begin_ticks,
				   struct strata_packet *packet, uint64_t *nr_events,
				   struct strata_error *error);

#endif /* STRATA_CONSUMERD_PACKET_CHECK_H */
