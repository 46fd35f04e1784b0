// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_stream_file.c - see ctf_stream_file.h. */
#include "outputs/ctf/ctf_stream_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/packet.h>

#include "ctf/reader/ctf_index_file.h"
#include "ctf/types/ctf_event_types.h"

#define PACKET_BYTES 262144u
/* Size limit of a packet that reports a loss, so that it can hold all events of the original
 * packet. */
#define LOSS_PACKET_BYTES (4u << 20)

static const char *const number_names[STRATA_CTF_PACKET_NUMBERS] = {
	"timestamp_begin", "timestamp_end",  "content_size",
	"packet_size",     "packet_seq_num", "events_discarded",
};

size_t strata_ctf_packet_numbers(const struct strata_ctf_packet_form *form,
				 struct strata_ctf_field *fields, struct strata_ctf_type *types)
{
	size_t i, nr = 0;

	for (i = form->has_time ? 0 : 2; i < STRATA_CTF_PACKET_NUMBERS; i++) {
		types[nr] = strata_ctf_integer(64, 8);
		types[nr].big_endian = form->big_endian;
		if (i < 2)
			types[nr].clock = 0;
		fields[nr] = (struct strata_ctf_field){ number_names[i], &types[nr] };
		nr++;
	}
	return nr;
}

bool strata_ctf_is_packet_number(const char *name)
{
	size_t i;

	for (i = 0; i < STRATA_CTF_PACKET_NUMBERS; i++) {
		if (strcmp(name, number_names[i]) == 0)
			return true;
	}
	return false;
}

static void put(const struct strata_ctf_stream_file *file, uint8_t *to, uint64_t value,
		unsigned int bytes)
{
	strata_ctf_put_number(to, value, bytes, file->form.big_endian);
}

static size_t head_bytes(const struct strata_ctf_packet_form *form)
{
	return STRATA_CTF_PACKET_HEADER_BYTES + (form->has_time ? 6 : 4) * sizeof(uint64_t);
}

static int grow(struct strata_ctf_stream_file *file, size_t bytes, struct strata_error *error)
{
	uint8_t *larger;

	if (bytes <= file->room)
		return 0;
	larger = realloc(file->packet, bytes);
	if (!larger)
		return strata_fail(error, "%s: out of memory for a packet of %zu bytes", file->path,
				   bytes);
	file->packet = larger;
	file->room = bytes;
	return 0;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Begins a packet with a context of @context_bytes; there is room for its head. */
static void begin_packet(struct strata_ctf_stream_file *file,
			 const struct strata_ctf_packet_form *form,
			 const struct strata_buffer *context, uint64_t ns)
{
	const size_t bytes = head_bytes(form);

	file->form = *form;
	put(file, file->packet, STRATA_CTF_MAGIC, 4);
	memcpy(file->packet + 4, file->uuid, 16);
	put(file, file->packet + 20, form->stream_id, 4);
	if (context->used)
		memcpy(file->packet + bytes, context->bytes, context->used);
	file->context_bytes = context->used;
	file->at = (uint64_t)(bytes + context->used) * 8;
	file->begin_ns = ns;
	file->end_ns = ns;
	file->tells_loss = false;
}

/* Makes the open packet, which has no event yet, report a loss. @limit_ns: of the next event */
static void tell_loss(struct strata_ctf_stream_file *file, const struct strata_loss *loss,
		      uint64_t limit_ns)
{
	file->sequence += loss->missing_packets;
	file->discarded += loss->discarded;
	file->begin_ns = file->end_ns = clamp(loss->from_ns, file->last_ns, limit_ns);
	file->tells_loss = true;
	file->loss_to_ns = loss->to_ns;
}

static void add_to_index(struct strata_ctf_stream_file *file, uint64_t packet_bits)
{
	const struct strata_ctf_index_file_entry_1_1 entry = {
		.entry = { .offset = htobe64(file->bytes),
			   .packet_bits = htobe64(packet_bits),
			   .content_bits = htobe64(file->at),
			   .begin = htobe64(file->begin_ns),
			   .end = htobe64(file->end_ns),
			   .discarded = htobe64(file->discarded),
			   .stream_id = htobe64(file->form.stream_id) },
		.instance = htobe64(UINT64_MAX), /* streams are distinguished by their files */
		.sequence = htobe64(file->sequence),
	};
	char *to = strata_out_room(file->index, sizeof(entry));

	memcpy(to, &entry, sizeof(entry));
	strata_out_advance(file->index, to + sizeof(entry));
}

/* Writes the open packet, if there is one.  @limit_ns: the time of the next event.  0 or -1. */
static int flush(struct strata_ctf_stream_file *file, uint64_t limit_ns, struct strata_error *error)
{
	const size_t bytes = (size_t)((file->at + 63) / 64 * 8);
	const size_t used = (size_t)((file->at + 7) / 8);
	uint8_t *numbers = file->packet + STRATA_CTF_PACKET_HEADER_BYTES;
	int cause;

	file->full_at = 0;
	if (!file->at)
		return 0;
	if (file->tells_loss && file->loss_to_ns > file->end_ns)
		file->end_ns = clamp(file->loss_to_ns, file->end_ns, limit_ns);
	if (file->form.has_time) {
		put(file, numbers, file->begin_ns, 8);
		put(file, numbers + 8, file->end_ns, 8);
		numbers += 16;
	}
	put(file, numbers, file->at, 8);
	put(file, numbers + 8, (uint64_t)bytes * 8, 8);
	put(file, numbers + 16, file->sequence, 8);
	put(file, numbers + 24, file->discarded, 8);
	memset(file->packet + used, 0, bytes - used);
	cause = strata_write_all(file->fd, file->packet, bytes);
	if (cause)
		return strata_fail_write(file->path, cause, error);
	add_to_index(file, (uint64_t)bytes * 8);
	file->bytes += bytes;
	file->sequence++;
	file->last_ns = file->end_ns;
	file->at = 0;
	return 0;
}

/* Writes a packet without events. @is_before: it precedes the loss, and does not report it.
 * 0 or -1. */
static int write_empty(struct strata_ctf_stream_file *file, const struct strata_ctf_file_loss *loss,
		       bool is_before, uint64_t limit_ns, struct strata_error *error)
{
	const struct strata_buffer *context = is_before ? &file->first_context : &loss->context;

	if (grow(file, head_bytes(&loss->form) + context->used + sizeof(uint64_t), error))
		return -1;
	begin_packet(file, &loss->form, context,
		     clamp(loss->loss.from_ns, file->last_ns, limit_ns));
	if (!is_before)
		tell_loss(file, &loss->loss, limit_ns);
	return flush(file, limit_ns, error);
}

/* Writes a packet without events for each loss except the last @nr_left. Returns 0 or -1. */
static int write_losses(struct strata_ctf_stream_file *file, size_t nr_left, uint64_t limit_ns,
			struct strata_error *error)
{
	size_t i;

	/* babeltrace2 compares packets: it reports a loss only if a packet precedes it. */
	if (file->nr_losses && file->bytes == 0) {
		if (file->sequence)
			file->sequence--;
		if (write_empty(file, &file->losses[0], true, limit_ns, error))
			return -1;
	}
	for (i = 0; i + nr_left < file->nr_losses; i++) {
		if (write_empty(file, &file->losses[i], false, limit_ns, error))
			return -1;
	}
	return 0;
}

void strata_ctf_file_count_from(struct strata_ctf_stream_file *file, uint64_t sequence,
				uint64_t discarded)
{
	file->sequence = sequence;
	file->discarded = discarded;
}

void strata_ctf_file_enter(struct strata_ctf_stream_file *file,
			   const struct strata_ctf_packet_form *form)
{
	const struct strata_buffer *context = &file->next_context;

	file->next_form = *form;
	if (!file->at)
		return;
	/* A loss lies before the end of the packet that reports it, so that packet must end
	 * soon. */
	if (file->tells_loss || form->stream_id != file->form.stream_id ||
	    context->used != file->context_bytes ||
	    (context->used &&
	     memcmp(file->packet + head_bytes(&file->form), context->bytes, context->used) != 0))
		file->full_at = 0;
}

int strata_ctf_file_lose(struct strata_ctf_stream_file *file, const struct strata_loss *loss,
			 struct strata_error *error)
{
	const bool is_full = file->nr_losses == STRATA_CTF_LOSSES_MAX;
	const struct strata_buffer *context = &file->next_context;
	struct strata_ctf_file_loss *one = &file->losses[file->nr_losses - is_full];

	if (context->used && !file->bytes && !file->at && !file->nr_losses)
		strata_buffer_put(&file->first_context, context->bytes, context->used);
	if (is_full) {
		strata_loss_add(&one->loss, loss);
	} else {
		one->loss = *loss;
		file->nr_losses++;
	}
	one->form = file->next_form;
	one->context.used = 0;
	if (context->used)
		strata_buffer_put(&one->context, context->bytes, context->used);
	file->full_at = 0;
	return one->context.no_memory || file->first_context.no_memory
		       ? strata_fail(error, "%s: out of memory", file->path)
		       : 0;
}

int strata_ctf_file_make_room(struct strata_ctf_stream_file *file, size_t bytes, uint64_t ns,
			      struct strata_error *error)
{
	const size_t used = (size_t)(file->at / 8) + bytes;
	const size_t head = head_bytes(&file->next_form) + file->next_context.used;

	if (file->full_at && file->tells_loss && used <= LOSS_PACKET_BYTES) {
		file->full_at = used * 2 < LOSS_PACKET_BYTES ? used * 2 : LOSS_PACKET_BYTES;
		return grow(file, file->full_at, error);
	}
	if (flush(file, ns, error) || write_losses(file, 1, ns, error))
		return -1;
	file->full_at = head + bytes < PACKET_BYTES ? PACKET_BYTES : head + bytes;
	if (grow(file, file->full_at, error))
		return -1;
	begin_packet(file, &file->next_form, &file->next_context, ns);
	if (file->nr_losses)
		tell_loss(file, &file->losses[file->nr_losses - 1].loss, ns);
	file->nr_losses = 0;
	return 0;
}

int strata_ctf_file_open(struct strata_ctf_stream_file *file, const struct strata_dir *dir,
			 const char *name, const uint8_t uuid[16], struct strata_error *error)
{
	const struct strata_ctf_index_file_head head = {
		.magic = htobe32(STRATA_CTF_INDEX_FILE_MAGIC),
		.major = htobe32(STRATA_CTF_INDEX_FILE_MAJOR),
		.minor = htobe32(STRATA_CTF_INDEX_FILE_MINOR),
		.entry_bytes = htobe32(sizeof(struct strata_ctf_index_file_entry_1_1)),
	};
	char *to;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->index_dir.fd = -1;
	file->uuid = uuid;
	snprintf(file->path, sizeof(file->path), "%s/%s", dir->path, name);
	if (snprintf(file->index_name, sizeof(file->index_name), "%s.idx", name) >=
	    (int)sizeof(file->index_name))
		return strata_fail(error, "%s: the name is too long for its index", file->path);
	if (strata_dir_sub(&file->index_dir, dir, STRATA_CTF_INDEX_DIR, 0755, error))
		return -1;
	file->index = strata_out_create(&file->index_dir, file->index_name, error);
	if (!file->index)
		return -1;
	to = strata_out_room(file->index, sizeof(head));
	memcpy(to, &head, sizeof(head));
	strata_out_advance(file->index, to + sizeof(head));
	file->fd = strata_dir_create(dir, name, 0644, error);
	return file->fd < 0 ? -1 : 0;
}

int strata_ctf_file_finish(struct strata_ctf_stream_file *file, struct strata_error *error)
{
	return flush(file, UINT64_MAX, error) || write_losses(file, 0, UINT64_MAX, error) ? -1 : 0;
}

int strata_ctf_file_close(struct strata_ctf_stream_file *file, int status,
			  struct strata_error *error)
{
	struct strata_error ignored;
	size_t i;

	if (file->fd >= 0 && close(file->fd) && !status)
		status = strata_fail_write(file->path, errno, error);
	if (file->index && strata_out_close(file->index, status ? &ignored : error))
		status = -1;
	/* The index of an empty file would be invalid. */
	if (!status && file->bytes == 0 && strata_dir_remove(&file->index_dir, file->index_name))
		status = strata_fail(error, "%s/%s: %s", file->index_dir.path, file->index_name,
				     strerror(errno));
	strata_dir_close(&file->index_dir);
	free(file->packet);
	strata_buffer_free(&file->next_context);
	strata_buffer_free(&file->first_context);
	for (i = 0; i < STRATA_CTF_LOSSES_MAX; i++)
		strata_buffer_free(&file->losses[i].context);
	return status;
}
