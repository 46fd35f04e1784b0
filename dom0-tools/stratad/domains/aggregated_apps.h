/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregated_apps.h - what applications count for one aggregator, by program: adds up the tables of
 * their processes, also of those that have ended.
 *
 * Connections, messages and quotas are those of a recorder (apps.h).  Programs of the same name but
 * of different users are counted apart, so a process that lies changes its user's rows only.
 */
#ifndef STRATA_STRATAD_AGGREGATED_APPS_H
#define STRATA_STRATAD_AGGREGATED_APPS_H

#include "consumerd/apps/app.h"
#include "consumerd/shares/principal.h"
#include "consumerd/xen/hypervisor_aggregate.h"
#include "stratad/select/select_aggregate.h"
#include "stratad/select/select_app.h"

/* As long as any name of an event, with its group. */
#define COUNTED_NAME_BYTES 144u

struct counted_process;

/* The rows of a program.  The event in a row's key is an index of its names; for times, 0.  The
 * owner is the process if processes are counted apart, else 0; 0: those that have ended. */
struct counted_program {
	char name[128]; /* hostile */
	uint32_t uid;
	uint32_t user; /* whose share it counts in: that of a subordinate uid is its owner */
	char (*names)[COUNTED_NAME_BYTES];
	size_t nr_names;
	struct aggregate_rows now, before;
	/* private to counted_programs.c and aggregated_apps.c */
	struct counted_event *events;
	size_t room; /* for events and names */
	struct counted_sum *ended;
	uint64_t others[STRATA_AGGREGATE_OTHERS]; /* of processes that have ended */
};

struct aggregated_apps {
	const struct aggregate_choice *what;
	struct principals *principals;
	struct strata_aggregate_spec spec;  /* of the applications' tables */
	struct strata_aggregate_spec shown; /* of programs' rows */
	struct counted_program **programs;
	size_t nr, capacity;
	struct counted_process *processes; /* in the order in which they came */
};

/* @what: outlives it.  0 or -1. */
int aggregated_apps_open(struct aggregated_apps *all, const struct aggregate_choice *what,
			 struct strata_error *error);

/* Chooses the events of an application that count; of times, those that begin and that end one:
 * none, unless it has both. */
void aggregated_apps_choose(const struct aggregated_apps *all,
			    const struct app_selection *selection, const struct app *app,
			    struct event_set *events, struct event_set *ends);

/* Begins to add up a process, which has tables.  NULL with the reason.  @app: stays where it is */
struct counted_process *aggregated_apps_begin(struct aggregated_apps *all, struct app *app,
					      struct principal *who, struct strata_error *error);

/* Gives rows to the events that it has described since.  0 or -1. */
int aggregated_apps_learn(struct aggregated_apps *all, struct counted_process *process,
			  struct principal *who, struct strata_error *error);

/* Adds its last counts to those of ended processes, unless nobody needs them, and forgets it. */
void aggregated_apps_end(struct aggregated_apps *all, struct counted_process *process,
			 bool is_needed);

/* Reads all tables.  0, or -1: out of memory. */
int aggregated_apps_read(struct aggregated_apps *all, struct strata_error *error);

/* After all processes have ended.  Also if it was never opened. */
void aggregated_apps_close(struct aggregated_apps *all);

#endif /* STRATA_STRATAD_AGGREGATED_APPS_H */
