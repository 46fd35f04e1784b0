// SPDX-License-Identifier: GPL-2.0-or-later
/* leaving.c - see leaving.h. */
#include "stratad/domains/leaving.h"

#include <stdlib.h>

static void drop(struct leaving **at)
{
	struct leaving *one = *at;

	*at = one->next;
	guest_unmap(&one->map);
	free(one);
}

void leaving_tend(struct leaving **list, struct recorder *recorder)
{
	struct leaving **at = list;

	while (*at) {
		if (recorder_presence(recorder, (*at)->source) == RECORDER_SOURCE_LEAVES) {
			at = &(*at)->next;
			continue;
		}
		principal_give_back((*at)->who, PRINCIPAL_GUEST_PAGES, (*at)->pages);
		drop(at);
	}
}

void leaving_release(struct leaving **list)
{
	while (*list)
		drop(list);
}
