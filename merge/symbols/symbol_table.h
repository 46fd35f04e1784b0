/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol_table.h - the table that the two file readers fill: see symbols.h. */
#ifndef STRATA_MERGE_SYMBOL_TABLE_H
#define STRATA_MERGE_SYMBOL_TABLE_H

#include "symbols/symbols.h"
#include "symbols/symbols_room.h"

struct strata_symbol {
	uint64_t address;
	uint64_t bytes; /* 0: up to the next symbol */
	uint32_t name;  /* where it begins in the table's text; ended by a zero byte */
	bool is_code;   /* else it only ends the preceding function */
};

struct strata_symbols {
	struct strata_symbol *symbols; /* by address */
	size_t nr, capacity;
	char *text;
	size_t text_bytes, text_capacity; /* if it was not read as a whole */
	bool is_bounded;                  /* its memory is taken from the room of recordings */
	struct strata_symbols_room room;  /* what it took */
	struct strata_symbols_deferred *deferred; /* the table is there; NULL: it is here */
};

/* Adds a symbol whose name begins at @name in the text.  0 or -1: out of memory, or of the room of
 * recordings. */
int strata_symbols_add(struct strata_symbols *symbols, uint64_t address, uint64_t bytes,
		       uint32_t name, bool is_code);

/* Adds a name to the text.  @name: OUT: where it begins.  The same result. */
int strata_symbols_add_name(struct strata_symbols *symbols, const char *text, size_t bytes,
			    uint32_t *name);

/* Reads an open file as lines of text, of which no more stays in memory than the symbols.
 * @bytes: of the file; 0: unknown.  @has_room: OUT: false if the room of recordings is used up.
 * 0, or -1 with the reason. */
int strata_symbols_read_text(struct strata_symbols *symbols, int fd, uint64_t bytes, bool *has_room,
			     struct strata_error *error);
/* Reads an open file of @bytes as a whole.  0, or -1 with the reason. */
int strata_symbols_read_elf(struct strata_symbols *symbols, int fd, uint64_t bytes,
			    struct strata_error *error);

/* Reads a part of a file into memory that is followed by a zero byte.  NULL with the reason: it is
 * larger than STRATA_SYMBOLS_BYTES, ends before, or there is no memory. */
char *strata_symbols_read(int fd, uint64_t offset, uint64_t bytes, struct strata_error *error);

/* Loads the file if no thread did so before.  NULL: it has no symbols, or there is no room for
 * them. */
const struct strata_symbols *strata_symbols_deferred_get(struct strata_symbols_deferred *deferred);
void strata_symbols_deferred_free(struct strata_symbols_deferred *deferred);

#endif /* STRATA_MERGE_SYMBOL_TABLE_H */
