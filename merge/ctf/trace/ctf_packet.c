// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_packet.c - see ctf_packet.h. Called once per packet, so it uses the general code of
 * ctf_cursor.h. */
#include "ctf/trace/ctf_packet.h"

#include "base/partition.h"
#include "ctf/trace/ctf_header.h"

/* Values read before they are checked. */
struct raw_packet {
	bool has_magic, has_uuid, has_stream_id, has_packet_bits, has_content_bits;
	uint64_t magic, stream_id, packet_bits, content_bits;
	uint8_t uuid[16];
};

/* A number of the header or context: where to store it, and where to note that it is present. */
struct known_number {
	enum strata_ctf_role role;
	uint64_t *value;
	bool *is_there;
};

/* The fields to read, and where to store them. */
struct packet_fields {
	const struct known_number *known;
	size_t nr_known;
	struct raw_packet *raw;
	struct strata_ctf_packet *packet;
};

static void note_number(const struct packet_fields *fields, const struct strata_ctf_type *type,
			uint64_t value, unsigned int bits)
{
	size_t i;

	for (i = 0; i < fields->nr_known; i++) {
		const struct known_number *known = &fields->known[i];

		if (!(type->roles & known->role))
			continue;
		/* A second time may have fewer bits of the clock: it continues from the first. */
		if (known->role == STRATA_CTF_ROLE_TIME)
			*known->value = strata_ctf_widen(*known->value,
							 value & UINT64_MAX >> (64 - bits), bits);
		else
			*known->value = value;
		*known->is_there = true;
	}
}

bool strata_ctf_packet_is_lost(const struct strata_ctf_field *field)
{
	const struct strata_ctf_type *type = field->type;

	return strcmp(field->name, "lost") == 0 && type->kind == STRATA_CTF_ARRAY &&
	       type->length == STRATA_NR_LOST && type->element->kind == STRATA_CTF_INTEGER &&
	       type->element->bits == 64;
}

static bool read_lost(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		      struct strata_ctf_packet *packet)
{
	uint64_t length, i;

	if (!strata_ctf_read_length(cursor, type, &length))
		return false;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		if (!strata_ctf_read_number(cursor, type->element, &packet->lost[i]))
			return false;
	}
	packet->has_lost = true;
	return true;
}

static bool read_field(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		       const struct packet_fields *fields);

static bool read_elements(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			  const struct packet_fields *fields)
{
	uint64_t i, length;

	if (!strata_ctf_read_length(cursor, type, &length))
		return false;
	for (i = 0; i < length; i++) {
		const uint64_t from = cursor->at;

		if (!read_field(cursor, type->element, fields))
			return false;
		if (cursor->at == from)
			break;
	}
	return true;
}

/* Reads a field, and stores the values that have a role. */
static bool read_field(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		       const struct packet_fields *fields)
{
	const struct strata_ctf_field *chosen;
	unsigned int bits;
	uint64_t value;
	size_t i;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_VARINT:
		if (!strata_ctf_read_integer(cursor, type, &value, &bits))
			return false;
		note_number(fields, type, value, bits);
		return true;
	case STRATA_CTF_STRUCT:
		if (!strata_ctf_align(cursor, type->align))
			return false;
		for (i = 0; i < type->nr_fields; i++) {
			if (!read_field(cursor, type->fields[i].type, fields))
				return false;
		}
		return true;
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		chosen = strata_ctf_chosen(cursor, type);
		return chosen ? read_field(cursor, chosen->type, fields)
			      : type->kind == STRATA_CTF_OPTIONAL;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		if (!(type->roles & STRATA_CTF_ROLE_UUID) &&
		    (type->element->kind > STRATA_CTF_FLOAT || type->element->roles))
			return read_elements(cursor, type, fields);
		break;
	default:
		break;
	}
	if (!strata_ctf_skip(cursor, type))
		return false;
	if (type->roles & STRATA_CTF_ROLE_UUID) {
		memcpy(fields->raw->uuid, cursor->bytes + cursor->at / 8 - 16, 16);
		fields->raw->has_uuid = true;
	}
	return true;
}

/* Reads the fields of a header or context, and stores the known ones. */
static bool read_fields(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			const struct packet_fields *fields)
{
	unsigned int bits;
	uint64_t value;
	size_t i;

	if (!strata_ctf_align(cursor, type->align))
		return false;
	for (i = 0; i < type->nr_fields; i++) {
		const struct strata_ctf_field *field = &type->fields[i];

		if (fields->packet && strata_ctf_packet_is_lost(field)) {
			if (!read_lost(cursor, field->type, fields->packet))
				return false;
		} else if (fields->packet && strcmp(field->name, "cpu_id") == 0 &&
			   strata_ctf_is_integer(field->type)) {
			if (!strata_ctf_read_integer(cursor, field->type, &value, &bits))
				return false;
			fields->packet->cpu = value;
			fields->packet->has_cpu = true;
		} else if (!read_field(cursor, field->type, fields)) {
			return false;
		}
	}
	return true;
}

static int check_identity(const struct strata_ctf_metadata *metadata, const struct raw_packet *raw,
			  struct strata_error *error)
{
	if (raw->has_magic && raw->magic != STRATA_CTF_MAGIC)
		return strata_fail(error, "no packet begins here (magic 0x%llx)",
				   (unsigned long long)raw->magic);
	if (raw->has_uuid && metadata->has_uuid && memcmp(raw->uuid, metadata->uuid, 16) != 0)
		return strata_fail(error, "the packet is another trace's (its UUID differs)");
	return 0;
}

static int find_class(const struct strata_ctf_metadata *metadata, const struct raw_packet *raw,
		      struct strata_ctf_packet *packet, struct strata_error *error)
{
	size_t low;

	if (metadata->nr_streams == 0)
		return strata_fail(error, "the metadata describes no stream");
	/* In CTF 2 the id is then 0. */
	if (!raw->has_stream_id && metadata->major == 1) {
		packet->class = &metadata->streams[0];
		if (metadata->nr_streams > 1)
			return strata_fail(error,
					   "it does not say which of %zu kinds of stream "
					   "it belongs to",
					   metadata->nr_streams);
		return 0;
	}
	low = STRATA_PARTITION(i, 0, metadata->nr_streams,
			       metadata->streams[i].id < raw->stream_id);
	if (low == metadata->nr_streams || metadata->streams[low].id != raw->stream_id)
		return strata_fail(error, "stream id %llu is not in the metadata",
				   (unsigned long long)raw->stream_id);
	packet->class = &metadata->streams[low];
	return 0;
}

static int set_sizes(const struct strata_ctf_metadata *metadata, const struct raw_packet *raw,
		     uint64_t file_left, struct strata_ctf_packet *packet,
		     struct strata_error *error)
{
	const uint64_t file_bits = (file_left < UINT64_MAX / 8 ? file_left : UINT64_MAX / 8) * 8;

	packet->takes_all = !raw->has_packet_bits;
	packet->packet_bits = raw->has_packet_bits ? raw->packet_bits : file_bits;
	if (metadata->major > 1 && !raw->has_packet_bits && raw->has_content_bits) {
		packet->takes_all = false;
		packet->packet_bits = raw->content_bits;
	}
	packet->content_bits = raw->has_content_bits ? raw->content_bits : packet->packet_bits;
	if (packet->packet_bits % 8)
		return strata_fail(error, "its size of %llu bits is not whole bytes",
				   (unsigned long long)packet->packet_bits);
	if (packet->content_bits > packet->packet_bits)
		return strata_fail(error, "its content of %llu bits is more than its %llu",
				   (unsigned long long)packet->content_bits,
				   (unsigned long long)packet->packet_bits);
	if (packet->content_bits < packet->events_at)
		return strata_fail(error, "its content of %llu bits is less than its header's %llu",
				   (unsigned long long)packet->content_bits,
				   (unsigned long long)packet->events_at);
	if (packet->packet_bits > file_bits) {
		packet->cut = true;
		packet->packet_bits = file_bits;
		if (packet->content_bits > file_bits) {
			packet->missing_bytes = (packet->content_bits - file_bits - 1) / 8 + 1;
			packet->content_bits = file_bits;
		}
	}
	return 0;
}

enum strata_ctf_packet_status strata_ctf_packet_read(const struct strata_ctf_metadata *metadata,
						     const uint8_t *bytes, size_t available,
						     uint64_t file_left,
						     struct strata_ctf_packet *packet,
						     uint64_t *slots, struct strata_error *error)
{
	struct raw_packet raw = { 0 };
	const struct known_number in_header[] = {
		{ STRATA_CTF_ROLE_MAGIC, &raw.magic, &raw.has_magic },
		{ STRATA_CTF_ROLE_STREAM_CLASS, &raw.stream_id, &raw.has_stream_id },
		{ STRATA_CTF_ROLE_STREAM, &packet->instance, &packet->has_instance },
	};
	const struct known_number in_context[] = {
		{ STRATA_CTF_ROLE_PACKET_SIZE, &raw.packet_bits, &raw.has_packet_bits },
		{ STRATA_CTF_ROLE_CONTENT_SIZE, &raw.content_bits, &raw.has_content_bits },
		{ STRATA_CTF_ROLE_TIME, &packet->begin, &packet->has_begin },
		{ STRATA_CTF_ROLE_END_TIME, &packet->end, &packet->has_end },
		{ STRATA_CTF_ROLE_DISCARDED, &packet->discarded, &packet->has_discarded },
		{ STRATA_CTF_ROLE_SEQUENCE, &packet->sequence, &packet->has_sequence },
	};
	const struct packet_fields header = { in_header, sizeof(in_header) / sizeof(in_header[0]),
					      &raw, NULL };
	const struct packet_fields context = { in_context,
					       sizeof(in_context) / sizeof(in_context[0]), &raw,
					       packet };
	const enum strata_ctf_packet_status too_short =
		available < file_left ? STRATA_CTF_PACKET_MORE : STRATA_CTF_PACKET_BAD;
	struct strata_ctf_cursor cursor = { bytes, 0, (uint64_t)available * 8, slots };
	const uint64_t offset = packet->offset;

	memset(packet, 0, sizeof(*packet));
	packet->offset = offset;
	strata_fail(error, "the file ends within the packet's header");
	if (metadata->packet_header && !read_fields(&cursor, metadata->packet_header, &header)) {
		/* Distinguishes bytes that are not a header from a truncated header. */
		return raw.has_magic && raw.magic != STRATA_CTF_MAGIC ? STRATA_CTF_PACKET_BAD
								      : too_short;
	}
	if (check_identity(metadata, &raw, error) || find_class(metadata, &raw, packet, error))
		return STRATA_CTF_PACKET_BAD;
	if (packet->class->packet_context &&
	    !read_fields(&cursor, packet->class->packet_context, &context))
		return too_short;
	packet->events_at = cursor.at;
	return set_sizes(metadata, &raw, file_left, packet, error) ? STRATA_CTF_PACKET_BAD
								   : STRATA_CTF_PACKET_OK;
}

/* Whether packets begin with a magic number, directly followed by the UUID. */
static bool begins_with_magic(const struct strata_ctf_metadata *metadata, bool *uuid_follows)
{
	const struct strata_ctf_type *type = metadata->packet_header;

	if (!type || type->nr_fields == 0 ||
	    !(type->fields[0].type->roles & STRATA_CTF_ROLE_MAGIC) ||
	    type->fields[0].type->kind > STRATA_CTF_ENUM || type->fields[0].type->bits != 32 ||
	    type->fields[0].type->is_reversed)
		return false;
	*uuid_follows = metadata->has_uuid && type->nr_fields > 1 &&
			type->fields[1].type->roles & STRATA_CTF_ROLE_UUID;
	return true;
}

bool strata_ctf_packet_has_magic(const struct strata_ctf_metadata *metadata)
{
	bool uuid_follows;

	return begins_with_magic(metadata, &uuid_follows);
}

size_t strata_ctf_packet_find(const struct strata_ctf_metadata *metadata, const uint8_t *bytes,
			      size_t size, size_t from)
{
	static const uint8_t little[4] = { 0xc1, 0x1f, 0xfc, 0xc1 };
	static const uint8_t big[4] = { 0xc1, 0xfc, 0x1f, 0xc1 };
	bool uuid_follows;
	const uint8_t *at;

	if (!begins_with_magic(metadata, &uuid_follows))
		return size;
	while (from < size) {
		at = memmem(bytes + from, size - from,
			    metadata->packet_header->fields[0].type->big_endian ? big : little, 4);
		if (!at)
			return size;
		from = (size_t)(at - bytes);
		if (!uuid_follows || (size - from >= 20 && memcmp(at + 4, metadata->uuid, 16) == 0))
			return from;
		from++;
	}
	return size;
}
