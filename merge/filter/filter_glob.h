/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_glob.h - patterns of text:
 *
 *     *       any bytes, or none
 *     ?       one byte
 *     [a-z]   one of these; [!a-z] any other
 *     \c      the byte c itself; any other byte matches itself, as does an unclosed [
 *
 * Bytes are compared, independent of the locale. Text is hostile: the time is at most proportional
 * to the product of both lengths, and there is no recursion.
 */
#ifndef STRATA_MERGE_FILTER_GLOB_H
#define STRATA_MERGE_FILTER_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the whole text matches the pattern. */
bool strata_glob_fits(const char *pattern, size_t pattern_bytes, const char *text, size_t bytes);

#endif /* STRATA_MERGE_FILTER_GLOB_H */
