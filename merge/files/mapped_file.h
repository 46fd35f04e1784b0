/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h - survives that somebody truncates a file which is mapped: a load or a store
 * behind its new end would be a SIGBUS, which ends the process.  For the recorder, of rings and of
 * what it tells those who follow, and for these.
 *
 * Not for several threads at once; the handler may interrupt anything.
 */
#ifndef STRATA_MERGE_MAPPED_FILE_H
#define STRATA_MERGE_MAPPED_FILE_H

#include <stddef.h>

#include "base/error.h"

/*
 * From now on, zeros of our own come in place of a mapping whose file was truncated under it, as
 * soon as somebody meets that: the caller knows what zeros mean there.
 * 0, or -1: there are too many.
 */
int strata_mapping_guard(void *begin, size_t bytes, struct strata_error *error);

/* To be called behind munmap(). */
void strata_mapping_forget(const void *begin);

#endif /* STRATA_MERGE_MAPPED_FILE_H */
