// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_cpus.c - records physical CPUs that are added to the host while a recording goes on; see
 * session.h.
 *
 * Xen makes the ring of such a CPU before the CPU runs. Nothing notifies us, so we ask Xen for the
 * number of rings, by one hypercall, often enough that a ring of the default size cannot fill in
 * between.
 */
#include <stdio.h>

#include <strata/platform/platform.h>

#include "stratad/session.h"
#include "consumerd/sources.h"

#define LOOK_MS 50

void session_find_cpus(struct session *session)
{
	struct strata_error error = { "" };

	if (!session_records_xen(session) || session->cpus_left_out)
		return;
	session->cpus_ticks = strata_clock();
	if (!sources_follow_hypervisor(session->recorder, session->hypervisor, &error))
		return;
	session->cpus_left_out = true;
	fprintf(stderr,
		"strata: a physical CPU that was added is not recorded: %s; record again to include "
		"it\n",
		error.text);
}

void session_follow_cpus(struct session *session)
{
	if (strata_clock() - session->cpus_ticks >= (uint64_t)session->tsc_khz * LOOK_MS)
		session_find_cpus(session);
}
