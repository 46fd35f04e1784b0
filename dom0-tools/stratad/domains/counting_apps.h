/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counting_apps.h - has applications count for one aggregator: listens for them as a recorder does
 * (apps.h), and adds up what they count (aggregated_apps.h).
 */
#ifndef STRATA_STRATAD_COUNTING_APPS_H
#define STRATA_STRATAD_COUNTING_APPS_H

#include "stratad/domains/aggregated_apps.h"

struct counting_apps;

/* Call it early: a helper keeps the memory of its caller (peer_look.h).  NULL with the reason. */
struct counting_apps *counting_apps_new(const struct aggregate_choice *what,
					struct app_selection *selections, size_t nr_selections,
					struct strata_error *error);

/* Listens as recorder @number, and waits a while until programs that run already count.  0 or -1.
 */
int counting_apps_start(struct counting_apps *counting, unsigned int number,
			struct strata_error *error);

/* Serves applications for at most @ms. */
void counting_apps_wait(struct counting_apps *counting, unsigned int ms);

/* Reads all tables.  Returns the sums, valid until the next call; NULL with the reason. */
const struct aggregated_apps *counting_apps_read(struct counting_apps *counting,
						 struct strata_error *error);

/* Stops all, and waits until they have stopped, or a while; the tables can still be read. */
void counting_apps_stop(struct counting_apps *counting);

/* Ends all and says which programs were missed, if any.  NULL is fine.  Whether some application
 * was left out. */
bool counting_apps_end(struct counting_apps *counting);

#endif /* STRATA_STRATAD_COUNTING_APPS_H */
