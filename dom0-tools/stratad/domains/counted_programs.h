/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counted_programs.h - the programs of an aggregator and the names of their events, which it keeps
 * until it ends.  Called by aggregated_apps.c.
 *
 * Names come from applications.  They take from the share of the user who started the program.
 */
#ifndef STRATA_STRATAD_COUNTED_PROGRAMS_H
#define STRATA_STRATAD_COUNTED_PROGRAMS_H

#include "stratad/domains/aggregated_apps.h"

/* Words of rows, by the program's events; of times, of its one row. */
struct counted_sum {
	uint64_t *now, *before;
	size_t nr; /* words */
};

/* An event for which the program has no room. */
#define COUNTED_NO_EVENT UINT16_MAX

/* The program of an application, which is made if it is new.  NULL with the reason. */
struct counted_program *counted_program_of(struct aggregated_apps *all, const struct app *app,
					   struct principal *who, struct strata_error *error);

/* The program's number of an event, which is made if it is new.  @guess: processes of a program
 * mostly have the same ids.  @event: OUT.  0 or -1. */
int counted_program_event(struct counted_program *program, const struct strata_event_desc *desc,
			  size_t guess, struct principal *who, uint16_t *event,
			  struct strata_error *error);

/* Frees a program, but for its sums. */
void counted_program_free(struct counted_program *program);

#endif /* STRATA_STRATAD_COUNTED_PROGRAMS_H */
