/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * complaints.h - holds back the messages of a thread (strata_complain()), so that those of several
 * threads are told in an order that does not depend on the threads.
 *
 * Each list belongs to one thread at a time.
 */
#ifndef STRATA_MERGE_COMPLAINTS_H
#define STRATA_MERGE_COMPLAINTS_H

#include <stdbool.h>

#include "base/error.h"

/* Zero-initialised is empty. */
struct strata_complaints {
	struct strata_held_complaint *first, *last;
};

/* From here on the calling thread's messages are held back there; NULL: they are told at once. */
void strata_complaints_hold(struct strata_complaints *held);

/* Tells all messages that are held there, in order. */
void strata_complaints_tell(struct strata_complaints *held);

/* Holds a message of this thread back.  False: it is to be told at once. */
bool strata_complaints_keep(strata_complain_fn *complain, void *data, const char *message);

#endif /* STRATA_MERGE_COMPLAINTS_H */
