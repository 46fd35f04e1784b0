/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_checks.h - checks the order and the clocks of each recording that a verb reads. The checks
 * are the same for all verbs, and part of the pass that writes or counts.
 */
#ifndef STRATA_STRATA_READ_HOST_CHECKS_H
#define STRATA_STRATA_READ_HOST_CHECKS_H

#include "host/host_check.h"
#include "strata/read/traces.h"

/* All-zero is empty: nothing is checked. */
struct host_checks {
	struct strata_host_check **of; /* parallel to the traces' recordings */
	size_t nr;
	struct strata_slice_sink **observers;
	size_t nr_observers;
};

/*
 * Sets up the checks of all recordings; their observers must receive all events of the set. Returns
 * 0, or -1: out of memory. The caller must clear the checks in either case.
 */
int host_checks_begin(struct host_checks *checks, struct traces *traces,
		      struct strata_error *error);

/* Returns the recording if the traces are exactly one recording; NULL with the reason otherwise. */
struct strata_recording_traces *host_checks_recording(const struct traces *traces,
						      struct strata_error *error);

/* Merges the traces only for the observers. Returns 0, or -1 with the reason. */
int host_checks_observe(struct traces *traces, struct strata_slice_sink *const *observers,
			size_t nr, struct strata_error *error);

/* Completes the results, after the pass. */
void host_checks_finish(struct host_checks *checks);

/* Returns the results for a recording. */
const struct strata_host_figures *host_checks_figures(const struct host_checks *checks, size_t at);

/* Reports violations; returns the exit status. */
int host_checks_verdict(const struct host_checks *checks);

void host_checks_clear(struct host_checks *checks);

#endif /* STRATA_STRATA_READ_HOST_CHECKS_H */
