// SPDX-License-Identifier: GPL-2.0-or-later
/* apps.c - see apps.h. */
#include "apps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "app_socket.h"
#include "escape.h"
#include "hang_up.h"
#include "sources.h"

/* All who wait stand in one line, however many of one user they are: they are taken out of it fast,
 * and then wait each behind those of their own user. */
#define ACCEPTS_PER_TURN 512u
#define MESSAGES_OF_ONE  256u

/* Rings of one that are added in a turn: each is a file. */
#define RINGS_PER_TURN 16u

/* What it costs to see whether a selection means an event. */
#define CHOICE_BYTES 64u

/* For so many times what it would wait for us a process may take to say what it has, and to make
 * its rings; and for no less than PATIENCE_MS.  One that says nothing at all: once, for no less
 * than SILENCE_MS. */
#define PATIENCE_WAITS 5u
#define PATIENCE_MS    5000u
#define SILENCE_MS     1000u

static const char *shown_name(const struct application *one, char text[STRATA_ESCAPED_BYTES(32)])
{
	return strata_escape_name(text, STRATA_ESCAPED_BYTES(32), one->app.comm);
}

static void leave_out(struct apps *apps, const struct application *one,
		      const struct strata_error *why)
{
	char name[STRATA_ESCAPED_BYTES(32)];

	apps->left_out++;
	principal_complain(one->who, "application %s (process %d) is left out: %s",
			   shown_name(one, name), one->app.pid, why->text);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* The file of its rings stays until whoever finds the recording can do without it. */
static void leave_file(struct apps *apps, struct application *one)
{
	struct ended_file *file = malloc(sizeof(*file));

	if (!file || !app_leave_file(&one->app, file->name)) {
		free(file);
		return;
	}
	file->next = apps->ended;
	apps->ended = file;
}

static void forget_files(struct apps *apps, bool remove)
{
	while (apps->ended) {
		struct ended_file *file = apps->ended;

		apps->ended = file->next;
		if (remove)
			ring_file_remove(apps->channel.dir, file->name);
		free(file);
	}
}

/* What its rings held could not be written: their file is all that there is of it. */
static void keep_file(struct application *one)
{
	const struct strata_dir *dir = one->app.memory.dir;
	char name[RING_FILE_NAME_BYTES];

	/* A directory that was moved or removed under us has it elsewhere, or nowhere. */
	if (app_leave_file(&one->app, name) && ring_file_is_there(dir, name))
		fprintf(stderr,
			"strata: what could not be written is in %s/" RING_FILE_DIR "/%s: `strata "
			"recover` takes it from there when the recording has ended\n",
			dir->path, name);
}

/* It holds nothing any more that others could use. */
static void forget(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];

	principal_give_back(one->who, PRINCIPAL_CONNECTIONS, 1);
	principal_give_back(one->who, PRINCIPAL_MEMORY_BYTES, one->memory_bytes);
	app_close(&one->app);
	free(one);
	apps->list[index] = apps->list[--apps->nr];
}

/* What its rings hold is being taken.  False: it was, and it is forgotten. */
static bool still_leaves(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];

	switch (recorder_presence(apps->recorder, one->source)) {
	case RECORDER_SOURCE_IS_THERE:
	case RECORDER_SOURCE_LEAVES:
		return true;
	case RECORDER_SOURCE_IS_GONE:
		leave_file(apps, one);
		break;
	case RECORDER_SOURCE_LEFT_NOTHING:
		break;
	case RECORDER_SOURCE_FAILED:
		keep_file(one);
		break;
	}
	forget(apps, index);
	return false;
}

/* Ends its source, if it has one; else forgets it.  False: it is forgotten. */
static bool let_go(struct apps *apps, size_t index, enum strata_source_end reason)
{
	struct application *one = apps->list[index];

	if (one->step < APPLICATION_ATTACHING) {
		/* Nothing was recorded into its rings. */
		forget(apps, index);
		return false;
	}
	recorder_leave_source(apps->recorder, one->source, reason);
	one->step = APPLICATION_LEAVING;
	hang_up(one->app.socket);
	one->app.socket = -1;
	return still_leaves(apps, index);
}

/* Says so once, and counts it. */
static void note_one_too_many(struct apps *apps, const char *of_what)
{
	if (!apps->full_said)
		fprintf(stderr,
			"strata: there are too many %s: applications that come now are left out\n",
			of_what);
	apps->full_said = true;
	apps->left_out++;
}

/* Makes it one of us, if its user's share allows that.  0 or -1. */
static int admit(struct apps *apps, struct application *one)
{
	struct epoll_event interest = { .events = EPOLLIN };
	struct strata_error why = { "" };

	one->who = principals_user(recorder_principals(apps->recorder), one->app.uid);
	if (!one->who) {
		note_one_too_many(apps, "applications");
		return -1;
	}
	if (principal_claim(one->who, PRINCIPAL_CONNECTIONS, 1, &why)) {
		apps->left_out++;
		principal_complain(one->who, "an application is left out: %s", why.text);
		return -1;
	}
	if (!epoll_ctl(apps->epoll, EPOLL_CTL_ADD, one->app.socket, &interest))
		return 0;
	principal_give_back(one->who, PRINCIPAL_CONNECTIONS, 1);
	note_one_too_many(apps, "applications");
	return -1;
}

static void take_in(struct apps *apps, int socket)
{
	struct application *one = calloc(1, sizeof(*one));
	struct application **list =
		reallocarray(apps->list, apps->nr + 1, sizeof(struct application *));
	struct strata_error ignored;

	if (list)
		apps->list = list;
	if (!one || !list) {
		note_one_too_many(apps, "applications");
		free(one);
		hang_up(socket);
		return;
	}
	if (app_accept(&one->app, socket, &ignored) || admit(apps, one)) {
		app_close(&one->app);
		free(one);
		return;
	}
	one->step = APPLICATION_ARRIVED;
	apps->list[apps->nr++] = one;
}

/* Whoever started a set-user-ID program answers for it.  0 or -1. */
static int move_to_starter(struct apps *apps, struct application *one, struct strata_error *error)
{
	struct principal *who =
		principals_user(recorder_principals(apps->recorder), one->app.starter);

	if (who == one->who)
		return 0;
	if (!who)
		return strata_fail(error, "out of memory");
	if (principal_claim(who, PRINCIPAL_CONNECTIONS, 1, error))
		return -1;
	principal_give_back(one->who, PRINCIPAL_CONNECTIONS, 1);
	one->who = who;
	return 0;
}

/* Finds out what one is that has arrived.  False: it is forgotten. */
static bool receive(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error why = { "" };

	principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
	if (app_identify(&one->app, &why)) {
		forget(apps, index);
		return false;
	}
	one->step = APPLICATION_TELLING;
	one->came_ms = now_ms();
	if (!move_to_starter(apps, one, &why))
		return true;
	leave_out(apps, one, &why);
	forget(apps, index);
	return false;
}

/*
 * We have as many files as we may.  One who waits to be accepted would wake us again at once, and
 * wait in vain before its main(): it is sent away.  False: there is none, or nothing to do it with.
 */
static bool send_away(struct apps *apps)
{
	int socket;

	if (apps->spare < 0)
		return false;
	close(apps->spare);
	socket = accept4(apps->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (socket >= 0) {
		note_one_too_many(apps, "files open (ulimit -n)");
		hang_up(socket);
	}
	apps->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return socket >= 0;
}

static void accept_new(struct apps *apps)
{
	unsigned int i;

	apps->all_accepted = false;
	for (i = 0; i < ACCEPTS_PER_TURN && !apps->stopping; i++) {
		int socket = accept4(apps->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (socket >= 0)
			take_in(apps, socket);
		else if ((errno != EMFILE && errno != ENFILE) || !send_away(apps))
			break;
	}
	apps->all_accepted = i < ACCEPTS_PER_TURN;
}

/* Is it asked for, and what of it? */
static bool choose(struct apps *apps, struct application *one)
{
	bool chosen = false;
	size_t i;

	for (i = 0; i < apps->nr_selections; i++) {
		if (!select_matches_app(&apps->selections[i], &one->app))
			continue;
		apps->selections[i].found = true;
		select_app_events(&apps->selections[i], &one->app, &one->events);
		chosen = true;
	}
	return chosen;
}

/* Events that the recording has not heard of; one that cannot be is not recorded.  0 or -1. */
static int add_events(struct apps *apps, struct application *one, struct strata_error *error)
{
	struct strata_source *source = &recorder_recording(apps->recorder)->sources[one->source];
	struct strata_error why = { "" };
	struct event_set asked = one->events;
	bool refused = false;
	size_t i;

	memset(&one->events, 0, sizeof(one->events));
	for (i = 0; i < one->app.nr_events; i++) {
		if (i >= one->nr_added &&
		    recorder_add_event(apps->recorder, one->source, &one->app.events[i], &why)) {
			refused = true;
			apps->left_out++;
		}
		if (event_set_has(&asked, i) && strata_source_shape(source, (uint32_t)i))
			event_set_add(&one->events, i);
	}
	one->nr_added = one->app.nr_events;
	if (refused)
		principal_complain(one->who, "%s: events are left out: %s", source->name, why.text);
	return app_select(&one->app, &one->events, error);
}

/* Makes its rings, if its user has not begun too many sources lately: then it waits.  0 or -1. */
static int make_rings(struct apps *apps, struct application *one, struct strata_error *error)
{
	const struct strata_recording *recording = recorder_recording(apps->recorder);
	const struct ring_file_header clock = { .tsc_khz = recording->tsc_khz,
						.anchor_ticks = recording->anchor_ticks,
						.anchor_realtime_ns =
							recording->anchor_realtime_ns };
	uint64_t bytes;

	one->step = APPLICATION_WAITING;
	if (!one->app.mode)
		return strata_fail(error, "it does not say hello");
	if (!principal_may_begin_source(one->who))
		return 0;
	bytes = one->app.nr_cpus *
		strata_app_ring_bytes((enum strata_app_mode)one->app.mode, apps->channel.geometry);
	if (principal_claim(one->who, PRINCIPAL_MEMORY_BYTES, bytes, error))
		return strata_fail_in(error, "--app-buffer makes rings smaller");
	one->memory_bytes = bytes;
	one->step = APPLICATION_MAKING;
	one->came_ms = now_ms();
	return app_give_rings(&one->app, &apps->channel, &clock, error);
}

/* It has told of its events: for the first time, or of more. */
static int on_ready(struct apps *apps, struct application *one, struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(32)];

	if (one->step == APPLICATION_RECORDING) {
		if (one->nr_added == one->app.nr_events)
			return app_select(&one->app, &one->events, error);
		choose(apps, one);
		return add_events(apps, one, error);
	}
	if (one->step != APPLICATION_TELLING)
		return 0;
	choose(apps, one);
	if (!event_set_count(&one->events))
		principal_complain(one->who,
				   "application %s (process %d) has no event that is asked for",
				   shown_name(one, name), one->app.pid);
	return make_rings(apps, one, error);
}

static int on_attached(struct apps *apps, struct application *one, struct strata_error *error)
{
	int result;

	if (one->step != APPLICATION_MAKING)
		return strata_fail(error, "it attaches out of turn");
	if (app_read_rings(&one->app, error))
		return -1;
	result = sources_begin_app(apps->recorder, one->who, &one->app, &one->source, error);
	/* A source that is there is ended like any other, if it could not be filled. */
	if (result != -2)
		one->step = APPLICATION_ATTACHING;
	return result ? -1 : 0;
}

/* Adds some of its rings to its source, and has it begin when that was the last.  0 or -1. */
static int attach_rings(struct apps *apps, struct application *one, struct strata_error *error)
{
	if (sources_add_app_rings(apps->recorder, &one->app, one->source, &one->next_ring,
				  RINGS_PER_TURN, RECORDER_WITH_PAST, error))
		return -1;
	if (one->next_ring < one->app.nr_rings)
		return 0;
	if (app_name_rings(&one->app, apps->channel.dir,
			   &recorder_recording(apps->recorder)->sources[one->source], error))
		return -1;
	one->step = APPLICATION_RECORDING;
	/* It may have told of more meanwhile. */
	choose(apps, one);
	return add_events(apps, one, error);
}

/* Did one that is asked for hang up before it could be recorded?  Then @error says so. */
static bool gave_up(const struct apps *apps, const struct application *one,
		    struct strata_error *error)
{
	bool asked_for = false;
	size_t i;

	for (i = 0; i < apps->nr_selections; i++)
		asked_for |= select_matches_app(&apps->selections[i], &one->app);
	/* One that says nothing before it ends may have had nothing to say. */
	if (one->step >= APPLICATION_ATTACHING || apps->stopping || !asked_for || !one->app.mode ||
	    (one->step == APPLICATION_TELLING && !app_lives(&one->app)))
		return false;
	strata_fail(error, "it ended or gave up before it had its rings: is it short of memory or "
			   "files (ulimit -v, -n)? --app-buffer makes its rings smaller");
	return true;
}

static int on_news(struct apps *apps, struct application *one, enum app_news news,
		   struct strata_error *error)
{
	if (news == APP_READY && !apps->stopping)
		return on_ready(apps, one, error);
	if (news == APP_ATTACHED && !apps->stopping)
		return on_attached(apps, one, error);
	if (news == APP_STOPPED && one->step == APPLICATION_STOPPING)
		one->step = APPLICATION_STOPPED;
	return 0;
}

/* A message costs its user a step, and what it takes to choose among the events. */
static void charge_message(const struct apps *apps, const struct application *one,
			   enum app_news news)
{
	uint64_t bytes = PRINCIPAL_STEP_BYTES;

	if (news == APP_READY && one->nr_added < one->app.nr_events)
		bytes += CHOICE_BYTES * one->app.nr_events * apps->nr_selections;
	principal_charge(one->who, PRINCIPAL_TALKING, bytes);
}

/* Takes a message of one, if there is one.  False: it is gone, and let go. */
static bool hear_message(struct apps *apps, size_t index, bool *more)
{
	struct application *one = apps->list[index];
	struct strata_error error = { "" };
	enum app_news news;
	bool carries;

	*more = hang_up_look(one->app.socket, &carries);
	if (!*more)
		return true;
	news = app_hear(&one->app, &error);
	charge_message(apps, one, news);
	/* One that nobody asked for is let go as soon as it has said who it is. */
	if (news == APP_READY && one->step == APPLICATION_TELLING && !choose(apps, one)) {
		let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
		return false;
	}
	if (news == APP_GONE && !error.text[0] && !gave_up(apps, one, &error)) {
		let_go(apps, index, STRATA_SOURCE_EXITED);
		return false;
	}
	if (news == APP_GONE || on_news(apps, one, news, &error)) {
		leave_out(apps, one, &error);
		let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
		return false;
	}
	return true;
}

/* Goes on with what one waits for, other than its messages.  False: it is let go. */
static bool go_on(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	const uint64_t waited_ms = now_ms() - one->came_ms;
	struct strata_error error = { "" };
	int result = 0;

	if (one->step == APPLICATION_WAITING)
		result = make_rings(apps, one, &error);
	else if (one->step == APPLICATION_ATTACHING)
		result = attach_rings(apps, one, &error);
	else if (one->step < APPLICATION_ATTACHING && !one->app.mode &&
		 waited_ms > apps->silence_ms)
		result = strata_fail(&error, "it has connected and says nothing");
	else if (one->step < APPLICATION_ATTACHING && waited_ms > apps->patience_ms)
		result = strata_fail(&error, "it does not say what it has");
	if (!result)
		return true;
	leave_out(apps, one, &error);
	let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
	return false;
}

/* Takes messages of one, as far as its user's share of this turn goes.  False: another may stand in
 * its place now. */
static bool hear(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	bool more = true;
	unsigned int i;

	if (one->step == APPLICATION_LEAVING)
		return still_leaves(apps, index);
	if (one->step == APPLICATION_ARRIVED &&
	    (apps->stopping || !principal_has_credit(one->who, PRINCIPAL_TALKING)))
		return true;
	if (one->step == APPLICATION_ARRIVED && !receive(apps, index))
		return false;
	/* The recorder has said so; what its other rings hold is taken. */
	if (app_is_broken(&one->app)) {
		apps->left_out++;
		return let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
	}
	for (i = 0; i < MESSAGES_OF_ONE && more; i++) {
		if (!principal_has_credit(one->who, PRINCIPAL_TALKING))
			return true;
		if (!hear_message(apps, index, &more))
			return false;
	}
	/* It may be us who were late: what it has said by now is heard first. */
	return more || go_on(apps, index);
}

void apps_tend(struct apps *apps)
{
	size_t heard, nr;

	if (apps->listener < 0)
		return;
	if (recorder_is_saved(apps->recorder))
		forget_files(apps, true);
	/* In this order: who has answered there waits to be accepted. */
	app_wake_tend(&apps->wake);
	accept_new(apps);
	nr = apps->nr;
	for (heard = 0; heard < nr && apps->nr; heard++) {
		size_t index = apps->next % apps->nr;

		/* If it went, another stands in its place now. */
		if (hear(apps, index))
			apps->next = index + 1;
	}
}

int apps_open(struct apps *apps, struct strata_error *error)
{
	struct epoll_event interest = { .events = EPOLLIN };

	apps->silence_ms = strata_app_wait_ms(secure_getenv(STRATA_APP_WAIT_VARIABLE));
	apps->patience_ms = PATIENCE_WAITS * apps->silence_ms;
	if (apps->silence_ms < SILENCE_MS)
		apps->silence_ms = SILENCE_MS;
	if (apps->patience_ms < PATIENCE_MS)
		apps->patience_ms = PATIENCE_MS;
	if (apps->channel.dir && ring_file_make_dir(apps->channel.dir, apps->named_dir, error))
		return -1;
	apps->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	apps->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (apps->epoll < 0)
		return strata_fail(error, "no socket for applications: %s", strerror(errno));
	apps->listener = app_socket_open(error);
	if (apps->listener < 0)
		return -1;
	if (epoll_ctl(apps->epoll, EPOLL_CTL_ADD, apps->listener, &interest))
		return strata_fail(error, "no socket for applications: %s", strerror(errno));
	/* Who begins to wait from here on finds the socket. */
	return app_wake_begin(&apps->wake, error);
}

int apps_add_sources(const struct apps *apps, struct recorder *recorder, enum recorder_begin begin,
		     struct strata_error *error)
{
	struct strata_source *source;
	struct strata_error why;
	size_t i, j, index, next;

	for (i = 0; i < apps->nr; i++) {
		struct application *one = apps->list[i];
		struct principal *who =
			principals_user(recorder_principals(recorder), one->app.starter);

		if (one->step < APPLICATION_RECORDING || one->step == APPLICATION_LEAVING)
			continue;
		next = 0;
		if (!who)
			return strata_fail(error, "out of memory");
		if (sources_begin_app(recorder, who, &one->app, &index, error) ||
		    sources_add_app_rings(recorder, &one->app, index, &next, one->app.nr_rings,
					  begin, error))
			return -1;
		source = &recorder_recording(recorder)->sources[index];
		source->since_ticks = source->came_ticks =
			recorder_recording(apps->recorder)->sources[one->source].since_ticks;
		/* One that cannot be described was left out when it came, and that was said. */
		for (j = 0; j < one->app.nr_events; j++)
			recorder_add_event(recorder, index, &one->app.events[j], &why);
	}
	return 0;
}

bool apps_settled(const struct apps *apps)
{
	size_t i;

	if (!apps->stopping && !(app_wake_settled(&apps->wake) && apps->all_accepted))
		return false;
	for (i = 0; i < apps->nr; i++) {
		enum application_step step = apps->list[i]->step;

		if (step == APPLICATION_STOPPING ||
		    (!apps->stopping && step < APPLICATION_RECORDING))
			return false;
	}
	return true;
}

void apps_stop(struct apps *apps)
{
	struct strata_error ignored;
	size_t i;

	apps->stopping = true;
	app_wake_end(&apps->wake);
	for (i = 0; i < apps->nr; i++) {
		struct application *one = apps->list[i];

		/* If it cannot be told, its socket's end will tell it. */
		if (one->step == APPLICATION_RECORDING && !app_stop(&one->app, &ignored))
			one->step = APPLICATION_STOPPING;
	}
}

void apps_name_missing(struct apps *apps)
{
	size_t i;

	for (i = 0; i < apps->nr_selections; i++) {
		const struct app_selection *selection = &apps->selections[i];

		if (selection->found)
			continue;
		if (selection->of_command) {
			fprintf(stderr, "strata: the command has no events of its own; a program "
					"whose are to be recorded is linked with -lstrata\n");
			continue;
		}
		if (principals_refused(recorder_principals(apps->recorder))) {
			fprintf(stderr,
				"strata: no application \"%s\" was recorded; it may be one of those that "
				"were left out because a share is used up\n",
				selection->program);
			apps->left_out++;
			continue;
		}
		if (strcmp(selection->program, "all") == 0) {
			fprintf(stderr, "strata: no application came; one that is to be recorded "
					"is linked with -lstrata\n");
			continue;
		}
		fprintf(stderr,
			"strata: no application \"%s\" came; is it linked with -lstrata, and "
			"yours or root's to record (docs/security.md: user namespaces)?\n",
			selection->program);
		apps->left_out++;
	}
}

void apps_release(struct apps *apps, bool recorded)
{
	while (apps->nr) {
		struct application *one = apps->list[--apps->nr];

		if (!recorded && one->step >= APPLICATION_ATTACHING)
			keep_file(one);
		app_close(&one->app);
		free(one);
	}
	free(apps->list);
	apps->list = NULL;
	forget_files(apps, recorded);
	/* Where files stay, so does the way to them. */
	if (apps->channel.dir && !ring_file_any(apps->channel.dir))
		ring_file_remove_dir(apps->channel.dir);
	app_wake_end(&apps->wake);
	if (apps->listener >= 0)
		app_socket_close(apps->listener);
	if (apps->epoll >= 0)
		close(apps->epoll);
	if (apps->spare >= 0)
		close(apps->spare);
}
