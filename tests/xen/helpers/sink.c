// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sink DOMAIN PORT - takes the notifications of a guest's event channel
 * (tests/xen/workloads/storm.c) as fast as they come, and does nothing with them: a backend whose
 * frontend never stops.
 *
 * Scripts start it in dom0.
 */
#include <stdio.h>
#include <stdlib.h>

#include <xenevtchn.h>

int main(int argc, char **argv)
{
	uint32_t domain = argc == 3 ? (uint32_t)atol(argv[1]) : 0;
	xenevtchn_handle *evtchn = argc == 3 ? xenevtchn_open(NULL, 0) : NULL;
	int port = evtchn ? xenevtchn_bind_interdomain(evtchn, domain, (uint32_t)atol(argv[2]))
			  : -1;

	if (port < 0) {
		perror("sink: usage: sink DOMAIN PORT; bind");
		return EXIT_FAILURE;
	}
	printf("sink: ready\n");
	fflush(stdout);
	/* A notification interrupts dom0, and masks the port until it is unmasked here. */
	while (xenevtchn_pending(evtchn) == port && xenevtchn_unmask(evtchn, (uint32_t)port) == 0)
		;
	perror("sink: the event channel");
	return EXIT_FAILURE;
}
