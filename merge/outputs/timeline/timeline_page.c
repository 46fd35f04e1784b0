// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline_page.c - a timeline's page: the front end with the data in place of its mark. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/timeline/timeline_data.h"

#define PLACEHOLDER "<!--STRATA-DATA-->"

/* Appends to a file or to memory. */
struct page {
	struct strata_out_file *file;
	struct strata_buffer *buffer;
};

static void put(struct page *page, const char *bytes, size_t length)
{
	if (page->file)
		strata_out_write(page->file, bytes, length);
	else
		strata_buffer_put(page->buffer, bytes, length);
}

static void put_text(struct page *page, const char *text)
{
	put(page, text, strlen(text));
}

/* Writes JSON within a script: the only character that could end the script occurs only in strings,
 * where it can be escaped. */
static void put_json(struct page *page, const char *json, size_t length)
{
	const char *end = json + length, *next;

	for (; json < end; json = next + 1) {
		next = memchr(json, '<', (size_t)(end - json));
		put(page, json, next ? (size_t)(next - json) : (size_t)(end - json));
		if (!next)
			break;
		put_text(page, "\\u003c");
	}
}

/* RFC 4648. @out: room for four thirds of @length, and three more. Returns the length. */
static size_t put_base64(char *out, const unsigned char *bytes, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, used = 0;

	for (i = 0; i < length; i += 3) {
		const size_t left = length - i;
		const uint32_t three = (uint32_t)bytes[i] << 16 |
				       (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				       (left > 2 ? bytes[i + 2] : 0);

		out[used++] = digits[three >> 18];
		out[used++] = digits[three >> 12 & 63];
		out[used++] = left > 1 ? digits[three >> 6 & 63] : '=';
		out[used++] = left > 2 ? digits[three & 63] : '=';
	}
	return used;
}

/* Marks the chunks that the description lists: those of levels that are not needed are left out. */
static int mark_chunks(const struct strata_timeline *timeline, bool *is_used)
{
	const uint32_t wanted = strata_levels_wanted(&timeline->levels);
	unsigned int level;
	size_t i, nr;

	for (level = 0; level < STRATA_LEVELS; level++) {
		uint32_t *chunks;

		for (i = 0; i < timeline->arrows[level].nr_chunks; i++)
			is_used[timeline->arrows[level].chunks[i]] = true;
		if (!(wanted >> level & 1))
			continue;
		nr = strata_levels_chunks(&timeline->levels, level, NULL);
		chunks = calloc(nr + 1, sizeof(*chunks));
		if (!chunks)
			return -1;
		strata_levels_chunks(&timeline->levels, level, chunks);
		for (i = 0; i < nr; i++)
			is_used[chunks[i]] = true;
		free(chunks);
	}
	return 0;
}

static int put_chunk(struct page *page, const struct strata_timeline *timeline, size_t number,
		     struct strata_error *error)
{
	const struct strata_chunk *chunk = strata_chunk_store_get(timeline->store, number);
	unsigned char *bytes = malloc(chunk->bytes + 1);
	char *text = malloc((size_t)chunk->bytes / 3 * 4 + 8), tag[80];
	int status = bytes && text ? strata_chunk_store_read(timeline->store, chunk, bytes, error)
				   : strata_fail(error, "out of memory");

	if (!status) {
		snprintf(tag, sizeof(tag), "<script type=\"text/plain\" id=\"strata-chunk-%zu\">",
			 number);
		put_text(page, tag);
		put(page, text, put_base64(text, bytes, chunk->bytes));
		put_text(page, "</script>\n");
	}
	free(bytes);
	free(text);
	return status;
}

static int put_chunks(struct page *page, const struct strata_timeline *timeline,
		      struct strata_error *error)
{
	const size_t nr = strata_chunk_store_count(timeline->store);
	bool *is_used = calloc(nr + 1, sizeof(*is_used));
	int status = is_used && !mark_chunks(timeline, is_used)
			     ? 0
			     : strata_fail(error, "out of memory");
	size_t i;

	for (i = 0; !status && i < nr; i++) {
		if (is_used[i])
			status = put_chunk(page, timeline, i, error);
	}
	free(is_used);
	return status;
}

static int put_page(const struct strata_timeline *timeline, const char *bytes, size_t length,
		    struct page *page, struct strata_error *error)
{
	const char *place = memmem(bytes, length, PLACEHOLDER, strlen(PLACEHOLDER));
	const char *behind;

	if (!place)
		return strata_fail(error, "the page has no place for the data (" PLACEHOLDER ")");
	behind = place + strlen(PLACEHOLDER);
	put(page, bytes, (size_t)(place - bytes));
	put_text(page, "<script type=\"application/json\" id=\"strata-meta\">");
	put_json(page, timeline->meta.bytes, timeline->meta.used);
	put_text(page, "</script>\n");
	if (!timeline->options->is_served && put_chunks(page, timeline, error))
		return -1;
	put(page, behind, (size_t)(bytes + length - behind));
	return 0;
}

int strata_timeline_write_page(const struct strata_timeline *timeline, const char *page,
			       size_t page_bytes, struct strata_out_file *out,
			       struct strata_error *error)
{
	struct page to = { .file = out };

	return put_page(timeline, page, page_bytes, &to, error);
}

int strata_timeline_put_page(const struct strata_timeline *timeline, const char *page,
			     size_t page_bytes, struct strata_buffer *out,
			     struct strata_error *error)
{
	struct page to = { .buffer = out };

	if (put_page(timeline, page, page_bytes, &to, error))
		return -1;
	return out->no_memory ? strata_fail(error, "out of memory") : 0;
}
