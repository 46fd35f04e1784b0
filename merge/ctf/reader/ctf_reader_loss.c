// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_reader_loss.c - derives losses from the heads of a stream's packets: see loss.h. */
#include "ctf/reader/ctf_reader_packet.h"

#include <string.h>

/* Returns the bound of a time by the stream's own clock. In a merged trace only events have one. */
static uint64_t own_bound(const struct strata_ctf_reader *reader)
{
	return reader->kind->header.has_bound ? UINT64_MAX : reader->stream->bound_ns;
}

/* A time of the packet's head, by the reader's converter or its own clock. */
static uint64_t head_ns(const struct strata_ctf_reader *reader, uint64_t cycles, uint64_t *bound_ns)
{
	uint64_t ns;

	*bound_ns = own_bound(reader);
	if (!reader->conversion)
		return strata_ctf_ns(&reader->kind->time, cycles);
	ns = reader->stream->converter->ns_later(reader->conversion, &reader->kind->time, cycles,
						 bound_ns);
	if (reader->kind->header.has_bound)
		*bound_ns = UINT64_MAX;
	return ns;
}

/* The bound of the time of the event before. */
static uint64_t last_bound_ns(const struct strata_ctf_reader *reader)
{
	return reader->conversion && !reader->kind->header.has_bound
		       ? strata_ctf_bound_ns(reader, reader->last_bound)
		       : own_bound(reader);
}

/* Sets the times between which something was lost: after the previous event, or the start of the
 * stream, and before the packet's end. */
static void set_loss_times(const struct strata_ctf_reader *reader, struct strata_loss *loss)
{
	const struct strata_ctf_packet *packet = &reader->packet;
	uint64_t from_bound_ns = UINT64_MAX, to_bound_ns = UINT64_MAX;

	loss->from_ns = reader->last_ns;
	if (reader->last_ns)
		from_bound_ns = last_bound_ns(reader);
	else if (packet->has_begin)
		loss->from_ns = head_ns(reader, packet->begin, &from_bound_ns);
	loss->to_ns = packet->has_end ? head_ns(reader, packet->end, &to_bound_ns) : 0;
	if (loss->to_ns < loss->from_ns) {
		to_bound_ns = strata_ctf_add_clamped(to_bound_ns, loss->from_ns - loss->to_ns);
		loss->to_ns = loss->from_ns;
	}
	loss->bound_ns = from_bound_ns > to_bound_ns ? from_bound_ns : to_bound_ns;
}

static void count_missing_packets(struct strata_ctf_reader *reader, struct strata_loss *loss)
{
	const struct strata_ctf_packet *packet = &reader->packet;

	if (!packet->has_sequence)
		return;
	if (reader->knows_sequence && packet->sequence > reader->next_sequence)
		loss->missing_packets = packet->sequence - reader->next_sequence;
	reader->next_sequence = packet->sequence + 1;
	reader->knows_sequence = true;
}

/* Counts by reason, if the reasons add up to the total. */
static void count_kinds(struct strata_ctf_reader *reader, struct strata_loss *loss)
{
	const struct strata_ctf_packet *packet = &reader->packet;
	bool fits = packet->has_lost;
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		fits &= packet->lost[i] >= reader->last_lost[i];
		loss->kinds[i] = packet->lost[i] - reader->last_lost[i];
		sum += loss->kinds[i];
		reader->last_lost[i] = packet->lost[i];
	}
	loss->has_kinds = fits && sum == loss->discarded;
}

static void count_discarded(struct strata_ctf_reader *reader, struct strata_loss *loss)
{
	const struct strata_ctf_packet *packet = &reader->packet;

	if (!packet->has_discarded)
		return;
	/* The count begins at the tracer's start: if the file begins later, the first packet's
	 * count includes earlier losses. */
	if (!reader->knows_discarded) {
		const bool begins_later = packet->offset || packet->sequence;

		reader->last_discarded = begins_later ? packet->discarded : 0;
		memset(reader->last_lost, 0, sizeof(reader->last_lost));
		if (begins_later)
			memcpy(reader->last_lost, packet->lost, sizeof(reader->last_lost));
	}
	reader->knows_discarded = true;
	if (packet->discarded > reader->last_discarded)
		loss->discarded = packet->discarded - reader->last_discarded;
	count_kinds(reader, loss);
	reader->last_discarded = packet->discarded;
}

/* Keeps a loss if its position is in the reader's part. */
static void keep_loss(struct strata_ctf_reader *reader, const struct strata_loss *loss)
{
	if (loss->from_ns < reader->mine_from_ns || loss->from_ns >= reader->mine_to_ns)
		return;
	reader->tally.discarded += loss->discarded;
	reader->tally.missing_packets += loss->missing_packets;
	reader->loss = *loss;
	reader->has_loss = true;
}

void strata_ctf_reader_note_losses(struct strata_ctf_reader *reader)
{
	struct strata_loss loss = { 0 };

	count_missing_packets(reader, &loss);
	count_discarded(reader, &loss);
	loss.is_damage = reader->has_damage;
	reader->has_damage = false;
	if (!loss.discarded && !loss.missing_packets && !loss.is_damage)
		return;
	set_loss_times(reader, &loss);
	keep_loss(reader, &loss);
}

/* Notes what a stream without packets lost while its source was present, as if an empty packet had
 * reported it. */
static void note_empty_stream(struct strata_ctf_reader *reader)
{
	const struct strata_ctf_stream *stream = reader->stream;
	const struct strata_loss loss = { .discarded = stream->discarded,
					  .from_ns = stream->since_ns,
					  .to_ns = stream->until_ns,
					  .bound_ns = UINT64_MAX };

	reader->knows_discarded = true;
	reader->last_discarded = stream->discarded;
	/* Its time and kind are unknown: it is only counted. */
	if (!stream->since_ns || !stream->until_ns || stream->trace->metadata.nr_streams != 1) {
		if (strata_ctf_reader_owns(reader))
			reader->tally.discarded += stream->discarded;
		return;
	}
	reader->kind = stream->trace->kinds;
	reader->packet.has_cpu = stream->has_cpu;
	reader->packet.cpu = stream->cpu;
	keep_loss(reader, &loss);
}

void strata_ctf_reader_note_end(struct strata_ctf_reader *reader)
{
	const uint64_t discarded = reader->stream->discarded;
	struct strata_loss loss = { .from_ns = reader->last_ns, .to_ns = reader->last_ns };

	if (!reader->knows_discarded && reader->stream->bytes == 0 && discarded)
		note_empty_stream(reader);
	if (!reader->knows_discarded || discarded <= reader->last_discarded)
		return;
	loss.discarded = discarded - reader->last_discarded;
	loss.bound_ns = last_bound_ns(reader);
	reader->last_discarded = discarded;
	keep_loss(reader, &loss);
}
