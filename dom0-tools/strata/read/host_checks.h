/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_checks.h - what each recording among the traces that a verb reads proves of its host's order
 * and clocks: the same for all verbs, and in the same pass that writes or counts.
 */
#ifndef STRATA_STRATA_READ_HOST_CHECKS_H
#define STRATA_STRATA_READ_HOST_CHECKS_H

#include "analyses/wakeup.h"
#include "host/merger.h"
#include "outputs/shown.h"
#include "strata/read/traces.h"

struct host_check {
	struct strata_merge *merge;
	struct strata_wakeup *wakeup; /* an analysis; NULL: nobody asked for it */
};

/* Zero-initialised is empty: nothing is checked. */
struct host_checks {
	struct host_check *of; /* as the traces' recordings */
	size_t nr;
	struct strata_slice_sink **observers;
	size_t nr_observers;
};

/*
 * Sets up the checks of all recordings; their observers are to be handed all events of the set.
 * @shown: of the set: then the longest wake-up behind another domain is looked for, too; or NULL
 * 0, or -1: out of memory.  To be cleared in any case.
 */
int host_checks_begin(struct host_checks *checks, struct traces *traces,
		      const struct strata_shown *shown, struct strata_error *error);

/*
 * Merges the traces, which hold one recording, into one of its sinks alone.
 * @check:  OUT, what was found; to be closed, also if this fails; NULL: it has not begun
 * @make:   makes the sink, which is freed; NULL with the reason
 * 0, or -1 with the reason.
 */
int host_check_alone(struct traces *traces, struct strata_merge **check,
		     struct strata_sink *(*make)(void *data, const struct strata_merge *merge,
						 struct strata_error *error),
		     void *data, struct strata_error *error);

/* Sums up what was found, after the pass.  0 or -1. */
int host_checks_finish(struct host_checks *checks, struct strata_error *error);

/* Says what is not as it should be: the exit status. */
int host_checks_verdict(const struct host_checks *checks);

void host_checks_clear(struct host_checks *checks);

#endif /* STRATA_STRATA_READ_HOST_CHECKS_H */
