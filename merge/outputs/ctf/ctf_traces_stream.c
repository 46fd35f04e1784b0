// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_traces_stream.c - see ctf_traces_stream.h.  What comes in goes out as it is, but
 * for packets' heads and events' headers; see ctf_plan.h for the layout.
 *
 * A packet is written when it is full, and where the one that is read differs in what
 * its head says: in what was lost before it, its kind, its context.  One that tells of a loss
 * ends with the one that told it.
 */
#include "outputs/ctf/ctf_traces_stream.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf/reader/ctf_index_file.h"
#include "ctf/reader/ctf_packet_head.h"
#include "files/out_file.h"
#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_put_event.h"
#include "outputs/event_writer.h"

#define PACKET_BYTES 262144u

struct writer {
	struct strata_slice_sink sink;
	const struct strata_ctf_plan *plan;
	const struct strata_ctf_plan_kind *kind; /* of the open packet */
	char path[PATH_MAX + 300];
	struct strata_dir index_dir;
	char index_name[STRATA_DIR_NAME_BYTES];
	int fd;
	struct strata_out_file *index;
	uint64_t file_bytes;
	uint64_t bound_ns;

	uint8_t *packet;
	size_t room;
	uint64_t at; /* bits of the packet that are used */
	uint64_t begin_ns, end_ns;
	bool is_open;
	bool tells_loss; /* readers say it was up to the packet's end: so that comes soon */

	/* What packets' heads say. */
	uint64_t sequence;
	uint64_t missing, discarded;         /* so far */
	struct strata_buffer kept, kept_new; /* what is kept of the context */
	struct strata_buffer flat;           /* an event's body, made anew */

	/* The packet that is read. */
	bool has_begun;
	uint64_t reading_at;
	struct strata_ctf_packet_head head;
};

/* Numbers in the trace's byte order ---------------------------------------------------------- */

static void put(const struct writer *writer, uint8_t *to, uint64_t value, unsigned int bytes)
{
	strata_ctf_put_number(to, value, bytes, writer->plan->trace->metadata.big_endian);
}

/* Packets ------------------------------------------------------------------------------------ */

static void add_to_index(struct writer *writer, uint64_t packet_bits, uint64_t content_bits)
{
	const struct strata_ctf_index_file_entry_1_1 entry = {
		.entry = { .offset = htobe64(writer->file_bytes),
			   .packet_bits = htobe64(packet_bits),
			   .content_bits = htobe64(content_bits),
			   .begin = htobe64(writer->begin_ns),
			   .end = htobe64(writer->end_ns),
			   .discarded = htobe64(writer->discarded),
			   .stream_id = htobe64(writer->kind->kind->class->id) },
		.instance = htobe64(UINT64_MAX), /* streams are told apart by their files */
		.sequence = htobe64(writer->sequence),
	};
	char *to = strata_out_room(writer->index, sizeof(entry));

	memcpy(to, &entry, sizeof(entry));
	strata_out_advance(writer->index, to + sizeof(entry));
}

/* Writes the open packet, if there is one.  0 or -1. */
static int flush(struct writer *writer, struct strata_error *error)
{
	const size_t bytes = (size_t)((writer->at + 63) / 64 * 8);
	const size_t used = (size_t)((writer->at + 7) / 8);
	uint8_t *numbers = writer->packet + STRATA_CTF_PLAN_HEADER_BYTES;
	int cause;

	if (!writer->is_open)
		return 0;
	if (writer->kind->kind->has_time) {
		put(writer, numbers, writer->begin_ns, 8);
		put(writer, numbers + 8, writer->end_ns, 8);
		numbers += 16;
	}
	put(writer, numbers, writer->at, 8);
	put(writer, numbers + 8, (uint64_t)bytes * 8, 8);
	put(writer, numbers + 16, writer->sequence, 8);
	put(writer, numbers + 24, writer->discarded, 8);
	memset(writer->packet + used, 0, bytes - used);
	cause = strata_write_all(writer->fd, writer->packet, bytes);
	if (cause)
		return strata_fail_write(writer->path, cause, error);
	add_to_index(writer, (uint64_t)bytes * 8, writer->at);
	writer->file_bytes += bytes;
	writer->sequence++;
	writer->is_open = false;
	writer->tells_loss = false;
	return 0;
}

static int grow(struct writer *writer, size_t bytes, struct strata_error *error)
{
	uint8_t *larger;

	if (bytes <= writer->room)
		return 0;
	larger = realloc(writer->packet, bytes);
	if (!larger)
		return strata_fail(error, "%s: out of memory for an event of %zu bytes",
				   writer->path, bytes);
	writer->packet = larger;
	writer->room = bytes;
	return 0;
}

static size_t head_bytes(const struct writer *writer)
{
	return STRATA_CTF_PLAN_HEADER_BYTES + writer->kind->nr_numbers * sizeof(uint64_t) +
	       writer->kept.used;
}

/* Begins a packet; there is room for its head. */
static void begin_packet(struct writer *writer, uint64_t ns)
{
	const size_t bytes = head_bytes(writer);

	put(writer, writer->packet, STRATA_CTF_MAGIC, 4);
	memcpy(writer->packet + 4, writer->plan->uuid, 16);
	put(writer, writer->packet + 20, writer->kind->kind->class->id, 4);
	if (writer->kept.used)
		memcpy(writer->packet + bytes - writer->kept.used, writer->kept.bytes,
		       writer->kept.used);
	writer->at = (uint64_t)bytes * 8;
	writer->begin_ns = ns;
	writer->end_ns = ns;
	writer->is_open = true;
}

/* Contexts ----------------------------------------------------------------------------------- */

static bool keep_number(struct strata_buffer *buffer, struct strata_ctf_cursor *cursor,
			const struct strata_ctf_type *was, const struct strata_ctf_type *is)
{
	uint8_t bytes[8];
	uint64_t value;

	if (!(was->kind == STRATA_CTF_VARINT ? strata_ctf_read_varint(cursor, was, &value)
					     : strata_ctf_read_number(cursor, was, &value)))
		return false;
	strata_ctf_put_number(bytes, value, is->bits / 8, is->big_endian);
	strata_buffer_put(buffer, (const char *)bytes, is->bits / 8);
	return true;
}

static bool keep_field(struct strata_buffer *buffer, struct strata_ctf_cursor *cursor,
		       const struct strata_ctf_plan_kept *kept)
{
	uint64_t i, length;
	const char *text;

	if (!kept->is)
		return strata_ctf_skip(cursor, kept->was);
	if (kept->was->kind == STRATA_CTF_STRING) {
		if (!strata_ctf_read_string(cursor, kept->was, &text, &length))
			return false;
		strata_buffer_put(buffer, text, length + 1);
		return true;
	}
	if (kept->was->kind != STRATA_CTF_ARRAY)
		return keep_number(buffer, cursor, kept->was, kept->is);
	if (!strata_ctf_read_length(cursor, kept->was, &length))
		return false;
	for (i = 0; i < length; i++) {
		if (!keep_number(buffer, cursor, kept->was->element, kept->is->element))
			return false;
	}
	return true;
}

/* Reads what is kept of the context of the reader's packet into kept_new.  0; -1; 1: the stream
 * ends here, which is said. */
static int read_context(struct writer *writer, const struct strata_ctf_plan_kind *kind,
			struct strata_ctf_reader *reader, struct strata_error *error)
{
	const struct strata_ctf_type *was = kind->kind->class->packet_context;
	struct strata_ctf_cursor cursor;
	bool fits;
	size_t i;

	writer->kept_new.used = 0;
	if (!kind->keeps_any)
		return 0;
	fits = strata_ctf_packet_head_read(&writer->head, reader, &cursor);
	for (i = 0; i < was->nr_fields && fits; i++)
		fits = keep_field(&writer->kept_new, &cursor, &kind->kept[i]);
	if (writer->kept_new.no_memory)
		return strata_fail(error, "%s: out of memory", writer->path);
	if (fits)
		return 0;
	strata_ctf_complain(reader->stream,
			    "byte %llu: the packet's head cannot be read again: it is longer than "
			    "%u bytes, or the file has changed; what follows is left out",
			    (unsigned long long)reader->packet.offset,
			    STRATA_CTF_PACKET_HEAD_BYTES_MAX);
	return 1;
}

/* Another packet is read: goes on in the open one if its head would be the same.  As
 * read_context(). */
static int enter_packet(struct writer *writer, struct strata_ctf_reader *reader,
			struct strata_error *error)
{
	const struct strata_ctf_plan_kind *kind =
		&writer->plan->kinds[reader->kind - writer->plan->trace->kinds];
	const struct strata_ctf_tally *tally = &reader->tally;
	const bool is_loss = tally->discarded != writer->discarded ||
			     tally->missing_packets != writer->missing;
	struct strata_buffer kept;
	int status;

	status = read_context(writer, kind, reader, error);
	if (status)
		return status;
	writer->has_begun = true;
	writer->reading_at = reader->packet.offset;
	if (writer->is_open && kind == writer->kind && !is_loss && !writer->tells_loss &&
	    writer->kept.used == writer->kept_new.used &&
	    (writer->kept.used == 0 ||
	     memcmp(writer->kept.bytes, writer->kept_new.bytes, writer->kept.used) == 0))
		return 0;
	if (flush(writer, error))
		return -1;
	writer->kind = kind;
	writer->tells_loss = is_loss;
	writer->sequence += tally->missing_packets - writer->missing;
	writer->missing = tally->missing_packets;
	writer->discarded = tally->discarded;
	kept = writer->kept;
	writer->kept = writer->kept_new;
	writer->kept_new = kept;
	return 0;
}

/* Events ------------------------------------------------------------------------------------- */

/* Makes room for an event of @bytes, header and all.  0 or -1. */
static int make_room(struct writer *writer, size_t bytes, uint64_t ns, struct strata_error *error)
{
	if (writer->is_open) {
		if (writer->at / 8 + bytes <= PACKET_BYTES)
			return 0;
		if (flush(writer, error))
			return -1;
	}
	if (grow(writer, head_bytes(writer) + bytes, error))
		return -1;
	begin_packet(writer, ns);
	return 0;
}

/* Puts an event whose body is made anew. */
static int put_flat_event(struct writer *writer, struct strata_ctf_reader *reader,
			  const struct strata_lane_event *event, struct strata_error *error)
{
	const struct strata_ctf_plan_kind *kind = writer->kind;
	const struct strata_ctf_event_class *class = reader->kind->classes[event->class].event;
	const struct strata_ctf_type *const types[] = { reader->kind->class->event_context,
							class->context, class->payload };
	struct strata_buffer *flat = &writer->flat;
	struct strata_ctf_cursor cursor;
	unsigned int spare = 0;
	size_t i;

	strata_ctf_event_open(reader, event, &cursor);
	flat->used = 0;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		/* It fitted when it was read. */
		if (types[i] &&
		    !strata_ctf_flat_put(flat, types[i], &cursor, kind->big_endian, &spare))
			break;
	}
	if (flat->no_memory || i < sizeof(types) / sizeof(types[0]))
		return strata_fail(error, "%s: out of memory for an event", writer->path);
	if (make_room(writer, STRATA_CTF_HEADER_BYTES_MAX + flat->used + 1, event->ns, error))
		return -1;
	writer->at = strata_ctf_put_header(kind, writer->packet, (writer->at + 7) / 8, event->class,
					   event->ns, 8);
	if (flat->used)
		memcpy(writer->packet + writer->at / 8, flat->bytes, flat->used);
	writer->at += (uint64_t)flat->used * 8 - spare;
	writer->end_ns = event->ns;
	return 0;
}

static inline int put_event(struct writer *writer, struct strata_ctf_reader *reader,
			    const struct strata_lane_event *event, struct strata_error *error)
{
	const struct strata_ctf_plan_kind *kind = writer->kind;
	struct strata_ctf_cursor cursor;

	if (kind->is_flat)
		return put_flat_event(writer, reader, event, error);
	/* Its header is read again, for what is needed of it. */
	if (kind->nr_needed)
		strata_ctf_event_open(reader, event, &cursor);
	if (make_room(writer, strata_ctf_event_room(kind, event), event->ns, error))
		return -1;
	writer->at = strata_ctf_put_event(kind, event, reader->base, reader->slots, writer->packet,
					  writer->at);
	writer->end_ns = event->ns;
	return 0;
}

/* Keeps the largest bound of all times that have one. */
static void note_bound(struct writer *writer, const struct strata_ctf_reader *reader,
		       const struct strata_lane_event *events, size_t nr)
{
	uint64_t largest = 0, ns;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (events[i].bound > largest && events[i].bound != UINT64_MAX)
			largest = events[i].bound;
	}
	ns = strata_ctf_bound_ns(reader, largest);
	if (ns > writer->bound_ns)
		writer->bound_ns = ns;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct writer *writer = (struct writer *)sink;
	int status = 0;
	size_t i;

	(void)stream;
	if (!writer->has_begun || reader->packet.offset != writer->reading_at)
		status = enter_packet(writer, reader, error);
	if (status)
		return status;
	note_bound(writer, reader, events, nr);
	for (i = 0; i < nr; i++) {
		if (put_event(writer, reader, &events[i], error))
			return -1;
	}
	return 0;
}

/* Files -------------------------------------------------------------------------------------- */

static int open_files(struct writer *writer, const struct strata_dir *dir, const char *name,
		      struct strata_error *error)
{
	const struct strata_ctf_index_file_head head = {
		.magic = htobe32(STRATA_CTF_INDEX_FILE_MAGIC),
		.major = htobe32(STRATA_CTF_INDEX_FILE_MAJOR),
		.minor = htobe32(STRATA_CTF_INDEX_FILE_MINOR),
		.entry_bytes = htobe32(sizeof(struct strata_ctf_index_file_entry_1_1)),
	};
	char *to;

	snprintf(writer->path, sizeof(writer->path), "%s/%s", dir->path, name);
	if (snprintf(writer->index_name, sizeof(writer->index_name), "%s.idx", name) >=
	    (int)sizeof(writer->index_name))
		return strata_fail(error, "%s: the name is too long for its index", writer->path);
	if (strata_dir_sub(&writer->index_dir, dir, STRATA_CTF_INDEX_DIR, 0755, error))
		return -1;
	writer->index = strata_out_create(&writer->index_dir, writer->index_name, error);
	if (!writer->index)
		return -1;
	to = strata_out_room(writer->index, sizeof(head));
	memcpy(to, &head, sizeof(head));
	strata_out_advance(writer->index, to + sizeof(head));
	writer->fd = strata_dir_create(dir, name, 0644, error);
	return writer->fd < 0 ? -1 : 0;
}

/* What was lost behind the last event is said by a packet without any. */
static int finish(struct writer *writer, const struct strata_ctf_tally *tally,
		  struct strata_error *error)
{
	if (flush(writer, error))
		return -1;
	if (writer->kind && tally->discarded > writer->discarded) {
		if (grow(writer, head_bytes(writer) + sizeof(uint64_t), error))
			return -1;
		begin_packet(writer, writer->end_ns);
		writer->discarded = tally->discarded;
	}
	return flush(writer, error);
}

static int close_files(struct writer *writer, int status, struct strata_error *error)
{
	struct strata_error ignored;

	if (writer->fd >= 0 && close(writer->fd) && !status)
		status = strata_fail_write(writer->path, errno, error);
	if (writer->index && strata_out_close(writer->index, status ? &ignored : error))
		status = -1;
	/* An index of nothing would not fit. */
	if (!status && writer->file_bytes == 0 &&
	    strata_dir_remove(&writer->index_dir, writer->index_name))
		status = strata_fail(error, "%s/%s: %s", writer->index_dir.path, writer->index_name,
				     strerror(errno));
	strata_dir_close(&writer->index_dir);
	free(writer->packet);
	free(writer->head.bytes);
	strata_buffer_free(&writer->kept);
	strata_buffer_free(&writer->kept_new);
	strata_buffer_free(&writer->flat);
	return status;
}

int strata_ctf_stream_write(const struct strata_trace_set *set, size_t stream,
			    const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			    const struct strata_slice_options *options,
			    struct strata_ctf_written *written, struct strata_error *error)
{
	/* A set of this one alone: its merge finds the place to begin, and holds to the times. */
	const struct strata_trace_set alone = { .traces = set->traces,
						.nr_traces = set->nr_traces,
						.streams = &set->streams[stream],
						.nr_streams = 1,
						.has_index = set->has_index,
						.filter = set->filter,
						.progress = set->progress };
	struct writer writer = {
		.sink = { .take = take }, .plan = plan, .fd = -1, .index_dir = { .fd = -1 }
	};
	int status;

	memset(written, 0, sizeof(*written));
	status = open_files(&writer, dir, set->streams[stream].stream->name, error);
	if (!status)
		status = grow(&writer, PACKET_BYTES, error);
	if (!status)
		status = strata_trace_set_merge(&alone, options->from_ns, options->to_ns,
						&writer.sink, &written->tally, error);
	if (status >= 0)
		status = finish(&writer, &written->tally, error);
	written->bound_ns = writer.bound_ns;
	return close_files(&writer, status, error);
}
