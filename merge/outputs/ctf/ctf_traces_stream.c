// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_traces_stream.c - see ctf_traces_stream.h. The bytes are copied, except the heads of packets
 * and the headers of events; see ctf_plan.h for the layout.
 */
#include "outputs/ctf/ctf_traces_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/reader/ctf_packet_head.h"
#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_put_event.h"
#include "outputs/ctf/ctf_stream_file.h"
#include "outputs/shown.h"

struct strata_ctf_stream_writer {
	struct strata_slice_sink sink;
	const struct strata_ctf_plan *plan;
	const struct strata_ctf_plan_kind *kind; /* of the current packet */
	struct strata_ctf_stream_file file;
	struct strata_buffer flat; /* a re-encoded event body */

	uint64_t bound; /* of the last event, in the reader's unit */
	struct strata_ctf_known known;
	uint64_t largest_bound_ns;
	/* Of the vCPU; empty: its events have their own CPU, or it is unknown. */
	struct strata_shown_path path;

	/* The packet being read. */
	bool has_begun;
	/* If kind->lost: position in its context of the discarded events by reason. */
	size_t lost_at;
	uint64_t reading_at;
	struct strata_ctf_packet_head head;
};

/* Contexts ----------------------------------------------------------------------------------- */

/* Puts a number, @nr times. */
static void put_numbers(struct strata_buffer *buffer, const struct strata_ctf_type *is,
			uint64_t value, uint64_t nr)
{
	uint8_t bytes[8];

	strata_ctf_put_number(bytes, value, is->bits / 8, is->big_endian);
	for (; nr; nr--)
		strata_buffer_put(buffer, (const char *)bytes, is->bits / 8);
}

static bool keep_number(struct strata_buffer *buffer, struct strata_ctf_cursor *cursor,
			const struct strata_ctf_type *was, const struct strata_ctf_type *is)
{
	uint64_t value;

	if (!(was->kind == STRATA_CTF_VARINT ? strata_ctf_read_varint(cursor, was, &value)
					     : strata_ctf_read_number(cursor, was, &value)))
		return false;
	put_numbers(buffer, is, value, 1);
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

/* Reads the kept fields of the context of the reader's packet. False: it cannot be read again. */
static bool read_kept(struct strata_ctf_stream_writer *writer,
		      const struct strata_ctf_plan_kind *kind, struct strata_ctf_reader *reader)
{
	const size_t nr = kind->kind->class->packet_context->nr_fields;
	struct strata_buffer *context = &writer->file.next_context;
	struct strata_ctf_cursor cursor;
	bool fits = strata_ctf_packet_head_read(&writer->head, reader, &cursor);
	size_t i;

	for (i = 0; i < nr && fits; i++) {
		if (&kind->kept[i] == kind->lost)
			writer->lost_at = context->used;
		fits = keep_field(context, &cursor, &kind->kept[i]);
	}
	return fits;
}

/* Makes these for a stream without packets, all of whose events were discarded: its CPU, and
 * zeros. */
static void make_kept(struct strata_ctf_stream_writer *writer,
		      const struct strata_ctf_plan_kind *kind,
		      const struct strata_ctf_packet *packet)
{
	const struct strata_ctf_type *was = kind->kind->class->packet_context;
	struct strata_buffer *context = &writer->file.next_context;
	size_t i;

	for (i = 0; i < was->nr_fields; i++) {
		const struct strata_ctf_type *is = kind->kept[i].is;
		const bool is_cpu = strcmp(was->fields[i].name, "cpu_id") == 0;

		if (&kind->kept[i] == kind->lost)
			writer->lost_at = context->used;
		if (is && is->kind == STRATA_CTF_STRING)
			strata_buffer_put(context, "", 1);
		else if (is && is->kind == STRATA_CTF_ARRAY)
			put_numbers(context, is->element, 0, is->length);
		else if (is)
			put_numbers(context, is, is_cpu ? packet->cpu : 0, 1);
	}
}

/* Gets the kept fields of the context of the reader's packet. Returns 0; -1; 1: the stream ends
 * here, which is reported. */
static int read_context(struct strata_ctf_stream_writer *writer,
			const struct strata_ctf_plan_kind *kind, struct strata_ctf_reader *reader,
			struct strata_error *error)
{
	struct strata_buffer *context = &writer->file.next_context;
	bool fits = true;

	context->used = 0;
	if (!kind->keeps_any)
		return 0;
	if (reader->packet.events_at)
		fits = read_kept(writer, kind, reader);
	else
		make_kept(writer, kind, &reader->packet);
	if (context->no_memory)
		return strata_fail(error, "%s: out of memory", writer->file.path);
	if (fits)
		return 0;
	strata_ctf_complain(
		reader->stream,
		"byte %llu: the packet's header cannot be read again: it is longer than %u bytes, or the file has changed; the rest is left out",
		(unsigned long long)reader->packet.offset, STRATA_CTF_PACKET_HEAD_BYTES_MAX);
	return 1;
}

/* Resets the context of the empty packet before a first loss to the counts before that loss. */
static void set_back_lost(struct strata_ctf_stream_writer *writer,
			  const struct strata_ctf_packet *packet, const struct strata_loss *loss)
{
	uint8_t *lost = (uint8_t *)writer->file.first_context.bytes + writer->lost_at;
	size_t i;

	for (i = 0; i < STRATA_NR_LOST; i++)
		strata_ctf_put_number(lost + i * 8, packet->lost[i] - loss->kinds[i], 8,
				      writer->kind->lost->is->element->big_endian);
}

/* Numbers and counts start from those of the first packet, so that its context stays true. */
static void count_from(struct strata_ctf_stream_writer *writer,
		       const struct strata_ctf_reader *reader)
{
	const struct strata_ctf_tally *tally = &reader->tally;
	const struct strata_ctf_packet *packet = &reader->packet;

	if (packet->has_sequence && packet->sequence > tally->missing_packets)
		strata_ctf_file_count_from(&writer->file, packet->sequence - tally->missing_packets,
					   reader->last_discarded - tally->discarded);
}

/* Continues in the open packet if the reader's packet has the same start. Returns as
 * read_context(). */
static int enter_packet(struct strata_ctf_stream_writer *writer, struct strata_ctf_reader *reader,
			struct strata_error *error)
{
	const struct strata_ctf_plan_kind *kind =
		&writer->plan->kinds[reader->kind - writer->plan->trace->kinds];
	int status;

	if (writer->has_begun && reader->packet.offset == writer->reading_at)
		return 0;
	status = read_context(writer, kind, reader, error);
	if (status)
		return status;
	if (!writer->has_begun)
		count_from(writer, reader);
	writer->has_begun = true;
	writer->reading_at = reader->packet.offset;
	writer->kind = kind;
	strata_ctf_file_enter(&writer->file, &kind->form);
	return 0;
}

/* Events ------------------------------------------------------------------------------------- */

/* Appends a re-encoded event. */
static int put_flat_event(struct strata_ctf_stream_writer *writer, struct strata_ctf_reader *reader,
			  const struct strata_lane_event *event, struct strata_error *error)
{
	const struct strata_ctf_plan_kind *kind = writer->kind;
	const struct strata_ctf_event_class *class = reader->kind->classes[event->class].event;
	const struct strata_ctf_type *const types[] = { reader->kind->class->event_context,
							class->context, class->payload };
	struct strata_ctf_stream_file *file = &writer->file;
	struct strata_buffer *flat = &writer->flat;
	struct strata_ctf_cursor cursor;
	unsigned int spare = 0;
	uint64_t at;
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
		return strata_fail(error, "%s: out of memory for an event", file->path);
	if (strata_ctf_file_room(file, STRATA_CTF_HEADER_BYTES_MAX + flat->used + 1, event->ns,
				 error))
		return -1;
	at = strata_ctf_put_known(kind, file->packet, (file->at + 7) / 8, event, &writer->known);
	file->at = strata_ctf_put_header(kind, file->packet, at, event->class, event->ns, 8);
	if (flat->used)
		memcpy(file->packet + file->at / 8, flat->bytes, flat->used);
	file->at += (uint64_t)flat->used * 8 - spare;
	return 0;
}

static inline int put_event(struct strata_ctf_stream_writer *writer,
			    struct strata_ctf_reader *reader, const struct strata_lane_event *event,
			    struct strata_error *error)
{
	const struct strata_ctf_plan_kind *kind = writer->kind;
	struct strata_ctf_stream_file *file = &writer->file;
	struct strata_ctf_cursor cursor;

	if (kind->is_flat)
		return put_flat_event(writer, reader, event, error);
	/* Reads its header again, for the slots that are needed. */
	if (kind->nr_needed)
		strata_ctf_event_open(reader, event, &cursor);
	if (strata_ctf_file_room(file, strata_ctf_event_room(kind, event), event->ns, error))
		return -1;
	file->at = strata_ctf_put_event(kind, event, &writer->known, reader->base, reader->slots,
					file->packet, file->at);
	return 0;
}

/* Sets the bound of the event being written, including all its parts. */
static void set_bound(struct strata_ctf_stream_writer *writer,
		      const struct strata_ctf_reader *reader, uint64_t bound)
{
	const struct strata_ctf_trace *trace = writer->plan->trace;

	writer->bound = bound;
	writer->known.bound_ns =
		strata_ctf_add_clamped(strata_ctf_bound_ns(reader, bound),
				       trace->times_are_tied ? trace->own_bound_ns : UINT64_MAX);
	if (writer->known.bound_ns > writer->largest_bound_ns &&
	    writer->known.bound_ns != UINT64_MAX)
		writer->largest_bound_ns = writer->known.bound_ns;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_ctf_stream_writer *writer = (struct strata_ctf_stream_writer *)sink;
	const bool has_path = strata_shown_path_is_known(&writer->path);
	const int status = enter_packet(writer, reader, error);
	size_t i;

	(void)stream;
	if (status)
		return status;
	set_bound(writer, reader, events[0].bound);
	for (i = 0; i < nr; i++) {
		if (__builtin_expect(events[i].bound != writer->bound, 0))
			set_bound(writer, reader, events[i].bound);
		if (has_path)
			writer->known.pcpu = strata_shown_path_find(&writer->path, &events[i]);
		else if (reader->kind->header.has_bound)
			writer->known.pcpu = strata_ctf_event_pcpu(reader, &events[i]);
		if (put_event(writer, reader, &events[i], error))
			return -1;
	}
	return 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_ctf_stream_writer *writer = (struct strata_ctf_stream_writer *)sink;
	const bool is_first = !writer->has_begun;
	int status;

	(void)stream;
	/* Damage has been reported already. */
	if (!strata_loss_is_counted(loss))
		return 0;
	status = enter_packet(writer, reader, error);
	if (!status)
		status = strata_ctf_file_lose(&writer->file, loss, error);
	if (!status && is_first && writer->kind->lost)
		set_back_lost(writer, &reader->packet, loss);
	return status;
}

struct strata_ctf_stream_writer *strata_ctf_stream_open(const struct strata_set_stream *stream,
							const struct strata_ctf_plan *plan,
							const struct strata_dir *dir,
							struct strata_error *error)
{
	struct strata_ctf_stream_writer *writer = calloc(1, sizeof(*writer));

	if (!writer) {
		strata_fail(error, "%s: out of memory", dir->path);
		return NULL;
	}
	writer->sink.take = take;
	writer->sink.lose = lose;
	writer->plan = plan;
	writer->known.pcpu = STRATA_CTF_PCPU_UNKNOWN;
	strata_shown_path_init(&writer->path, stream->stream);
	if (!strata_ctf_file_open(&writer->file, dir, stream->stream->name, plan->uuid, error))
		return writer;
	strata_ctf_file_close(&writer->file, -1, error);
	free(writer);
	return NULL;
}

struct strata_slice_sink *strata_ctf_stream_sink(struct strata_ctf_stream_writer *writer)
{
	return &writer->sink;
}

int strata_ctf_stream_close(struct strata_ctf_stream_writer *writer, int status, uint64_t *bound_ns,
			    struct strata_error *error)
{
	if (status >= 0)
		status = strata_ctf_file_finish(&writer->file, error);
	*bound_ns = writer->largest_bound_ns;
	free(writer->head.bytes);
	strata_buffer_free(&writer->flat);
	status = strata_ctf_file_close(&writer->file, status, error);
	free(writer);
	return status;
}

int strata_ctf_stream_write(const struct strata_trace_set *set, size_t stream,
			    const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			    const struct strata_slice_options *options,
			    struct strata_ctf_written *written, struct strata_error *error)
{
	/* A set of only this stream: its merge finds where to begin, and applies the range of
	 * times. */
	const struct strata_trace_set alone = { .traces = set->traces,
						.nr_traces = set->nr_traces,
						.streams = &set->streams[stream],
						.nr_streams = 1,
						.has_index = set->has_index,
						.filter = set->filter,
						.progress = set->progress };
	struct strata_ctf_stream_writer *writer;
	int status;

	memset(written, 0, sizeof(*written));
	writer = strata_ctf_stream_open(&set->streams[stream], plan, dir, error);
	if (!writer)
		return -1;
	status = strata_trace_set_merge(&alone, options->from_ns, options->to_ns, &writer->sink,
					&written->tally, error);
	return strata_ctf_stream_close(writer, status, &written->bound_ns, error);
}
