// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_talk.c - handles the messages of one application, from the first one to recording and after.
 *
 * Called by apps.c, in each turn for each application.  It never waits for an application, and does
 * no more for one than its user's share of the turn allows.  A thread of that user's sends and
 * receives (app_relay.h); until it has, nothing else is done for the application.
 */
#include "stratad/domains/apps_internal.h"

#include <string.h>
#include <sys/epoll.h>

#include "consumerd/apps/app_tables.h"
#include "consumerd/host/hang_up.h"
#include "consumerd/sources.h"

#define MESSAGES_OF_ONE 256u

/* Of the events that it describes as many are added: checking 1,024 with 40 fields each takes 10
 * ms, in which rings of others fill. */
#define EVENTS_OF_A_TURN 32u

/* A message takes less, also to send or to receive; a longer time costs a turn's share for each
 * millisecond. */
#define MESSAGE_NS   100000u
#define BYTES_PER_US 256u

/* Cost of matching an event against a selection. */
#define CHOICE_BYTES 64u

void apps_listen(struct apps *apps, struct application *one, bool on)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.ptr = one };

	if (on == one->heard)
		return;
	/* Without it we still look at the socket in each turn. */
	if (!epoll_ctl(apps->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, one->app.socket, &interest))
		one->heard = on;
}

/* Sends its connection's message. */
static void send_outgoing(struct apps *apps, struct application *one)
{
	apps_listen(apps, one, false);
	app_connection_send(one->connection);
}

/* A message for it.  NULL: out of memory. */
static struct app_outgoing *begin_outgoing(struct application *one, struct strata_error *error)
{
	struct app_outgoing *outgoing = app_connection_begin(one->connection);

	if (!outgoing)
		strata_fail(error, "out of memory for a message");
	return outgoing;
}

void apps_tell_stop(struct apps *apps, struct application *one)
{
	struct app_outgoing *outgoing =
		one->connection->busy ? NULL : app_connection_begin(one->connection);

	one->step = APPLICATION_STOPPING;
	one->stop_due = !outgoing; /* busy, or out of memory: later */
	if (!outgoing)
		return;
	app_stop(outgoing);
	send_outgoing(apps, one);
}

/* Charges its user for the matching of its events. */
static void charge_choice(const struct apps *apps, const struct application *one)
{
	principal_charge(one->who, PRINCIPAL_TALKING,
			 CHOICE_BYTES * one->app.nr_events * apps->nr_selections);
}

/* Selects its events.  False: none. */
static bool choose(struct apps *apps, struct application *one)
{
	bool chosen = false;
	size_t i;

	for (i = 0; i < apps->nr_selections; i++) {
		if (!select_matches_app(&apps->selections[i], &one->app))
			continue;
		apps->selections[i].found = true;
		if (apps->counting)
			aggregated_apps_choose(apps->counting, &apps->selections[i], &one->app,
					       &one->events, &one->ends);
		else
			select_app_events(&apps->selections[i], &one->app, &one->events);
		chosen = true;
	}
	return chosen;
}

/* Tells it which events to record, or to count.  0 or -1. */
static int select_events(struct apps *apps, struct application *one, struct strata_error *error)
{
	struct app_outgoing *outgoing = begin_outgoing(one, error);

	if (!outgoing)
		return -1;
	if (apps->counting)
		app_tables_select(&one->app, &one->events, &one->ends, outgoing);
	else if (app_select(&one->app, &one->events, outgoing, error))
		return -1;
	send_outgoing(apps, one);
	return 0;
}

/* The same, of an aggregator: its new events get rows.  0 or -1. */
static int count_events(struct apps *apps, struct application *one, struct strata_error *error)
{
	if (aggregated_apps_learn(apps->counting, one->counted, one->who, error))
		return -1;
	one->nr_added = one->app.nr_events;
	return select_events(apps, one, error);
}

/* Adds some of its new events to the recording; skips invalid ones, and reports the first. */
static void add_some_events(struct apps *apps, struct application *one)
{
	const size_t end = one->nr_added + EVENTS_OF_A_TURN;
	struct strata_error why = { "" };
	bool refused = false;

	for (; one->nr_added < one->app.nr_events && one->nr_added < end; one->nr_added++) {
		if (recorder_add_event(apps->recorder, one->source, one->app.events[one->nr_added],
				       &why)) {
			refused = true;
			apps->left_out++;
		}
	}
	if (refused && !one->refusal_said)
		principal_complain(one->who, "%s: events are left out: %s",
				   recorder_recording(apps->recorder)->sources[one->source].name,
				   why.text);
	one->refusal_said |= refused;
}

/* Adds its new events, some now and the rest in the next turns; then selects those that are asked
 * for. 0 or -1. */
static int add_events(struct apps *apps, struct application *one, struct strata_error *error)
{
	const struct strata_source *source;
	struct event_set asked = one->events;
	size_t i;

	if (apps->counting)
		return count_events(apps, one, error);
	add_some_events(apps, one);
	one->adding = one->nr_added < one->app.nr_events;
	if (one->adding) {
		/* Nothing else wakes us for them. */
		app_relays_remind(apps->relays);
		return 0;
	}
	one->refusal_said = false;
	source = &recorder_recording(apps->recorder)->sources[one->source];
	memset(&one->events, 0, sizeof(one->events));
	for (i = 0; i < one->app.nr_events; i++)
		if (event_set_has(&asked, i) && strata_source_shape(source, (uint32_t)i))
			event_set_add(&one->events, i);
	return select_events(apps, one, error);
}

/* The same, if its user has credit left in this turn. 0 or -1. */
static int go_on_adding(struct apps *apps, struct application *one, struct strata_error *error)
{
	if (principal_has_credit(one->who, PRINCIPAL_TALKING))
		return add_events(apps, one, error);
	app_relays_remind(apps->relays);
	return 0;
}

/* Selects its events anew. 0 or -1. */
static int select_again(struct apps *apps, struct application *one, struct strata_error *error)
{
	one->select_due = false;
	memset(&one->events, 0, sizeof(one->events));
	memset(&one->ends, 0, sizeof(one->ends));
	choose(apps, one);
	charge_choice(apps, one);
	return one->step == APPLICATION_RECORDING ? add_events(apps, one, error) : 0;
}

/* Makes tables for it to count in.  0 or -1. */
static int make_tables(struct apps *apps, struct application *one, struct strata_error *error)
{
	const struct strata_aggregate_spec *spec = &apps->counting->spec;
	struct app_outgoing *outgoing;

	if (apps_claim_memory(apps, one, app_tables_bytes_max(spec), error))
		return -1;
	one->step = APPLICATION_MAKING;
	one->came_ms = apps_now_ms();
	outgoing = begin_outgoing(one, error);
	if (!outgoing || app_tables_give(&one->app, spec, outgoing, error))
		return -1;
	send_outgoing(apps, one);
	return 0;
}

/* Makes its rings. 0 or -1. */
static int make_rings(struct apps *apps, struct application *one, struct strata_error *error)
{
	const struct strata_recording *recording = recorder_recording(apps->recorder);
	const struct ring_file_header clock = { .tsc_khz = recording->tsc_khz,
						.anchor_ticks = recording->anchor_ticks,
						.anchor_realtime_ns =
							recording->anchor_realtime_ns };
	char name[STRATA_ESCAPED_BYTES(32)];
	struct app_outgoing *outgoing;
	uint64_t bytes;

	if (!app_choose_mode(&one->app, &apps->channel) && apps->mode_demanded)
		principal_complain(
			one->who,
			"application %s (process %d) cannot write %s rings: it has others",
			apps_shown_name(one, name), one->app.pid,
			apps->channel.mode == STRATA_APP_SINGLE_STORE ? "single-store"
								      : "reserve-commit");
	bytes = one->app.nr_cpus * strata_app_ring_bytes(one->app.mode, apps->channel.geometry);
	if (apps_claim_memory(apps, one, bytes, error))
		return -1;
	one->step = APPLICATION_MAKING;
	one->came_ms = apps_now_ms();
	outgoing = begin_outgoing(one, error);
	if (!outgoing || app_give_rings(&one->app, &apps->channel, &clock, outgoing, error))
		return -1;
	send_outgoing(apps, one);
	return 0;
}

/* Makes its rings, or its tables, when there is memory for them.  0 or -1. */
static int make_memory(struct apps *apps, struct application *one, struct strata_error *error)
{
	const int ready = apps_needs_memory(apps, one) ? apps_await_memory(apps, one, error) : 1;

	if (ready <= 0)
		return ready;
	return apps->counting ? make_tables(apps, one, error) : make_rings(apps, one, error);
}

/* The same, but waits if its user has begun too many sources lately. 0 or -1. */
static int begin_source(struct apps *apps, struct application *one, struct strata_error *error)
{
	one->step = APPLICATION_WAITING;
	if (!one->app.modes)
		return strata_fail(error, "its first message was not HELLO");
	if (!principal_may_begin_source(one->who))
		return 0;
	one->step = APPLICATION_PAYING;
	one->came_ms = apps_now_ms();
	return make_memory(apps, one, error);
}

/* Handles the end of a list of events: its first, or a later one. */
static int on_ready(struct apps *apps, struct application *one, struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(32)];

	if (one->step == APPLICATION_RECORDING) {
		if (one->nr_added == one->app.nr_events)
			return select_events(apps, one, error);
		choose(apps, one);
		return add_events(apps, one, error);
	}
	if (one->step != APPLICATION_TELLING)
		return 0;
	choose(apps, one);
	if (!event_set_count(&one->events))
		principal_complain(one->who,
				   "application %s (process %d) has none of the selected events",
				   apps_shown_name(one, name), one->app.pid);
	return begin_source(apps, one, error);
}

/* Its tables are mapped: it counts from now on.  0 or -1. */
static int begin_to_count(struct apps *apps, struct application *one, struct strata_error *error)
{
	one->counted = aggregated_apps_begin(apps->counting, &one->app, one->who, error);
	if (!one->counted)
		return -1;
	one->step = APPLICATION_RECORDING;
	choose(apps, one);
	return count_events(apps, one, error);
}

static int on_attached(struct apps *apps, struct application *one, struct strata_error *error)
{
	int result;

	if (one->step != APPLICATION_MAKING)
		return strata_fail(error, "it sent ATTACHED out of sequence");
	if (apps_seal_memory(apps, one, error))
		return -1;
	if (apps->counting)
		return begin_to_count(apps, one, error);
	if (app_read_rings(&one->app, error))
		return -1;
	result = sources_begin_app(apps->recorder, one->who, &one->app, &one->source, error);
	/* An existing source that could not be filled is ended like any other. */
	if (result != -2)
		one->step = APPLICATION_ATTACHING;
	return result ? -1 : 0;
}

/* Adds some of its rings to its source, and starts recording after the last. 0 or -1. */
static int attach_rings(struct apps *apps, struct application *one, struct strata_error *error)
{
	if (sources_add_rings(apps->recorder, one->source, one->app.rings, one->app.nr_rings,
			      &one->next_ring, SOURCES_RINGS_PER_TURN, RECORDER_WITH_PAST, error))
		return -1;
	if (one->next_ring < one->app.nr_rings)
		return 0;
	if (app_name_rings(&one->app, apps->channel.dir,
			   &recorder_recording(apps->recorder)->sources[one->source], error))
		return -1;
	one->step = APPLICATION_RECORDING;
	/* It may have announced more events meanwhile. */
	choose(apps, one);
	return add_events(apps, one, error);
}

/* Whether a selected application closed the connection before it could be recorded. */
static bool gave_up(const struct apps *apps, const struct application *one)
{
	bool asked_for = false;
	size_t i;

	for (i = 0; i < apps->nr_selections; i++)
		asked_for |= select_matches_app(&apps->selections[i], &one->app);
	/* An application that ends without a message may have no events. */
	return one->step < APPLICATION_ATTACHING && !apps->stopping && asked_for && one->app.modes;
}

static int fail_given_up(struct strata_error *error)
{
	return strata_fail(error,
			   "it ended or gave up before it had its rings: is it short of memory or "
			   "files (ulimit -v, -n)? --app-buffer makes its rings smaller");
}

/* An application hung up in the middle of its events.  A process that ends closes its socket before
 * it has ended: nobody waits for it, and its socket, always readable now, does not wake us. */
static void begin_to_miss(struct apps *apps, struct application *one)
{
	apps_listen(apps, one, false);
	one->step = APPLICATION_GONE;
	one->came_ms = apps_now_ms();
}

/* False: it was freed. */
static bool still_misses(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error error;

	if (apps->stopping || peer_has_ended(one->app.socket, &one->connection->process))
		return apps_let_go(apps, index, STRATA_SOURCE_EXITED);
	if (apps_now_ms() - one->came_ms <= apps->silence_ms)
		return true;
	fail_given_up(&error);
	apps_leave_out(apps, one, &error);
	return apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
}

static int on_news(struct apps *apps, struct application *one, enum app_news news,
		   struct strata_error *error)
{
	if (news == APP_READY && !apps->stopping)
		return on_ready(apps, one, error);
	if (news == APP_ATTACHED && !apps->stopping)
		return on_attached(apps, one, error);
	if (news == APP_NO_THREAD)
		return strata_fail(error, "it can have no thread: its user has as many processes "
					  "as he may (ulimit -u), or there can be no more");
	if (news == APP_WENT_ON)
		apps_note_late(one);
	if (news == APP_STOPPED && one->step == APPLICATION_STOPPING)
		one->step = APPLICATION_STOPPED;
	return 0;
}

/* Charges its user for a message, including the matching of events. */
static void charge_message(const struct apps *apps, const struct application *one,
			   enum app_news news)
{
	principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_STEP_BYTES);
	if (news == APP_READY && one->nr_added < one->app.nr_events)
		charge_choice(apps, one);
}

/* Charges a user for a message that took longer than messages do: the kernel may have had more to
 * do for it than to copy its bytes. */
static void charge_time(struct principal *who, uint64_t ns)
{
	if (ns > MESSAGE_NS)
		principal_charge(who, PRINCIPAL_TALKING, ns / 1000u * BYTES_PER_US);
}

/* Charges its user for the memory that its events take.  0 or -1. */
static int claim_events(struct application *one, struct strata_error *error)
{
	const size_t more = one->app.event_bytes - one->claimed_bytes;

	if (!more)
		return 0;
	if (principal_claim(one->who, PRINCIPAL_TABLE_BYTES, more, error))
		return -1;
	one->claimed_bytes += more;
	return 0;
}

int apps_receive(struct apps *apps, struct application *one, struct strata_error *error)
{
	bool ignored;

	if (!hang_up_look(one->app.socket, &ignored))
		return 0;
	apps_listen(apps, one, false);
	return app_connection_receive(one->connection) ? 0 : strata_fail(error, "out of memory");
}

/* False: the application has ended. */
static bool leave_out(struct apps *apps, size_t index, const struct strata_error *why)
{
	apps_leave_out(apps, apps->list[index], why);
	apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
	return false;
}

/* Handles one received message, or has more of them received.  False: the application has ended. */
static bool hear_message(struct apps *apps, size_t index, bool *more)
{
	struct application *one = apps->list[index];
	const struct app_incoming *arrived = app_connection_next(one->connection);
	struct strata_error error = { "" };
	enum app_news news;

	*more = arrived != NULL;
	if (!arrived)
		return !apps_receive(apps, one, &error) || leave_out(apps, index, &error);
	news = app_take(&one->app, arrived, &error);
	charge_message(apps, one, news);
	/* Drops an application that no selection names. */
	if ((news == APP_READY || news == APP_NO_THREAD) && one->step == APPLICATION_TELLING &&
	    !choose(apps, one)) {
		apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
		return false;
	}
	if (news == APP_GONE && !error.text[0]) {
		if (!gave_up(apps, one)) {
			apps_let_go(apps, index, STRATA_SOURCE_EXITED);
			return false;
		}
		if (one->step == APPLICATION_TELLING) {
			begin_to_miss(apps, one);
			*more = false;
			return true;
		}
		fail_given_up(&error);
	}
	if (news == APP_GONE || claim_events(one, &error) || on_news(apps, one, news, &error))
		return leave_out(apps, index, &error);
	return true;
}

/* Continues an application's pending work.  False: it was dropped. */
static bool go_on(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	const uint64_t waited_ms = apps_now_ms() - one->came_ms;
	struct strata_error error = { "" };
	int result = 0;

	if (one->select_due && one->step <= APPLICATION_RECORDING)
		result = select_again(apps, one, &error);
	else if (one->adding && one->step == APPLICATION_RECORDING)
		result = go_on_adding(apps, one, &error);
	else if (one->step == APPLICATION_WAITING)
		result = begin_source(apps, one, &error);
	else if (one->step == APPLICATION_PAYING && waited_ms <= apps->patience_ms)
		result = make_memory(apps, one, &error);
	else if (one->step == APPLICATION_ATTACHING)
		result = attach_rings(apps, one, &error);
	else if (one->step < APPLICATION_ATTACHING && !one->app.modes &&
		 waited_ms > apps->silence_ms)
		result = strata_fail(&error, "it connected, but sent no message in time");
	else if (one->step == APPLICATION_PAYING)
		result = strata_fail(&error, "memory for its rings is not made in time");
	else if (one->step < APPLICATION_ATTACHING && waited_ms > apps->patience_ms)
		result = strata_fail(&error, "it did not describe its events in time");
	return !result || leave_out(apps, index, &error);
}

/* Looks at what has become of its last task.  False: the application has ended. */
static bool hear_connection(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error error;

	if (!one->connection->failed)
		return true;
	/* It has ended: what it said before, and its end, are heard next. */
	if (app_connection_is_closed(one->connection)) {
		one->connection->failed = 0;
		return true;
	}
	strata_fail(&error, "it does not read its socket: %s", strerror(one->connection->failed));
	one->connection->failed = 0;
	/* Closing the socket stops it. */
	if (apps->stopping && one->step == APPLICATION_STOPPING) {
		one->step = APPLICATION_STOPPED;
		return true;
	}
	return leave_out(apps, index, &error);
}

bool apps_hear(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct principal *who;
	bool more = true, stays;
	uint64_t begin_ns;
	unsigned int i;

	if (one->connection && !one->connection->busy) {
		charge_time(one->who, one->connection->spent_ns);
		one->connection->spent_ns = 0;
	}
	if (one->step >= APPLICATION_LEAVING)
		return apps_still_leaves(apps, index);
	if (one->step == APPLICATION_ARRIVED &&
	    (apps->stopping || !principal_has_credit(one->who, PRINCIPAL_TALKING)))
		return true;
	if (one->step == APPLICATION_ARRIVED)
		return apps_ask(apps, index);
	if (one->step == APPLICATION_ASKED) {
		if (!apps_still_asked(apps, index))
			return false;
		if (one->step != APPLICATION_TELLING)
			return true;
	}
	if (one->step == APPLICATION_GONE)
		return still_misses(apps, index);
	if (one->connection->busy)
		return true;
	who = one->who;
	if (!hear_connection(apps, index))
		return false;
	/* The recorder has reported this; the other rings are drained. */
	if (!apps->counting && app_is_broken(&one->app)) {
		apps->left_out++;
		return apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
	}
	if (one->stop_due)
		apps_tell_stop(apps, one);
	if (apps_awaits(one) && !one->has_news)
		return true;
	one->has_news = false;
	for (i = 0; i < MESSAGES_OF_ONE && more && !one->connection->busy; i++) {
		/* What has been received wakes nobody. */
		if (!principal_has_credit(one->who, PRINCIPAL_TALKING)) {
			app_relays_remind(apps->relays);
			return true;
		}
		begin_ns = apps_now_ns();
		stays = hear_message(apps, index, &more);
		charge_time(who, apps_now_ns() - begin_ns);
		if (!stays)
			return false;
	}
	/* We may be the late ones: handle its pending messages before checking timeouts. */
	if (more || one->connection->busy)
		return true;
	begin_ns = apps_now_ns();
	stays = go_on(apps, index);
	charge_time(who, apps_now_ns() - begin_ns);
	if (!stays || one->step == APPLICATION_GONE || one->connection->busy)
		return stays;
	apps_listen(apps, one, true);
	return true;
}
