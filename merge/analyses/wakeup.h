/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wakeup.h - answers "why did this task run so late?": finds the vCPU that,
 * woken by the hypervisor, waited longest while its physical CPU ran another
 * domain, and the task in its guest that waited with it.
 */
#ifndef STRATA_MERGE_ANALYSES_WAKEUP_H
#define STRATA_MERGE_ANALYSES_WAKEUP_H

#include <stdio.h>

#include "outputs/shown.h"

struct strata_wakeup;

/*
 * @host:  whose guests are looked at; it and @shown outlive the analysis
 * @shown: of the set that is merged, which has the host's traces
 * NULL: out of memory.
 */
struct strata_wakeup *strata_wakeup_new(const struct strata_recorded_host *host,
					const struct strata_shown *shown);

/* Takes in all events of the merge, in order. */
struct strata_slice_sink *strata_wakeup_observer(struct strata_wakeup *wakeup);

/* Prints the answer and an excerpt of the timeline, after the merge. */
void strata_wakeup_print(const struct strata_wakeup *wakeup, FILE *out);

void strata_wakeup_free(struct strata_wakeup *wakeup);

#endif /* STRATA_MERGE_ANALYSES_WAKEUP_H */
