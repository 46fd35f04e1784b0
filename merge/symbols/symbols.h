/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the functions of a kernel or a hypervisor by address: of an ELF file with a symbol
 * table (vmlinux, xen-syms), or of text that has "ADDRESS TYPE NAME" on each line (System.map,
 * kallsyms, xen-syms.map).
 *
 * Files are hostile: their sizes are limited, all values are checked, and a damaged one is refused
 * or gives wrong names; names may contain any bytes. An address gets the name of the function that
 * contains it, or none, never that of a preceding one.
 */
#ifndef STRATA_MERGE_SYMBOLS_H
#define STRATA_MERGE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define STRATA_SYMBOL_NAME_MAX 127u        /* longer names end there */
#define STRATA_SYMBOL_BYTES    160u        /* "NAME+0x1f" */
#define STRATA_SYMBOLS_BYTES   (64u << 20) /* of a text, or of a table of an ELF file, at most */

struct strata_symbols;

/* Loads a file.  NULL with the reason. */
struct strata_symbols *strata_symbols_load(const char *path, struct strata_error *error);

/*
 * Loads the text of a recording, which may be no link, into the memory that such files share
 * (symbols_room.h).
 * @owner: the number of the recording's owner
 * @has_room: OUT: false if that memory is used up
 * NULL with the reason; with an empty one: there is no such file.
 */
struct strata_symbols *strata_symbols_load_recorded(const char *path, uint64_t owner,
						    bool *has_room, struct strata_error *error);

/* What is called, at most once, in the thread that names the first address; or NULL. */
struct strata_symbols_told {
	strata_complain_fn *damage;  /* the file cannot be read */
	strata_complain_fn *no_room; /* the memory for such files is used up */
	void *data;
};

/*
 * The symbols of a recording's file, which is loaded when the first address is named or the first
 * symbol is sought. Any threads may do that at the same time. Without symbols, no address has a
 * name.  NULL: out of memory.
 */
struct strata_symbols *strata_symbols_defer(const char *path, uint64_t owner,
					    const struct strata_symbols_told *told);

void strata_symbols_free(struct strata_symbols *symbols);

/* Finds a symbol by its name. False: none, or several at different addresses. */
bool strata_symbols_find(const struct strata_symbols *symbols, const char *name, uint64_t *address);

/* Writes "NAME+0x1f", or "NAME" where it begins; any bytes, ended by a zero byte.
 * @text: OUT.  False: the address lies in no known function. */
bool strata_symbols_name(const struct strata_symbols *symbols, uint64_t address,
			 char text[STRATA_SYMBOL_BYTES]);

#endif /* STRATA_MERGE_SYMBOLS_H */
