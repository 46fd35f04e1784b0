// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap.c - takes packets out of one ring: copies a sub-buffer, checks the copy,
 * builds its header anew and appends it to the stream file; see tap.h.
 */
#include "tap.h"

#include <stdio.h>
#include <string.h>

#include "packet_check.h"

/* A ring that says to have lost more, of one kind, is not believed: the sum of all kinds has to
 * fit where recordings and CTF keep it. */
#define LOST_MAX (INT64_MAX / STRATA_NR_LOST)

/* Complaints about one ring's packets that are printed; all are counted. */
#define BAD_PACKETS_SHOWN 5

/* How long a full disk is left alone. */
#define RETRY_MS 1000u

static struct strata_stream *stream_of(struct recorder *recorder, const struct tap *tap)
{
	return strata_source_stream(tap_source(recorder, tap), tap->ring->cpu);
}

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

static void complain(struct recorder *recorder, struct tap *tap, const struct strata_error *why)
{
	struct strata_stream *stream = stream_of(recorder, tap);

	recorder->totals.bad_packets++;
	if (stream->bad_packets++ < BAD_PACKETS_SHOWN)
		principal_complain(recorder_who(recorder, tap->source),
				   "%s: ring of CPU %u: packet left out: %s",
				   tap_source(recorder, tap)->name, tap->ring->cpu, why->text);
}

/*
 * Its control words are none that a ring can have: its channel is not to be recorded any
 * more, which is said once, and whoever mapped it sees it.
 */
static void disable(struct recorder *recorder, struct tap *tap)
{
	struct recorder_source *state = recorder_source_of(recorder, tap->source);

	tap->ring->broken = true;
	recorder->totals.bad_packets++;
	stream_of(recorder, tap)->bad_packets++;
	if (!state || state->broken_said)
		return;
	state->broken_said = true;
	principal_complain(recorder_who(recorder, tap->source),
			   "%s: ring of CPU %u: its control words are none that a ring can "
			   "have: nothing more is taken from it; does the program write where it "
			   "should not?",
			   tap_source(recorder, tap)->name, tap->ring->cpu);
}

/* A writer that lies about its turns can lead us back; a file's packets only go forward. */
static int check_sequence(const struct tap *tap, uint64_t sequence, struct strata_error *error)
{
	if (sequence < tap->next_sequence)
		return strata_fail(error, "its sequence number %llu comes after %llu",
				   (unsigned long long)sequence,
				   (unsigned long long)tap->next_sequence - 1);
	return 0;
}

/* What to do with a packet that the disk has no room for. */
enum no_room {
	NO_ROOM_WAIT, /* it stays in its ring */
	NO_ROOM_LOSE, /* its ring goes away: its events are lost, and counted */
};

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

/* Appends a packet that was checked.  0: it is written, or lost and counted; 1 if it waits for room
 * on the disk; -1. */
static int keep(struct recorder *recorder, struct tap *tap, struct strata_packet *packet,
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

/* Goes on behind the sub-buffer that get found.  0 or -1. */
static int let_go(struct tap *tap, struct strata_error *error)
{
	if (!tap->left)
		return tap->ring->put(tap->ring, error);
	tap->ring->reader.read_count += strata_subbuf_bytes(tap->ring->reader.geo);
	return 0;
}

/* The number of the packet that the sub-buffer at a position becomes. */
static uint64_t number_at(const struct tap *tap, strata_count_t position)
{
	return (position >> tap->ring->reader.geo.subbuf_bits) + tap->partly_packets;
}

/* What is read next is another sub-buffer. */
static void forget_part(struct tap *tap)
{
	tap->partly_bytes = 0;
	tap->partly_ticks = 0;
}

/*
 * Leaves of the records in recorder->copy, which end at @content_bytes, those that were not taken
 * before, and makes a packet of them.  0, or -1: they are none; so they are if they end on no
 * multiple of 4, as no record does.
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

/* Of a whole packet that was checked the part that was not taken before.  0, or -1: it is none. */
static int take_rest_of_packet(struct recorder *recorder, const struct tap *tap,
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

/*
 * Takes the sub-buffer that is ready: copy first, then check, then use.
 * 0, 1 if it waits for room on the disk, or -1.
 */
static int take(struct recorder *recorder, struct tap *tap, enum no_room no_room,
		struct strata_error *error)
{
	size_t bytes = strata_subbuf_bytes(tap->ring->reader.geo);
	uint64_t sequence = number_at(tap, tap->ring->reader.read_count);
	struct strata_packet packet;
	struct strata_error why = { "" };
	uint64_t events;
	int result = 0;

	recorder->work_bytes += bytes;
	memcpy(recorder->copy, strata_reader_subbuf(&tap->ring->reader), bytes);
	if (check_sequence(tap, sequence, &why) ||
	    strata_packet_check(tap_source(recorder, tap), recorder->copy, bytes, &packet, &events,
				&why) ||
	    (tap->partly_bytes && take_rest_of_packet(recorder, tap, &packet, &events, &why)) ||
	    tap_check_times(recorder, tap, &packet, &why)) {
		complain(recorder, tap, &why);
	} else {
		/* Of the header, place and CPU are what we know and not what it says. */
		packet.sequence = sequence;
		packet.cpu = tap->ring->cpu;
		if (!tap->partly_bytes)
			packet.packet_bytes = (uint32_t)bytes;
		result = keep(recorder, tap, &packet, events, no_room, error);
	}
	if (result)
		return result;
	forget_part(tap);
	return let_go(tap, error);
}

int tap_take_partly(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	const strata_count_t position = tap->ring->reader.read_count;
	const uint32_t bytes =
		strata_reader_copy_prefix(&tap->ring->reader, position, recorder->copy);
	const uint64_t sequence = number_at(tap, position);
	struct strata_error why = { "" };
	struct strata_packet packet;
	uint64_t events;
	unsigned int i;
	int result;

	recorder->work_bytes += bytes;
	if (bytes <= STRATA_PACKET_HEADER_BYTES || bytes <= tap->partly_bytes)
		return 0;
	/* What is no packet is named when the whole of it is there. */
	if (check_sequence(tap, sequence, &why) ||
	    cut_off_taken(recorder, tap, bytes, &packet, &events, &why) ||
	    tap_check_times(recorder, tap, &packet, &why))
		return 0;
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet.lost[i] = tap->lost[i] + tap->ring->lost_before[i];
	result = keep(recorder, tap, &packet, events, NO_ROOM_WAIT, error);
	if (result)
		return result;
	tap->partly_bytes = bytes;
	tap->partly_ticks = packet.end_ticks;
	tap->partly_packets++;
	return 0;
}

/* The position first: until the number is there as well, this is the note of no packet. */
static void note_taken(struct ring_taken *taken, uint64_t sequence, uint64_t position)
{
	strata_write_once(&taken->position, position);
	strata_store_release(&taken->number, sequence + 1);
}

/* Makes a packet of records that were copied out of a single-store ring, and appends it.  As
 * take().  @turn: the number of their sub-buffer; in overwrite mode gaps in it show. */
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
		complain(recorder, tap, &why);
		return 0;
	}
	packet.sequence = tap->next_sequence;
	if (tap->ring->single.overwrite && packet.sequence < turn)
		packet.sequence = turn;
	packet.cpu = tap->ring->cpu;
	if (tap->ring->taken && !tap->left)
		note_taken(&tap->ring->taken[packet.sequence % 2], packet.sequence,
			   tap->ring->single.position);
	memcpy(packet.lost, lost, sizeof(packet.lost));
	return keep(recorder, tap, &packet, events, no_room, error);
}

/* tap_take() of a single-store ring; at its end also what is published of a sub-buffer that is
 * being written, if @partly. */
static int take_singles(struct recorder *recorder, struct tap *tap, strata_count_t turns,
			bool partly, enum no_room no_room, uint64_t *nr_packets,
			struct strata_error *error)
{
	struct strata_single_reader *reader = &tap->ring->single;
	uint64_t lost[STRATA_NR_LOST], before;
	uint32_t bytes;
	int result = 0;

	do {
		before = reader->position;
		switch (strata_single_take(reader, partly, recorder->copy, &bytes, lost)) {
		case STRATA_SINGLE_LIES:
			disable(recorder, tap);
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

void tap_note_lies(struct recorder *recorder, struct tap *tap)
{
	static const struct strata_error lies = { "its words are none that a ring can have" };

	if (!tap->lied)
		complain(recorder, tap, &lies);
	tap->lied = true;
}

int tap_take(struct recorder *recorder, struct tap *tap, strata_count_t turns, uint64_t *nr_packets,
	     struct strata_error *error)
{
	int found, result;

	if (tap->ring->broken)
		return 0;
	if (tap->ring->is_single)
		return take_singles(recorder, tap, turns - 1, is_partly_due(recorder, tap),
				    NO_ROOM_WAIT, nr_packets, error);
	while (turns--) {
		if (tap->ring->sane && !tap->ring->sane(tap->ring)) {
			disable(recorder, tap);
			return 0;
		}
		found = tap->ring->get(tap->ring, error);
		if (found <= 0)
			return found;
		result = take(recorder, tap, NO_ROOM_WAIT, error);
		if (result)
			return result;
		(*nr_packets)++;
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
		.sequence = number_at(tap, tap->ring->reader.read_count),
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
		note_taken(&tap->ring->taken[packet.sequence % 2], packet.sequence,
			   tap->ring->single.position);
	/* What the disk has no room for is in the totals all the same. */
	return more && append(recorder, tap, &packet, 0, error) == STREAM_FILE_FAILED ? -1 : 0;
}

/*
 * Takes what is committed of a sub-buffer that its writer has not completed: it
 * stopped in the middle, or does not answer.  0, also when there is nothing; or -1.
 */
static int take_unfinished(struct recorder *recorder, struct tap *tap, strata_count_t position,
			   struct strata_error *error)
{
	const struct ring *ring = tap->ring;
	uint32_t bytes = ring->copy_prefix ? ring->copy_prefix(ring, position, recorder->copy)
					   : strata_reader_copy_prefix(&ring->reader, position,
								       recorder->copy);
	uint64_t sequence = number_at(tap, position);
	struct strata_error why = { "" };
	struct strata_packet packet;
	uint64_t events;
	unsigned int i;

	recorder->work_bytes += bytes;
	if (bytes <= STRATA_PACKET_HEADER_BYTES || bytes <= tap->partly_bytes)
		return 0;
	if (check_sequence(tap, sequence, &why) ||
	    cut_off_taken(recorder, tap, bytes, &packet, &events, &why) ||
	    tap_check_times(recorder, tap, &packet, &why)) {
		complain(recorder, tap, &why);
		return 0;
	}
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet.lost[i] = ring_lost(tap->ring, i);
	/* Nobody takes it a second time: it lies behind the reader from now on. */
	return keep(recorder, tap, &packet, events, NO_ROOM_LOSE, error);
}

int tap_take_rest(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	strata_count_t turns = strata_nr_subbufs(tap->ring->reader.geo), ahead, end;
	struct strata_ring_reader *reader = &tap->ring->reader;
	int result = 0, found;
	uint64_t nr_packets = 0, before;

	if (tap->ring->broken)
		return 0;
	if (tap->ring->is_single)
		return take_singles(recorder, tap, turns, true, NO_ROOM_LOSE, &nr_packets, error);
	/* Behind what is unfinished there is no more that they must be. */
	if (tap->ring->sane && !tap->ring->sane(tap->ring)) {
		disable(recorder, tap);
		return 0;
	}
	end = reader->read_count;
	while (!result && turns--) {
		switch (tap_poll(recorder, tap, true)) {
		case STRATA_POLL_DATA:
		case STRATA_POLL_PRIORITY:
			found = tap->ring->get(tap->ring, error);
			break;
		default:
			found = 0;
		}
		if (found < 0)
			return -1;
		if (found) {
			result = take(recorder, tap, NO_ROOM_LOSE, error);
			end = reader->read_count;
			continue;
		}
		/* A home that is asked by hypercall completes what is open when it flushes. */
		if (!reader->shared)
			break;
		before = tap->next_sequence;
		result = take_unfinished(recorder, tap, reader->read_count, error);
		if (tap->next_sequence != before)
			end = reader->read_count;
		/* The ring goes on: what is written next must not lie behind us then.  Where only
		 * its writers' marks say how far it goes, all of it is looked at. */
		ahead = strata_reader_newest(reader) - reader->read_count;
		if (!tap->ring->copy_prefix && (ahead == 0 || ahead >> (STRATA_COUNT_BITS - 1))) {
			end = reader->read_count;
			break;
		}
		reader->read_count += strata_subbuf_bytes(reader->geo);
		forget_part(tap);
	}
	reader->read_count = end;
	return result;
}

/* Takes a complete sub-buffer of a ring with get and put.  1: there was one; 0: there is none, or
 * it is none that a ring can have; -1. */
static int take_complete(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	enum strata_poll state = tap_poll(recorder, tap, true);
	int found;

	if (tap->ring->sane && !tap->ring->sane(tap->ring)) {
		disable(recorder, tap);
		return 0;
	}
	if (state != STRATA_POLL_DATA && state != STRATA_POLL_PRIORITY)
		return 0;
	found = tap->ring->get(tap->ring, error);
	if (found <= 0)
		return found;
	return take(recorder, tap, NO_ROOM_LOSE, error) ? -1 : 1;
}

int tap_leave_step(struct recorder *recorder, struct tap *tap, bool *done,
		   struct strata_error *error)
{
	uint64_t nr_packets = 0, before = tap->ring->single.position;
	int result;

	*done = true;
	if (tap->ring->broken)
		return 0;
	if (tap->ring->is_single) {
		result = take_singles(recorder, tap, 0, true, NO_ROOM_LOSE, &nr_packets, error);
		*done = result || tap->ring->broken || tap->ring->single.position == before ||
			tap->turns-- == 0;
		return result;
	}
	/* Complete ones first; behind the first one that is not, there may be others. */
	result = tap->turns ? take_complete(recorder, tap, error) : 0;
	if (result < 0)
		return -1;
	if (result) {
		tap->turns--;
		*done = false;
		return 0;
	}
	return tap_take_rest(recorder, tap, error);
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
