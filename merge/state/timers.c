// SPDX-License-Identifier: GPL-2.0-or-later
/* timers.c - see timers.h. */
#include "state/timers.h"

#include <stdlib.h>

struct strata_timer {
	uint64_t due_ns;
	uint64_t losses; /* losses of the kernel when it was armed */
};

int strata_timers_arm(struct strata_timers *timers, uint64_t address, uint64_t due_ns,
		      uint64_t losses)
{
	struct strata_timer *timer = strata_id_map_find(&timers->armed, address);

	if (!timer) {
		/* Most of these timers were cancelled, which no event tells. */
		if (timers->armed.nr >= STRATA_TIMERS_MAX)
			strata_id_map_free(&timers->armed);
		timer = malloc(sizeof(*timer));
		if (!timer || strata_id_map_add(&timers->armed, address, timer)) {
			free(timer);
			return -1;
		}
	}
	*timer = (struct strata_timer){ due_ns, losses };
	return 0;
}

bool strata_timers_expire(struct strata_timers *timers, uint64_t address, uint64_t clock_ns,
			  uint64_t losses, const struct strata_moment *begin,
			  const struct strata_moment *now, struct strata_moment *due)
{
	/* The kernel arms it anew before it fires again. */
	struct strata_timer *timer = strata_id_map_take(&timers->armed, address);
	const bool is_known = timer && timer->losses == losses && begin && begin->ns <= now->ns;
	const uint64_t due_ns = is_known ? timer->due_ns : 0;
	uint64_t late, width;

	free(timer);
	if (!is_known)
		return false;
	late = clock_ns > due_ns ? clock_ns - due_ns : 0;
	/* The timer would have been due before time began: the two clocks have nothing in common.
	 */
	if (late > begin->ns)
		return false;
	width = now->ns - begin->ns;
	due->ns = begin->ns - late + width / 2;
	due->bound_ns = begin->bound_ns > now->bound_ns ? begin->bound_ns : now->bound_ns;
	if (due->bound_ns <= UINT64_MAX - width)
		due->bound_ns += width - width / 2;
	return true;
}

void strata_timers_clear(struct strata_timers *timers)
{
	strata_id_map_free(&timers->armed);
}
