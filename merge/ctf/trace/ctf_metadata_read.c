// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_metadata_read.c - see ctf_metadata_read.h: gets the text from the file and its packets. The
 * parsers (tsdl_parse.h for CTF 1.8, ctf2_parse.h for CTF 2) and tsdl_build.h do the rest.
 */
#include "ctf/trace/ctf_metadata_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf/ctf2/ctf2_parse.h"
#include "ctf/trace/ctf_metadata_packets.h"
#include "ctf/tsdl/tsdl_build.h"
#include "base/escape.h"

#define FILE_BYTES_MAX (64u << 20) /* the largest seen in practice have a few MiB */

/* Limits of the memory and time for a text: more than any honest one needs. */
#define ARENA_BYTES          (64u << 20)
#define ARENA_BYTES_PER_BYTE 64u

/* Whether the first word is JSON, or a record separator precedes it: CTF 2. */
static bool is_ctf_2(const unsigned char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size && strchr(" \t\r\n", bytes[i]); i++)
		;
	return i < size && (bytes[i] == 0x1e || bytes[i] == '{' || bytes[i] == '[');
}

/* A plain text may begin with its version: as a comment of exactly this form. */
static int check_signature(const char *name, const char *text, size_t size,
			   struct strata_error *error)
{
	char start[32] = { 0 };
	unsigned int major, minor;

	memcpy(start, text, size < sizeof(start) - 1 ? size : sizeof(start) - 1);
	if (sscanf(start, "/* CTF %3u.%3u", &major, &minor) != 2 || (major == 1 && minor == 8))
		return 0;
	return strata_fail(error,
			   "%s:1:1: metadata of CTF %u.%u, but only CTF 1.8 and CTF 2 can be read: "
			   "let the program that wrote it write one of them",
			   name, major, minor);
}

static int parse_text(struct strata_ctf_metadata *metadata, struct strata_tsdl_source *source,
		      bool is_cut)
{
	struct strata_tsdl_file file = { 0 };
	int result;

	source->arena = strata_ctf_arena_new(ARENA_BYTES + source->size * ARENA_BYTES_PER_BYTE);
	if (!source->arena)
		return strata_fail(source->error, "%s: out of memory", source->name);
	result = source->is_ctf_2 ? strata_ctf2_parse(source, &file)
				  : strata_tsdl_parse(source, is_cut, &file);
	if (!result)
		result = strata_tsdl_build_trace(source, &file, metadata);
	strata_tsdl_table_clear(&source->names);
	if (result) {
		strata_ctf_arena_free(source->arena);
		*metadata = (struct strata_ctf_metadata){ 0 };
		return -1;
	}
	metadata->arena = source->arena;
	return 0;
}

int strata_ctf_metadata_parse(struct strata_ctf_metadata *metadata, const char *name,
			      const void *bytes, size_t size,
			      void (*complain)(void *data, const char *message), void *data,
			      struct strata_error *error)
{
	char shown[512];
	struct strata_tsdl_source source = {
		.name = strata_escape_name(shown, sizeof(shown), name),
		.text = bytes,
		.size = size,
		.complain = complain,
		.data = data,
		.error = error,
	};
	char *unpacked = NULL;
	size_t cut_at = 0;
	int result;

	*metadata = (struct strata_ctf_metadata){ 0 };
	if (!size)
		return strata_fail(error,
				   "%s: the file is empty: its writer stopped before it said "
				   "anything",
				   source.name);
	if (size > FILE_BYTES_MAX)
		return strata_fail(error,
				   "%s: %zu bytes, but no more than %u are read: is this a trace's "
				   "metadata?",
				   source.name, size, FILE_BYTES_MAX);
	source.is_ctf_2 = is_ctf_2(bytes, size);
	if (!source.is_ctf_2 && strata_ctf_is_packetised(bytes, size)) {
		if (strata_ctf_unpack_metadata(source.name, bytes, size, &unpacked, &source.size,
					       &cut_at, error))
			return -1;
		source.text = unpacked;
	} else if (!source.is_ctf_2 && check_signature(source.name, bytes, size, error)) {
		return -1;
	}

	result = parse_text(metadata, &source, cut_at != 0);
	free(unpacked);
	return result;
}

/* @size: OUT. Bytes appended while it is read are ignored. */
static char *read_file(int fd, const char *name, size_t *size, struct strata_error *error)
{
	struct stat status;
	char *bytes;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		strata_fail(error, "%s: not a regular file", name);
		return NULL;
	}
	if (status.st_size > FILE_BYTES_MAX) {
		strata_fail(error,
			    "%s: %lld bytes, but no more than %u are read: is this a "
			    "trace's metadata?",
			    name, (long long)status.st_size, FILE_BYTES_MAX);
		return NULL;
	}
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes) {
		strata_fail(error, "%s: out of memory for its bytes", name);
		return NULL;
	}
	for (*size = 0; *size < (size_t)status.st_size;) {
		ssize_t done = read(fd, bytes + *size, (size_t)status.st_size - *size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			strata_fail(error, "%s: byte %zu cannot be read: %s", name, *size,
				    strerror(errno));
			free(bytes);
			return NULL;
		}
		if (!done)
			break;
		*size += (size_t)done;
	}
	return bytes;
}

/* Reads the file @name in the directory @at, which is the metadata of the trace in @dir. */
static int load(struct strata_ctf_metadata *metadata, int at, const char *name, int flags,
		const char *path, void (*complain)(void *data, const char *message), void *data,
		struct strata_error *error)
{
	const int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
	char shown[512], *bytes;
	size_t size;
	int result;

	strata_escape_name(shown, sizeof(shown), path);
	if (fd < 0)
		return strata_fail(error,
				   "%s: cannot be opened: %s; a CTF trace is a directory with a "
				   "file metadata in it",
				   shown,
				   errno == ELOOP ? "symbolic links are not followed"
						  : strerror(errno));
	bytes = read_file(fd, shown, &size, error);
	close(fd);
	if (!bytes)
		return -1;
	result = strata_ctf_metadata_parse(metadata, path, bytes, size, complain, data, error);
	free(bytes);
	return result;
}

static int path_of(char path[4096], const char *dir, struct strata_error *error)
{
	char shown[512];

	if (snprintf(path, 4096, "%s/metadata", dir) < 4096)
		return 0;
	return strata_fail(error, "%.100s...: the path is too long",
			   strata_escape_name(shown, sizeof(shown), dir));
}

int strata_ctf_metadata_load(struct strata_ctf_metadata *metadata, const char *dir,
			     void (*complain)(void *data, const char *message), void *data,
			     struct strata_error *error)
{
	char path[4096];

	*metadata = (struct strata_ctf_metadata){ 0 };
	return path_of(path, dir, error)
		       ? -1
		       : load(metadata, AT_FDCWD, path, 0, path, complain, data, error);
}

int strata_ctf_metadata_load_in(struct strata_ctf_metadata *metadata, int at, const char *dir,
				void (*complain)(void *data, const char *message), void *data,
				struct strata_error *error)
{
	char path[4096];

	*metadata = (struct strata_ctf_metadata){ 0 };
	return path_of(path, dir, error)
		       ? -1
		       : load(metadata, at, "metadata", O_NOFOLLOW, path, complain, data, error);
}

void strata_ctf_metadata_clear(struct strata_ctf_metadata *metadata)
{
	strata_ctf_arena_free(metadata->arena);
	*metadata = (struct strata_ctf_metadata){ 0 };
}
