// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packet_reader.c - see packet_reader.h.
 *
 * Packets are read with pread() into a buffer: a file that shrinks while it is
 * read gives a short read, where a mapping would give SIGBUS.
 */
#include "consumerd/packets/packet_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/sparse.h"
#include "files/read_at.h"

#define PACKET_BYTES_MAX (1u << STRATA_SUBBUF_BITS_MAX)

/* Reading of a stream stops after this many bad packets: in a hostile one each could cost a read of
 * the largest packet. */
#define BAD_PACKETS_MAX 1000u

/* Bytes searched at a time for the next header. */
#define SEARCH_BYTES 65536u

static void complain(struct strata_packet_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct strata_packet_reader *reader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strata_complain(reader->complain, reader->complain_data, reader->path, format, args);
	va_end(args);
}

/* Follows no link: a hostile recording could point to the reader's own files.  A descriptor, or -1
 * with errno. */
static int open_stream(const char *raw, const char *source, uint32_t cpu)
{
	int dir = open(raw, O_PATH | O_DIRECTORY | O_CLOEXEC), folder = -1, fd = -1, reason;
	char name[32];

	snprintf(name, sizeof(name), "cpu_%u", cpu);
	if (dir >= 0)
		folder = openat(dir, source, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* Nonblocking, in case it is a pipe. */
	if (folder >= 0)
		fd = openat(folder, name,
			    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	reason = errno;
	if (dir >= 0)
		close(dir);
	if (folder >= 0)
		close(folder);
	errno = reason;
	return fd;
}

int strata_packet_reader_open(struct strata_packet_reader *reader, const char *raw,
			      struct strata_source *source, const struct strata_stream *stream,
			      strata_complain_fn *complain_fn, void *complain_data,
			      struct strata_error *error)
{
	struct stat status;

	memset(reader, 0, sizeof(*reader));
	reader->source = source;
	reader->cpu = stream->cpu;
	reader->complain = complain_fn;
	reader->complain_data = complain_data;
	reader->fd = -1;
	if (snprintf(reader->path, sizeof(reader->path), "%s/%s/cpu_%u", raw, source->name,
		     stream->cpu) >= (int)sizeof(reader->path))
		return strata_fail(error, "%.100s...: the path is too long", raw);

	reader->fd = open_stream(raw, source->name, stream->cpu);
	if (reader->fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		return strata_fail(error, "%s: %s; raise the limit with `ulimit -n`", reader->path,
				   strerror(errno));
	if (reader->fd < 0 && (errno != ENOENT || stream->packets > 0)) {
		complain(reader, "%s, but the recording says %llu packets",
			 errno == ELOOP || errno == ENOTDIR ? "symbolic links are not followed"
							    : strerror(errno),
			 (unsigned long long)stream->packets);
		reader->bad_packets++;
	}
	if (reader->fd < 0)
		return 0;
	if (fstat(reader->fd, &status) || !S_ISREG(status.st_mode)) {
		complain(reader, "not a regular file; it is left out");
		reader->bad_packets++;
		close(reader->fd);
		reader->fd = -1;
		return 0;
	}
	reader->size = (uint64_t)status.st_size;
	reader->said = stream->packets;
	return 0;
}

void strata_packet_reader_close(struct strata_packet_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->bytes);
	reader->fd = -1;
	reader->bytes = NULL;
}

/* Whether @header could be a packet header of this stream. */
static bool looks_like_header(const struct strata_packet_reader *reader, const uint8_t *header)
{
	uint32_t magic, stream_id;

	memcpy(&magic, header, sizeof(magic));
	memcpy(&stream_id, header + offsetof(struct strata_packet_header, stream_id),
	       sizeof(stream_id));
	return magic == STRATA_CTF_MAGIC && stream_id == reader->source->form &&
	       memcmp(header + offsetof(struct strata_packet_header, uuid), reader->source->uuid,
		      16) == 0;
}

/* Offset of the next header from @offset on; the file's size: none. */
static uint64_t search_header(struct strata_packet_reader *reader, uint64_t offset)
{
	const size_t header_bytes = STRATA_PACKET_HEADER_BYTES;
	uint8_t window[SEARCH_BYTES];

	for (;;) {
		size_t got, i;

		/* Packets begin on multiples of 4. */
		offset = strata_next_data(reader->fd, offset, reader->size) & ~(uint64_t)3;
		if (offset + header_bytes > reader->size)
			break;
		got = strata_read_at(reader->fd, window, sizeof(window), offset);
		if (got < header_bytes)
			break;
		for (i = 0; i + header_bytes <= got; i += 4) {
			if (looks_like_header(reader, window + i))
				return offset + i;
		}
		offset += i;
	}
	return reader->size;
}

/*
 * Where to continue after a bad packet at reader->offset: behind it if its size leads to another
 * header or to the file's end, else at the next header.
 */
static uint64_t after_bad_packet(struct strata_packet_reader *reader, uint64_t packet_bytes)
{
	uint8_t header[sizeof(struct strata_packet_header)];
	uint64_t next = reader->offset + packet_bytes;

	if (packet_bytes >= sizeof(header) && packet_bytes <= PACKET_BYTES_MAX &&
	    packet_bytes % 4 == 0) {
		if (next == reader->size)
			return next;
		if (strata_read_at(reader->fd, header, sizeof(header), next) == sizeof(header) &&
		    looks_like_header(reader, header))
			return next;
	}
	return search_header(reader, reader->offset + 4);
}

static bool make_room(struct strata_packet_reader *reader, size_t bytes)
{
	uint8_t *grown;

	if (bytes <= reader->capacity)
		return true;
	grown = realloc(reader->bytes, bytes);
	if (!grown)
		return false;
	reader->bytes = grown;
	reader->capacity = bytes;
	return true;
}

/*
 * Reads and checks the packet at reader->offset.
 * @packet_bytes: OUT, from its header; 0: unreadable
 */
static int read_packet(struct strata_packet_reader *reader, struct strata_packet *packet,
		       uint64_t *packet_bytes, struct strata_error *error)
{
	struct strata_packet_header header;
	uint64_t left = reader->size - reader->offset;

	*packet_bytes = 0;
	if (strata_read_at(reader->fd, &header, sizeof(header), reader->offset) != sizeof(header))
		return strata_fail(error, "torn: %llu bytes are left, too few for a header",
				   (unsigned long long)left);
	if (header.magic != STRATA_CTF_MAGIC)
		return strata_fail(error, "no packet begins here (magic 0x%08x)", header.magic);
	*packet_bytes = header.packet_size / 8;
	if (*packet_bytes > PACKET_BYTES_MAX || *packet_bytes < sizeof(header))
		return strata_fail(error, "bad packet size %llu (must be %zu to %u)",
				   (unsigned long long)*packet_bytes, sizeof(header),
				   PACKET_BYTES_MAX);
	if (*packet_bytes > left)
		return strata_fail(error, "torn: %llu of its %llu bytes are there",
				   (unsigned long long)left, (unsigned long long)*packet_bytes);
	if (!make_room(reader, *packet_bytes))
		return strata_fail(error, "out of memory");
	if (strata_read_at(reader->fd, reader->bytes, *packet_bytes, reader->offset) !=
	    *packet_bytes)
		return strata_fail(error, "it cannot be read");
	if (strata_packet_check(reader->source, reader->bytes, *packet_bytes, packet,
				&reader->nr_events, error))
		return -1;
	if (packet->cpu != reader->cpu)
		return strata_fail(error, "it is of CPU %u", packet->cpu);
	if (reader->packets > 0 && packet->sequence <= reader->packet.sequence)
		return strata_fail(error, "its sequence number %llu comes after %llu",
				   (unsigned long long)packet->sequence,
				   (unsigned long long)reader->packet.sequence);
	return 0;
}

/* Makes @packet the current one. */
static void accept_packet(struct strata_packet_reader *reader, const struct strata_packet *packet)
{
	if (reader->packets)
		reader->missing_packets += packet->sequence - reader->packet.sequence - 1;
	reader->packet = *packet;
	reader->packets++;
}

/* Names a file that was cut between two packets: it looks complete, but recording.json counts more
 * packets. */
static void name_cut_end(struct strata_packet_reader *reader)
{
	if (reader->bad_packets == 0 && reader->packets < reader->said) {
		complain(reader, "it ends after %llu packets, but the recording says %llu",
			 (unsigned long long)reader->packets, (unsigned long long)reader->said);
		reader->bad_packets++;
	}
	reader->said = 0;
}

static void count_bad(struct strata_packet_reader *reader)
{
	if (++reader->bad_packets < BAD_PACKETS_MAX)
		return;
	complain(reader, "offset %llu: %u bad packets; the rest of the stream is left out",
		 (unsigned long long)reader->offset, BAD_PACKETS_MAX);
	reader->offset = reader->size;
}

bool strata_packet_reader_next(struct strata_packet_reader *reader)
{
	while (reader->fd >= 0 && reader->offset < reader->size) {
		struct strata_packet packet;
		struct strata_error error;
		uint64_t packet_bytes, next;

		if (read_packet(reader, &packet, &packet_bytes, &error) == 0) {
			accept_packet(reader, &packet);
			reader->offset += packet.packet_bytes;
			return true;
		}
		next = after_bad_packet(reader, packet_bytes);
		complain(reader, "offset %llu: bad packet: %s; %llu bytes are left out",
			 (unsigned long long)reader->offset, error.text,
			 (unsigned long long)(next - reader->offset));
		reader->offset = next;
		count_bad(reader);
	}
	name_cut_end(reader);
	return false;
}
