// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_session.c - see aggregate_session.h. */
#include "stratad/aggregate_session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xentoollog.h>

#include <strata/platform/user.h>

#include "base/exit_status.h"
#include "consumerd/host/host_clock.h"
#include "consumerd/host/recorder_number.h"
#include "consumerd/host/stderr_queue.h"
#include "consumerd/xen/hypervisor.h"
#include "stratad/domains/counting_apps.h"
#include "stratad/xen_domains.h"

/* How long it sleeps at most. */
#define NAP_NS 50000000

/* How often it makes sure that Xen's table has room, however rare looks are. */
#define ROOM_MS 1000u

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

bool aggregate_session_is_interrupted(void)
{
	return interrupted;
}

struct session {
	const struct aggregate_options *options;
	struct hypervisor *hypervisor; /* NULL: only applications count */
	bool in_xen;
	bool nothing_left; /* to count, because kernels were left out */
	struct aggregated_kernels kernels;
	struct counting_apps *apps; /* NULL: none counts */
	uint64_t apps_start_ticks, apps_last_ticks;
	struct xentoollog_logger *quiet; /* suppresses the libraries' messages */
	struct aggregate_source *sources;
	struct xen_selection chosen; /* the rules in effect, those of domains included */
	struct aggregated_xen xen;
	unsigned int number;
	int lock;
	uint32_t tsc_khz;
	uint64_t start_ticks, last_ticks; /* of counting; of the last look */
	uint64_t room_ms;                 /* when it last made sure of room in Xen */
};

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Whether a channel is not a flight recorder's, which others leave alone. */
static bool is_wanted(void *data, unsigned int number)
{
	const struct session *session = data;
	char holder[RUN_LOCK_HOLDER_BYTES];
	struct strata_error ignored;
	struct strata_hv_op query;
	bool flight;

	if (recorder_number_died(number, holder, &flight) && flight)
		return false;
	if (!session->hypervisor)
		return true;
	hypervisor_use_channel(session->hypervisor, number);
	return !hypervisor_query(session->hypervisor, &query, &ignored) &&
	       !(query.u.query.flags & STRATA_HV_OVERWRITE);
}

/* Copies rules. 0 or -1. */
static int copy_rules(struct xen_selection *to, const struct xen_selection *from,
		      struct strata_error *error)
{
	*to = (struct xen_selection){ .nr = from->nr };
	to->rules = malloc(from->nr * sizeof(*to->rules));
	if (!to->rules)
		return strata_fail(error, "out of memory");
	memcpy(to->rules, from->rules, from->nr * sizeof(*to->rules));
	return 0;
}

static int add_domains(struct session *session, struct xen_selection *rules, bool may_come,
		       struct strata_error *error)
{
	struct guest *guests;
	size_t nr;
	int result;

	if (!session->options->xen_domains)
		return 0;
	if (guests_find(session->kernels.xenstore, 0, &guests, &nr, error))
		return -1;
	result = choose_xen_domains(rules, session->options->xen_domains, guests, nr, may_come,
				    error);
	free(guests);
	return result;
}

static bool same_rules(const struct xen_selection *a, const struct xen_selection *b)
{
	return a->nr == b->nr && (!a->nr || !memcmp(a->rules, b->rules, a->nr * sizeof(*a->rules)));
}

/* Puts the rules into effect, unless they are: a domain with a name that --xen-domain matches may
 * have come. */
static int select_events(struct session *session, bool may_come, struct strata_error *error)
{
	struct xen_selection rules;
	int result = 0;

	if (!session->in_xen)
		return 0;
	if (copy_rules(&rules, session->options->xen, error))
		return -1;
	if (add_domains(session, &rules, may_come, error)) {
		select_xen_clear(&rules);
		return -1;
	}
	if (!same_rules(&rules, &session->chosen))
		result = hypervisor_select(session->hypervisor, rules.rules, rules.nr, 0, error);
	if (result) {
		select_xen_clear(&rules);
		return -1;
	}
	select_xen_clear(&session->chosen);
	session->chosen = rules;
	return 0;
}

static int open_host(struct session *session, struct strata_error *error)
{
	const enum hypervisor_support support = hypervisor_open(&session->hypervisor, error);
	struct host_clock ignored;
	struct strata_hv_op query;

	session->in_xen = session->options->in_xen;
	if (support == HYPERVISOR_NO_XEN && session->options->apps_may_do) {
		session->hypervisor = NULL;
		session->in_xen = false;
		fprintf(stderr, "strata: not a Xen host: only applications are counted\n");
		session->tsc_khz = host_clock_measure_khz(&ignored);
		return session->tsc_khz
			       ? 0
			       : strata_fail(error, "the time stamp counter does not advance");
	}
	if (support != HYPERVISOR_OK || hypervisor_query(session->hypervisor, &query, error))
		return -1;
	session->tsc_khz = query.u.query.tsc_khz;
	if (!session->tsc_khz)
		return strata_fail(error, "Xen does not know the frequency of its TSC");
	session->kernels.xenstore = xs_open(0);
	if (!session->kernels.xenstore)
		return strata_fail(error, "xenstore cannot be reached: %s; is xenstored running?",
				   strerror(errno));
	if (!session->options->nr_kernels)
		return 0;
	session->quiet = (xentoollog_logger *)xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
	session->kernels.gnttab = xengnttab_open(session->quiet, 0);
	return session->kernels.gnttab
		       ? 0
		       : strata_fail(error, "/dev/xen/gntdev cannot be opened: %s; load xen-gntdev",
				     strerror(errno));
}

static int start_xen(struct session *session, struct strata_error *error)
{
	char owner[STRATA_HV_OWNER_BYTES];

	if (!session->in_xen)
		return 0;
	snprintf(owner, sizeof(owner), "aggregator %u, process %ld", session->number,
		 (long)getpid());
	session->xen.hypervisor = session->hypervisor;
	session->xen.xenstore = session->kernels.xenstore;
	if (aggregated_xen_make(&session->xen, owner, error) ||
	    select_events(session, false, error))
		return -1;
	return aggregated_xen_start(&session->xen, error);
}

static int start_kernels(struct session *session, struct strata_error *error)
{
	const struct aggregate_options *options = session->options;

	session->kernels.channel = session->number;
	session->kernels.tsc_khz = session->tsc_khz;
	session->kernels.interrupted = &interrupted;
	session->kernels.without_probes = options->without_probes;
	if (options->nr_kernels &&
	    aggregated_kernels_start(&session->kernels, options->what, options->kernels,
				     options->nr_kernels, error))
		return -1;
	session->nothing_left = !session->in_xen && !session->apps &&
				!aggregated_kernels_counting(&session->kernels);
	if (session->nothing_left)
		return strata_fail(
			error,
			"none of the kernels that --kernel names counts; the messages above say why");
	return 0;
}

static int start_apps(struct session *session, struct strata_error *error)
{
	session->apps_start_ticks = session->apps_last_ticks = strata_clock();
	return session->apps ? counting_apps_start(session->apps, session->number, error) : 0;
}

static int start(struct session *session, struct strata_error *error)
{
	const struct aggregate_options *options = session->options;

	/* First: a helper keeps the memory that we have then. */
	if (options->nr_apps) {
		session->apps =
			counting_apps_new(options->what, options->apps, options->nr_apps, error);
		if (!session->apps)
			return -1;
	}
	if (open_host(session, error) ||
	    (session->in_xen && select_aggregate_xen(session->options->what, session->options->xen,
						     &session->xen.spec, error)))
		return -1;
	if (session->options->xen_rows)
		session->xen.spec.row_bits =
			select_aggregate_row_bits(&session->xen.spec, session->options->xen_rows);
	session->lock = recorder_number_take_last(is_wanted, session, &session->number, error);
	if (session->lock < 0)
		return -1;
	if (session->hypervisor)
		hypervisor_use_channel(session->hypervisor, session->number);
	/* Kernels may take seconds to answer.  Xen does not, so all count when it has begun. */
	if (start_kernels(session, error) || start_apps(session, error) ||
	    start_xen(session, error))
		return -1;
	session->start_ticks = session->last_ticks = strata_clock();
	return 0;
}

static uint64_t ns_of(const struct session *session, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * 1000000u / session->tsc_khz);
}

static uint64_t ms_since_start(const struct session *session)
{
	return ns_of(session, strata_clock() - session->start_ticks) / 1000000u;
}

static int read_xen(struct session *session, struct strata_error *error)
{
	struct aggregated_xen *xen = &session->xen;
	const struct aggregate_rows *now = &xen->rows[!xen->newest];
	const struct aggregate_rows *before = &xen->rows[xen->newest];

	if (aggregated_xen_read(xen, error))
		return -1;
	session->sources[0] = (struct aggregate_source){
		.name = "xen",
		.spec = &xen->spec,
		.now = now,
		.before = before,
		.interval_ns = ns_of(session, now->ticks - before->ticks),
		.total_ns = ns_of(session, now->ticks - xen->start_ticks),
		.tsc_khz = session->tsc_khz,
	};
	return 0;
}

/* Reads the tables of kernels.  Returns how many sources there are then, of which @nr were. */
static size_t read_kernels(struct session *session, size_t nr)
{
	size_t i;

	aggregated_kernels_read(&session->kernels);
	for (i = 0; i < session->kernels.nr; i++) {
		const struct aggregated_kernel *one = &session->kernels.list[i];
		const uint64_t ticks = one->rows[one->newest].ticks;

		/* It was left out. */
		if (!one->start_ticks)
			continue;
		session->sources[nr++] = (struct aggregate_source){
			.name = one->name,
			.spec = &one->spec,
			.now = &one->rows[one->newest],
			/* Of one that went, nothing is new. */
			.before = &one->rows[one->counts ? !one->newest : one->newest],
			.interval_ns = ns_of(session, ticks - one->rows[!one->newest].ticks),
			.total_ns = ns_of(session, ticks - one->start_ticks),
			.tsc_khz = one->tables.tsc_khz,
			.domain = one->domain,
			.events = one->map.events,
			.nr_events = one->map.nr_events,
		};
	}
	return nr;
}

/* Makes room for the sources of Xen, kernels and programs.  0 or -1. */
static int make_sources(struct session *session, size_t nr_programs, struct strata_error *error)
{
	struct aggregate_source *sources = reallocarray(
		session->sources, 1 + session->kernels.nr + nr_programs, sizeof(*sources));

	if (!sources)
		return strata_fail(error, "out of memory");
	session->sources = sources;
	return 0;
}

/* Adds the sources of programs.  Returns how many there are then, of which @nr were. */
static size_t list_programs(struct session *session, const struct aggregated_apps *sums, size_t nr)
{
	const uint64_t ticks = strata_clock();
	size_t i;

	for (i = 0; sums && i < sums->nr; i++)
		session->sources[nr++] = (struct aggregate_source){
			.name = sums->programs[i]->name,
			.spec = &sums->shown,
			.now = &sums->programs[i]->now,
			.before = &sums->programs[i]->before,
			.interval_ns = ns_of(session, ticks - session->apps_last_ticks),
			.total_ns = ns_of(session, ticks - session->apps_start_ticks),
			.tsc_khz = session->tsc_khz,
			.program = sums->programs[i],
		};
	session->apps_last_ticks = ticks;
	return nr;
}

/* Reads the tables and hands them on. As options->look(). */
static int look(struct session *session, bool is_last, struct strata_error *error)
{
	const struct aggregated_apps *sums = NULL;
	struct aggregate_look seen = {
		.nr_sources = session->in_xen,
		.is_last = is_last,
		.totals = &session->xen.totals,
		.kernels = &session->kernels,
	};
	uint64_t ticks;

	if (session->apps) {
		sums = counting_apps_read(session->apps, error);
		if (!sums)
			return -1;
	}
	if (make_sources(session, sums ? sums->nr : 0, error) ||
	    (session->in_xen && read_xen(session, error)))
		return -1;
	seen.nr_sources = read_kernels(session, seen.nr_sources);
	seen.nr_sources = list_programs(session, sums, seen.nr_sources);
	seen.sources = session->sources;
	ticks = strata_clock();
	seen.interval_ns = ns_of(session, ticks - session->last_ticks);
	seen.total_ns = ns_of(session, ticks - session->start_ticks);
	session->last_ticks = ticks;
	return session->options->look(session->options->data, &seen, error);
}

/* Sleeps until a time, by the TSC: dom0's own clock may stand still under emulation; keeps room in
 * Xen's table meanwhile.  1: it is time to end; or -1. */
static int sleep_until(struct session *session, uint64_t ms, struct strata_error *error)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	while (!interrupted && ms_since_start(session) < ms) {
		if (session->options->idle && session->options->idle(session->options->data))
			return 1;
		if (session->in_xen && ms_since_start(session) >= session->room_ms + ROOM_MS) {
			session->room_ms = ms_since_start(session);
			if (aggregated_xen_keep_room(&session->xen, error))
				return -1;
		}
		stderr_queue_flush();
		if (session->apps)
			counting_apps_wait(session->apps, NAP_NS / 1000000u);
		else
			nanosleep(&nap, NULL);
	}
	return interrupted;
}

/* Looks once an interval. As options->look(). */
static int run(struct session *session, struct strata_error *error)
{
	const struct aggregate_options *options = session->options;
	uint64_t next_ms = 0;
	int result = 0;

	fprintf(stderr, "strata: counting in channel %u: %s%zu kernels%s%s\n", session->number,
		session->in_xen ? "Xen, " : "", aggregated_kernels_counting(&session->kernels),
		session->apps ? ", applications" : "",
		options->duration_ms ? "" : "; Ctrl-C ends it");
	/* Of a log, what comes after that line is shown. */
	if (options->log_bytes)
		aggregated_kernels_name_left_out(&session->kernels);
	if (options->begun)
		options->begun(options->data);
	while (!result) {
		next_ms += options->interval_ms ? options->interval_ms : UINT64_MAX;
		if (options->duration_ms && options->duration_ms <= next_ms) {
			result = sleep_until(session, options->duration_ms, error);
			break;
		}
		result = sleep_until(session, next_ms, error);
		if (!result)
			result = select_events(session, true, error);
		if (!result)
			result = look(session, false, error);
	}
	/* Also where it is interrupted, the last look is shown. */
	return interrupted && result > 0 ? 0 : result;
}

/* Whether something was left out. */
static bool release(struct session *session)
{
	bool left_out = counting_apps_end(session->apps);

	left_out = aggregated_kernels_end(&session->kernels) || left_out;
	if (session->kernels.gnttab)
		xengnttab_close(session->kernels.gnttab);
	hypervisor_close(session->hypervisor);
	if (session->kernels.xenstore)
		xs_close(session->kernels.xenstore);
	if (session->quiet)
		xtl_logger_destroy(session->quiet);
	if (session->lock >= 0)
		run_lock_release(session->lock);
	aggregated_xen_clear(&session->xen);
	select_xen_clear(&session->chosen);
	free(session->sources);
	return left_out;
}

/* Nothing is counted from here on. */
static int stop(struct session *session, struct strata_error *error)
{
	if (session->apps)
		counting_apps_stop(session->apps);
	aggregated_kernels_stop(&session->kernels);
	return session->in_xen ? hypervisor_stop(session->hypervisor, error) : 0;
}

int aggregate_session(const struct aggregate_options *options)
{
	struct session session = { .options = options, .lock = -1 };
	struct strata_error error = { "" };
	bool left_out;
	int result;

	catch_signals();
	stderr_queue_open();
	if (options->log_bytes)
		stderr_queue_limit_file(options->log_bytes);
	result = start(&session, &error);
	if (!result)
		result = run(&session, &error);
	/* The last look has everything, if somebody is there to see it. */
	if (!result)
		result = stop(&session, &error);
	if (!result)
		result = look(&session, true, &error);
	left_out = release(&session);
	if (result < 0)
		fprintf(stderr, "strata: %s\n", error.text);
	stderr_queue_close();
	if (result < 0)
		return session.nothing_left && options->nothing_left_status
			       ? options->nothing_left_status
			       : STRATA_STATUS_FAILED;
	return left_out ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
}
