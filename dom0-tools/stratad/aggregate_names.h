/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aggregate_names.h - the names of what a row of an aggregating channel counts; a guest or an
 * application may have chosen them, so they are escaped. */
#ifndef STRATA_STRATAD_AGGREGATE_NAMES_H
#define STRATA_STRATAD_AGGREGATE_NAMES_H

#include "base/escape.h"
#include "stratad/aggregate_rows.h"
#include "stratad/domains/aggregated_apps.h"

#define AGGREGATE_NAME_BYTES STRATA_ESCAPED_BYTES(COUNTED_NAME_BYTES)

/* The name of a row's event.  Returns @name. */
const char *aggregate_event_name(const struct aggregate_row *row, char name[AGGREGATE_NAME_BYTES]);

/* The name of a row's source.  Returns @name. */
const char *aggregate_source_name(const struct aggregate_source *source,
				  char name[AGGREGATE_NAME_BYTES]);

/* The domain or process that a row is of.  Returns @name, or NULL: rows are not of such. */
const char *aggregate_owner_name(const struct aggregate_look *look, const struct aggregate_row *row,
				 char name[AGGREGATE_NAME_BYTES]);

/* Whether a row is of those that have ended. */
bool aggregate_is_of_ended(const struct aggregate_row *row);

/* A number of a row's ticks in ns. */
uint64_t aggregate_row_ns(const struct aggregate_row *row, uint64_t ticks);

#endif /* STRATA_STRATAD_AGGREGATE_NAMES_H */
