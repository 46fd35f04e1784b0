// SPDX-License-Identifier: GPL-2.0-or-later
/* select.c - see select.h. */
#include "select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

int select_parse_kernel(const char *argument, struct kernel_selection *selection,
			struct strata_error *error)
{
	const char *colon = strrchr(argument, ':');
	size_t length = colon ? (size_t)(colon - argument) : strlen(argument);

	if (length == 0 || length >= sizeof(selection->domain) || (colon && !colon[1]))
		return strata_fail(error, "--kernel: \"%s\" is not DOMAIN:EVENTS", argument);
	memcpy(selection->domain, argument, length);
	selection->domain[length] = '\0';
	selection->events = colon ? colon + 1 : "all";
	selection->found = false;
	return 0;
}

bool select_matches_domain(const struct kernel_selection *selection, uint32_t domain,
			   const char *name)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", domain);
	return !strcmp(selection->domain, number) || !fnmatch(selection->domain, name, 0) ||
	       (domain == 0 && !strcmp(selection->domain, "dom0"));
}

static int add_pattern(const char *pattern, size_t length, const struct strata_event_desc *events,
		       size_t nr, uint64_t *mask, struct strata_error *error)
{
	char copy[STRATA_EVENT_NAME_BYTES + 8];
	uint64_t added = 0;
	size_t i;

	if (length >= sizeof(copy))
		return strata_fail(error, "--kernel: the pattern \"%.*s\" is too long", (int)length,
				   pattern);
	memcpy(copy, pattern, length);
	copy[length] = '\0';
	for (i = 0; i < nr && i < 64; i++)
		if (!strcmp(copy, "all") || !fnmatch(copy, events[i].name, 0))
			added |= (uint64_t)1 << i;
	if (!added)
		return strata_fail(error,
				   "\"%s\" names no event of this kernel; `strata list --events` "
				   "lists them",
				   copy);
	*mask |= added;
	return 0;
}

int select_kernel_events(const char *patterns, const struct strata_event_desc *events, size_t nr,
			 uint64_t *mask, struct strata_error *error)
{
	*mask = 0;
	while (true) {
		size_t length = strcspn(patterns, ",");

		if (add_pattern(patterns, length, events, nr, mask, error))
			return -1;
		if (!patterns[length])
			return 0;
		patterns += length + 1;
	}
}
