// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols_text.c - reads lines of "ADDRESS TYPE NAME", as nm writes them: System.map, kallsyms
 * (with
 * "[MODULE]" behind some), xen-syms.map (with 0x in front of addresses).
 *
 * The text ends at its first zero byte or hole, which no such file has. Only names stay in memory.
 */
#include "symbols/symbol_table.h"
#include "files/sparse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads one line, which ends with a zero byte.  False: not a symbol. */
static bool read_line(char *line, uint64_t *address, char *type, const char **name)
{
	char *end;

	/* strtoull() would take a sign and spaces. */
	if (!((*line >= '0' && *line <= '9') || (*line >= 'a' && *line <= 'f') ||
	      (*line >= 'A' && *line <= 'F')))
		return false;
	*address = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return false;
	*type = end[1];
	*name = end + 3;
	end[3 + strcspn(end + 3, " \t\r")] = '\0';
	return **name;
}

/* Longer lines are no symbols: names of kernels have 511 bytes at most. */
#define LINE_BYTES_MAX 65536u

/* Reads the lines of an open file. */
struct lines {
	int fd;
	uint64_t offset, end; /* of what was not read yet */
	size_t from, to;      /* of what was read */
	char buffer[LINE_BYTES_MAX + 1];
};

/* Reads on, behind what is left of the buffer.  1; 0: the file's end; -1 with the reason. */
static int read_more(struct lines *lines, struct strata_error *error)
{
	ssize_t got;
	size_t room;

	lines->to -= lines->from;
	memmove(lines->buffer, lines->buffer + lines->from, lines->to);
	lines->from = 0;
	room = LINE_BYTES_MAX - lines->to;
	if (!room)
		return strata_fail(error, "it has a line of more than %u bytes", LINE_BYTES_MAX);
	if (room > lines->end - lines->offset)
		room = (size_t)(lines->end - lines->offset);
	do
		got = pread(lines->fd, lines->buffer + lines->to, room, (off_t)lines->offset);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return strata_fail(error, "%s", strerror(errno));
	lines->to += (size_t)got;
	lines->offset += (uint64_t)got;
	if (lines->offset > STRATA_SYMBOLS_BYTES)
		return strata_fail(error, "it has more than %u MiB of symbols",
				   STRATA_SYMBOLS_BYTES >> 20);
	return got > 0;
}

/* Finds the next line, which then ends with a zero byte.  1; 0: the text's end; -1 with the
 * reason. */
static int next_line(struct lines *lines, char **line, struct strata_error *error)
{
	char *newline;
	int status;

	while (!(newline = memchr(lines->buffer + lines->from, '\n', lines->to - lines->from))) {
		status = read_more(lines, error);
		if (status < 0)
			return -1;
		if (status)
			continue;
		if (lines->from == lines->to)
			return 0;
		newline = lines->buffer + lines->to++;
		break;
	}
	*line = lines->buffer + lines->from;
	*newline = '\0';
	lines->from = (size_t)(newline - lines->buffer) + 1;
	if (*line + strlen(*line) < newline) {
		lines->end = lines->offset;
		lines->from = lines->to;
	}
	return 1;
}

/* Adds a symbol.  0 or -1: out of memory, or of the room of recordings. */
static int add(struct strata_symbols *symbols, uint64_t address, const char *text, bool is_code)
{
	uint32_t name;

	return strata_symbols_add_name(symbols, text, strnlen(text, STRATA_SYMBOL_NAME_MAX),
				       &name) ||
			       strata_symbols_add(symbols, address, 0, name, is_code)
		       ? -1
		       : 0;
}

/* Why symbols could not be added. */
static int fail_to_add(const struct strata_symbols *symbols, bool *has_room,
		       struct strata_error *error)
{
	if (!symbols->is_bounded)
		return strata_fail(error, "out of memory");
	*has_room = false;
	return strata_fail(error,
			   "no memory is left for its symbols, of which recordings share %zu MiB, "
			   "and one has %zu MiB at most: its addresses are shown as numbers; read "
			   "this recording alone, or give a file with --symbols",
			   STRATA_SYMBOLS_ROOM_MAX >> 20, STRATA_SYMBOLS_ROOM_FILE >> 20);
}

static int read_lines(struct strata_symbols *symbols, struct lines *lines, bool *has_room,
		      struct strata_error *error)
{
	bool any_address = false, any_code = false, is_code;
	uint64_t address;
	const char *name;
	char *line, type;
	int status;

	while ((status = next_line(lines, &line, error)) > 0) {
		if (!read_line(line, &address, &type, &name))
			continue;
		any_address |= address != 0;
		/* Weak symbols are functions, too, except "v" and "V". */
		type = (char)(type | 0x20);
		is_code = type == 't' || type == 'w';
		any_code |= is_code;
		if (add(symbols, address, name, is_code))
			return fail_to_add(symbols, has_room, error);
	}
	if (status)
		return -1;
	if (!any_code)
		return strata_fail(error,
				   "it has no symbols; give an ELF file with a symbol table, or "
				   "lines of ADDRESS TYPE NAME, as in System.map");
	if (!any_address)
		return strata_fail(error, "all addresses in it are 0: kallsyms shows them to root "
					  "only");
	return 0;
}

int strata_symbols_read_text(struct strata_symbols *symbols, int fd, uint64_t bytes, bool *has_room,
			     struct strata_error *error)
{
	struct lines *lines = malloc(sizeof(*lines));
	int status;

	*has_room = true;
	if (!lines)
		return strata_fail(error, "out of memory");
	lines->fd = fd;
	lines->offset = lines->from = lines->to = 0;
	/* Files of the kernel's, as kallsyms, do not say how large they are. */
	lines->end = bytes ? strata_next_hole(fd, 0, bytes) : UINT64_MAX;
	status = read_lines(symbols, lines, has_room, error);
	free(lines);
	return status;
}
