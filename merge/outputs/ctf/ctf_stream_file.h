/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_stream_file.h - writes a stream file of a CTF 1.8 trace, packet by packet, and its index.
 *
 * A packet, every number aligned to a byte and in the trace's byte order:
 *
 *     header     magic, uuid, stream_id
 *     context    timestamp_begin, timestamp_end (where events have times), content_size,
 *                packet_size, packet_seq_num, events_discarded; then the form's own fields
 *     events     the caller's
 *
 * A loss ends the current packet. The next packet reports it, and extends to the end of the loss
 * unless a later event is earlier than that: so a reader finds the loss between the original times.
 * Losses without an event in between get packets without events. A loss before the first packet
 * gets an empty packet before it, because babeltrace2 compares the counts of successive packets and
 * so reports no loss for a first packet. babeltrace2 also aborts on overlapping packets; therefore
 * a packet is written only when the time of the next event is known.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_STREAM_FILE_H
#define STRATA_MERGE_OUTPUTS_CTF_STREAM_FILE_H

#include <endian.h>
#include <limits.h>

#include "base/loss.h"
#include "ctf/types/ctf_types.h"
#include "files/out_file.h"
#include "files/safe_dir.h"
#include "outputs/event_writer.h"

/* Bytes of a packet's header, where its context begins. */
#define STRATA_CTF_PACKET_HEADER_BYTES 24u

/* Largest number of losses that wait for an event; further ones are added to the last. */
#define STRATA_CTF_LOSSES_MAX 16u

/* What the packets of one kind have in common. */
struct strata_ctf_packet_form {
	uint64_t stream_id;
	bool has_time;
	bool big_endian;
};

/* The numbers at the start of each context; the times only if events have them. */
#define STRATA_CTF_PACKET_NUMBERS 6u

/* Makes these fields; the times are mapped to the trace's first clock.
 * @fields, @types: OUT, room for STRATA_CTF_PACKET_NUMBERS; returns their number */
size_t strata_ctf_packet_numbers(const struct strata_ctf_packet_form *form,
				 struct strata_ctf_field *fields, struct strata_ctf_type *types);

/* Whether a field of that name is one of these numbers. */
bool strata_ctf_is_packet_number(const char *name);

struct strata_ctf_stream_file {
	char path[PATH_MAX + 300];
	struct strata_dir index_dir;
	char index_name[STRATA_DIR_NAME_BYTES];
	struct strata_out_file *index;
	const uint8_t *uuid;
	int fd;
	uint64_t bytes; /* written */
	uint64_t sequence;
	uint64_t discarded; /* the count in packets */
	uint64_t last_ns;   /* the end of the last packet */

	/* The open packet. */
	uint8_t *packet;
	size_t room;
	/* In bytes: size from which an event starts a new packet; 0: the next event does. */
	size_t full_at;
	uint64_t at; /* in bits, used so far; 0: no packet is open */
	uint64_t begin_ns, end_ns;
	bool tells_loss;
	uint64_t loss_to_ns; /* if tells_loss: end of the loss */
	size_t context_bytes;
	struct strata_ctf_packet_form form;

	/* The form of the next packets. */
	struct strata_ctf_packet_form next_form;
	struct strata_buffer next_context;
	/* The context of the empty packet before a first loss. */
	struct strata_buffer first_context;

	/* Losses after the last event, each with the start of its packet. */
	struct strata_ctf_file_loss {
		struct strata_loss loss;
		struct strata_ctf_packet_form form;
		struct strata_buffer context;
	} losses[STRATA_CTF_LOSSES_MAX];
	size_t nr_losses;
};

/*
 * Creates DIR/NAME and DIR/index/NAME.idx; the index's directory must exist.
 * @uuid: the trace's; must outlive it
 * Returns 0, or -1; the caller must close it in either case.
 */
int strata_ctf_file_open(struct strata_ctf_stream_file *file, const struct strata_dir *dir,
			 const char *name, const uint8_t uuid[16], struct strata_error *error);

/* Sets the number of the next packet and the count of discarded events; to be called before the
 * first packet. */
void strata_ctf_file_count_from(struct strata_ctf_stream_file *file, uint64_t sequence,
				uint64_t discarded);

/*
 * Sets the start of the next packets. An open packet with a different start ends.
 * file->next_context: IN, the rest of their context after the numbers
 */
void strata_ctf_file_enter(struct strata_ctf_stream_file *file,
			   const struct strata_ctf_packet_form *form);

/* Adds a loss after the last event; strata_ctf_file_enter() must have set the start of its packet.
 * file->first_context: OUT, if nothing precedes the loss: the context of that packet; the caller
 * must reset the counts of losses in it
 * Returns 0, or -1. */
int strata_ctf_file_lose(struct strata_ctf_stream_file *file, const struct strata_loss *loss,
			 struct strata_error *error);

/* Like strata_ctf_file_room(), if no packet is open or the open one ends. */
int strata_ctf_file_make_room(struct strata_ctf_stream_file *file, size_t bytes, uint64_t ns,
			      struct strata_error *error);

/*
 * Makes room for an event in a packet: at file->packet, from bit file->at on, which the caller
 * advances.
 * @bytes: largest number of bytes needed
 * @ns: the event's time; not before any earlier event's
 * Returns 0, or -1.
 */
static inline int strata_ctf_file_room(struct strata_ctf_stream_file *file, size_t bytes,
				       uint64_t ns, struct strata_error *error)
{
	if (__builtin_expect(file->at / 8 + bytes > file->full_at, 0) &&
	    strata_ctf_file_make_room(file, bytes, ns, error))
		return -1;
	file->end_ns = ns;
	return 0;
}

/* Writes the remaining packets, and losses after the last event. Returns 0 or -1. */
int strata_ctf_file_finish(struct strata_ctf_stream_file *file, struct strata_error *error);

/* Closes and frees. @status: of the writer so far; returned unless closing fails: then -1 with the
 * reason. */
int strata_ctf_file_close(struct strata_ctf_stream_file *file, int status,
			  struct strata_error *error);

/* Writes the low @bytes (1 to 8) of a number. */
static inline void strata_ctf_put_number(uint8_t *to, uint64_t value, unsigned int bytes,
					 bool big_endian)
{
	const uint64_t ordered = big_endian ? htobe64(value << (64 - bytes * 8)) : htole64(value);

	memcpy(to, &ordered, bytes);
}

#endif /* STRATA_MERGE_OUTPUTS_CTF_STREAM_FILE_H */
