// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap_partly.c - takes a sub-buffer in parts: what is committed of one that its writer has not
 * completed becomes a packet of its own, and the rest another one.
 *
 * recorder_drain.c calls it for writers that sleep, tap_rest.c for those that are gone, tap.c for
 * the rest of a sub-buffer that is complete now.  It never takes a record twice.
 */
#include "consumerd/drain/tap.h"

#include <string.h>

#include "packets/packet_check.h"
#include "consumerd/drain/tap_packet.h"

/*
 * Leaves of the records in recorder->copy, which end at @content_bytes, those that were not taken
 * before, and makes a packet of them.  0, or -1: they are not a packet, for example because they do
 * not end on a multiple of 4, as every record does.
 */
static int cut_off_taken(struct recorder *recorder, const struct tap *tap, uint32_t content_bytes,
			 struct strata_packet *packet, uint64_t *events, struct strata_error *error)
{
	const uint32_t taken = tap->partly_bytes ? tap->partly_bytes : STRATA_PACKET_HEADER_BYTES;
	const uint32_t left = content_bytes > taken ? content_bytes - taken : 0;
	unsigned char *records = recorder->copy + STRATA_PACKET_HEADER_BYTES;

	memmove(records, recorder->copy + taken, left);
	if (left)
		return strata_packet_check_unfinished(tap_source(recorder, tap), recorder->copy,
						      STRATA_PACKET_HEADER_BYTES + left,
						      tap->partly_ticks, packet, events, error);
	*events = 0;
	memset(packet, 0, sizeof(*packet));
	packet->begin_ticks = packet->end_ticks = tap->partly_ticks;
	packet->content_bytes = packet->packet_bytes = STRATA_PACKET_HEADER_BYTES;
	packet->form = tap_source(recorder, tap)->form;
	return 0;
}

int tap_take_rest_of_packet(struct recorder *recorder, const struct tap *tap,
			    struct strata_packet *packet, uint64_t *events,
			    struct strata_error *error)
{
	const struct strata_packet whole = *packet;

	/* Without the padding behind the last record, which is there: sub-buffers are whole words.
	 */
	if (cut_off_taken(recorder, tap, (whole.content_bytes + 3u) & ~3u, packet, events, error))
		return -1;
	if (whole.end_ticks > packet->end_ticks)
		packet->end_ticks = whole.end_ticks;
	memcpy(packet->lost, whole.lost, sizeof(packet->lost));
	return 0;
}

int tap_take_partly(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	const strata_count_t position = tap->ring->reader.read_count;
	const uint32_t bytes =
		strata_reader_copy_prefix(&tap->ring->reader, position, recorder->copy);
	const uint64_t sequence = tap_number_at(tap, position);
	struct strata_error why = { "" };
	struct strata_packet packet;
	uint64_t events;
	unsigned int i;
	int result;

	recorder->work_bytes += bytes;
	if (bytes <= STRATA_PACKET_HEADER_BYTES || bytes <= tap->partly_bytes)
		return 0;
	/* What is no packet is named when the whole of it is there. */
	if (tap_check_sequence(tap, sequence, &why) ||
	    cut_off_taken(recorder, tap, bytes, &packet, &events, &why) ||
	    tap_check_times(recorder, tap, &packet, &why))
		return 0;
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet.lost[i] = tap->lost[i] + tap->ring->lost_before[i];
	result = tap_keep(recorder, tap, &packet, events, NO_ROOM_WAIT, error);
	if (result)
		return result;
	tap->partly_bytes = bytes;
	tap->partly_ticks = packet.end_ticks;
	tap->partly_packets++;
	return 0;
}

int tap_take_unfinished(struct recorder *recorder, struct tap *tap, strata_count_t position,
			struct strata_error *error)
{
	const struct ring *ring = tap->ring;
	uint32_t bytes = ring->copy_prefix ? ring->copy_prefix(ring, position, recorder->copy)
					   : strata_reader_copy_prefix(&ring->reader, position,
								       recorder->copy);
	uint64_t sequence = tap_number_at(tap, position);
	struct strata_error why = { "" };
	struct strata_packet packet;
	uint64_t events;
	unsigned int i;

	recorder->work_bytes += bytes;
	if (bytes <= STRATA_PACKET_HEADER_BYTES || bytes <= tap->partly_bytes)
		return 0;
	if (tap_check_sequence(tap, sequence, &why) ||
	    cut_off_taken(recorder, tap, bytes, &packet, &events, &why) ||
	    tap_check_times(recorder, tap, &packet, &why)) {
		tap_complain(recorder, tap, &why);
		return 0;
	}
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet.lost[i] = ring_lost(tap->ring, i);
	/* Nobody takes it a second time: it lies behind the reader from now on. */
	return tap_keep(recorder, tap, &packet, events, NO_ROOM_LOSE, error);
}
