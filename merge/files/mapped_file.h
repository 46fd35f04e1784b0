/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h - survives the truncation of a mapped file: an access behind the new end raises
 * SIGBUS, which would end the process.  Used for files of rings and for the live table.
 *
 * Not thread-safe.  The handler may interrupt anything.
 */
#ifndef STRATA_MERGE_MAPPED_FILE_H
#define STRATA_MERGE_MAPPED_FILE_H

#include <stddef.h>

#include "base/error.h"

/*
 * From now on, an access behind the end of the file replaces the mapping by zeros.  The caller
 * treats zeros as invalid or empty. 0, or -1: there are too many.
 */
int strata_mapping_guard(void *begin, size_t bytes, struct strata_error *error);

/* Call this after munmap(). */
void strata_mapping_forget(const void *begin);

#endif /* STRATA_MERGE_MAPPED_FILE_H */
