// SPDX-License-Identifier: GPL-2.0-or-later
/* tap_times.c - whether a packet can be of the times that it says; see presence.h. */
#include "recording/presence.h"
#include "consumerd/drain/tap.h"

int tap_check_times(struct recorder *recorder, const struct tap *tap,
		    const struct strata_packet *packet, struct strata_error *error)
{
	const struct strata_source *source = tap_source(recorder, tap);
	struct strata_presence presence;

	/* Other clocks than ours are converted by whoever reads the recording. */
	if (source->layer != STRATA_LAYER_APP)
		return 0;
	presence = strata_presence_of(&recorder->recording, source,
				      recorder->is_of_now ? strata_clock() : 0);
	return strata_presence_check(&presence, packet->begin_ticks, packet->end_ticks, 0, error);
}
