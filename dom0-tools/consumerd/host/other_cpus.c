// SPDX-License-Identifier: GPL-2.0-or-later
/* other_cpus.c - see other_cpus.h; called by threads of app_relay.c and hang_up.c, and by children
 * of memory_maker.c. */
#include "consumerd/host/other_cpus.h"

#include <sched.h>
#include <unistd.h>

void other_cpus_than(int cpu)
{
	cpu_set_t set;

	/* The main thread's, which the user may have chosen. */
	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(getpid(), sizeof(set), &set))
		return;
	CPU_CLR(cpu, &set);
	if (CPU_COUNT(&set))
		sched_setaffinity(0, sizeof(set), &set);
}
