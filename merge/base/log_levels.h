/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_levels.h - names of log levels, as users write and read them: "warning", "debug_line". */
#ifndef STRATA_MERGE_BASE_LOG_LEVELS_H
#define STRATA_MERGE_BASE_LOG_LEVELS_H

#include <stddef.h>

#include <strata/log_level.h>

#include "base/error.h"

/* @level: below STRATA_NR_LOG_LEVELS; "" for STRATA_LOG_NONE */
const char *strata_log_level_name(enum strata_log_level level);

/*
 * Reads a name, in small or capital letters.
 * @name: @length bytes
 * Returns the level; STRATA_LOG_NONE: no level has this name, and @error lists the names.
 */
enum strata_log_level strata_log_level_read(const char *name, size_t length,
					    struct strata_error *error);

#endif /* STRATA_MERGE_BASE_LOG_LEVELS_H */
