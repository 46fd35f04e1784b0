/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_checks.h - what each recording among the traces that a verb reads proves of its host's order
 * and clocks: the same for all verbs, and in the same pass that writes or counts.
 */
#ifndef STRATA_STRATA_READ_HOST_CHECKS_H
#define STRATA_STRATA_READ_HOST_CHECKS_H

#include "host/host_check.h"
#include "strata/read/traces.h"

/* Zero-initialised is empty: nothing is checked. */
struct host_checks {
	struct strata_host_check **of; /* as the traces' recordings */
	size_t nr;
	struct strata_slice_sink **observers;
	size_t nr_observers;
};

/*
 * Sets up the checks of all recordings; their observers are to be handed all events of the set.
 * 0, or -1: out of memory.  To be cleared in any case.
 */
int host_checks_begin(struct host_checks *checks, struct traces *traces,
		      struct strata_error *error);

/* The recording that the traces are, all of them; NULL with the reason: they are something else. */
struct strata_recording_traces *host_checks_recording(const struct traces *traces,
						      struct strata_error *error);

/* Merges the traces into observers alone.  0, or -1 with the reason. */
int host_checks_observe(struct traces *traces, struct strata_slice_sink *const *observers,
			size_t nr, struct strata_error *error);

/* Sums up what was found, after the pass. */
void host_checks_finish(struct host_checks *checks);

/* What was found of a recording. */
const struct strata_host_figures *host_checks_figures(const struct host_checks *checks, size_t at);

/* Says what is not as it should be: the exit status. */
int host_checks_verdict(const struct host_checks *checks);

void host_checks_clear(struct host_checks *checks);

#endif /* STRATA_STRATA_READ_HOST_CHECKS_H */
