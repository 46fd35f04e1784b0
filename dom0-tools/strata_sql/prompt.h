/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - reads statements from standard input: with a prompt, history and editing on a
 * terminal. */
#ifndef STRATA_SQL_PROMPT_H
#define STRATA_SQL_PROMPT_H

#include "strata_sql/statements.h"

/* Runs statements until the end of input. Returns 0, or -1: on a terminal, it cannot be read;
 * otherwise a statement failed, and the rest was not run. */
int prompt_run(struct statements *statements);

/* From here on Ctrl-C interrupts a statement instead of ending the program. */
void prompt_catch_interrupts(struct strata_sql *sql);

#endif /* STRATA_SQL_PROMPT_H */
