// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap.c - takes complete sub-buffers out of one ring: copies one, checks the copy, and hands it
 * over to be written (tap_append.c).
 *
 * recorder_drain.c calls it for each ring in turn, recorder.c when a ring joins.  It never trusts
 * the ring: what is used is the copy, after the check.
 */
#include "consumerd/drain/tap.h"

#include "packets/packet_check.h"
#include "consumerd/drain/tap_packet.h"

int tap_skip_old(struct tap *tap, struct strata_error *error)
{
	strata_count_t turns = strata_nr_subbufs(tap->ring->reader.geo);
	unsigned int i;
	int found = 1;

	/* It was overwritten until now, and went on after it was mapped: we begin anew behind that.
	 */
	if (tap->ring->reader.shared &&
	    strata_reader_poll(&tap->ring->reader, false) == STRATA_POLL_ERROR)
		strata_reader_resume(&tap->ring->reader);
	while (turns-- && (found = tap->ring->get(tap->ring, error)) > 0)
		if (tap->ring->put(tap->ring, error))
			return -1;
	if (found < 0)
		return -1;
	for (i = 0; i < STRATA_NR_LOST; i++)
		tap->ring->lost_before[i] = ring_lost(tap->ring, i);
	return 0;
}

/* Is it time to take what a single-store ring has of a sub-buffer that is being written? */
static bool is_partly_due(const struct recorder *recorder, const struct tap *tap)
{
	return recorder->switch_ticks &&
	       strata_clock() - tap->taken_ticks >= recorder->switch_ticks;
}

enum strata_poll tap_poll(const struct recorder *recorder, const struct tap *tap, bool gone)
{
	if (tap->ring->broken)
		return STRATA_POLL_NOTHING;
	if (tap->ring->is_single)
		return strata_single_poll(&tap->ring->single, is_partly_due(recorder, tap), gone);
	return strata_reader_poll(&tap->ring->reader, gone);
}

int tap_check_sequence(const struct tap *tap, uint64_t sequence, struct strata_error *error)
{
	if (sequence < tap->next_sequence)
		return strata_fail(error, "its sequence number %llu comes after %llu",
				   (unsigned long long)sequence,
				   (unsigned long long)tap->next_sequence - 1);
	return 0;
}

/* Goes on behind the sub-buffer that get found.  0 or -1. */
static int let_go(struct tap *tap, struct strata_error *error)
{
	if (!tap->left)
		return tap->ring->put(tap->ring, error);
	tap->ring->reader.read_count += strata_subbuf_bytes(tap->ring->reader.geo);
	return 0;
}

int tap_take_found(struct recorder *recorder, struct tap *tap, enum no_room no_room,
		   struct strata_error *error)
{
	size_t bytes = strata_subbuf_bytes(tap->ring->reader.geo);
	uint64_t sequence = tap_number_at(tap, tap->ring->reader.read_count);
	struct strata_packet packet;
	struct strata_error why = { "" };
	uint64_t events;
	int result = 0;

	recorder->work_bytes += bytes;
	memcpy(recorder->copy, strata_reader_subbuf(&tap->ring->reader), bytes);
	if (tap_check_sequence(tap, sequence, &why) ||
	    strata_packet_check(tap_source(recorder, tap), recorder->copy, bytes, &packet, &events,
				&why) ||
	    (tap->partly_bytes && tap_take_rest_of_packet(recorder, tap, &packet, &events, &why)) ||
	    tap_check_times(recorder, tap, &packet, &why)) {
		tap_complain(recorder, tap, &why);
	} else {
		/* Of the header, place and CPU are what we know and not what it says. */
		packet.sequence = sequence;
		packet.cpu = tap->ring->cpu;
		if (!tap->partly_bytes)
			packet.packet_bytes = (uint32_t)bytes;
		result = tap_keep(recorder, tap, &packet, events, no_room, error);
	}
	if (result)
		return result;
	tap_forget_part(tap);
	return let_go(tap, error);
}

int tap_take(struct recorder *recorder, struct tap *tap, strata_count_t turns, uint64_t *nr_packets,
	     struct strata_error *error)
{
	int found, result;

	if (tap->ring->broken)
		return 0;
	if (tap->ring->is_single)
		return tap_take_singles(recorder, tap, turns - 1, is_partly_due(recorder, tap),
					NO_ROOM_WAIT, nr_packets, error);
	while (turns--) {
		if (tap->ring->sane && !tap->ring->sane(tap->ring)) {
			tap_disable(recorder, tap);
			return 0;
		}
		found = tap->ring->get(tap->ring, error);
		if (found <= 0)
			return found;
		result = tap_take_found(recorder, tap, NO_ROOM_WAIT, error);
		if (result)
			return result;
		(*nr_packets)++;
	}
	return 0;
}
