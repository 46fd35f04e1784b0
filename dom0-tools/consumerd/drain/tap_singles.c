// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap_singles.c - makes packets of what was written into a single-store ring, where no writer
 * builds any.
 *
 * tap.c calls it for each turn, tap_rest.c for a ring whose writer is gone.  It never goes past
 * the position that the writer published.
 */
#include "consumerd/drain/tap.h"

#include <string.h>

#include "packets/packet_check.h"
#include "consumerd/drain/tap_packet.h"

/* Makes a packet of records that were copied out of a single-store ring, and appends it.  As
 * tap_take_found().  @turn: the number of their sub-buffer; in overwrite mode gaps in it show. */
static int take_records(struct recorder *recorder, struct tap *tap, uint64_t turn, uint32_t bytes,
			const uint64_t *lost, enum no_room no_room, struct strata_error *error)
{
	struct strata_error why = { "" };
	struct strata_packet packet;
	uint64_t events;

	recorder->work_bytes += bytes;
	if (strata_packet_check_unfinished(tap_source(recorder, tap), recorder->copy, bytes, 0,
					   &packet, &events, &why) ||
	    tap_check_times(recorder, tap, &packet, &why)) {
		tap_complain(recorder, tap, &why);
		return 0;
	}
	packet.sequence = tap->next_sequence;
	if (tap->ring->single.overwrite && packet.sequence < turn)
		packet.sequence = turn;
	packet.cpu = tap->ring->cpu;
	if (tap->ring->taken && !tap->left)
		tap_note_taken(&tap->ring->taken[packet.sequence % 2], packet.sequence,
			       tap->ring->single.position);
	memcpy(packet.lost, lost, sizeof(packet.lost));
	return tap_keep(recorder, tap, &packet, events, no_room, error);
}

int tap_take_singles(struct recorder *recorder, struct tap *tap, strata_count_t turns, bool partly,
		     enum no_room no_room, uint64_t *nr_packets, struct strata_error *error)
{
	struct strata_single_reader *reader = &tap->ring->single;
	uint64_t lost[STRATA_NR_LOST], before;
	uint32_t bytes;
	int result = 0;

	do {
		before = reader->position;
		switch (strata_single_take(reader, partly, recorder->copy, &bytes, lost)) {
		case STRATA_SINGLE_LIES:
			tap_disable(recorder, tap);
			return 0;
		case STRATA_SINGLE_TAKEN:
			result = take_records(recorder, tap,
					      before >> tap->ring->reader.geo.subbuf_bits, bytes,
					      lost, no_room, error);
			tap->taken_ticks = strata_clock();
			(*nr_packets)++;
			break;
		case STRATA_SINGLE_OVERWRITTEN:
			/* A gap also where parts of one sub-buffer were packets of their own. */
			tap->next_sequence++;
			break;
		case STRATA_SINGLE_NOTHING:
			break;
		}
		/* What is not written stays in its ring, for later or for `strata recover`. */
		if (result)
			reader->position = before;
		else if (!tap->left)
			strata_single_put(reader);
	} while (!result && reader->position != before && turns--);
	return result;
}
