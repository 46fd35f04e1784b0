// SPDX-License-Identifier: GPL-2.0-or-later
/* select_aggregate.c - see select_aggregate.h. */
#include "stratad/select/select_aggregate.h"

#include <stdio.h>
#include <string.h>

/* Rows of a table: more than Xen has events; of those for each domain, as many as 16 to 64 busy
 * domains need.  Xen's tables of domains are replaced by larger ones when more are there
 * (aggregated_xen.h).  What has no row is counted as such. */
#define COUNT_ROW_BITS        10u
#define COUNT_DOMAIN_ROW_BITS 12u
#define TIME_ROW_BITS         1u
#define TIME_DOMAIN_ROW_BITS  6u

#define COUNT   "count"
#define TIME    "time:"
#define DOMAIN  ":domain"
#define PROCESS ":process"

/* Copies a name of @length.  Whether it may be one. */
static bool take_name(char name[STRATA_EVENT_NAME_BYTES], const char *text, size_t length)
{
	if (!length || length >= STRATA_EVENT_NAME_BYTES)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return true;
}

/* "A..B" of @length. */
static bool take_events(struct aggregate_choice *choice, const char *text, size_t length)
{
	const char *dots = memmem(text, length, "..", 2);

	return dots && take_name(choice->begin, text, (size_t)(dots - text)) &&
	       take_name(choice->end, dots + 2, (size_t)(text + length - dots) - 2);
}

/* Whether a text of *@length, which it shortens, ends in @suffix. */
static bool take_suffix(const char *text, size_t *length, const char *suffix)
{
	if (*length <= strlen(suffix) || strcmp(text + *length - strlen(suffix), suffix))
		return false;
	*length -= strlen(suffix);
	return true;
}

int select_aggregate(const char *text, struct aggregate_choice *choice, struct strata_error *error)
{
	size_t length = strlen(text);

	*choice = (struct aggregate_choice){ .kind = STRATA_AGGREGATE_COUNT };
	choice->by_domain = take_suffix(text, &length, DOMAIN);
	choice->by_process = !choice->by_domain && take_suffix(text, &length, PROCESS);
	if (length == strlen(COUNT) && !strncmp(text, COUNT, length))
		return 0;
	choice->kind = STRATA_AGGREGATE_TIME;
	if (length > strlen(TIME) && !strncmp(text, TIME, strlen(TIME)) &&
	    take_events(choice, text + strlen(TIME), length - strlen(TIME)))
		return 0;
	return strata_fail(
		error,
		"\"%s\" is not something to count: use count or time:EVENT..EVENT, with :domain behind it for each domain apart, or :process for each process of an application",
		text);
}

int select_aggregate_xen(const struct aggregate_choice *choice, struct xen_selection *selection,
			 struct strata_aggregate_spec *spec, struct strata_error *error)
{
	*spec = (struct strata_aggregate_spec){ .version = STRATA_AGGREGATE_VERSION,
						.kind = (uint8_t)choice->kind,
						.by_owner = choice->by_domain };
	if (choice->kind == STRATA_AGGREGATE_COUNT) {
		spec->row_bits = choice->by_domain ? COUNT_DOMAIN_ROW_BITS : COUNT_ROW_BITS;
		return 0;
	}
	spec->row_bits = choice->by_domain ? TIME_DOMAIN_ROW_BITS : TIME_ROW_BITS;
	if (select_xen_event(selection, choice->begin, &spec->begin, error))
		return -1;
	return select_xen_event(selection, choice->end, &spec->end, error);
}

uint8_t select_aggregate_row_bits(const struct strata_aggregate_spec *spec, uint32_t rows)
{
	const uint8_t most = spec->kind == STRATA_AGGREGATE_TIME
				     ? STRATA_AGGREGATE_TIME_ROW_BITS_MAX
				     : STRATA_AGGREGATE_COUNT_ROW_BITS_MAX;
	uint8_t bits = STRATA_AGGREGATE_ROW_BITS_MIN;

	while (bits < most && 1u << bits < rows)
		bits++;
	return bits;
}

void select_aggregate_kernel(const struct aggregate_choice *choice,
			     struct strata_aggregate_spec *spec)
{
	const struct strata_aggregate_event whole_id = { 0, ~0u };

	*spec = (struct strata_aggregate_spec){ .version = STRATA_AGGREGATE_VERSION,
						.kind = (uint8_t)choice->kind,
						.row_bits = COUNT_ROW_BITS };
	if (choice->kind == STRATA_AGGREGATE_COUNT)
		return;
	spec->row_bits = TIME_ROW_BITS;
	spec->begin = spec->end = whole_id;
}
