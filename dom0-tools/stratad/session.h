/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - a recording that is being made: what record_session.c runs,
 * session_commands.c serves, session_cpus.c adds to and reselect.c changes.
 * Nobody else's.
 */
#ifndef STRATA_STRATAD_SESSION_H
#define STRATA_STRATAD_SESSION_H

#include "stratad/domains/apps.h"
#include "consumerd/host/command.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/host/host_clock.h"
#include "consumerd/xen/hypervisor.h"
#include "stratad/domains/participants.h"
#include "stratad/record_session.h"
#include "consumerd/recorder.h"

/* The fallback when nobody wakes us: rings are looked at this often. */
#define SESSION_POLL_MS 20

struct xentoollog_logger;

struct session {
	unsigned long nr_files; /* that may be open */
	const struct record_options *options;
	struct xentoollog_logger *quiet; /* the libraries' own messages say less than ours */
	/* NULL: this is no Xen host, only applications are recorded */
	struct hypervisor *hypervisor;
	struct participants kernels;
	struct apps apps;
	struct command command;
	struct host_clock began; /* where no hypervisor knows the frequency of its counter */
	struct recorder *recorder;
	struct strata_dir dir; /* of the recording, for as long as its applications' rings are */
	uint32_t tsc_khz;
	uint64_t start_ticks;
	uint64_t taken;           /* packets, in the last turn */
	uint64_t shown_s;         /* seconds at the last progress line */
	uint64_t cpus_ticks;      /* when Xen was asked for new CPUs last */
	bool cpus_left_out;       /* one could not be recorded, which was said */
	int socket;               /* for commands; -1: none */
	bool selecting;           /* `selector` waits for its answer until all kernels are told */
	uint64_t selecting_ticks; /* since then */
	struct control_request selector;
	unsigned int snapshots;
	struct reselection *reselection; /* what was asked for since the start; of reselect.c */
};

static inline bool session_records_xen(const struct session *session)
{
	return session->hypervisor && session->options->xen->nr;
}

/* session_host.c: finds out what kind of host this is, opens what belongs to it, and sets tsc_khz.
 * 0 or -1; the caller releases. */
int session_open_host(struct session *session, struct strata_error *error);

/* session_host.c: at the end, where no hypervisor knows it, the frequency is known best. */
void session_set_clock(struct session *session);

/* session_commands.c: serves one command, if somebody sent one. */
void session_serve(struct session *session);

/* session_commands.c: answers whoever waits for an answer still, as the recording ends. */
void session_serve_end(struct session *session);

/* session_commands.c: a guest died: what all rings hold now is what led to it. */
void session_keep_last_moments(void *data, const struct participant *one);

/* session_cpus.c: records CPUs that were added to the host since Xen was asked last. */
void session_find_cpus(struct session *session);

/* session_cpus.c: likewise, but not before it is time to ask again. */
void session_follow_cpus(struct session *session);

/* reselect.c: has the hypervisor record what the options ask for, of domains that run.  0 or -1. */
int session_select_xen(struct session *session, struct xen_selection *xen, const char *domains,
		       bool may_come, struct strata_error *error);

/* reselect.c: a domain got a name, and --xen-domain may mean it: the rules are made anew. */
void session_follow_domains(struct session *session);

/* reselect.c: does each of the domains that --xen-domain names run?  0 or -1. */
int session_check_xen_domains(struct session *session, const char *words,
			      struct strata_error *error);

/*
 * reselect.c: changes what is recorded, while it is.
 * @request: NAME=VALUE, as the options of `strata record` without their dashes, with
 *           tabulators in between; taken to pieces
 * 0, or -1 with the reason: then what could be changed before the error is.
 */
int session_reselect(struct session *session, char *request, struct strata_error *error);

/* reselect.c: frees what session_reselect() keeps. */
void session_reselect_clear(struct session *session);

#endif /* STRATA_STRATAD_SESSION_H */
