/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virtual.h - what all virtual tables do in the same way. */
#ifndef STRATA_MERGE_SQL_VIRTUAL_H
#define STRATA_MERGE_SQL_VIRTUAL_H

#include <sqlite3.h>

static inline int sql_virtual_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

#endif /* STRATA_MERGE_SQL_VIRTUAL_H */
