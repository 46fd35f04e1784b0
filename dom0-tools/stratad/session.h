/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - a recording in progress: prepared by session_prepare.c and run by record_session.c,
 * with commands in session_commands.c, its status in session_status.c, new CPUs in session_cpus.c,
 * new selections in reselect.c, its number in session_number.c and its sleep in session_sleep.c.
 * Only these include it.
 */
#ifndef STRATA_STRATAD_SESSION_H
#define STRATA_STRATAD_SESSION_H

#include <strata/platform/platform.h>

#include "stratad/domains/apps.h"
#include "consumerd/host/command.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/host/host_clock.h"
#include "consumerd/xen/hypervisor.h"
#include "stratad/domains/participants.h"
#include "stratad/record_session.h"
#include "stratad/session_rotation.h"
#include "consumerd/recorder.h"

/* Poll period without notifications. */
#define SESSION_POLL_MS 20

struct xentoollog_logger;

struct session {
	unsigned long nr_files; /* that may be open */
	const struct record_options *options;
	struct xentoollog_logger *quiet; /* suppresses the libraries' messages */
	/* NULL: this is no Xen host, only applications are recorded */
	struct hypervisor *hypervisor;
	struct participants kernels;
	struct peer_looks looks;     /* at the processes of applications ... */
	struct memory_makers makers; /* ... whose memory they make */
	struct apps apps;
	struct command command;
	struct host_clock began; /* for the counter's frequency, if no hypervisor knows it */
	struct recorder *recorder;
	struct strata_dir dir; /* of the recording; outlives the applications' rings */
	uint32_t tsc_khz;
	uint64_t start_ticks;            /* 0: it has not begun */
	uint64_t news_ticks;             /* when something last happened */
	uint64_t taken;                  /* packets drained in the last turn */
	uint64_t shown_s;                /* seconds at the last progress line */
	uint64_t cpus_ticks;             /* when Xen was last asked for new CPUs */
	bool cpus_left_out;              /* one could not be recorded, which was reported */
	bool clocks_only;                /* of Xen no events, but what the times of guests need */
	unsigned int number;             /* of this recorder, and of its channels */
	int lock;                        /* of the number; -1: has none */
	struct control_listener control; /* takes commands */
	bool selecting;           /* `selector` gets its answer when all have got their commands */
	uint64_t selecting_ticks; /* since then */
	struct control_request selector;
	unsigned int snapshots;
	unsigned int finals; /* of them, those of domains that died */
	/* While all rings are emptied, programs are not served before. */
	uint64_t serve_again_ticks;
	struct rotation *rotation;
	struct reselection *reselection; /* selections since the start; of reselect.c */
};

/* Milliseconds since then, by the TSC: dom0's own clock may stand still under emulation. */
static inline uint64_t session_ms_since(const struct session *session, uint64_t ticks)
{
	return (strata_clock() - ticks) / session->tsc_khz;
}

static inline bool session_records_xen(const struct session *session)
{
	return session->hypervisor && (session->options->xen->nr || session->clocks_only);
}

/* The size of the hypervisor's rings. */
struct strata_ring_geometry session_xen_geometry(const struct session *session);

/* session_prepare.c: opens the recording and adds its sources.  When it returns 0, the recording
 * cannot fail to start any more.  0 or -1; the caller releases. */
int session_prepare(struct session *session, struct strata_error *error);

/* session_host.c: finds out what kind of host this is, opens what belongs to it, and sets tsc_khz.
 * 0 or -1; the caller releases. */
int session_open_host(struct session *session, struct strata_error *error);

/* session_number.c: whether it continues a flight recorder that died, with the events in its rings.
 */
bool session_continues(const struct session *session);

/* session_number.c: takes a number, with which Xen's channel is chosen.  0 or -1. */
int session_take_number(struct session *session, struct strata_error *error);

void session_release_number(struct session *session);

/* session_host.c: updates the frequency at the end, if no hypervisor knows it. */
void session_set_clock(struct session *session);

/* record_session.c: a recording of dom0's kernel gets its symbols if they can be read; it is
 * complete without them. */
void session_save_kallsyms(const struct session *session);

/* session_sleep.c: something has happened: the loop does not sleep for a while. */
void session_note_news(struct session *session);

/* session_sleep.c: how long the loop may wait for news, in ms.  @extent: of its drains */
int session_wait_ms(struct session *session, enum recorder_drain extent);

/* session_commands.c: serves a pending command. */
void session_serve(struct session *session);

/* session_commands.c: answers pending commands at the end of the recording. */
void session_serve_end(struct session *session);

/* session_commands.c: writes the contents of all rings when a guest died. */
void session_keep_last_moments(void *data, const struct participant *one);

/* session_cpus.c: records CPUs that were added to the host since Xen was asked last. */
void session_find_cpus(struct session *session);

/* session_cpus.c: likewise, at most once a period. */
void session_follow_cpus(struct session *session);

/* reselect.c: applies the options for the hypervisor to running domains. 0 or -1. */
int session_select_xen(struct session *session, struct xen_selection *xen, const char *domains,
		       bool may_come, struct strata_error *error);

/* reselect.c: rebuilds the rules when a domain got a name, which --xen-domain may match. */
void session_follow_domains(struct session *session);

/* reselect.c: checks that each domain named by --xen-domain runs. 0 or -1. */
int session_check_xen_domains(struct session *session, const char *words,
			      struct strata_error *error);

/*
 * reselect.c: changes the selection during the recording.
 * @request: NAME=VALUE, as the options of `strata record` without dashes, separated by tabs;
 *           modified
 * 0, or -1 with the reason; changes before the error stay.
 */
int session_reselect(struct session *session, char *request, struct strata_error *error);

/* reselect.c: writes the selection as it is now, as options of `strata record`, each after a space.
 */
void session_describe_selection(const struct session *session, char *text, size_t bytes);

/* session_status.c: writes the status as a JSON object without a newline. */
void session_describe_status(const struct session *session, char *text, size_t bytes);

/* reselect.c: frees what session_reselect() keeps. */
void session_reselect_clear(struct session *session);

#endif /* STRATA_STRATAD_SESSION_H */
