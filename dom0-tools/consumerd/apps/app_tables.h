/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_tables.h - the tables in which one connected application counts for an aggregator
 * (strata/abi/app.h): makes their memory, says which events count, and adds them up.
 *
 * The application can write anything into them at any time: each word is copied once, and only
 * added to others of this application.
 */
#ifndef STRATA_CONSUMERD_APP_TABLES_H
#define STRATA_CONSUMERD_APP_TABLES_H

#include "consumerd/apps/app.h"

/* The most bytes that the tables of one application take. */
size_t app_tables_bytes_max(const struct strata_aggregate_spec *spec);

/* Creates memory for its tables, as app_give_rings().  0 or -1. */
int app_tables_give(struct app *app, const struct strata_aggregate_spec *spec,
		    struct app_outgoing *outgoing, struct strata_error *error);

/* Says which events count from now on; of times, which begin one and which end one.  @ends: of
 * counts, none */
void app_tables_select(const struct app *app, const struct event_set *events,
		       const struct event_set *ends, struct app_outgoing *outgoing);

/* How many words app_tables_read() needs behind the others. */
size_t app_tables_words(const struct app *app, const struct strata_aggregate_spec *spec);

/*
 * Adds up the tables of all CPUs.
 * @others: OUT, STRATA_AGGREGATE_OTHERS words
 * @words:  OUT, app_tables_words(): of counts, one for each event by its id; of times, the one row
 * False: they cannot be read.
 */
bool app_tables_read(struct app *app, const struct strata_aggregate_spec *spec, uint64_t *others,
		     uint64_t *words);

#endif /* STRATA_CONSUMERD_APP_TABLES_H */
