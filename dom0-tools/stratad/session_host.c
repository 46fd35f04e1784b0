// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_host.c - finds out the kind of host and its clock: a Xen host, or a machine on which only
 * applications are recorded; see session.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xentoollog.h>

#include "stratad/session.h"

static int open_xen(struct session *session, struct strata_error *error)
{
	struct participants *kernels = &session->kernels;

	session->quiet = (xentoollog_logger *)xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
	kernels->xenstore = xs_open(0);
	if (!kernels->xenstore)
		return strata_fail(error, "xenstore cannot be reached: %s; is xenstored running?",
				   strerror(errno));
	kernels->gnttab = xengnttab_open(session->quiet, 0);
	if (!kernels->gnttab)
		return strata_fail(error, "/dev/xen/gntdev cannot be opened: %s; load xen-gntdev",
				   strerror(errno));
	kernels->domains = domains_open(error);
	if (!kernels->domains)
		return -1;
	kernels->evtchn = xenevtchn_open(session->quiet, 0);
	if (!kernels->evtchn)
		fprintf(stderr,
			"strata: /dev/xen/evtchn cannot be opened (%s): all rings are "
			"polled every %d ms\n",
			strerror(errno), SESSION_POLL_MS);
	return 0;
}

/* Measures the frequency; the end of the recording measures it more exactly. */
static int measure_clock(struct session *session, struct strata_error *error)
{
	session->tsc_khz = host_clock_measure_khz(&session->began);
	return session->tsc_khz ? 0 : strata_fail(error, "the time stamp counter does not advance");
}

int session_open_host(struct session *session, struct strata_error *error)
{
	enum hypervisor_support support;
	struct strata_hv_op query;

	/* Xen and kernels are root's. */
	if (geteuid() && session->options->apps_may_do) {
		fprintf(stderr, "strata: not root: only your own applications are recorded\n");
		return measure_clock(session, error);
	}
	support = hypervisor_open(&session->hypervisor, error);
	if (support == HYPERVISOR_NO_XEN && session->options->apps_may_do) {
		session->hypervisor = NULL;
		fprintf(stderr, "strata: not a Xen host: only applications are recorded\n");
		return measure_clock(session, error);
	}
	if (support != HYPERVISOR_OK || hypervisor_query(session->hypervisor, &query, error) ||
	    open_xen(session, error))
		return -1;
	if (!query.u.query.tsc_khz)
		return strata_fail(error, "Xen does not know the frequency of its TSC");
	session->tsc_khz = query.u.query.tsc_khz;
	return 0;
}

void session_set_clock(struct session *session)
{
	const struct host_clock now = host_clock_read(CLOCK_MONOTONIC_RAW);
	uint32_t khz = session->began.ns ? host_clock_khz(&session->began, &now) : 0;

	if (khz)
		recorder_recording(session->recorder)->tsc_khz = khz;
}
