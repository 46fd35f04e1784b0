/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_kernel.h - the events of one kernel, for `strata list --events`. */
#ifndef STRATA_STRATA_LIST_KERNEL_H
#define STRATA_STRATA_LIST_KERNEL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include <strata/event.h>

#include "recording/recording.h"

struct list_choice {
	char **patterns;    /* as for --kernel */
	size_t nr_patterns; /* 0: all events */
	bool fields;
};

/* A list of the chosen events of a guest's or an application's table. */
struct event_listing {
	const struct list_choice *choice;
	struct json_object *json; /* NULL: the events are printed */
	struct json_object *array;
	struct strata_source checked;
	size_t entry; /* the next one of the table */
};

/*
 * Begins a list, to be ended by list_events_end().  An event is printed as a line:
 *
 *	GROUP/NAME, or with fields GROUP/NAME FIELD:TYPE ...
 *
 * TYPE is s, u, x or f (signed, unsigned, shown in base 16, floating-point) and bits, or text, with
 *[N] for an array and [] for a sequence; or string.  Names in the table are hostile, but
 *zero-terminated.
 * @json: gets the member "events" instead; NULL: they are printed
 */
void list_events_begin(struct event_listing *listing, const struct list_choice *choice,
		       struct json_object *json);

/* Lists the next event of the table, if it is chosen. */
void list_events_next(struct event_listing *listing, const struct strata_event_desc *event);

void list_events_end(struct event_listing *listing);

#endif /* STRATA_STRATA_LIST_KERNEL_H */
