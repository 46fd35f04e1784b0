/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet_reader.h - reads a recorded stream, `RAW/SOURCE/cpu_N`, packet by packet, and skips bad
 * packets.
 *
 * Only the recorder reads packets as a whole, to continue the streams of an earlier recorder
 * (takeover.c).  Events are read through merge/ctf/reader/.
 *
 * The file may be torn at its end (the recorder was killed), damaged in the middle, or hostile
 * throughout.  After a bad packet, reading continues at the next packet header.
 */
#ifndef STRATA_CONSUMERD_PACKET_READER_H
#define STRATA_CONSUMERD_PACKET_READER_H

#include "consumerd/packets/packet_check.h"

struct strata_packet_reader {
	struct strata_source *source;
	uint32_t cpu;
	strata_complain_fn *complain; /* may be NULL */
	void *complain_data;

	int fd; /* -1: no file */
	char path[512];
	uint64_t size;
	uint64_t offset; /* of the next read */

	uint8_t *bytes; /* of the current packet */
	size_t capacity;
	struct strata_packet packet;
	uint64_t nr_events; /* in the current packet */

	uint64_t said; /* packets according to recording.json; 0 once a missing end has been
			  reported */
	uint64_t packets;
	uint64_t bad_packets;
	uint64_t missing_packets; /* gaps in the sequence numbers */
};

/*
 * Opens RAW/SOURCE/cpu_N. If the file is missing although the recording counts packets of it,
 * complains, and treats the stream as empty. 0, or -1: out of memory or file descriptors.
 */
int strata_packet_reader_open(struct strata_packet_reader *reader, const char *raw,
			      struct strata_source *source, const struct strata_stream *stream,
			      strata_complain_fn *complain, void *complain_data,
			      struct strata_error *error);

/* Reads the next good packet into reader->bytes and reader->packet.  False: end of the stream. */
bool strata_packet_reader_next(struct strata_packet_reader *reader);

void strata_packet_reader_close(struct strata_packet_reader *reader);

#endif /* STRATA_CONSUMERD_PACKET_READER_H */
