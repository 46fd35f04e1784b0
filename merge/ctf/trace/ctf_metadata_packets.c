// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_metadata_packets.c - see ctf_metadata_packets.h.  The packets are in the byte
 * order of the machine that wrote them, which the magic number tells.
 */
#include "ctf/trace/ctf_metadata_packets.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x75d11d57u

/* magic, UUID, checksum, content size, packet size; then five bytes. */
#define UUID_AT         4u
#define CONTENT_BITS_AT 24u
#define PACKET_BITS_AT  28u
#define COMPRESSION_AT  32u
#define ENCRYPTION_AT   33u
#define CHECKSUM_AT     34u
#define MAJOR_AT        35u
#define MINOR_AT        36u
#define HEADER_BYTES    37u

static uint32_t word_at(const unsigned char *bytes, bool big_endian)
{
	uint32_t little = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			  (uint32_t)bytes[3] << 24;

	return big_endian ? __builtin_bswap32(little) : little;
}

bool strata_ctf_is_packetised(const unsigned char *bytes, size_t size)
{
	return size >= 4 && (word_at(bytes, false) == MAGIC || word_at(bytes, true) == MAGIC);
}

static int check_header(const char *name, const unsigned char *packet, size_t at,
			struct strata_error *error)
{
	static const struct {
		size_t at;
		const char *what;
	} schemes[] = {
		{ COMPRESSION_AT, "compressed" },
		{ ENCRYPTION_AT, "encrypted" },
		{ CHECKSUM_AT, "protected by a checksum" },
	};
	size_t i;

	if (packet[MAJOR_AT] > 9 || packet[MINOR_AT] > 9)
		return strata_fail(error,
				   "%s: byte %zu: these are not the 37 bytes of CTF 1.8 that begin "
				   "a packet: it is damaged, or of a tracer older than 2012",
				   name, at + MAJOR_AT);
	if (packet[MAJOR_AT] != 1 || packet[MINOR_AT] != 8)
		return strata_fail(error,
				   "%s: byte %zu: a packet of CTF %u.%u, but only CTF 1.8 can be "
				   "read: let the program that wrote it write CTF 1.8, or "
				   "babeltrace2 2.1 convert it",
				   name, at + MAJOR_AT, packet[MAJOR_AT], packet[MINOR_AT]);
	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (packet[schemes[i].at])
			return strata_fail(
				error,
				"%s: byte %zu: this packet is %s (scheme %u), which cannot be "
				"read: write the metadata without that",
				name, at + schemes[i].at, schemes[i].what, packet[schemes[i].at]);
	return 0;
}

/* Bytes of a packet, and of the content in it, its header included. */
static int check_sizes(const char *name, const unsigned char *packet, size_t at, bool big_endian,
		       size_t *packet_bytes, size_t *content_bytes, struct strata_error *error)
{
	const uint32_t content = word_at(packet + CONTENT_BITS_AT, big_endian);
	const uint32_t whole = word_at(packet + PACKET_BITS_AT, big_endian);

	if (content % 8 || whole % 8 || content / 8 < HEADER_BYTES || whole < content)
		return strata_fail(error,
				   "%s: byte %zu: a packet of %u bits with a content of %u bits: "
				   "the file is damaged",
				   name, at + CONTENT_BITS_AT, whole, content);
	*packet_bytes = whole / 8;
	*content_bytes = content / 8;
	return 0;
}

static int unpack(const char *name, const unsigned char *bytes, size_t bytes_size, char *text,
		  size_t *size, size_t *cut_at, struct strata_error *error)
{
	const bool big_endian = word_at(bytes, true) == MAGIC;
	size_t at, packet_bytes = 0, content_bytes = 0;

	*cut_at = 0;
	*size = 0;
	for (at = 0; at < bytes_size; at += packet_bytes) {
		const unsigned char *packet = bytes + at;
		const size_t left = bytes_size - at;

		if (left < HEADER_BYTES) {
			*cut_at = bytes_size;
			return 0;
		}
		if (word_at(packet, big_endian) != MAGIC)
			return strata_fail(error,
					   "%s: byte %zu: no packet begins here, though one ended: "
					   "the file is damaged",
					   name, at);
		if (memcmp(packet + UUID_AT, bytes + UUID_AT, 16) != 0)
			return strata_fail(error,
					   "%s: byte %zu: this packet is of another trace than the "
					   "first: each trace needs a directory of its own",
					   name, at + UUID_AT);
		if (check_header(name, packet, at, error) ||
		    check_sizes(name, packet, at, big_endian, &packet_bytes, &content_bytes, error))
			return -1;
		if (content_bytes > left) {
			*cut_at = bytes_size;
			content_bytes = left;
		}
		memcpy(text + *size, packet + HEADER_BYTES, content_bytes - HEADER_BYTES);
		*size += content_bytes - HEADER_BYTES;
		if (packet_bytes >= left)
			return 0;
	}
	return 0;
}

int strata_ctf_unpack_metadata(const char *name, const unsigned char *bytes, size_t bytes_size,
			       char **text, size_t *size, size_t *cut_at,
			       struct strata_error *error)
{
	/* The text is shorter than the packets. */
	*text = malloc(bytes_size);
	if (!*text)
		return strata_fail(error, "%s: out of memory for its %zu bytes", name, bytes_size);
	if (unpack(name, bytes, bytes_size, *text, size, cut_at, error)) {
		free(*text);
		*text = NULL;
		return -1;
	}
	return 0;
}
