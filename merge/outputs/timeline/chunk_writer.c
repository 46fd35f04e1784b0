// SPDX-License-Identifier: GPL-2.0-or-later
/* chunk_writer.c - see chunk_writer.h. */
#include "outputs/timeline/chunk_writer.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define SPANS_MAGIC  0x53544331u /* "STC1" */
#define ARROWS_MAGIC 0x53544131u /* "STA1" */

#define VARINT_BYTES 10u
#define NR_COLUMNS   8u /* of spans */

/* A browser's value for an unknown bound: the largest integer that a double holds exactly. */
#define BOUND_UNKNOWN ((uint64_t)0x1fffffffffffff)

static char *put_varint(char *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*out++ = (char)(value | 0x80);
	*out++ = (char)value;
	return out;
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/* Begins a chunk in a buffer. */
static void put_head(struct strata_buffer *raw, uint32_t magic, size_t nr)
{
	const uint32_t head[2] = { htole32(magic), htole32((uint32_t)nr) };

	raw->used = 0;
	strata_buffer_put(raw, (const char *)head, sizeof(head));
}

static uint64_t bound_of(uint64_t bound_ns)
{
	return bound_ns < BOUND_UNKNOWN ? bound_ns : BOUND_UNKNOWN;
}

/* Appends a chunk's number. After a failure, nothing more is written. */
static bool keep_chunk(uint32_t **chunks, size_t *nr, size_t *room, uint32_t chunk)
{
	if (chunk == UINT32_MAX)
		return true;
	if (!STRATA_GROW(*chunks, *nr, *room))
		return false;
	(*chunks)[(*nr)++] = chunk;
	return true;
}

/* Spans --------------------------------------------------------------------------------------- */

static int compare_entries(const void *left, const void *right)
{
	const struct strata_chunk_entry *a = left, *b = right;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a->track < b->track ? -1 : a->track > b->track;
}

/* One loop per column, instead of a switch per entry. */
#define PUT_COLUMN(VALUE)                                                 \
	do {                                                              \
		for (i = 0; i < nr; i++) {                                \
			const struct strata_chunk_entry *entry = &all[i]; \
                                                                          \
			out = put_varint(out, VALUE);                     \
		}                                                         \
	} while (0)

/* Writes NR_COLUMNS numbers of each entry. @longest_ns: OUT */
static char *put_columns(char *out, const struct strata_chunk_entry *all, size_t nr,
			 uint64_t *longest_ns)
{
	uint64_t before_ns = all[0].from_ns;
	size_t i;

	PUT_COLUMN(entry->track);
	for (i = 0; i < nr; i++) {
		out = put_varint(out, all[i].from_ns - before_ns);
		before_ns = all[i].from_ns;
		if (all[i].length_ns > *longest_ns)
			*longest_ns = all[i].length_ns;
	}
	PUT_COLUMN(entry->length_ns);
	PUT_COLUMN(entry->name);
	PUT_COLUMN(entry->category);
	PUT_COLUMN(bound_of(entry->bound_ns));
	PUT_COLUMN(entry->detail);
	PUT_COLUMN(entry->count);
	return out;
}

void strata_chunk_writer_flush(struct strata_chunk_writer *writer)
{
	struct strata_chunk chunk = { .entries = (uint32_t)writer->nr };
	char *out;

	if (writer->nr == 0)
		return;
	qsort(writer->entries, writer->nr, sizeof(*writer->entries), compare_entries);
	chunk.from_ns = writer->entries[0].from_ns;
	chunk.to_ns = writer->entries[writer->nr - 1].from_ns + 1;
	put_head(&writer->raw, SPANS_MAGIC, writer->nr);
	out = strata_buffer_room(&writer->raw, NR_COLUMNS * writer->nr * VARINT_BYTES);
	if (out)
		out = put_columns(out, writer->entries, writer->nr, &chunk.longest_ns);
	if (out)
		strata_buffer_advance(&writer->raw, out);
	out = strata_buffer_room(&writer->raw, VARINT_BYTES);
	if (out)
		strata_buffer_advance(&writer->raw, put_varint(out, writer->nr_details));
	strata_buffer_put(&writer->raw, writer->details.bytes, writer->details.used);
	writer->no_memory |= writer->raw.no_memory || writer->details.no_memory;
	if (!writer->no_memory &&
	    !keep_chunk(&writer->chunks, &writer->nr_chunks, &writer->chunks_room,
			strata_chunk_store_add(writer->store, &chunk, writer->raw.bytes,
					       writer->raw.used, writer->is_raw)))
		writer->no_memory = true;
	writer->written += writer->nr;
	writer->nr = writer->details.used = writer->nr_details = 0;
}

void strata_chunk_writer_add(struct strata_chunk_writer *writer,
			     const struct strata_chunk_entry *entry, const char *detail)
{
	const size_t bytes = strlen(detail);
	char *out;

	if (writer->no_memory || !STRATA_GROW(writer->entries, writer->nr, writer->room)) {
		writer->no_memory = true;
		return;
	}
	writer->entries[writer->nr] = *entry;
	writer->entries[writer->nr].detail = 0;
	if (bytes) {
		out = strata_buffer_room(&writer->details, VARINT_BYTES + bytes);
		if (out) {
			out = put_varint(out, bytes);
			strata_buffer_advance(&writer->details,
					      strata_put_bytes(out, detail, bytes));
			writer->entries[writer->nr].detail = ++writer->nr_details;
		}
	}
	if (++writer->nr == STRATA_CHUNK_ENTRIES || writer->details.used > STRATA_CHUNK_TEXT)
		strata_chunk_writer_flush(writer);
}

void strata_chunk_writer_clear(struct strata_chunk_writer *writer)
{
	free(writer->entries);
	free(writer->chunks);
	strata_buffer_free(&writer->details);
	strata_buffer_free(&writer->raw);
	memset(writer, 0, sizeof(*writer));
}

/* Arrows -------------------------------------------------------------------------------------- */

static int compare_arrows(const void *left, const void *right)
{
	const struct strata_arrow_entry *a = left, *b = right;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a->from_track < b->from_track ? -1 : a->from_track > b->from_track;
}

enum arrow_column { KIND, FROM_TRACK, ARROW_FROM, TO_TRACK, ARROW_LENGTH, ARROW_BOUND, NR_ARROW };

static uint64_t arrow_value(const struct strata_arrow_entry *entry, enum arrow_column column,
			    uint64_t before_ns)
{
	switch (column) {
	case KIND:
		return entry->kind;
	case FROM_TRACK:
		return entry->from_track;
	case ARROW_FROM:
		return entry->from_ns - before_ns;
	case TO_TRACK:
		return entry->to_track;
	case ARROW_LENGTH:
		return zigzag(entry->length_ns);
	default:
		return bound_of(entry->bound_ns);
	}
}

void strata_arrow_writer_flush(struct strata_arrow_writer *writer)
{
	struct strata_chunk chunk = { .entries = (uint32_t)writer->nr };
	enum arrow_column column;
	char *out;
	size_t i;

	if (writer->nr == 0)
		return;
	qsort(writer->entries, writer->nr, sizeof(*writer->entries), compare_arrows);
	chunk.from_ns = writer->entries[0].from_ns;
	chunk.to_ns = writer->entries[writer->nr - 1].from_ns + 1;
	put_head(&writer->raw, ARROWS_MAGIC, writer->nr);
	out = strata_buffer_room(&writer->raw, NR_ARROW * writer->nr * VARINT_BYTES);
	for (column = KIND; out && column < NR_ARROW; column++) {
		uint64_t before_ns = chunk.from_ns;

		for (i = 0; i < writer->nr; i++) {
			const struct strata_arrow_entry *entry = &writer->entries[i];
			const uint64_t length_ns = (uint64_t)llabs(entry->length_ns);

			out = put_varint(out, arrow_value(entry, column, before_ns));
			before_ns = entry->from_ns;
			if (length_ns > chunk.longest_ns)
				chunk.longest_ns = length_ns;
		}
	}
	if (out)
		strata_buffer_advance(&writer->raw, out);
	writer->no_memory |= writer->raw.no_memory;
	if (!writer->no_memory &&
	    !keep_chunk(&writer->chunks, &writer->nr_chunks, &writer->chunks_room,
			strata_chunk_store_add(writer->store, &chunk, writer->raw.bytes,
					       writer->raw.used, false)))
		writer->no_memory = true;
	writer->nr = 0;
}

void strata_arrow_writer_add(struct strata_arrow_writer *writer,
			     const struct strata_arrow_entry *entry)
{
	if (writer->no_memory || !STRATA_GROW(writer->entries, writer->nr, writer->room)) {
		writer->no_memory = true;
		return;
	}
	writer->entries[writer->nr++] = *entry;
	if (writer->nr == STRATA_CHUNK_ENTRIES)
		strata_arrow_writer_flush(writer);
}

void strata_arrow_writer_clear(struct strata_arrow_writer *writer)
{
	free(writer->entries);
	free(writer->chunks);
	strata_buffer_free(&writer->raw);
	memset(writer, 0, sizeof(*writer));
}
