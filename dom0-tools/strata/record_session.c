// SPDX-License-Identifier: GPL-2.0-or-later
/* record_session.c - see record_session.h. */
#include "record_session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <xentoollog.h>

#include "commands.h"
#include "hypervisor.h"
#include "lock.h"
#include "participants.h"
#include "recorder.h"

#define DOMID_XEN_NUMBER 0x7ff2u

/* The fallback when nobody wakes us: rings are looked at this often. */
#define POLL_MS 20

/* After a wake-up the next one is waited for no sooner: a guest may notify without end. */
#define SETTLE_NS      2000000
#define PORTS_PER_WAKE 64

struct session {
	const struct record_options *options;
	xentoollog_logger *quiet; /* the libraries' own messages say less than ours */
	struct hypervisor *hypervisor;
	struct participants kernels;
	struct recorder *recorder;
	uint32_t tsc_khz;
	uint64_t start_ticks;
	uint64_t shown_s;                /* seconds at the last progress line */
	struct strata_error drain_error; /* of one while a guest was awaited; empty: none */
	bool stopping;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void complain(const struct strata_error *error)
{
	fprintf(stderr, "strata: %s\n", error->text);
}

/* The pair of clocks that gives ticks a date: the closest of a few. */
static void take_anchor(struct strata_recording *recording)
{
	uint64_t best = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		struct timespec now;
		uint64_t before = strata_clock(), after;

		clock_gettime(CLOCK_REALTIME, &now);
		after = strata_clock();
		if (after - before >= best)
			continue;
		best = after - before;
		recording->anchor_ticks = before + best / 2;
		recording->anchor_realtime_ns =
			(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
}

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
	kernels->evtchn = xenevtchn_open(session->quiet, 0);
	if (!kernels->evtchn)
		fprintf(stderr,
			"strata: /dev/xen/evtchn cannot be opened (%s): all rings are "
			"polled every %d ms\n",
			strerror(errno), POLL_MS);
	return 0;
}

/* Domains are named by the user and selected by their numbers. */
static int select_domains(struct session *session, struct strata_error *error)
{
	struct xen_domain *domains;
	struct guest *guests;
	size_t nr, i;
	int result;

	if (guests_find(session->kernels.xenstore, &guests, &nr, error))
		return -1;
	domains = calloc(nr + 1, sizeof(*domains));
	for (i = 0; domains && i < nr; i++)
		domains[i] = (struct xen_domain){ guests[i].domain, guests[i].name };
	result = domains ? select_xen_domains(session->options->xen, session->options->xen_domains,
					      domains, nr, error)
			 : strata_fail(error, "out of memory");
	free(domains);
	free(guests);
	return result;
}

static int add_hypervisor(struct session *session, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(session->recorder);
	struct strata_source *source;
	struct ring *rings;
	size_t nr, i;
	char owner[STRATA_HV_OWNER_BYTES];

	if (!session->options->xen->nr)
		return 0;
	if (session->options->xen_domains && select_domains(session, error))
		return -1;
	snprintf(owner, sizeof(owner), "strata record, process %ld", (long)getpid());
	if (hypervisor_create(session->hypervisor, session->options->xen_geometry, owner, error))
		return -1;
	source = strata_recording_add_source(recording, "xen");
	if (!source)
		return strata_fail(error, "out of memory");
	source->layer = STRATA_LAYER_XEN;
	source->domain = DOMID_XEN_NUMBER;
	snprintf(source->domain_name, sizeof(source->domain_name), "xen");
	if (getrandom(source->uuid, sizeof(source->uuid), 0) != (ssize_t)sizeof(source->uuid))
		return strata_fail(error, "no random numbers for an UUID");
	rings = hypervisor_rings(session->hypervisor, &nr);
	for (i = 0; i < nr; i++)
		if (recorder_add_ring(session->recorder, recording->nr_sources - 1, &rings[i],
				      error))
			return -1;
	if (session->kernels.evtchn &&
	    xenevtchn_bind_virq(session->kernels.evtchn, STRATA_HV_VIRQ) < 0)
		fprintf(stderr,
			"strata: VIRQ %u cannot be bound (%s): Xen's rings are polled "
			"every %d ms\n",
			STRATA_HV_VIRQ, strerror(errno), POLL_MS);
	return 0;
}

/*
 * While guests' answers are awaited the others go on writing: takes what they
 * have.  A signal ends the wait for a start, but not for a stop: what was
 * recorded is to be complete.
 */
static bool drain_meanwhile(void *data)
{
	struct session *session = data;
	uint64_t nr_packets;

	if (!session->drain_error.text[0])
		recorder_drain(session->recorder, RECORDER_DRAIN_SOME, &nr_packets,
			       &session->drain_error);
	return session->stopping || !interrupted;
}

static int prepare(struct session *session, struct strata_error *error)
{
	struct strata_recording *recording;
	struct strata_hv_op query;

	if (hypervisor_open(&session->hypervisor, error) != HYPERVISOR_OK)
		return -1;
	if (hypervisor_query(session->hypervisor, &query, error) || open_xen(session, error))
		return -1;
	if (!query.u.query.tsc_khz)
		return strata_fail(error, "Xen does not know the frequency of its TSC");
	session->tsc_khz = query.u.query.tsc_khz;
	session->recorder = recorder_open(session->options->output, error);
	if (!session->recorder)
		return -1;
	recording = recorder_recording(session->recorder);
	recording->tsc_khz = session->tsc_khz;
	take_anchor(recording);
	session->kernels.meanwhile = drain_meanwhile;
	session->kernels.data = session;
	if (add_hypervisor(session, error) ||
	    participants_gather(&session->kernels, session->recorder, session->options->kernels,
				session->options->nr_kernels, error))
		return -1;
	if (!recording->nr_sources)
		return strata_fail(error, "there is nothing to record: no kernel has strata.ko "
					  "loaded, and the hypervisor is left out");
	return recorder_save(session->recorder, error);
}

/* Waits for a writer's notification, or for POLL_MS. */
static void wait_for_writers(struct session *session)
{
	xenevtchn_handle *evtchn = session->kernels.evtchn;
	struct pollfd fd = { .fd = evtchn ? xenevtchn_fd(evtchn) : -1, .events = POLLIN };
	struct timespec settle = { .tv_nsec = SETTLE_NS };
	unsigned int i;

	if (poll(&fd, 1, POLL_MS) <= 0)
		return;
	/* Unmask before the rings are looked at: what becomes ready later notifies again. */
	for (i = 0; i < PORTS_PER_WAKE && (fd.revents & POLLIN); i++) {
		xenevtchn_port_or_error_t port = xenevtchn_pending(evtchn);

		if (port < 0 || xenevtchn_unmask(evtchn, (evtchn_port_t)port) ||
		    poll(&fd, 1, 0) <= 0)
			break;
	}
	nanosleep(&settle, NULL);
}

static void show_progress(struct session *session, uint64_t elapsed_ms)
{
	struct recorder_totals totals = recorder_totals(session->recorder);
	bool terminal = isatty(STDERR_FILENO);

	if (elapsed_ms / 1000 < session->shown_s + (terminal ? 1 : 5))
		return;
	session->shown_s = elapsed_ms / 1000;
	fprintf(stderr, "%sstrata: recording, %" PRIu64 " s", terminal ? "\r" : "",
		session->shown_s);
	if (session->options->duration_ms)
		fprintf(stderr, " of %" PRIu64 " s", session->options->duration_ms / 1000);
	fprintf(stderr, ": %" PRIu64 " events, %" PRIu64 " KiB, %" PRIu64 " lost%s", totals.events,
		totals.bytes >> 10, totals.lost, terminal ? "  " : "\n");
}

/* Drains until the time is over or a signal came.  0, or -1 when the disk takes no more. */
static int run(struct session *session, struct strata_error *error)
{
	uint64_t elapsed_ms, nr_packets;

	/* Time by the TSC: dom0's own clock may stand still under emulation. */
	session->start_ticks = strata_clock();
	do {
		wait_for_writers(session);
		if (session->drain_error.text[0]) {
			*error = session->drain_error;
			return -1;
		}
		if (recorder_drain(session->recorder, RECORDER_DRAIN_SOME, &nr_packets, error))
			return -1;
		elapsed_ms = (strata_clock() - session->start_ticks) / session->tsc_khz;
		show_progress(session, elapsed_ms);
	} while (!interrupted &&
		 (!session->options->duration_ms || elapsed_ms < session->options->duration_ms));
	if (isatty(STDERR_FILENO) && session->shown_s)
		fprintf(stderr, "\n");
	return 0;
}

/* Stops the hypervisor, and says so if some of its CPUs could not record. */
static int stop_hypervisor(struct session *session, struct strata_error *error)
{
	struct strata_hv_op query;

	if (hypervisor_stop(session->hypervisor, error) ||
	    hypervisor_query(session->hypervisor, &query, error))
		return -1;
	if (query.u.query.unringed)
		fprintf(stderr,
			"strata: %" PRIu64 " events of physical CPUs that came after the start are "
			"not recorded; record again\n",
			query.u.query.unringed);
	if (query.u.query.refused)
		fprintf(stderr,
			"strata: %" PRIu64
			" events were refused: a domain may cause %u a second on "
			"a CPU, so that it cannot crowd out the others; --xen-budget says how many, "
			"and the events strata_budget whose they were\n",
			query.u.query.refused, session->options->xen->budget_per_s);
	return 0;
}

/*
 * Stops all writers, then takes what they flushed.  The hypervisor starts first
 * and stops last, so that it saw every vCPU run for as long as its guest wrote.
 */
static int stop(struct session *session, bool drain, struct strata_error *error)
{
	uint64_t nr_packets;
	int result = 0;

	session->stopping = true;
	participants_stop(&session->kernels);
	if (drain && session->drain_error.text[0]) {
		*error = session->drain_error;
		drain = false;
		result = -1;
	}
	if (session->options->xen->nr && stop_hypervisor(session, error))
		result = -1;
	/* Once takes all that a ring can hold.  A guest that goes on writing must not keep us. */
	if (drain && recorder_drain(session->recorder, RECORDER_DRAIN_ALL, &nr_packets, error))
		return -1;
	return result;
}

static int record(struct session *session, struct strata_error *error)
{
	const struct xen_selection *xen = session->options->xen;
	struct strata_error later = { "" };
	int result;

	if (xen->nr && (hypervisor_select(session->hypervisor, xen->rules, xen->nr,
					  xen->budget_per_s, error) ||
			hypervisor_start(session->hypervisor, error)))
		return -1;
	participants_start(&session->kernels);
	fprintf(stderr, "strata: recording %zu sources into %s%s\n",
		recorder_recording(session->recorder)->nr_sources, session->options->output,
		session->options->duration_ms ? "" : "; Ctrl-C ends it");
	result = run(session, error);
	if (result)
		session->drain_error = *error; /* nothing is taken any more */
	if (stop(session, result == 0, result ? &later : error))
		result = -1;
	return result;
}

static void report(const struct session *session, const struct recorder_totals *totals)
{
	fprintf(stderr,
		"strata: recorded %" PRIu64 " events (%" PRIu64 " KiB) in %s, %" PRIu64 " lost\n",
		totals->events, totals->bytes >> 10, session->options->output, totals->lost);
	if (totals->lost)
		fprintf(stderr, "strata: larger buffers lose less: --xen-buffer for Xen, subbuf_kb "
				"and nr_subbufs of strata.ko for a kernel\n");
	if (totals->bad_packets)
		fprintf(stderr, "strata: %" PRIu64 " packets were no packets and are left out\n",
			totals->bad_packets);
	if (interrupted)
		fprintf(stderr, "strata: ended by a signal; what was recorded is complete\n");
}

static void release(struct session *session)
{
	participants_release(&session->kernels);
	hypervisor_close(session->hypervisor);
	if (session->kernels.evtchn)
		xenevtchn_close(session->kernels.evtchn);
	if (session->kernels.gnttab)
		xengnttab_close(session->kernels.gnttab);
	if (session->kernels.xenstore)
		xs_close(session->kernels.xenstore);
	if (session->quiet)
		xtl_logger_destroy(session->quiet);
}

int record_session(const struct record_options *options)
{
	struct session session = { .options = options };
	struct strata_error error = { "" }, closing = { "" };
	struct recorder_totals totals = { 0 };
	int status = STRATA_STATUS_OK;
	bool recorded = false;
	int lock = recorder_lock(&error);

	if (lock < 0) {
		complain(&error);
		return STRATA_STATUS_FAILED;
	}
	catch_signals();
	if (prepare(&session, &error)) {
		complain(&error);
		status = STRATA_STATUS_FAILED;
	} else {
		recorded = true;
		if (record(&session, &error)) {
			complain(&error);
			fprintf(stderr, "strata: stopped; what was recorded until then is whole\n");
			status = STRATA_STATUS_FAILED;
		}
	}
	if (session.recorder && recorder_close(session.recorder, &totals, &closing)) {
		complain(&closing);
		status = STRATA_STATUS_FAILED;
	}
	if (recorded)
		report(&session, &totals);
	if (status == STRATA_STATUS_OK && (session.kernels.left_out || totals.bad_packets))
		status = STRATA_STATUS_PARTIAL;
	release(&session);
	close(lock);
	return status;
}
