// SPDX-License-Identifier: GPL-2.0-or-later
/* timers.c - see timers.h. */
#include "state/timers.h"

#include <stdlib.h>

#define TIMERS_MAX 65536u

struct strata_timer {
	uint64_t due_ns;
	uint64_t losses; /* of the kernel when it was armed */
	bool is_armed;
};

int strata_timers_arm(struct strata_timers *timers, uint64_t address, uint64_t due_ns,
		      uint64_t losses)
{
	struct strata_timer *timer = strata_id_map_find(&timers->armed, address);

	if (!timer) {
		if (timers->armed.nr >= TIMERS_MAX)
			return 0;
		timer = malloc(sizeof(*timer));
		if (!timer || strata_id_map_add(&timers->armed, address, timer)) {
			free(timer);
			return -1;
		}
	}
	*timer = (struct strata_timer){ due_ns, losses, true };
	return 0;
}

bool strata_timers_expire(struct strata_timers *timers, uint64_t address, uint64_t clock_ns,
			  uint64_t losses, const struct strata_moment *begin,
			  const struct strata_moment *now, struct strata_moment *due)
{
	struct strata_timer *timer = strata_id_map_find(&timers->armed, address);
	uint64_t late, width;

	if (!timer || !timer->is_armed)
		return false;
	/* The kernel arms it anew before it fires again. */
	timer->is_armed = false;
	if (timer->losses != losses || !begin || begin->ns > now->ns)
		return false;
	late = clock_ns > timer->due_ns ? clock_ns - timer->due_ns : 0;
	/* A clock that nobody set to anything near the trace's. */
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
