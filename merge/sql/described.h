/* SPDX-License-Identifier: GPL-2.0-or-later */
/* described.h - tables that describe their columns: .schema prints the same list from which the
 * table is declared. */
#ifndef STRATA_MERGE_SQL_DESCRIBED_H
#define STRATA_MERGE_SQL_DESCRIBED_H

#include <stddef.h>

struct sql_described_column {
	const char *name;
	const char *type; /* in the declaration */
	const char *what; /* description; "" if the name suffices */
};

struct sql_described_table {
	const char *name, *what;
	const struct sql_described_column *columns;
	size_t nr;
};

extern const struct sql_described_table sql_losses, sql_clocks, sql_sources, sql_event_tables;

#endif /* STRATA_MERGE_SQL_DESCRIBED_H */
