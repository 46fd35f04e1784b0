/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol_table.h - the table that the two file readers fill: see symbols.h. */
#ifndef STRATA_MERGE_SYMBOL_TABLE_H
#define STRATA_MERGE_SYMBOL_TABLE_H

#include "symbols/symbols.h"

struct strata_symbol {
	uint64_t address;
	uint64_t bytes;   /* 0: up to the next symbol */
	const char *name; /* ended by a zero byte, within the table's text */
	bool is_code;     /* else it only ends the preceding function */
};

struct strata_symbols {
	struct strata_symbol *symbols; /* by address */
	size_t nr, room;
	char *text;
};

/* Adds a symbol.  0 or -1: out of memory. */
int strata_symbols_add(struct strata_symbols *symbols, uint64_t address, uint64_t bytes,
		       const char *name, bool is_code);

/* Read an open file of @bytes as a whole.  0, or -1 with the reason. */
int strata_symbols_read_text(struct strata_symbols *symbols, int fd, uint64_t bytes,
			     struct strata_error *error);
int strata_symbols_read_elf(struct strata_symbols *symbols, int fd, uint64_t bytes,
			    struct strata_error *error);

/* Reads a part of a file into memory that is followed by a zero byte.  NULL with the reason: it is
 * larger than STRATA_SYMBOLS_BYTES, ends before, or there is no memory. */
char *strata_symbols_read(int fd, uint64_t offset, uint64_t bytes, struct strata_error *error);

#endif /* STRATA_MERGE_SYMBOL_TABLE_H */
