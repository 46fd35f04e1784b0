// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols_text.c - reads lines of "ADDRESS TYPE NAME", as nm writes them: System.map, kallsyms
 * (with
 * "[MODULE]" behind some), xen-syms.map (with 0x in front of addresses).
 */
#include "symbols/symbol_table.h"

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

/* Reads a file to its end; the same as strata_symbols_read() for one of an unknown size. */
static char *read_all(int fd, struct strata_error *error)
{
	size_t used = 0, room = 0;
	char *memory = NULL;
	ssize_t got;

	do {
		if (room - used < 65536) {
			char *more = realloc(memory, room = room * 2 + (1u << 20));

			if (!more) {
				strata_fail(error, "out of memory");
				free(memory);
				return NULL;
			}
			memory = more;
		}
		got = read(fd, memory + used, room - used - 1);
		if (got > 0)
			used += (size_t)got;
	} while ((got > 0 && used <= STRATA_SYMBOLS_BYTES) || (got < 0 && errno == EINTR));
	if (got) {
		strata_fail(error, "%s",
			    got < 0 ? strerror(errno) : "it has more symbols than are read");
		free(memory);
		return NULL;
	}
	memory[used] = '\0';
	return memory;
}

int strata_symbols_read_text(struct strata_symbols *symbols, int fd, uint64_t bytes,
			     struct strata_error *error)
{
	bool any_address = false, any_code = false;
	char *line, *next;

	/* Files of the kernel's, as kallsyms, do not say how large they are. */
	symbols->text = bytes ? strata_symbols_read(fd, 0, bytes, error) : read_all(fd, error);
	if (!symbols->text)
		return -1;
	/* A zero byte within it would end its last line. */
	for (line = symbols->text; *line; line = next) {
		char *newline = strchr(line, '\n');
		uint64_t address;
		const char *name;
		char type;

		next = newline ? newline + 1 : line + strlen(line);
		if (newline)
			*newline = '\0';
		if (!read_line(line, &address, &type, &name))
			continue;
		any_address |= address != 0;
		/* Weak symbols are functions, too, except "v" and "V". */
		type = (char)(type | 0x20);
		any_code |= type == 't' || type == 'w';
		if (strata_symbols_add(symbols, address, 0, name, type == 't' || type == 'w'))
			return strata_fail(error, "out of memory");
	}
	if (!any_code)
		return strata_fail(error,
				   "it has no symbols; give an ELF file with a symbol table, or "
				   "lines of ADDRESS TYPE NAME, as in System.map");
	if (!any_address)
		return strata_fail(error, "all addresses in it are 0: kallsyms shows them to root "
					  "only");
	return 0;
}
