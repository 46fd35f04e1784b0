/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statements.h - runs statements and the prompt's own commands, and reports errors. */
#ifndef STRATA_SQL_STATEMENTS_H
#define STRATA_SQL_STATEMENTS_H

#include "strata_sql/result.h"
#include "sql/sql.h"
#include "strata/read/traces.h"

struct statements {
	struct strata_sql *sql;
	struct traces *traces;
	enum result_form form;
	bool shows_stats;
	bool wants_end; /* .quit */
};

/* Runs all statements of a text, or a command. Returns 0; -1: one failed, which was reported;
 * STATEMENTS_INTERRUPTED. */
#define STATEMENTS_INTERRUPTED 1
int statements_run(struct statements *statements, const char *text);

/* Whether a line is a command of the prompt. */
bool statements_is_command(const char *line);

#endif /* STRATA_SQL_STATEMENTS_H */
