/* SPDX-License-Identifier: MIT */
/*
 * log_level.h - how severe an event is, by the levels of syslog and LTTng.
 *
 * A small number is severe.  Event descriptions and programs store the level; CTF metadata has
 * LTTng's numbers, which are one less.
 */
#ifndef STRATA_LOG_LEVEL_H
#define STRATA_LOG_LEVEL_H

#include <strata/platform/platform.h>

enum strata_log_level {
	STRATA_LOG_NONE = 0, /* the event has no level; selected as STRATA_LOG_DEBUG_LINE */
	STRATA_LOG_EMERG,
	STRATA_LOG_ALERT,
	STRATA_LOG_CRIT,
	STRATA_LOG_ERR,
	STRATA_LOG_WARNING,
	STRATA_LOG_NOTICE,
	STRATA_LOG_INFO,
	STRATA_LOG_DEBUG_SYSTEM,
	STRATA_LOG_DEBUG_PROGRAM,
	STRATA_LOG_DEBUG_PROCESS,
	STRATA_LOG_DEBUG_MODULE,
	STRATA_LOG_DEBUG_UNIT,
	STRATA_LOG_DEBUG_FUNCTION,
	STRATA_LOG_DEBUG_LINE,
	STRATA_LOG_DEBUG,
	STRATA_NR_LOG_LEVELS,
};

#endif /* STRATA_LOG_LEVEL_H */
