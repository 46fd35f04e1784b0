// SPDX-License-Identifier: GPL-2.0-or-later
/* chunk_store.c - see chunk_store.h. */
#include "outputs/timeline/chunk_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "files/out_file.h"

/* Columns of small numbers compress well at the fastest levels: more effort saves little. */
#define COMPRESSION 3

struct strata_chunk_store {
	int fd;
	const char *directory;
	struct strata_chunk *chunks;
	size_t nr, room;
	uint64_t end;
	z_stream deflate;
	unsigned char *in, *out;
	size_t in_room, out_room;
	int failed; /* errno of the first failure; 0: none */
};

struct strata_chunk_store *strata_chunk_store_new(struct strata_error *error)
{
	struct strata_chunk_store *store = calloc(1, sizeof(*store));
	const char *given = getenv("TMPDIR");

	if (!store) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	store->directory = given && *given ? given : "/var/tmp";
	store->fd = open(store->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (store->fd < 0) {
		strata_fail(error,
			    "cannot make a temporary file in %s: %s; name another directory "
			    "with TMPDIR",
			    store->directory, strerror(errno));
		free(store);
		return NULL;
	}
	/* Raw deflate, without zlib's header, as browsers' DecompressionStream accepts it. */
	if (deflateInit2(&store->deflate, COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return store;
	strata_fail(error, "out of memory");
	close(store->fd);
	free(store);
	return NULL;
}

static uint32_t fail(struct strata_chunk_store *store, int cause)
{
	if (!store->failed)
		store->failed = cause;
	return UINT32_MAX;
}

/* Ensures room for @bytes. False: out of memory. */
static bool make_room(unsigned char **room, size_t *has, size_t bytes)
{
	if (bytes <= *has)
		return true;
	free(*room);
	*room = malloc(bytes);
	*has = *room ? bytes : 0;
	return *room != NULL;
}

/* Compresses into store->out. Returns the length; 0: failed. */
static size_t compress_chunk(struct strata_chunk_store *store, const void *bytes, size_t length)
{
	if (length > UINT32_MAX / 2 ||
	    !make_room(&store->out, &store->out_room, deflateBound(&store->deflate, (uLong)length)))
		return 0;
	deflateReset(&store->deflate);
	store->deflate.next_in = (unsigned char *)(uintptr_t)bytes;
	store->deflate.avail_in = (uInt)length;
	store->deflate.next_out = store->out;
	store->deflate.avail_out = (uInt)store->out_room;
	return deflate(&store->deflate, Z_FINISH) == Z_STREAM_END ? store->deflate.total_out : 0;
}

/* Appends a chunk's bytes to the file. Returns 0 or -1. */
static int append(struct strata_chunk_store *store, struct strata_chunk *chunk, const void *bytes,
		  size_t length)
{
	const int cause = strata_write_all(store->fd, bytes, length);

	if (cause) {
		fail(store, cause);
		return -1;
	}
	chunk->offset = store->end;
	chunk->bytes = (uint32_t)length;
	store->end += length;
	return 0;
}

uint32_t strata_chunk_store_add(struct strata_chunk_store *store, const struct strata_chunk *chunk,
				const void *bytes, size_t length, bool is_raw)
{
	struct strata_chunk added = *chunk;

	if (store->failed)
		return UINT32_MAX;
	if (!is_raw) {
		length = compress_chunk(store, bytes, length);
		bytes = store->out;
	}
	if (!length || !STRATA_GROW(store->chunks, store->nr, store->room))
		return fail(store, ENOMEM);
	added.is_raw = is_raw;
	if (append(store, &added, bytes, length))
		return UINT32_MAX;
	store->chunks[store->nr] = added;
	return (uint32_t)store->nr++;
}

void strata_chunk_store_compress(struct strata_chunk_store *store, uint32_t number)
{
	struct strata_chunk *chunk = &store->chunks[number];
	struct strata_error error;
	size_t length;

	if (store->failed || !chunk->is_raw)
		return;
	if (!make_room(&store->in, &store->in_room, chunk->bytes)) {
		fail(store, ENOMEM);
		return;
	}
	if (strata_chunk_store_read(store, chunk, store->in, &error)) {
		fail(store, EIO);
		return;
	}
	length = compress_chunk(store, store->in, chunk->bytes);
	if (!length)
		fail(store, ENOMEM);
	else if (!append(store, chunk, store->out, length))
		chunk->is_raw = false;
}

int strata_chunk_store_check(const struct strata_chunk_store *store, struct strata_error *error)
{
	if (!store->failed)
		return 0;
	return strata_fail(
		error,
		"cannot write or read a temporary file in %s: %s; name another directory "
		"with TMPDIR",
		store->directory, strerror(store->failed));
}

size_t strata_chunk_store_count(const struct strata_chunk_store *store)
{
	return store->nr;
}

const struct strata_chunk *strata_chunk_store_get(const struct strata_chunk_store *store,
						  size_t number)
{
	return number < store->nr ? &store->chunks[number] : NULL;
}

int strata_chunk_store_read(const struct strata_chunk_store *store,
			    const struct strata_chunk *chunk, void *out, struct strata_error *error)
{
	size_t done = 0;

	while (done < chunk->bytes) {
		const ssize_t got = pread(store->fd, (char *)out + done, chunk->bytes - done,
					  (off_t)(chunk->offset + done));

		if (got > 0)
			done += (size_t)got;
		else if (got == 0 || errno != EINTR)
			return strata_fail(error, "cannot read the temporary file in %s back: %s",
					   store->directory,
					   got ? strerror(errno) : "it is shorter than it was");
	}
	return 0;
}

void strata_chunk_store_free(struct strata_chunk_store *store)
{
	if (!store)
		return;
	deflateEnd(&store->deflate);
	close(store->fd);
	free(store->chunks);
	free(store->in);
	free(store->out);
	free(store);
}
