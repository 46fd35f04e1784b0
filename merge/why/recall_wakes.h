/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recall_wakes.h - remembers what woke tasks and vCPUs, for a recall (recall.h). */
#ifndef STRATA_MERGE_WHY_RECALL_WAKES_H
#define STRATA_MERGE_WHY_RECALL_WAKES_H

#include "why/recall.h"

/* Remembers what ended a state, whose span has room. Returns its index in recall->wakes; 0:
 * unknown, or out of memory. */
uint32_t strata_why_add_wake(struct strata_why_recall *recall, const struct strata_link *link);

#endif /* STRATA_MERGE_WHY_RECALL_WAKES_H */
