// SPDX-License-Identifier: GPL-2.0-or-later
/* log_levels.c - see log_levels.h. */
#include "base/log_levels.h"

#include <string.h>
#include <strings.h>

static const char *const names[STRATA_NR_LOG_LEVELS] = {
	[STRATA_LOG_NONE] = "",
	[STRATA_LOG_EMERG] = "emerg",
	[STRATA_LOG_ALERT] = "alert",
	[STRATA_LOG_CRIT] = "crit",
	[STRATA_LOG_ERR] = "err",
	[STRATA_LOG_WARNING] = "warning",
	[STRATA_LOG_NOTICE] = "notice",
	[STRATA_LOG_INFO] = "info",
	[STRATA_LOG_DEBUG_SYSTEM] = "debug_system",
	[STRATA_LOG_DEBUG_PROGRAM] = "debug_program",
	[STRATA_LOG_DEBUG_PROCESS] = "debug_process",
	[STRATA_LOG_DEBUG_MODULE] = "debug_module",
	[STRATA_LOG_DEBUG_UNIT] = "debug_unit",
	[STRATA_LOG_DEBUG_FUNCTION] = "debug_function",
	[STRATA_LOG_DEBUG_LINE] = "debug_line",
	[STRATA_LOG_DEBUG] = "debug",
};

const char *strata_log_level_name(enum strata_log_level level)
{
	return names[level];
}

enum strata_log_level strata_log_level_read(const char *name, size_t length,
					    struct strata_error *error)
{
	unsigned int level;

	for (level = STRATA_LOG_EMERG; level < STRATA_NR_LOG_LEVELS; level++)
		if (strlen(names[level]) == length && !strncasecmp(names[level], name, length))
			return (enum strata_log_level)level;
	strata_fail(error,
		    "\"%.*s\" is no log level; they are emerg, alert, crit, err, warning, notice, "
		    "info, debug_system, debug_program, debug_process, debug_module, debug_unit, "
		    "debug_function, debug_line and debug",
		    (int)(length < 40 ? length : 40), name);
	return STRATA_LOG_NONE;
}
