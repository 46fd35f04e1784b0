/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matches.h - compares sources, tasks and names with the patterns of a question (instances.h).  A
 * pattern of NULL fits all. */
#ifndef STRATA_MERGE_WHY_MATCHES_H
#define STRATA_MERGE_WHY_MATCHES_H

#include <stdbool.h>

#include "state/tasks.h"

bool strata_why_name_fits(const char *pattern, const char *name);

/* A source by its name.  "host1/app-server", of one of several machines, is also "app-server",
 * "server", and as one of several programs of that name, "app-server-239", "server" too. */
bool strata_why_source_fits(const char *pattern, const char *source);

/* A task by its name, its number, or both: "server", "239", "server-239". */
bool strata_why_task_fits(const char *pattern, const struct strata_task *task);

#endif /* STRATA_MERGE_WHY_MATCHES_H */
