/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_share.h - how a bounded number of entries is divided among those whose traces make them.
 *
 * What an owner has counts twice.  So one that makes entries without end gets half of them, two get
 * a third each, and whoever comes later still finds room.
 */
#ifndef STRATA_MERGE_FAIR_SHARE_H
#define STRATA_MERGE_FAIR_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether an owner that has @own of all @nr entries may add one, where at most @max exist. */
static inline bool strata_share_has_room(size_t own, size_t nr, size_t max)
{
	return nr < max && own < max - nr;
}

#endif /* STRATA_MERGE_FAIR_SHARE_H */
