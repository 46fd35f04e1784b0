/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_session.h - one run of `strata record`: finds the rings, starts, drains and stops them, in
 * an order in which the hypervisor's stream covers every guest's.
 */
#ifndef STRATA_STRATAD_RECORD_SESSION_H
#define STRATA_STRATAD_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/control.h>
#include <strata/packet.h>
#include <strata/ring_state.h>

#include "consumerd/apps/app_file_users.h"
#include "consumerd/output_dir.h"
#include "stratad/select/select_app.h"
#include "stratad/select/select_kernel.h"
#include "stratad/select/select_xen.h"

struct record_options {
	const char *output;
	enum output_place place;   /* what to do if a recording exists */
	uint64_t duration_ms;      /* 0: until SIGINT or SIGTERM */
	struct xen_selection *xen; /* empty: without the hypervisor */
	const char *xen_events;    /* the option it was parsed from */
	const char *xen_domains;   /* added to it; NULL: nothing */
	struct strata_ring_geometry xen_geometry;
	struct kernel_selection *kernels;
	size_t nr_kernels; /* 0: every kernel that has the module, the default events */
	struct app_selection *apps;
	size_t nr_apps; /* 0: no applications */
	struct strata_ring_geometry app_geometry;
	enum strata_app_mode app_mode; /* of their rings, if they can write it; 0: the default */
	uint32_t guest_pages;          /* limit of mapped pages; 0: the default */
	/* Rotation makes further recordings in this directory; NULL: no rotation is possible. */
	const char *rotation_dir;
	/* Of a channel beside others: the name of its directory in that of each recording.  NULL:
	 * recordings lie in rotation_dir itself. */
	const char *rotation_leaf;
	struct strata_rotation rotation;
	bool app_files; /* applications' rings are files, which outlive the recorder ... */
	const char *app_file_dir;              /* ... in this directory; NULL: in the output's */
	struct app_file_users *app_file_users; /* ... if they are root's, or of these */
	bool apps_may_do; /* no other selection: without Xen, record applications alone */
	enum strata_header_form event_header; /* of kernels and applications that can write it */
	uint32_t switch_ms;                   /* period of the forced switch; 0: never */
	bool overwrite; /* flight recorder: written by snapshots and at the end */
	/* Of a flight recorder: begins with empty rings, and never continues one that died, whose
	 * events may be another user's. */
	bool begins_empty;
	/* Patterns select no events of probes: a module keeps those that another user made. */
	bool without_probes;
	unsigned int final_max; /* domains' final events that it saves; 0: no limit here */
	char *const *command;   /* runs during the recording, and ends it; or NULL */
	int ready_fd;           /* gets a line when the recording has begun; -1: none */
	bool wait;              /* for named kernels that do not run yet */
	/* A session's: its rules may wait for domains and applications that never come, and nobody
	 * looks at its progress. */
	bool of_session;
};

/* Runs a recording. Returns an exit status: the command's if recording succeeded. Errors have been
 * printed. */
int record_session(const struct record_options *options);

#endif /* STRATA_STRATAD_RECORD_SESSION_H */
