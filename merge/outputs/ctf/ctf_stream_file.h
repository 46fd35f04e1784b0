/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_stream_file.h - writes a stream file of a CTF 1.8 trace, packet by packet, and its index.
 *
 * A packet, every number aligned to a byte and in the trace's byte order:
 *
 *     header     magic, uuid, stream_id
 *     context    timestamp_begin, timestamp_end (where events have times), content_size,
 *                packet_size, packet_seq_num, events_discarded; then what the form gives
 *     events     whatever the caller puts there
 *
 * A loss ends the packet before it.  The next packet tells it, and lasts to the end of the loss
 * where the events behind allow that: so a reader finds the loss between the same times.  Several
 * losses without an event between them get packets without events.  A loss that no packet precedes
 * gets an empty one before it: babeltrace2 compares the counts of packets, so it reports no loss of
 * a first packet.  It gives up on packets that overlap; therefore packets are written when the time
 * of the next event is known.
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

/* Losses that wait for an event; further ones are added to the last. */
#define STRATA_CTF_LOSSES_MAX 16u

/* What the packets of one kind have in common. */
struct strata_ctf_packet_form {
	uint64_t stream_id;
	bool has_time;
	bool big_endian;
};

/* Numbers that each context begins with; the times only where events have some. */
#define STRATA_CTF_PACKET_NUMBERS 6u

/* Makes these fields of a context, mapped to the trace's first clock.
 * @fields, @types: OUT, room for STRATA_CTF_PACKET_NUMBERS; returns their number */
size_t strata_ctf_packet_numbers(const struct strata_ctf_packet_form *form,
				 struct strata_ctf_field *fields, struct strata_ctf_type *types);

/* Whether a field of that name is one of them. */
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
	uint64_t discarded; /* as packets count it */
	uint64_t last_ns;   /* the end of the last packet */

	/* The open packet. */
	uint8_t *packet;
	size_t room;
	size_t full_at; /* bytes: no event begins a new packet before; 0: the next one does */
	uint64_t at;    /* bits that are used; 0: no packet is open */
	uint64_t begin_ns, end_ns;
	bool tells_loss;
	uint64_t loss_to_ns; /* then: up to here */
	size_t context_bytes;
	struct strata_ctf_packet_form form;

	/* What packets to come begin with. */
	struct strata_ctf_packet_form next_form;
	struct strata_buffer next_context;
	/* The same of the empty packet before a first loss. */
	struct strata_buffer first_context;

	/* Losses behind the last event, each with what its packet begins with. */
	struct strata_ctf_file_loss {
		struct strata_loss loss;
		struct strata_ctf_packet_form form;
		struct strata_buffer context;
	} losses[STRATA_CTF_LOSSES_MAX];
	size_t nr_losses;
};

/*
 * Makes DIR/NAME and DIR/index/NAME.idx; the directory of the index is there.
 * @uuid: the trace's; stays
 * 0, or -1; to be closed in any case.
 */
int strata_ctf_file_open(struct strata_ctf_stream_file *file, const struct strata_dir *dir,
			 const char *name, const uint8_t uuid[16], struct strata_error *error);

/* Numbers packets from here on, and counts discarded events; before the first packet. */
void strata_ctf_file_count_from(struct strata_ctf_stream_file *file, uint64_t sequence,
				uint64_t discarded);

/*
 * Says how packets to come begin.  An open packet that begins otherwise ends.
 * file->next_context: IN, what their context has behind the numbers
 */
void strata_ctf_file_enter(struct strata_ctf_stream_file *file,
			   const struct strata_ctf_packet_form *form);

/* Notes a loss behind the last event; strata_ctf_file_enter() has said how its packet begins.
 * file->first_context: OUT, where nothing lies before the loss: as that of its packet; what
 *                      counts losses in it is the caller's to set back
 * 0, or -1. */
int strata_ctf_file_lose(struct strata_ctf_stream_file *file, const struct strata_loss *loss,
			 struct strata_error *error);

/* The same as strata_ctf_file_room(), where no packet is open or the open one ends. */
int strata_ctf_file_make_room(struct strata_ctf_stream_file *file, size_t bytes, uint64_t ns,
			      struct strata_error *error);

/*
 * Makes room for an event in a packet: at file->packet, from bit file->at on, which the caller
 * moves on.
 * @bytes: the most that will be used
 * @ns:    the event's time; not before any other's
 * 0, or -1.
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

/* Writes what is left: packets, and losses behind the last event.  0 or -1. */
int strata_ctf_file_finish(struct strata_ctf_stream_file *file, struct strata_error *error);

/* Closes and frees.  @status: of the writer so far; returns it, or -1 with what went wrong now. */
int strata_ctf_file_close(struct strata_ctf_stream_file *file, int status,
			  struct strata_error *error);

/* Puts the low @bytes (1 to 8) of a number. */
static inline void strata_ctf_put_number(uint8_t *to, uint64_t value, unsigned int bytes,
					 bool big_endian)
{
	const uint64_t ordered = big_endian ? htobe64(value << (64 - bytes * 8)) : htole64(value);

	memcpy(to, &ordered, bytes);
}

#endif /* STRATA_MERGE_OUTPUTS_CTF_STREAM_FILE_H */
