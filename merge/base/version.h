/* SPDX-License-Identifier: GPL-2.0-or-later */
/* version.h - the version of Strata, which traces name as their tracer's. */
#ifndef STRATA_MERGE_VERSION_H
#define STRATA_MERGE_VERSION_H

#define STRATA_VERSION_MAJOR 0
#define STRATA_VERSION_MINOR 1

#endif /* STRATA_MERGE_VERSION_H */
