/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_names.h - tables of names for numbers, and the rules that assign tables to fields of
 * events.
 *
 * Tables are constant data: merge/xen/ has those of Xen and of the processors, merge/linux/ those
 * of Linux. event_names.h assigns them to the fields of a trace.
 */
#ifndef STRATA_MERGE_NUMBER_NAMES_H
#define STRATA_MERGE_NUMBER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of the numbers from @first on; NULL among them: the number has no name. */
struct strata_name_range {
	uint64_t first;
	const char *const *names;
	size_t nr;
};

struct strata_number_names {
	const struct strata_name_range *ranges;
	size_t nr_ranges;
	uint64_t mask;   /* the bits of a number that select a name; 0: all */
	bool is_negated; /* names stand for -1, -2...: the tables hold 1, 2... */
	/* Tables for some values of another field of the event, instead of the ranges. */
	const struct strata_names_choice {
		uint64_t value;
		const struct strata_number_names *names;
	} * choices;
	size_t nr_choices;
};

/* One range from 0 on. */
#define STRATA_NAMES_RANGE(array)                            \
	{                                                    \
		0, array, sizeof(array) / sizeof((array)[0]) \
	}

/* Returns the names of a number one after the other: NULL after the last.  @at: IN/OUT, 0 at
 * first */
const char *strata_number_names_at(const struct strata_number_names *names, uint64_t number,
				   size_t *at);

/* Returns the first name of a number; NULL: it has none, or the table needs a choice first. */
const char *strata_number_name(const struct strata_number_names *names, uint64_t number);

/* Returns the table for a value of the other field: a choice, else the table itself; NULL: neither.
 */
const struct strata_number_names *strata_names_choose(const struct strata_number_names *names,
						      uint64_t value);

/*
 * Returns all names of a table and of its choices, one after the other; NULL after the last.
 * @at: IN/OUT, 0 at first
 */
const char *strata_number_names_next(const struct strata_number_names *names, size_t *at);

/* The content of a field whose numbers have no table. */
enum strata_names_of {
	STRATA_NAMES_TABLE,
	STRATA_NAMES_DOMAIN,      /* a domain's number */
	STRATA_ADDRESS_OWN,       /* an address of code of the trace's own source */
	STRATA_ADDRESS_OF_DOMAIN, /* likewise of the domain that the event's context names */
};

/* Gives a table to a field of the payload of events. */
struct strata_names_rule {
	const char *event; /* their name; a pattern of fnmatch(3) */
	const char *field;
	const struct strata_number_names *names;
	const char *chosen_by; /* the field that chooses among the table's choices; or NULL */
	enum strata_names_of of;
};

/* Rules; the first one that matches an event and a field applies. */
struct strata_names_rules {
	const struct strata_names_rule *rules;
	size_t nr;
};

#endif /* STRATA_MERGE_NUMBER_NAMES_H */
