// SPDX-License-Identifier: GPL-2.0-or-later
/* rotation_options.c - see rotation_options.h. */
#include "strata/rotation_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "control/session_model.h"
#include "strata/read/time_text.h"

/* A size in bytes, or in K, M, G or T.  0: it is none, or too large. */
static uint64_t parse_size(const char *text)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t bytes;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	bytes = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (errno || (*end && (!unit || !*unit || end[1])))
		return 0;
	if (!unit)
		return bytes > INT64_MAX ? 0 : bytes;
	return bytes > (uint64_t)INT64_MAX >> (10 * (unit - units + 1))
		       ? 0
		       : bytes << (10 * (unit - units + 1));
}

static int wrong(const char *option, const char *argument, const char *why)
{
	fprintf(stderr, "strata: %s: \"%s\": %s\n", option, argument, why);
	return STRATA_STATUS_USAGE;
}

static int check(const char *option, const char *argument, const struct strata_rotation *when)
{
	struct strata_error error;

	if (!session_model_check_rotation(when, &error))
		return STRATA_STATUS_OK;
	return wrong(option, argument, error.text);
}

int rotation_option_size(const char *option, const char *argument, struct strata_rotation *when)
{
	when->bytes = parse_size(argument);
	if (!when->bytes)
		return wrong(option, argument, "not a size, as 100M or 2G");
	return check(option, argument, when);
}

int rotation_option_time(const char *option, const char *argument, struct strata_rotation *when)
{
	const uint64_t ms = time_parse_ms(argument);

	if (!ms || ms > UINT32_MAX)
		return wrong(option, argument, "not a time, as 30s or 10m, of at most 49 days");
	when->ms = (uint32_t)ms;
	return check(option, argument, when);
}

int rotation_option_keep(const char *option, const char *argument, struct strata_rotation *when)
{
	unsigned long keep;

	errno = 0;
	keep = strtoul(argument, NULL, 10);
	if (!argument[0] || argument[strspn(argument, "0123456789")] || errno || !keep ||
	    keep > UINT32_MAX)
		return wrong(option, argument, "not a number of recordings, 1 or more");
	when->keep = (uint32_t)keep;
	return STRATA_STATUS_OK;
}
