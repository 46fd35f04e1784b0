/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf_symbols.h - finds where in a program's file a function begins.
 *
 * The file is as hostile as its owner: every number in it is checked, and the time is limited by
 * STRATA_ELF_SYMBOLS_MAX.
 */
#ifndef STRATA_KMOD_ELF_SYMBOLS_H
#define STRATA_KMOD_ELF_SYMBOLS_H

#include <linux/fs.h>
#include <linux/types.h>

/* Symbols of one table that are looked at. */
#define STRATA_ELF_SYMBOLS_MAX (1u << 20)

/* A longer name is refused. */
#define STRATA_ELF_NAME_BYTES 256u

/*
 * Finds a function in the symbol table of an x86-64 program or shared library, or else in its table
 * of dynamic symbols.
 * @file:   opened for reading
 * @name:   as in the table: of a C++ function the mangled one
 * @offset: OUT, of its first byte in the file
 * Returns 0; -ENOENT: neither table has it, or no segment of the file; -ENOEXEC: this is no such
 * file, or it is damaged; or another error of reading.  May sleep.
 */
int strata_elf_symbol(struct file *file, const char *name, u64 *offset);

#endif /* STRATA_KMOD_ELF_SYMBOLS_H */
