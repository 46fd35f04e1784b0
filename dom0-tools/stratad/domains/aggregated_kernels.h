/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregated_kernels.h - the kernels that count events for one aggregator: has a channel of each
 * count, reads their tables, and ends what it began.
 *
 * Each step waits for the module's answer.  A kernel that does not answer, or goes, is left out,
 * which is reported; the others count on.
 */
#ifndef STRATA_STRATAD_AGGREGATED_KERNELS_H
#define STRATA_STRATAD_AGGREGATED_KERNELS_H

#include <signal.h>

#include <xengnttab.h>
#include <xenstore.h>

#include "consumerd/xen/guest_tables.h"
#include "stratad/select/select_aggregate.h"
#include "stratad/select/select_kernel.h"

struct aggregated_kernel {
	uint32_t domain;
	char name[GUEST_NAME_BYTES]; /* hostile */
	uint64_t nonce;              /* of the channel */
	bool asked;                  /* it may have made tables */
	bool counts;                 /* false: it went, its rows stay as they were */
	struct strata_aggregate_spec spec;
	struct guest_map map; /* its events */
	struct guest_tables tables;
	struct aggregate_rows rows[2];
	unsigned int newest; /* of these */
};

struct aggregated_kernels {
	struct xs_handle *xenstore;
	xengnttab_handle *gnttab;
	uint32_t channel;                         /* not 0 */
	const volatile sig_atomic_t *interrupted; /* no kernel is waited for to start */
	struct aggregated_kernel *list;
	size_t nr;
};

/*
 * Has the kernels that @selections name count.
 * 0, or -1: no kernel counts, or one that is named without a wildcard.
 */
int aggregated_kernels_start(struct aggregated_kernels *all, const struct aggregate_choice *what,
			     const struct kernel_selection *selections, size_t nr_selections,
			     struct strata_error *error);

/* Reads all tables. */
void aggregated_kernels_read(struct aggregated_kernels *all);

/* Stops counting; the tables can still be read. */
void aggregated_kernels_stop(struct aggregated_kernels *all);

/* Has the kernels free their tables, and frees the list. */
void aggregated_kernels_end(struct aggregated_kernels *all);

#endif /* STRATA_STRATAD_AGGREGATED_KERNELS_H */
