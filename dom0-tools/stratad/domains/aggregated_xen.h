/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregated_xen.h - the hypervisor's channel that counts for one aggregator: makes and reads its
 * table, and renews it before domains that come and go have filled it.
 */
#ifndef STRATA_STRATAD_AGGREGATED_XEN_H
#define STRATA_STRATAD_AGGREGATED_XEN_H

#include <stdbool.h>
#include <stdint.h>

#include "stratad/domains/aggregate_totals.h"

struct hypervisor;
struct xs_handle;

struct aggregated_xen {
	struct hypervisor *hypervisor;
	struct xs_handle *xenstore;
	struct strata_aggregate_spec spec; /* of the table that counts now */
	struct domains *domains;
	struct aggregate_totals totals;
	struct aggregate_rows table; /* as it was read last */
	struct aggregate_rows
		rows[2];     /* the totals of two looks; ticks: at first, when it started */
	unsigned int newest; /* of these */
	uint64_t refused;    /* events without a row in the table, when it was read last */
	bool no_memory;      /* for new tables, which was reported */
	uint64_t start_ticks;
};

/*
 * Makes the table that spec says, for an @owner as in hypervisor_aggregate(); and starts to count
 * what has been selected in between.
 * The caller has set hypervisor, xenstore and spec.  0 or -1.
 */
int aggregated_xen_make(struct aggregated_xen *xen, const char *owner, struct strata_error *error);
int aggregated_xen_start(struct aggregated_xen *xen, struct strata_error *error);

/*
 * Reads the table, and renews it if new domains soon found no row in it.  To be called once a
 * second: a domain takes as many rows as Xen has kinds of events, whatever it does.  0 or -1.
 */
int aggregated_xen_keep_room(struct aggregated_xen *xen, struct strata_error *error);

/* The same, and makes the totals the newest rows.  0 or -1. */
int aggregated_xen_read(struct aggregated_xen *xen, struct strata_error *error);

void aggregated_xen_clear(struct aggregated_xen *xen);

#endif /* STRATA_STRATAD_AGGREGATED_XEN_H */
