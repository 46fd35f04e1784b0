// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap_append.c - puts packets of one ring into its stream file, and counts those that do not get
 * there: lost events, packets that are left out, a ring that is disabled.
 *
 * The other tap files call it with packets that were checked.  It builds each header from checked
 * values, and never reads events.
 */
#include "consumerd/drain/tap.h"

#include <stdio.h>
#include <string.h>

#include "consumerd/drain/tap_packet.h"

/* The most losses of one kind that a ring is believed: the sum of all kinds and streams fits into
 * 63 bits, so that no ring can make it wrap and hide the losses of others. */
#define LOST_MAX (INT64_MAX / STRATA_NR_LOST / STRATA_STREAMS_MAX)

/* Complaints about one ring's packets that are printed; all are counted. */
#define BAD_PACKETS_SHOWN 5

/* How long a full disk is left alone. */
#define RETRY_MS 1000u

static struct strata_stream *stream_of(struct recorder *recorder, const struct tap *tap)
{
	return strata_source_stream(tap_source(recorder, tap), tap->ring->cpu);
}

uint64_t tap_retry_ticks(const struct recorder *recorder)
{
	return strata_clock() + (uint64_t)recorder->recording.tsc_khz * RETRY_MS;
}

/* Builds the header of a packet that goes to the file, from values that were checked. */
static void build_header(struct recorder *recorder, const struct tap *tap, void *bytes,
			 const struct strata_packet *packet)
{
	struct strata_packet_header *header = bytes;

	strata_packet_header_build(header, packet);
	memcpy(header->uuid, tap_source(recorder, tap)->uuid, sizeof(header->uuid));
	header->reserved = (uint32_t)tap_source(recorder, tap)->pid;
}

/* Losses may only grow from packet to packet, whatever the writer says. */
static void take_losses(struct recorder *recorder, struct tap *tap, uint64_t *lost)
{
	struct strata_stream *stream = stream_of(recorder, tap);
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		lost[i] -= tap->ring->lost_before[i];
		if (lost[i] < tap->lost[i] || lost[i] > LOST_MAX)
			lost[i] = tap->lost[i];
		stream->lost += lost[i] - tap->lost[i];
		recorder->totals.lost += lost[i] - tap->lost[i];
		tap->lost[i] = lost[i];
	}
}

/* The disk took a packet, or has no room for one: says so when that is news. */
static void note_room(struct recorder *recorder, bool room, const struct strata_error *why)
{
	if (!room && !recorder->full)
		fprintf(stderr,
			"strata: %s: nothing is written until there is room again; make some. "
			"Until then what does not fit into the buffers is lost, and counted\n",
			why->text);
	else if (room && recorder->full)
		fprintf(stderr, "strata: there is room on the disk again: writing goes on\n");
	recorder->full = !room;
	recorder->totals.was_full |= !room;
	recorder->write_again_ticks = tap_retry_ticks(recorder);
}

static enum stream_file_result append(struct recorder *recorder, struct tap *tap,
				      struct strata_packet *packet, uint64_t events,
				      struct strata_error *error)
{
	struct strata_stream *stream = stream_of(recorder, tap);
	enum stream_file_result result;

	take_losses(recorder, tap, packet->lost);
	build_header(recorder, tap, recorder->copy, packet);
	result = stream_file_append(&tap->file, recorder->copy, packet->packet_bytes, error);
	if (result != STREAM_FILE_OK)
		return result;
	tap->end_ticks = packet->end_ticks;
	tap->next_sequence = packet->sequence + 1;
	stream->packets++;
	stream->events += events;
	recorder->totals.events += events;
	recorder->totals.bytes += packet->packet_bytes;
	recorder_note_written(recorder, recorder_who(recorder, tap->source), packet->packet_bytes);
	return STREAM_FILE_OK;
}

void tap_complain(struct recorder *recorder, struct tap *tap, const struct strata_error *why)
{
	struct strata_stream *stream = stream_of(recorder, tap);

	recorder->totals.bad_packets++;
	if (stream->bad_packets++ < BAD_PACKETS_SHOWN)
		principal_complain(recorder_who(recorder, tap->source),
				   "%s: ring of CPU %u: packet left out: %s",
				   tap_source(recorder, tap)->name, tap->ring->cpu, why->text);
}

void tap_disable(struct recorder *recorder, struct tap *tap)
{
	struct recorder_source *state = recorder_source_of(recorder, tap->source);

	tap->ring->broken = true;
	recorder->totals.bad_packets++;
	stream_of(recorder, tap)->bad_packets++;
	if (!state || state->broken_said)
		return;
	state->broken_said = true;
	principal_complain(recorder_who(recorder, tap->source),
			   "%s: ring of CPU %u: its control words are invalid: nothing more is "
			   "taken from it; does the program write where it should not?",
			   tap_source(recorder, tap)->name, tap->ring->cpu);
}

void tap_note_lies(struct recorder *recorder, struct tap *tap)
{
	static const struct strata_error lies = { "its control words are invalid" };

	if (!tap->lied)
		tap_complain(recorder, tap, &lies);
	tap->lied = true;
}

/* Does what an application's ring says of our reading outlive us?  One that overwrites gave us the
 * pages that we read. */
static bool may_be_recovered(const struct ring *ring)
{
	return ring->is_single || ring->sane;
}

static void lose(struct recorder *recorder, struct tap *tap, uint64_t events)
{
	tap->left = may_be_recovered(tap->ring);
	stream_of(recorder, tap)->lost += events;
	recorder->totals.lost += events;
	*(tap->no_share ? &recorder->totals.no_share : &recorder->totals.no_room) += events;
}

int tap_keep(struct recorder *recorder, struct tap *tap, struct strata_packet *packet,
	     uint64_t events, enum no_room no_room, struct strata_error *error)
{
	enum stream_file_result result;

	/* Behind a packet that is not there this one would hide that it is in the ring. */
	if (tap->left) {
		lose(recorder, tap, events);
		return 0;
	}
	if (!recorder_may_write(recorder, recorder_who(recorder, tap->source),
				packet->packet_bytes)) {
		if (no_room == NO_ROOM_WAIT)
			return 1;
		tap->no_share = true;
		lose(recorder, tap, events);
		return 0;
	}
	result = append(recorder, tap, packet, events, error);
	tap->unwritten = result == STREAM_FILE_FAILED;
	if (tap->unwritten)
		return -1;
	note_room(recorder, result == STREAM_FILE_OK, error);
	if (result == STREAM_FILE_NO_ROOM && no_room == NO_ROOM_WAIT)
		return 1;
	if (result == STREAM_FILE_NO_ROOM) {
		tap->no_share = false;
		lose(recorder, tap, events);
	}
	return 0;
}

/* What was lost behind the last packet goes into an empty one of our own. */
static int append_losses(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	/* Where nothing came before, it is of when its source came. */
	const uint64_t ticks = tap->end_ticks ? tap->end_ticks
					      : tap_source(recorder, tap)->since_ticks;
	struct strata_packet packet = {
		.begin_ticks = ticks,
		.end_ticks = ticks,
		.content_bytes = STRATA_PACKET_HEADER_BYTES,
		.packet_bytes = STRATA_PACKET_HEADER_BYTES,
		.sequence = tap_number_at(tap, tap->ring->reader.read_count),
		.cpu = tap->ring->cpu,
		.form = tap_source(recorder, tap)->form,
	};
	bool more = false;
	unsigned int i;

	/* Behind a packet that is missing this one would stand in its place. */
	if (tap->ring->broken || tap->unwritten)
		return 0;
	if (tap->left) {
		for (i = 0; i < STRATA_NR_LOST; i++)
			packet.lost[i] = ring_lost(tap->ring, i);
		take_losses(recorder, tap, packet.lost);
		return 0;
	}
	/* What was taken of an unfinished sub-buffer has the number of where reading stands. */
	if (packet.sequence < tap->next_sequence)
		packet.sequence = tap->next_sequence;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		uint64_t lost = ring_lost(tap->ring, i);

		packet.lost[i] = lost;
		lost -= tap->ring->lost_before[i];
		more |= lost > tap->lost[i] && lost <= LOST_MAX;
	}
	if (more && tap->ring->taken)
		tap_note_taken(&tap->ring->taken[packet.sequence % 2], packet.sequence,
			       tap->ring->single.position);
	/* What the disk has no room for is in the totals all the same. */
	return more && append(recorder, tap, &packet, 0, error) == STREAM_FILE_FAILED ? -1 : 0;
}

int tap_finish(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	struct strata_error closing = { "" };
	int result = append_losses(recorder, tap, error);

	if (stream_file_close(&tap->file, &closing) && !result) {
		*error = closing;
		result = -1;
	}
	return result;
}
