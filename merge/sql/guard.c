// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guard.c - restricts statements to reading: neither they nor the traces are trusted.
 *
 * It refuses everything that writes (temporary tables and views included), ATTACH, pragmas other
 * than those that describe tables, and functions that load code, tokenizers or files.
 */
#include <string.h>

#include "sql/session.h"

#define TEXT_BYTES_MAX (64 << 20) /* of a value, and of a statement */

static const char *const pragmas[] = { "table_info",    "table_xinfo",    "module_list",
				       "function_list", "collation_list", "compile_options" };

/* SQLite's own, and those of extensions that a build may include. */
static const char *const functions[] = { "load_extension", "fts3_tokenizer", "readfile",
					 "writefile", "edit" };

static bool is_one_of(const char *name, const char *const *names, size_t nr)
{
	size_t i;

	for (i = 0; name && i < nr; i++) {
		if (sqlite3_stricmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static int allow(void *data, int action, const char *first, const char *second,
		 const char *database, const char *trigger)
{
	(void)data;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_one_of(second, functions, sizeof(functions) / sizeof(functions[0]))
			       ? SQLITE_DENY
			       : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_one_of(first, pragmas, sizeof(pragmas) / sizeof(pragmas[0]))
			       ? SQLITE_OK
			       : SQLITE_DENY;
	case SQLITE_UPDATE:
		/* SQLite describes a virtual table to itself by a statement that seems to make
		 * one. A statement of the user that does this is refused, because the database is
		 * in defensive mode. */
		return first && strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

int sql_guard(struct strata_sql *sql)
{
	sqlite3_limit(sql->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(sql->db, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
	sqlite3_limit(sql->db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_db_config(sql->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(sql->db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sql->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* A double-quoted token is an identifier or an error, never silently a string. */
	sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	return sqlite3_set_authorizer(sql->db, allow, NULL);
}
