// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_prepare.c - begins a recording: takes its number and its directory, divides the open
 * files between users, and adds the hypervisor, the kernels and the socket for applications.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/control_socket.h"
#include "consumerd/host/file_limit.h"
#include "consumerd/host/hang_up.h"
#include "consumerd/sources.h"
#include "stratad/session.h"

/* Open files apart from rings and applications. */
#define FILES_OWN 64u

/* The hypervisor's rings if they have nothing but the clocks of guests: 8 KiB, four times. */
#define CLOCKS_SUBBUF_BITS 13
#define CLOCKS_NR_BITS     2

/* Whether kernels other than dom0's may be recorded, now or later.  Their time stamp counters may
 * have another offset and scale than the host's, which Xen knows and records in each channel. */
static bool may_record_guests(const struct record_options *options)
{
	size_t i;

	for (i = 0; i < options->nr_kernels; i++) {
		const struct kernel_selection *one = &options->kernels[i];

		if ((one->kind == SELECT_EVENTS || select_is_probe(one->kind)) &&
		    strcmp(one->domain, "none") && strcmp(one->domain, "dom0") &&
		    strcmp(one->domain, "0"))
			return true;
	}
	return !options->nr_kernels;
}

struct strata_ring_geometry session_xen_geometry(const struct session *session)
{
	return session->clocks_only
		       ? (struct strata_ring_geometry){ .subbuf_bits = CLOCKS_SUBBUF_BITS,
							.nr_subbufs_bits = CLOCKS_NR_BITS }
		       : session->options->xen_geometry;
}

/* Lets Xen wake us when a sub-buffer is ready. */
static int bind_port(struct session *session, struct strata_error *error)
{
	struct strata_hv_op query;

	if (hypervisor_query(session->hypervisor, &query, error))
		return -1;
	if (session->kernels.evtchn &&
	    xenevtchn_bind_interdomain(session->kernels.evtchn, DOMID_SELF, query.u.query.port) < 0)
		fprintf(stderr,
			"strata: port %u of Xen's channel cannot be bound (%s): its rings are "
			"polled every %d ms\n",
			query.u.query.port, strerror(errno), SESSION_POLL_MS);
	return 0;
}

static int add_hypervisor(struct session *session, struct strata_error *error)
{
	char owner[STRATA_HV_OWNER_BYTES];
	int taken_over;

	if (!session_records_xen(session))
		return 0;
	snprintf(owner, sizeof(owner), "%s %u, process %ld",
		 session->options->overwrite ? "flight recorder" : "recorder", session->number,
		 (long)getpid());
	taken_over = hypervisor_create(session->hypervisor, session_xen_geometry(session),
				       session->options->overwrite, session_continues(session),
				       owner, error);
	if (taken_over < 0)
		return -1;
	if (taken_over)
		fprintf(stderr, "strata: continuing Xen's flight recorder\n");
	if (sources_add_hypervisor(session->recorder, session->hypervisor,
				   taken_over ? RECORDER_WITH_PAST : RECORDER_FROM_NOW, error))
		return -1;
	return bind_port(session, error);
}

static int add_apps(struct session *session, struct strata_error *error)
{
	session->apps.recorder = session->recorder;
	session->apps.number = session->number;
	session->apps.selections = session->options->apps;
	session->apps.nr_selections = session->options->nr_apps;
	session->apps.may_miss = session->options->of_session;
	session->apps.channel = (struct app_channel){
		.geometry = session->options->app_geometry,
		.mode = session->options->app_mode ? session->options->app_mode
						   : STRATA_APP_SINGLE_STORE,
		.overwrite = session->options->overwrite,
		.form = session->options->event_header,
		.switch_ms = session->options->switch_ms,
		.dir = session->options->app_files ? &session->dir : NULL,
		.file_users = session->options->app_file_users,
	};
	session->apps.mode_demanded = session->options->app_mode;
	session->apps.named_dir = session->options->app_file_dir;
	session->apps.looks = &session->looks;
	session->apps.makers = &session->makers;
	return session->options->nr_apps ? apps_open(&session->apps, error) : 0;
}

/* Limits connections and rings by the number of open files, so that one user's share cannot take
 * all files. */
static void share_files(const struct session *session)
{
	unsigned long files = session->nr_files > FILES_OWN ? session->nr_files - FILES_OWN : 1;
	struct principals *all = recorder_principals(session->recorder);
	const unsigned long leaving = hang_up_limit(files);

	files = files > leaving ? files - leaving : 1;
	/* A connection needs two: its socket, and its process. */
	principals_lower_total(all, PRINCIPAL_CONNECTIONS, files / 8);
	principals_lower_total(all, PRINCIPAL_RINGS, files - files / 4);
}

int session_prepare(struct session *session, struct strata_error *error)
{
	if (file_limit_check_size(error) || session_open_host(session, error))
		return -1;
	session->clocks_only = session->hypervisor && !session->options->xen->nr &&
			       may_record_guests(session->options);
	if (session_take_number(session, error))
		return -1;
	session->kernels.selections = session->options->kernels;
	session->kernels.nr_selections = session->options->nr_kernels;
	session->kernels.wait = session->options->wait;
	session->kernels.may_miss = session->options->of_session;
	/* Only a valid selection replaces an old recording, not a typing error. */
	if (session->hypervisor &&
	    (participants_check_names(&session->kernels, error) ||
	     (session->options->xen->nr &&
	      session_check_xen_domains(session, session->options->xen_domains, error))))
		return -1;
	session->recorder = recorder_open(session->options->output, session->options->place, error);
	if (!session->recorder ||
	    strata_dir_copy(&session->dir, recorder_dir(session->recorder), error))
		return -1;
	session->rotation = rotation_open(&session->options->rotation);
	if (!session->rotation)
		return strata_fail(error, "out of memory");
	share_files(session);
	if (!session->options->overwrite && recorder_publish(session->recorder, error))
		fprintf(stderr, "strata: `strata view --live` cannot follow this recording: %s\n",
			error->text);
	sources_set_clock(session->recorder, session->tsc_khz);
	recorder_set_switch(session->recorder, session->options->switch_ms);
	if (control_socket_open(&session->control, session->number, error))
		return -1;
	session->kernels.recorder = session->recorder;
	if (session->options->guest_pages)
		principals_set_total(recorder_principals(session->recorder), PRINCIPAL_GUEST_PAGES,
				     session->options->guest_pages);
	if (session->hypervisor) {
		session->kernels.pages = guest_pages_open(session->number, error);
		if (!session->kernels.pages)
			return -1;
	}
	session->kernels.channel = session->number;
	session->kernels.overwrite = session->options->overwrite;
	session->kernels.begins_empty = session->options->begins_empty;
	session->kernels.without_probes = session->options->without_probes;
	session->kernels.form = session->options->event_header;
	session->kernels.switch_ms = session->options->switch_ms;
	session->kernels.died = session->options->overwrite ? session_keep_last_moments : NULL;
	session->kernels.data = session;
	session->kernels.tsc_khz = session->tsc_khz;
	if (session->hypervisor &&
	    (add_hypervisor(session, error) || participants_gather(&session->kernels, error)))
		return -1;
	if (add_apps(session, error))
		return -1;
	if (recorder_recording(session->recorder)->nr_sources == session->clocks_only &&
	    !session->options->nr_apps && !participants_expected(&session->kernels))
		return strata_fail(error, "there is nothing to record: no kernel has strata.ko "
					  "loaded, and the hypervisor is left out");
	if (recorder_save(session->recorder, error))
		return -1;
	/* From here on the recording cannot fail to start. */
	recorder_began(session->recorder);
	return 0;
}
