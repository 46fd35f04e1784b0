/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregated_kernels.h - the kernels that count events for one aggregator: has a channel of each
 * count, reads their tables, and ends what it began.
 *
 * All kernels are told of a step, then waited for together, with one deadline: so one that does not
 * answer delays the others once, and not once for each.  It is left out, which is reported, and not
 * waited for again; the others count on.  So it is with one that refuses or publishes nonsense,
 * also if it was named, and with one that goes: no guest keeps others from being counted.
 */
#ifndef STRATA_STRATAD_AGGREGATED_KERNELS_H
#define STRATA_STRATAD_AGGREGATED_KERNELS_H

#include <signal.h>

#include <xengnttab.h>
#include <xenstore.h>

#include "consumerd/xen/guest_tables.h"
#include "stratad/select/select_aggregate.h"
#include "stratad/select/select_filter.h"

struct aggregated_kernel {
	uint32_t domain;
	char name[GUEST_NAME_BYTES];     /* as it is shown; hostile */
	char own_name[GUEST_NAME_BYTES]; /* as selections match it; hostile */
	const struct kernel_selection *selection;
	const char *awaited; /* the answer that it owes; NULL: none */
	uint32_t sequence;   /* of that */
	uint64_t nonce;      /* of the channel */
	bool asked;          /* it may have made tables */
	bool has_tables;     /* it has told so */
	bool counts;         /* false: its rows, if it had any, stay as they were */
	bool silent;         /* it has not answered in time */
	struct strata_aggregate_spec spec;
	struct guest_map map; /* its events */
	struct guest_tables tables;
	struct aggregate_rows rows[2]; /* ticks: when they were read; at first, when it started */
	unsigned int newest;           /* of these */
	uint64_t start_ticks;
};

struct aggregated_kernels {
	struct xs_handle *xenstore;
	xengnttab_handle *gnttab;
	uint32_t channel;                         /* not 0 */
	uint32_t tsc_khz;                         /* of this CPU */
	const volatile sig_atomic_t *interrupted; /* no kernel is waited for to start */
	const struct aggregate_choice *what;
	const struct kernel_selection *selections; /* of events, and filters of their fields */
	size_t nr_selections;
	bool without_probes;            /* no event of a probe counts */
	struct aggregated_kernel *list; /* those that never counted included */
	size_t nr;
};

/*
 * Has the kernels that @selections name count, which have to outlive the list.
 * 0, also if none counts; or -1: no kernel is named, or interrupted.
 */
int aggregated_kernels_start(struct aggregated_kernels *all, const struct aggregate_choice *what,
			     const struct kernel_selection *selections, size_t nr_selections,
			     struct strata_error *error);

/* How many count. */
size_t aggregated_kernels_counting(const struct aggregated_kernels *all);

/* Prints a message about each that does not. */
void aggregated_kernels_name_left_out(const struct aggregated_kernels *all);

/* Reads the tables of those that count. */
void aggregated_kernels_read(struct aggregated_kernels *all);

/* Stops counting; the tables can still be read. */
void aggregated_kernels_stop(struct aggregated_kernels *all);

/* Has the kernels free their tables, and frees the list.  Whether one never counted. */
bool aggregated_kernels_end(struct aggregated_kernels *all);

#endif /* STRATA_STRATAD_AGGREGATED_KERNELS_H */
