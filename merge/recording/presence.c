// SPDX-License-Identifier: GPL-2.0-or-later
/* presence.c - see presence.h. */
#include "recording/presence.h"

static uint64_t less(uint64_t ticks, uint64_t by)
{
	return ticks > by ? ticks - by : 0;
}

static uint64_t more(uint64_t ticks, uint64_t by)
{
	return ticks < UINT64_MAX - by ? ticks + by : UINT64_MAX;
}

struct strata_presence strata_presence_of(const struct strata_recording *recording,
					  const struct strata_source *source, uint64_t until_ticks)
{
	const uint64_t margin = (uint64_t)recording->tsc_khz * STRATA_PRESENCE_MARGIN_MS;
	struct strata_presence presence = { .to_ticks = UINT64_MAX };

	/* The hypervisor's times are the reference. */
	if (source->layer == STRATA_LAYER_XEN)
		return presence;
	presence.from_ticks = less(source->since_ticks, margin);
	if (source->went_ticks)
		until_ticks = source->went_ticks;
	if (until_ticks)
		presence.to_ticks = more(until_ticks, margin);
	return presence;
}

int strata_presence_check(const struct strata_presence *presence, uint64_t begin_ticks,
			  uint64_t end_ticks, uint64_t bound_ticks, struct strata_error *error)
{
	if (more(begin_ticks, bound_ticks) < presence->from_ticks)
		return strata_fail(error,
				   "its time is before its source appeared (host ticks %llu, "
				   "source %llu)",
				   (unsigned long long)begin_ticks,
				   (unsigned long long)presence->from_ticks);
	if (less(end_ticks, bound_ticks) > presence->to_ticks)
		return strata_fail(
			error, "its time is after it was read (host ticks %llu, read at %llu)",
			(unsigned long long)end_ticks, (unsigned long long)presence->to_ticks);
	return 0;
}
