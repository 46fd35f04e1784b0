/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - the front end of `strata timeline`: one HTML file with a place for the data. */
#ifndef STRATA_TIMELINE_PAGE_H
#define STRATA_TIMELINE_PAGE_H

#include <stddef.h>

/* Stands in the page once. The writer replaces it by the data (docs/formats.md). */
#define STRATA_TIMELINE_PLACE "<!--STRATA-DATA-->"

/* The page, strata_timeline_page_bytes of it, without a 0 at its end. */
extern const unsigned char strata_timeline_page[];
extern const size_t strata_timeline_page_bytes;

#endif /* STRATA_TIMELINE_PAGE_H */
