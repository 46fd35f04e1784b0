// SPDX-License-Identifier: GPL-2.0-or-later
/* complaints.c - see complaints.h; slices.c holds messages back. */
#include "base/complaints.h"

#include <stdlib.h>
#include <string.h>

struct strata_held_complaint {
	struct strata_held_complaint *next;
	strata_complain_fn *complain;
	void *data;
	char message[];
};

/* Where this thread's messages are held back; NULL: nowhere. */
static _Thread_local struct strata_complaints *holding;

void strata_complaints_hold(struct strata_complaints *held)
{
	holding = held;
}

void strata_complaints_tell(struct strata_complaints *held)
{
	struct strata_held_complaint *one;

	while ((one = held->first)) {
		held->first = one->next;
		one->complain(one->data, one->message);
		free(one);
	}
	held->last = NULL;
}

bool strata_complaints_keep(strata_complain_fn *complain, void *data, const char *message)
{
	const size_t bytes = strlen(message) + 1;
	struct strata_held_complaint *one = holding ? malloc(sizeof(*one) + bytes) : NULL;

	/* Without memory, too: rather out of order than not at all. */
	if (!one)
		return false;
	one->next = NULL;
	one->complain = complain;
	one->data = data;
	memcpy(one->message, message, bytes);
	if (holding->last)
		holding->last->next = one;
	else
		holding->first = one;
	holding->last = one;
	return true;
}
