/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matches.h - compares sources, tasks and names with the patterns of a question (instances.h). A
 * NULL pattern matches everything. */
#ifndef STRATA_MERGE_WHY_MATCHES_H
#define STRATA_MERGE_WHY_MATCHES_H

#include <stdbool.h>

#include "state/tasks.h"

bool strata_why_name_fits(const char *pattern, const char *name);

/* Matches a source by its name. "host1/app-server", from one of several machines, also matches as
 * "app-server" and "server"; "app-server-239", one of several programs of that name, as
 * "server". */
bool strata_why_source_fits(const char *pattern, const char *source);

/* Matches a task by its name, its number, or both: "server", "239", "server-239". */
bool strata_why_task_fits(const char *pattern, const struct strata_task *task);

#endif /* STRATA_MERGE_WHY_MATCHES_H */
