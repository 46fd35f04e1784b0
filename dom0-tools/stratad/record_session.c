// SPDX-License-Identifier: GPL-2.0-or-later
/* record_session.c - see record_session.h. */
#include "stratad/record_session.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <xentoollog.h>

#include "base/exit_status.h"
#include "consumerd/host/command_line.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/host/file_limit.h"
#include "consumerd/host/oom_score.h"
#include "stratad/kallsyms.h"
#include "stratad/session.h"
#include "stratad/tell_ready.h"
#include "files/apart.h"
#include "consumerd/host/stderr_queue.h"

/* Poll period while applications write, whose rings send no notification, while a ring is nearly
 * full right after it was drained, and while a guest is mapped or unmapped. */
#define BUSY_MS 2

/* Minimum time between wake-ups: a guest may notify without end. */
#define SETTLE_NS      2000000
#define PORTS_PER_WAKE 64

/* Of a session's log, which lies in memory. */
#define LOG_BYTES (1u << 20)

/* Memory of that many bytes goes back to the kernel when it is freed.  Else the texts of tables,
 * which come and go, would leave holes between what stays for each program: a third of the heap. */
#define LARGE_BYTES (40 << 10)

/* How long a stop waits for applications to answer; published events are taken in any case. */
#define APPS_MS 500

/* As Linux begins the first process with. */
#define TIMER_SLACK_NS 50000ul

static volatile sig_atomic_t interrupted; /* number of signals */
static volatile sig_atomic_t to_pass_on;  /* a signal to forward to the command; 0: none */

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	interrupted++;
	/* The terminal sends its signals to the command as well. */
	if (info->si_code != SI_KERNEL)
		to_pass_on = number;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	interrupted = 0;
	to_pass_on = 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A hang-up ends the recording, except under nohup. */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Exceeding the file size limit is an ordinary write error. */
	signal(SIGXFSZ, SIG_IGN);
	/* The command may belong to another user, and take the terminal that we write to. */
	signal(SIGTTOU, SIG_IGN);
}

static void complain(const struct strata_error *error)
{
	fprintf(stderr, "strata: %s\n", error->text);
}

/* As poll(), but a signal that came since the last call ends a long wait at once. */
static int poll_or_signal(struct pollfd *fds, nfds_t nr, int wait_ms)
{
	static sig_atomic_t known;
	struct timespec limit = { .tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000l };
	sigset_t ours, before;
	int ready;

	if (wait_ms <= SESSION_POLL_MS)
		return poll(fds, nr, wait_ms);
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	if (interrupted != known)
		limit = (struct timespec){ 0 };
	known = interrupted;
	ready = ppoll(fds, nr, &limit, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ready;
}

static enum recorder_drain extent_of(const struct session *session)
{
	return session->options->overwrite ? RECORDER_DRAIN_NONE : RECORDER_DRAIN_SOME;
}

/* Waits for a writer's notification, a change in xenstore, a command, or for session_wait_ms(); not
 * at all if one turn could not drain the rings. */
static void wait_for_news(struct session *session)
{
	xenevtchn_handle *evtchn = session->kernels.evtchn;
	struct xs_handle *xenstore = session->kernels.xenstore;
	struct pollfd fds[] = {
		/* Rings that are full wake no flight recorder. */
		{ .fd = evtchn && !session->options->overwrite ? xenevtchn_fd(evtchn) : -1,
		  .events = POLLIN },
		{ .fd = xenstore ? xs_fileno(xenstore) : -1, .events = POLLIN },
		{ .fd = control_socket_fd(&session->control), .events = POLLIN },
		{ .fd = session->apps.epoll, .events = POLLIN },
	};
	struct timespec settle = { .tv_nsec = SETTLE_NS };
	unsigned int i;
	/* Or someone waits for our answer. */
	bool busy = (session->apps.nr && session->taken) || recorder_is_urgent(session->recorder) ||
		    session->kernels.mapping || session->selecting ||
		    control_socket_awaits_line(&session->control);
	const bool behind = recorder_is_behind(session->recorder);
	const int wait_ms = behind || recorder_is_looking(session->recorder) ? 0
			    : busy                                           ? BUSY_MS
				   : session_wait_ms(session, extent_of(session));
	const int nr = poll_or_signal(fds, sizeof(fds) / sizeof(fds[0]), wait_ms);

	if (behind || busy || nr)
		session_note_news(session);
	if (nr <= 0)
		return;
	/* A process may wait for us before its main(), so do not wait. */
	if (fds[3].revents && !fds[0].revents && !fds[1].revents)
		return;
	/* Unmask before reading the rings, so that later sub-buffers notify again. */
	for (i = 0; i < PORTS_PER_WAKE && (fds[0].revents & POLLIN); i++) {
		xenevtchn_port_or_error_t port = xenevtchn_pending(evtchn);

		if (port < 0 || xenevtchn_unmask(evtchn, (evtchn_port_t)port) ||
		    poll(fds, 1, 0) <= 0)
			break;
	}
	nanosleep(&settle, NULL);
}

/* One turn of the loop: serves sources that came, left or became ready. 0, or -1 when nothing can
 * be written. */
static int turn(struct session *session, struct strata_error *error)
{
	wait_for_news(session);
	session_serve(session);
	if (session->hypervisor) {
		participants_tend(&session->kernels);
		if (session->kernels.names_changed)
			session_follow_domains(session);
		session->kernels.names_changed = false;
		session_follow_cpus(session);
	}
	apps_tend(&session->apps);
	session_tend_rotation(session);
	stderr_queue_flush();
	return recorder_drain(session->recorder, extent_of(session), &session->taken, error);
}

/* Whether all awaited kernels and applications have answered. */
static bool is_settled(const struct session *session, uint64_t waited_ms)
{
	return participants_settled(&session->kernels, waited_ms) &&
	       (waited_ms >= APPS_MS || apps_settled(&session->apps));
}

/* Runs turns until all awaited answers are in, or more than @signals signals have come. */
static int settle(struct session *session, int signals, struct strata_error *error)
{
	uint64_t begin = strata_clock();

	while (!is_settled(session, session_ms_since(session, begin)) && interrupted <= signals)
		if (turn(session, error))
			return -1;
	return 0;
}

/* @terminal: stderr is one */
static void show_progress(struct session *session, bool terminal, uint64_t elapsed_ms)
{
	struct recorder_totals totals = recorder_totals(session->recorder);

	if (session->options->of_session ||
	    elapsed_ms / 1000 < session->shown_s + (terminal ? 1 : 5))
		return;
	session->shown_s = elapsed_ms / 1000;
	fprintf(stderr, "%sstrata: recording, %" PRIu64 " s", terminal ? "\r" : "",
		session->shown_s);
	if (session->options->duration_ms)
		fprintf(stderr, " of %" PRIu64 " s", session->options->duration_ms / 1000);
	if (session->options->overwrite) {
		fprintf(stderr, ", in memory; %u snapshots taken%s", session->snapshots,
			terminal ? "  " : "\n");
		return;
	}
	fprintf(stderr, ": %" PRIu64 " events, %" PRIu64 " KiB, %" PRIu64 " lost%s", totals.events,
		totals.bytes >> 10, totals.lost, terminal ? "  " : "\n");
}

/* Whether the time is over, the command has ended, or a signal came.  The first signal is left to
 * the command; a second one ends the recording. */
static bool is_over(struct session *session, uint64_t elapsed_ms)
{
	const bool timed = session->options->duration_ms != 0;

	if (timed && elapsed_ms >= session->options->duration_ms)
		return true;
	/* No command, or it was not started. */
	if (!session->command.argv || session->command.go >= 0)
		return interrupted;
	if (to_pass_on && session->command.pid) {
		command_signal(&session->command, to_pass_on);
		to_pass_on = 0;
	}
	return command_has_ended(&session->command) || interrupted > 1;
}

/* Records until the time is over or a signal comes. 0, or -1 when nothing can be written. */
static int run(struct session *session, struct strata_error *error)
{
	const bool terminal = isatty(STDERR_FILENO);
	uint64_t elapsed_ms;

	session->start_ticks = strata_clock();
	do {
		if (turn(session, error))
			return -1;
		elapsed_ms = session_ms_since(session, session->start_ticks);
		show_progress(session, terminal, elapsed_ms);
	} while (!is_over(session, elapsed_ms));
	if (terminal && session->shown_s)
		fprintf(stderr, "\n");
	return 0;
}

/* Stops the hypervisor, and reports CPUs that could not record. */
static int stop_hypervisor(struct session *session, struct strata_error *error)
{
	struct strata_hv_op query;

	if (hypervisor_stop(session->hypervisor, error) ||
	    hypervisor_query(session->hypervisor, &query, error))
		return -1;
	if (query.u.query.unringed)
		fprintf(stderr,
			"strata: %" PRIu64 " events of physical CPUs that were added are not "
			"recorded: Xen had no memory for their rings; record again, with smaller "
			"ones (--xen-buffer) if need be\n",
			query.u.query.unringed);
	if (query.u.query.refused)
		fprintf(stderr,
			"strata: %" PRIu64
			" events were refused: a domain may cause %u a second on a CPU, so that it cannot crowd out others; --xen-budget sets the limit, and strata_budget events name the domains\n",
			query.u.query.refused, session->options->xen->budget_per_s);
	return 0;
}

/* Waits for applications when nothing can be written, so that their rings are complete for `strata
 * recover`. */
static void settle_apps(struct session *session)
{
	const struct timespec pause = { .tv_nsec = SETTLE_NS };
	uint64_t begin = strata_clock();

	while (!apps_settled(&session->apps) && session_ms_since(session, begin) < APPS_MS) {
		nanosleep(&pause, NULL);
		apps_tend(&session->apps);
	}
}

/*
 * Stops all writers, then drains what they flushed.  The hypervisor starts first and stops last, so
 * that its records cover all guests' records.
 * @writable: false: nothing can be written any more
 */
static int stop(struct session *session, bool writable, struct strata_error *error)
{
	uint64_t nr_packets;
	int result = 0;

	if (session->hypervisor)
		participants_stop(&session->kernels);
	apps_stop(&session->apps);
	/* A signal during the wait, such as a second Ctrl-C, ends it: events committed until then
	 * are taken. */
	if (writable && settle(session, interrupted, error)) {
		writable = false;
		result = -1;
	}
	if (!writable)
		settle_apps(session);
	participants_name_missing(&session->kernels);
	apps_name_missing(&session->apps);
	if (session_records_xen(session) && stop_hypervisor(session, error))
		result = -1;
	session_find_cpus(session);
	/* One pass drains a full ring; more would let a guest that continues to write delay us. */
	if (writable && recorder_drain(session->recorder, RECORDER_DRAIN_ALL, &nr_packets, error))
		return -1;
	return result;
}

static int record(struct session *session, struct strata_error *error)
{
	struct xen_selection *xen = session->options->xen;
	struct strata_error later = { "" };
	int result;

	/* Each rotation links this file into the next recording. */
	if (session->options->rotation_dir && !session->options->overwrite)
		session_save_kallsyms(session);
	if (session_records_xen(session) &&
	    (session_select_xen(session, xen, session->options->xen_domains, session->options->wait,
				error) ||
	     hypervisor_start(session->hypervisor, session->options->switch_ms, error)))
		return -1;
	strata_apart_hurry(true);
	participants_start(&session->kernels);
	result = settle(session, 0, error);
	if (!interrupted)
		participants_name_late(&session->kernels);
	fprintf(stderr, "strata: recording %zu sources into %s%s\n",
		recorder_recording(session->recorder)->nr_sources, session->dir.path,
		session->options->command || session->options->duration_ms ||
				session->options->of_session
			? ""
			: "; Ctrl-C ends it");
	if (!result && !interrupted) {
		tell_ready(session->options->ready_fd);
		result = command_start(&session->command, error);
	}
	if (!result)
		result = run(session, error);
	if (stop(session, result == 0, result ? &later : error))
		result = -1;
	/* Nobody's events wait any more. */
	strata_apart_hurry(false);
	return result;
}

/* @rotations: how many recordings ended before this one
 * @written: the recording is complete, tables included */
static void report(const struct session *session, const struct recorder_totals *totals,
		   unsigned int rotations, bool written)
{
	fprintf(stderr, "strata: recorded %" PRIu64 " events (%" PRIu64 " KiB) in ", totals->events,
		totals->bytes >> 10);
	if (rotations)
		fprintf(stderr, "%u recordings, the last one ", rotations + 1);
	fprintf(stderr, "%s, %" PRIu64 " lost\n", session->dir.path, totals->lost);
	if (totals->was_full)
		fprintf(stderr,
			"strata: the disk was full; %" PRIu64
			" of the lost events were still waiting for space at the end. The recorded events are intact; free some space, or record to another disk with --output\n",
			totals->no_room);
	if (totals->was_shared)
		fprintf(stderr,
			"strata: a user or guest used up its share of the disk, and its later events were lost (%" PRIu64
			" events at the end); make room, or record to "
			"another disk with --output\n",
			totals->no_share);
	if (totals->was_too_large)
		fprintf(stderr,
			"strata: files of streams reached the limit of a file's size, and later events of theirs were lost (at least %" PRIu64
			"); raise the limit (ulimit -f), or record to another file system with --output\n",
			totals->too_large);
	if (totals->lost && !totals->was_full && !totals->was_shared && !totals->was_too_large)
		fprintf(stderr, "strata: larger buffers lose less: --xen-buffer for Xen, "
				"--app-buffer for applications, subbuf_kb and nr_subbufs of "
				"strata.ko for a kernel\n");
	if (totals->bad_packets)
		fprintf(stderr, "strata: %" PRIu64 " invalid packets were left out\n",
			totals->bad_packets);
	/* A session always ends so. */
	if (interrupted && !session->options->of_session)
		fprintf(stderr, "strata: ended by a signal%s\n",
			written ? "; the recording so far is complete" : "");
}

/* @recorded: all drained events and their tables have been written */
static void release(struct session *session, bool recorded)
{
	apps_release(&session->apps, recorded);
	peer_looks_close(&session->looks);
	memory_makers_close(&session->makers);
	participants_release(&session->kernels);
	hypervisor_close(session->hypervisor);
	domains_close(session->kernels.domains);
	if (session->kernels.evtchn)
		xenevtchn_close(session->kernels.evtchn);
	if (session->kernels.gnttab)
		xengnttab_close(session->kernels.gnttab);
	if (session->quiet)
		xtl_logger_destroy(session->quiet);
}

void session_save_kallsyms(const struct session *session)
{
	const struct strata_recording *recording = recorder_recording(session->recorder);
	struct strata_error error;
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		if (source->layer != STRATA_LAYER_KERNEL || source->domain != 0)
			continue;
		if (kallsyms_save(&session->dir, "kallsyms", &error))
			fprintf(stderr,
				"strata: %s; addresses in dom0's events will have no names, unless --symbols is given\n",
				error.text);
		return;
	}
}

/* Releases everything and reports the result.  @status: of the recording, raised if not all was
 * written or something was left out */
static void finish(struct session *session, bool recorded, int *status)
{
	struct strata_error error = { "" };
	struct recorder_totals totals = { 0 };
	unsigned int rotations;
	bool closed = true, partial = false;

	if (recorded) {
		session_save_kallsyms(session);
		session_set_clock(session);
		rotations = rotation_count(session->rotation);
		partial = rotation_is_partial(session->rotation);
		rotation_close(session->rotation);
		session->rotation = NULL;
		if (recorder_close(session->recorder, &totals, &error)) {
			complain(&error);
			*status = STRATA_STATUS_FAILED;
			closed = false;
		}
		report(session, &totals, rotations, *status == STRATA_STATUS_OK);
	}
	if (*status == STRATA_STATUS_OK &&
	    (session->kernels.left_out || session->apps.left_out || session->cpus_left_out ||
	     partial || totals.bad_packets || totals.was_full || totals.was_shared ||
	     totals.was_too_large))
		*status = STRATA_STATUS_PARTIAL;
	session_serve_end(session);
	control_socket_close(&session->control, session->number);
	release(session, closed);
	/* A recording that did not begin leaves no traces. */
	if (!recorded && session->recorder)
		recorder_abandon(session->recorder);
	strata_dir_close(&session->dir);
	rotation_close(session->rotation);
	session_reselect_clear(session);
	command_end(&session->command);
	/* A failure of the recording takes precedence over the command's status. */
	if (*status == STRATA_STATUS_OK || session->command.refused)
		*status = session->command.status;
}

int record_session(const struct record_options *options)
{
	struct session session = {
		.options = options,
		.dir = { .fd = -1 },
		.control = CONTROL_LISTENER_CLOSED,
		.lock = -1,
		.apps = { .listener = -1, .epoll = -1, .spare = -1 },
		.looks = { .socket = -1 },
		.makers = { .socket = -1 },
	};
	struct strata_error error = { "" };
	int status = STRATA_STATUS_OK;
	bool recorded = false;

	/* First, so that it inherits none of the following descriptors. */
	if (command_fork(&session.command, options->command, &error)) {
		complain(&error);
		return session.command.status ? session.command.status : STRATA_STATUS_FAILED;
	}
	catch_signals();
	/* Who starts us may have let the kernel delay his timers by seconds, which is inherited:
	 * rings would fill up while we wait for a millisecond. */
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	stderr_queue_open();
	if (options->of_session)
		stderr_queue_limit_file(LOG_BYTES);
	/* Each ring takes a file, also of guests that start later. */
	session.nr_files = file_limit_raise();
	oom_score_lower(OOM_SCORE_FILE);
	command_line_hide();
	/* Rotations name directories by the date.  Others may delay who opens the file of the time
	 * zone (own_proc.h), so it is read now. */
	tzset();
	/* Before there is memory that it would keep. */
	if ((options->nr_apps &&
	     (peer_looks_open(&session.looks, options->command ? getpid() : 0, &error) ||
	      memory_makers_open(&session.makers, &error))) ||
	    session_prepare(&session, &error)) {
		complain(&error);
		status = STRATA_STATUS_FAILED;
	} else {
		recorded = true;
		if (record(&session, &error)) {
			complain(&error);
			fprintf(stderr,
				"strata: stopped; the recording is complete up to that point\n");
			status = STRATA_STATUS_FAILED;
		}
	}
	finish(&session, recorded, &status);
	session_release_number(&session);
	stderr_queue_close();
	return status;
}
