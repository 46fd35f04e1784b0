/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virtual.h - what all virtual tables do in the same way. */
#ifndef STRATA_MERGE_SQL_VIRTUAL_H
#define STRATA_MERGE_SQL_VIRTUAL_H

#include <sqlite3.h>

/* Declares the columns, for xConnect.  No schema of others is to use the table. */
static inline int sql_virtual_declare(sqlite3 *db, const char *text)
{
	const int status = sqlite3_declare_vtab(db, text);

	return status == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : status;
}

static inline int sql_virtual_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

#endif /* STRATA_MERGE_SQL_VIRTUAL_H */
