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
/* The same of a recording's file, which may be no link; NULL with an empty reason: there is
 * none. */
struct strata_symbols *strata_symbols_load_recorded(const char *path, struct strata_error *error);
void strata_symbols_free(struct strata_symbols *symbols);

/* Finds a symbol by its name. False: none, or several at different addresses. */
bool strata_symbols_find(const struct strata_symbols *symbols, const char *name, uint64_t *address);

/* Writes "NAME+0x1f", or "NAME" where it begins; any bytes, ended by a zero byte.
 * @text: OUT.  False: the address lies in no known function. */
bool strata_symbols_name(const struct strata_symbols *symbols, uint64_t address,
			 char text[STRATA_SYMBOL_BYTES]);

#endif /* STRATA_MERGE_SYMBOLS_H */
