/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_counters.h - asks a kernel for the counters that its records have as contexts, for
 * participant.c. */
#ifndef STRATA_STRATAD_PARTICIPANT_COUNTERS_H
#define STRATA_STRATAD_PARTICIPANT_COUNTERS_H

#include "stratad/domains/participants.h"

/* Asks its module for the next counter.  1: sent; pass its answer to participant_take_counter().
 * 0: no more counters; or -1. */
int participant_next_counter(struct participants *all, struct participant *one,
			     struct strata_error *error);

/*
 * Handles its module's answer: the counter is among its contexts from now on.  A kernel without it
 * is recorded without it, which is reported.
 * @begun: its module counts
 * 0, or -1: what it publishes is wrong.
 */
int participant_take_counter(struct participants *all, struct participant *one, bool begun,
			     struct strata_error *error);

/* Takes over the contexts of the records that its rings have.  Returns whether they are those that
 * are asked for. */
bool participant_continue_contexts(struct participant *one);

#endif /* STRATA_STRATAD_PARTICIPANT_COUNTERS_H */
