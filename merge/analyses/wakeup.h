/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wakeup.h - answers "why did this task run so late?": finds the vCPU that,
 * woken by the hypervisor, waited longest while its physical CPU ran another
 * domain, and the task in its guest that waited with it.
 */
#ifndef STRATA_MERGE_ANALYSES_WAKEUP_H
#define STRATA_MERGE_ANALYSES_WAKEUP_H

#include <stdio.h>

#include "host/merger.h"
#include "outputs/shown.h"

/* @shown: of the set that is merged, which outlives the sink.  NULL: out of memory. */
struct strata_sink *strata_wakeup_new(const struct strata_merge *merge,
				      const struct strata_shown *shown);

/* Prints the answer and an excerpt of the timeline; of a sink from above, after the merge. */
void strata_wakeup_print(const struct strata_sink *sink, FILE *out);

#endif /* STRATA_MERGE_ANALYSES_WAKEUP_H */
