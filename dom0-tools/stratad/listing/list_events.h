/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_events.h - the events of one kernel or application, as JSON. */
#ifndef STRATA_STRATAD_LIST_EVENTS_H
#define STRATA_STRATAD_LIST_EVENTS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include <strata/event.h>

#include "recording/recording.h"

/* What is listed of each kernel or application. */
struct list_choice {
	bool events;
	bool fields;        /* with the fields of events */
	bool for_member;    /* without probes and recorders of others (list_member.h) */
	char **patterns;    /* only events that one of them matches, as for --kernel */
	size_t nr_patterns; /* 0: all events */
};

/* A list of the chosen events of a guest's or an application's table. */
struct event_listing {
	const struct list_choice *choice;
	struct json_object *array;
	struct strata_source checked;
	size_t entry; /* the next one of the table */
};

/* Whether an event may be in the list: a member of the group tracing does not learn of probes,
 * which are root's alone. */
bool list_events_may_list(const struct list_choice *choice, const struct strata_event_desc *event);

/*
 * Begins a list, to be ended by list_events_end().  Names in the table are hostile, but
 * zero-terminated.
 * @json: gets the member "events"
 */
void list_events_begin(struct event_listing *listing, const struct list_choice *choice,
		       struct json_object *json);

/* Lists the next event of the table, if it is chosen.  A message names one that cannot be recorded.
 */
void list_events_next(struct event_listing *listing, const struct strata_event_desc *event);

void list_events_end(struct event_listing *listing);

#endif /* STRATA_STRATAD_LIST_EVENTS_H */
