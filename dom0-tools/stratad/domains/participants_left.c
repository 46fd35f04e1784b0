// SPDX-License-Identifier: GPL-2.0-or-later
/* participants_left.c - ends in kernels what a recorder that died left there; see participants.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stratad/domains/participants.h"

/* Whether a channel has something to end; the rings of channel 0 stay. */
static bool has_left(const struct guest *guest)
{
	return guest->module == GUEST_READY && (guest->channel || guest_may_record(guest));
}

static int end(const struct participants *all, const struct guest *guest,
	       struct strata_error *error)
{
	const uint32_t sequence = (uint32_t)strata_clock();
	struct guest_command command;

	if (guest->channel)
		guest_command_destroy(&command, sequence);
	else
		guest_command_stop(&command, sequence);
	return guest_tell(all->xenstore, guest->domain, guest->channel, &command, error);
}

int participants_free_left(const struct participants *all, uint32_t channel, const char *holder,
			   struct strata_error *error)
{
	struct guest *guests;
	size_t nr, i, left = 0;
	int result = 0;

	if (guests_find(all->xenstore, channel, &guests, &nr, error))
		return -1;
	for (i = 0; i < nr; i++) {
		if (!has_left(&guests[i]))
			continue;
		left++;
		if (end(all, &guests[i], error))
			result = strata_fail_in(error, "domain %u", guests[i].domain);
	}
	free(guests);
	if (left)
		fprintf(stderr, "strata: ending what %s left in %zu kernel%s\n", holder, left,
			left == 1 ? "" : "s");
	return result;
}
