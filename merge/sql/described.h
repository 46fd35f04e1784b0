/* SPDX-License-Identifier: GPL-2.0-or-later */
/* described.h - tables of this room with what .schema says of them: a table is declared by the same
 * list of columns. */
#ifndef STRATA_MERGE_SQL_DESCRIBED_H
#define STRATA_MERGE_SQL_DESCRIBED_H

#include <stddef.h>

struct sql_described_column {
	const char *name;
	const char *type; /* of its declaration */
	const char *what; /* "": the name says it */
};

struct sql_described_table {
	const char *name, *what;
	const struct sql_described_column *columns;
	size_t nr;
};

extern const struct sql_described_table sql_losses, sql_clocks, sql_sources, sql_event_tables;

#endif /* STRATA_MERGE_SQL_DESCRIBED_H */
