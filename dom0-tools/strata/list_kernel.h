/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_kernel.h - the events of one kernel, for `strata list --events`. */
#ifndef STRATA_STRATA_LIST_KERNEL_H
#define STRATA_STRATA_LIST_KERNEL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include <strata/event.h>

struct list_choice {
	char **patterns;    /* as for --kernel */
	size_t nr_patterns; /* 0: all events */
	bool fields;
};

/*
 * Prints the chosen events of a guest's or an application's table, a line for each:
 *
 *	GROUP/NAME, or with fields GROUP/NAME FIELD:TYPE ...
 *
 * TYPE is s, u, x or f (signed, unsigned, shown in base 16, floating-point) and bits, or text, with
 *[N] for an array and [] for a sequence; or string.  Names in the table are hostile, but
 *zero-terminated.
 * @json: gets the member "events" instead; NULL: they are printed
 */
void list_kernel_events(const struct strata_event_desc *events, size_t nr,
			const struct list_choice *choice, struct json_object *json);

#endif /* STRATA_STRATA_LIST_KERNEL_H */
