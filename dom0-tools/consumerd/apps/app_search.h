/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_search.h - looks for programs that wait for a recorder (app_find.h) among all processes of
 * the machine, in slices of time: the next one is for the user who has had the least.  A process
 * can have mappings that take seconds to read; only programs of its own user wait for that.
 */
#ifndef STRATA_CONSUMERD_APP_SEARCH_H
#define STRATA_CONSUMERD_APP_SEARCH_H

#include "consumerd/apps/app_find.h"

struct app_search {
	void *data; /* for the functions */
	/* Time limit for reading one user's processes; the remaining ones are skipped. */
	uint32_t user_ms;
	/* Whether to leave the process out. */
	bool (*is_skipped)(void *data, const struct app_process *process);
	/* Whether a user's processes come after those of all others. */
	bool (*comes_last)(void *data, uint32_t uid);
	/* A slice for this process begins. */
	void (*reads)(void *data, const struct app_process *process);
	void (*finds)(void *data, const struct app_process *process,
		      const struct app_page_place *place);
	/* Called when a user's time is used up. */
	void (*gives_up)(void *data, uint32_t uid);
};

/* Goes through all processes.  0 or -1. */
int app_search_run(const struct app_search *search, struct strata_error *error);

#endif /* STRATA_CONSUMERD_APP_SEARCH_H */
