// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_packet_head.c - see ctf_packet_head.h. */
#include "ctf/reader/ctf_packet_head.h"

#include <stdlib.h>

#include "ctf/trace/stream_file.h"

bool strata_ctf_packet_head_read(struct strata_ctf_packet_head *head,
				 struct strata_ctf_reader *reader, struct strata_ctf_cursor *cursor)
{
	const struct strata_ctf_type *header = reader->stream->trace->metadata.packet_header;
	const struct strata_ctf_type *context = reader->kind->class->packet_context;
	const size_t bytes = (size_t)((reader->packet.events_at + 7) / 8);
	ssize_t got;

	if (bytes > STRATA_CTF_PACKET_HEAD_BYTES_MAX)
		return false;
	if (!head->bytes || bytes > head->room) {
		uint8_t *grown = realloc(head->bytes, bytes + STRATA_CTF_PADDING);

		if (!grown)
			return false;
		head->bytes = grown;
		head->room = bytes;
	}
	got = strata_stream_file_read(reader->stream, head->bytes, bytes, reader->packet.offset);
	if (got < 0)
		return false;
	memset(head->bytes + got, 0, STRATA_CTF_PADDING);
	cursor->bytes = head->bytes;
	cursor->at = 0;
	cursor->end = (uint64_t)got * 8;
	cursor->slots = reader->slots;
	return (!header || strata_ctf_skip(cursor, header)) &&
	       (!context || strata_ctf_align(cursor, context->align));
}
