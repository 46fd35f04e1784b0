// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reselect TIMES - changes what the hypervisor records, while somebody else records it: TIMES times
 * to and fro between everything and the scheduler alone; then for a second nothing but changes of
 * runstates; then everything.
 *
 * Test scripts start it in dom0 beside `strata record`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "consumerd/xen/hypervisor.h"
#include "stratad/select/select_xen.h"

static int change(struct hypervisor *hypervisor, const char *events)
{
	struct xen_selection selection = { 0 };
	struct strata_error error = { "" };
	int result = select_xen_events(&selection, events, &error);

	if (!result)
		result = hypervisor_select(hypervisor, selection.rules, selection.nr, 0, &error);
	if (result)
		fprintf(stderr, "reselect: %s\n", error.text);
	select_xen_clear(&selection);
	return result;
}

int main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 0;
	struct timespec second = { .tv_sec = 1 };
	struct hypervisor *hypervisor;
	struct strata_error error = { "" };
	int result = 0;

	if (hypervisor_open(&hypervisor, &error) != HYPERVISOR_OK) {
		fprintf(stderr, "reselect: %s\n", error.text);
		return 1;
	}
	while (!result && times-- > 0)
		result = change(hypervisor, times % 2 ? "all,xen" : "sched");
	if (!result)
		result = change(hypervisor, "runstate_*");
	if (!result) {
		printf("reselect: quiet\n");
		fflush(stdout);
		nanosleep(&second, NULL);
		result = change(hypervisor, "all,xen");
	}
	hypervisor_close(hypervisor);
	return result ? 1 : 0;
}
