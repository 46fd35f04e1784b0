// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_index.c - see ctf_index.h. */
#include "ctf/reader/ctf_index.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/partition.h"
#include "ctf/reader/ctf_index_file.h"
#include "ctf/reader/ctf_reader.h"
#include "ctf/reader/ctf_reader_packet.h"
#include "ctf/trace/stream_file.h"

#define HEADER_BYTES 512u /* per packet; with longer headers the index is not used */

/* Collects entries, and thins them when there are too many. */
struct collector {
	struct strata_ctf_index *index;
	uint64_t stride; /* bytes between the packets that are kept, at least */
	uint64_t last_ns;
	uint64_t end_ns; /* latest end of the previous packets */
};

/* Whether a packet is far enough behind the last one that is kept. */
static bool is_kept(const struct collector *collector, uint64_t offset)
{
	const struct strata_ctf_index *index = collector->index;

	return !index->nr || offset - index->places[index->nr - 1].offset >= collector->stride;
}

/* Makes room for half as many.  They are as far apart in bytes as possible: where slices of several
 * threads begin must not depend on who writes small packets. */
static void thin(struct collector *collector, uint64_t offset)
{
	struct strata_ctf_index *index = collector->index;
	const size_t nr = index->nr;
	size_t i;

	collector->stride = offset / (STRATA_CTF_INDEX_MAX / 2);
	for (index->nr = 0, i = 0; i < nr; i++) {
		if (is_kept(collector, index->places[i].offset))
			index->places[index->nr++] = index->places[i];
		else
			index->places[index->nr - 1].bytes += index->places[i].bytes;
	}
}

/* Adds the content of a packet without a place of its own to the last place. */
static int add_to_last(struct strata_ctf_index *index, uint64_t bytes)
{
	index->places[index->nr - 1].bytes += bytes;
	return 0;
}

/* @bytes: of its content */
static int collect(struct collector *collector, uint64_t offset, uint64_t bytes, bool has_begin,
		   uint64_t begin_ns, uint64_t end_ns)
{
	struct strata_ctf_index *index = collector->index;

	if (!index->nr)
		index->has_times = has_begin;
	index->has_times &= has_begin;
	/* The times of a stream's events never go back, because the reader clamps them. */
	if (begin_ns > collector->last_ns)
		collector->last_ns = begin_ns;
	/* If packets overlap, a reader that starts at this one could miss events of earlier
	 * packets. */
	if (collector->end_ns > collector->last_ns)
		collector->last_ns = collector->end_ns;
	if (end_ns > collector->end_ns)
		collector->end_ns = end_ns;
	if (end_ns > index->end_ns)
		index->end_ns = end_ns;
	if (!is_kept(collector, offset))
		return add_to_last(index, bytes);
	if (index->nr == STRATA_CTF_INDEX_MAX) {
		thin(collector, offset);
		if (!is_kept(collector, offset))
			return add_to_last(index, bytes);
	}
	if (!index->places)
		index->places = malloc(STRATA_CTF_INDEX_MAX * sizeof(*index->places));
	if (!index->places)
		return -1;
	index->places[index->nr++] = (struct strata_ctf_index_place){
		.offset = offset, .begin_ns = collector->last_ns, .bytes = bytes
	};
	return 0;
}

/* Opens DIR/index/NAME.idx; NULL: absent, or of an unknown version (older ones begin with
 * "CTFIDX"), so the packets themselves are read. @entry_bytes: OUT */
static FILE *open_file(const struct strata_ctf_stream *stream, uint32_t *entry_bytes)
{
	struct strata_ctf_index_file_head head;
	char path[4096];
	struct stat status;
	FILE *file;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" STRATA_CTF_INDEX_DIR "/%s.idx", stream->trace->path,
		     stream->name) >= (int)sizeof(path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	file = fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) ? NULL : fdopen(fd, "r");
	if (!file) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (fread(&head, sizeof(head), 1, file) == 1 &&
	    be32toh(head.magic) == STRATA_CTF_INDEX_FILE_MAGIC &&
	    be32toh(head.major) == STRATA_CTF_INDEX_FILE_MAJOR) {
		*entry_bytes = be32toh(head.entry_bytes);
		if (*entry_bytes >= sizeof(struct strata_ctf_index_file_entry) &&
		    *entry_bytes <= 4096)
			return file;
	}
	fclose(file);
	return NULL;
}

/* Whether a packet begins at each entry, not later than the entry's time: otherwise a reader that
 * starts there could miss earlier events. */
static bool fits_packets(const struct strata_ctf_index *index,
			 const struct strata_ctf_stream *stream)
{
	const struct strata_ctf_trace *trace = stream->trace;
	uint64_t slots[STRATA_CTF_SLOTS_MAX] = { 0 };
	uint8_t bytes[HEADER_BYTES + STRATA_CTF_PADDING] = { 0 };
	struct strata_error error;
	const int fd = strata_stream_file_enter(stream);
	bool fits = true;
	size_t i;

	for (i = 0; i < index->nr && fits; i++) {
		const struct strata_ctf_index_place *place = &index->places[i];
		struct strata_ctf_packet packet = { .offset = place->offset };
		const ssize_t got = pread(fd, bytes, HEADER_BYTES, (off_t)place->offset);

		fits = got > 0 &&
		       strata_ctf_packet_read(&trace->metadata, bytes, (size_t)got,
					      stream->bytes - place->offset, &packet, slots,
					      &error) == STRATA_CTF_PACKET_OK &&
		       packet.has_begin &&
		       strata_ctf_ns(&trace->kinds[packet.class - trace->metadata.streams].time,
				     packet.begin) <= place->begin_ns;
	}
	strata_stream_file_leave(stream, fd);
	return fits;
}

/* Reads the tracer's index. Returns 1; 0: absent, or it does not match the file; -1: out of
 * memory. */
static int read_file(struct strata_ctf_index *index, const struct strata_ctf_stream *stream)
{
	const struct strata_ctf_kind_of_stream *kinds = stream->trace->kinds;
	struct collector collector = { .index = index };
	struct strata_ctf_index_file_entry entry;
	uint64_t expected = 0;
	uint32_t entry_bytes;
	FILE *file = stream->converter ? NULL : open_file(stream, &entry_bytes);
	int status = 0;

	if (!file)
		return 0;
	while (!status && fread(&entry, sizeof(entry), 1, file) == 1) {
		const uint64_t offset = be64toh(entry.offset), bits = be64toh(entry.packet_bits);
		const uint64_t content = be64toh(entry.content_bits);
		size_t i;

		for (i = 0; i < stream->trace->metadata.nr_streams; i++) {
			if (kinds[i].class->id == be64toh(entry.stream_id))
				break;
		}
		/* Packets must be adjacent, or the index belongs to another file. */
		if (offset != expected || i == stream->trace->metadata.nr_streams ||
		    bits / 8 > stream->bytes - offset || bits == 0 || bits % 8)
			break;
		expected = offset + bits / 8;
		status = collect(&collector, offset, (content < bits ? content : bits) / 8, true,
				 strata_ctf_ns(&kinds[i].time, be64toh(entry.begin)),
				 strata_ctf_ns(&kinds[i].time, be64toh(entry.end)));
		fseek(file, (long)(entry_bytes - sizeof(entry)), SEEK_CUR);
	}
	fclose(file);
	if (status)
		return -1;
	if (expected == stream->bytes && index->nr > 0 && fits_packets(index, stream))
		return 1;
	strata_ctf_index_clear(index);
	return 0;
}

/* Returns the begin of a packet, by the reader's converter or its own clock.  No event of it is
 * earlier, and none of earlier packets is later, whatever the bounds of times are: the times of a
 * stream never step back. */
static uint64_t begin_of(const struct strata_ctf_reader *reader)
{
	struct strata_ctf_when when;

	if (!reader->packet.has_begin)
		return 0;
	if (!reader->conversion)
		return strata_ctf_ns(&reader->kind->time, reader->packet.begin);
	reader->stream->converter->convert(reader->conversion, &reader->kind->time,
					   reader->packet.begin, &when);
	return when.ns;
}

/* Reads the headers of all packets. Returns 0, or -1: out of memory. */
static int read_packets(struct strata_ctf_index *index, const struct strata_ctf_stream *stream,
			struct strata_error *error)
{
	struct collector collector = { .index = index };
	struct strata_ctf_reader reader;
	int status = 0;

	if (strata_ctf_reader_open(&reader, stream, 4096, error))
		return -1;
	/* The reader of the events reports faults. */
	strata_ctf_reader_seek(&reader, 0, UINT64_MAX, UINT64_MAX);
	while (!status && strata_ctf_reader_next_packet(&reader) > 0) {
		const struct strata_ctf_packet *packet = &reader.packet;
		const uint64_t begin_ns = begin_of(&reader);

		if (collect(&collector, packet->offset, packet->content_bits / 8, packet->has_begin,
			    begin_ns,
			    packet->has_end && !reader.conversion
				    ? strata_ctf_ns(&reader.kind->time, packet->end)
				    : begin_ns))
			status = strata_fail(error, "%s/%s: out of memory", stream->trace->path,
					     stream->name);
	}
	strata_ctf_reader_close(&reader);
	return status;
}

int strata_ctf_index_make(struct strata_ctf_index *index, const struct strata_ctf_stream *stream,
			  struct strata_error *error)
{
	int status;

	memset(index, 0, sizeof(*index));
	status = read_file(index, stream);
	if (status < 0)
		return strata_fail(error, "%s/%s: out of memory", stream->trace->path,
				   stream->name);
	index->from_file = status > 0;
	return status > 0 ? 0 : read_packets(index, stream, error);
}

void strata_ctf_index_clear(struct strata_ctf_index *index)
{
	free(index->places);
	memset(index, 0, sizeof(*index));
}

uint64_t strata_ctf_index_find(const struct strata_ctf_index *index, uint64_t ns)
{
	/* The last entry that begins before @ns: it may still contain events at @ns. */
	const size_t low = STRATA_PARTITION(i, 0, index->has_times ? index->nr : 0,
					    index->places[i].begin_ns < ns);

	return low ? index->places[low - 1].offset : 0;
}
