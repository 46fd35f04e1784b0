// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps.c - manages all applications of a recording: listens for them, serves each in turn, stops
 * and closes them; see apps.h.
 *
 * apps_connect.c accepts connections, apps_look.c finds out who connected, apps_memory.c has memory
 * made, apps_questions.c lists what these two have asked helper processes, apps_talk.c reads
 * messages, apps_leave.c ends applications, and apps_report.c prints messages.
 */
#include "stratad/domains/apps_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "consumerd/apps/app_socket.h"
#include "consumerd/host/hang_up.h"
#include "consumerd/sources.h"

/* How long the end of a recording waits for system calls that users may keep waiting. */
#define RELAYS_MS 500u

/* A process may take up to PATIENCE_WAITS times its own timeout, but at least PATIENCE_MS, to
 * describe its events and to make its rings; and up to its timeout, but at least SILENCE_MS, to
 * send its first message. */
#define PATIENCE_WAITS 5u
#define PATIENCE_MS    5000u
#define SILENCE_MS     1000u

#define READY_AT_ONCE 128u

/* A helper that has ended is replaced no more often. */
#define REPLACE_MS 1000u

/* The processes of the programs that are connected; see app_wake.h. */
static struct app_process *list_connected(const void *data, size_t *nr)
{
	const struct apps *apps = data;
	struct app_process *list = calloc(apps->nr + 1, sizeof(*list));
	size_t i;

	*nr = 0;
	for (i = 0; list && i < apps->nr; i++)
		if (apps->list[i]->step <= APPLICATION_RECORDING &&
		    apps->list[i]->step != APPLICATION_GONE)
			list[(*nr)++] = (struct app_process){ .pid = apps->list[i]->app.pid,
							      .uid = apps->list[i]->app.uid };
	return list;
}

/* Wakes programs again after the present search. */
static void tend_wake(struct apps *apps)
{
	struct strata_error error;

	app_wake_tend(&apps->wake);
	if (!apps->wake_due || apps->stopping || !app_wake_settled(&apps->wake))
		return;
	apps->wake_due = false;
	if (app_wake_again(&apps->wake, &error))
		fprintf(stderr, "strata: %s\n", error.text);
}

void apps_reselect(struct apps *apps)
{
	size_t i;

	for (i = 0; i < apps->nr; i++)
		apps->list[i]->select_due = true;
	apps->wake_due = true;
}

/* Adds to the other recorder what our own has got of an application's events. */
static void copy_events(struct apps *apps, struct application *one)
{
	struct strata_error ignored;

	/* Invalid events were left out and reported when they came; and if its user's share of the
	 * copy has no room for more, the copy names the packets that have them. */
	for (; one->nr_copied < one->nr_added; one->nr_copied++)
		recorder_add_event(apps->copy, one->copied_source, one->app.events[one->nr_copied],
				   &ignored);
}

static void copy_new_events(struct apps *apps)
{
	size_t i;

	for (i = 0; apps->copy && i < apps->nr; i++)
		if (apps->list[i]->copied)
			copy_events(apps, apps->list[i]);
}

/* Finds the applications whose sockets have something for us.  To look at each socket would make a
 * thousand programs that start take a million looks. */
static void find_news(struct apps *apps)
{
	struct epoll_event ready[READY_AT_ONCE];
	size_t calls;
	int nr, i;

	/* epoll reports a ready socket in each call, after those that it has not yet reported: this
	 * many calls find all of them. */
	for (calls = 0; calls <= apps->nr / READY_AT_ONCE; calls++) {
		nr = epoll_wait(apps->epoll, ready, READY_AT_ONCE, 0);
		for (i = 0; i < nr; i++)
			if (ready[i].data.ptr)
				((struct application *)ready[i].data.ptr)->has_news = true;
		if (nr < (int)READY_AT_ONCE)
			return;
	}
}

void apps_tend(struct apps *apps)
{
	size_t heard, nr;

	if (apps->listener < 0)
		return;
	if (!apps->counting && recorder_is_saved(apps->recorder))
		apps_forget_files(apps, true);
	memory_return_tend(apps->returns);
	/* In this order: an application that was woken then connects. */
	tend_wake(apps);
	app_relays_tend(apps->relays);
	apps_accept_new(apps);
	apps_take_looks(apps);
	apps_take_memory(apps);
	find_news(apps);
	nr = apps->nr;
	for (heard = 0; heard < nr && apps->nr; heard++) {
		size_t index = apps->next % apps->nr;

		/* If it left, another one has its index now. */
		if (apps_hear(apps, index))
			apps->next = index + 1;
	}
	copy_new_events(apps);
	hang_up_tend();
}

int apps_watch(const struct apps *apps, int fd, struct strata_error *error)
{
	struct epoll_event interest = { .events = EPOLLIN };

	return epoll_ctl(apps->epoll, EPOLL_CTL_ADD, fd, &interest)
		       ? strata_fail(error, "no socket for applications: %s", strerror(errno))
		       : 0;
}

void apps_unwatch(const struct apps *apps, int fd)
{
	if (fd >= 0)
		epoll_ctl(apps->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void apps_replace_helper(struct apps *apps, uint64_t *again_ms, const int *socket, const char *does,
			 int (*reopen)(struct apps *apps, struct strata_error *error))
{
	struct strata_error error;

	if (apps_now_ms() < *again_ms)
		return;
	*again_ms = apps_now_ms() + REPLACE_MS;
	apps_unwatch(apps, *socket);
	if (reopen(apps, &error) || apps_watch(apps, *socket, &error))
		fprintf(stderr, "strata: %s\n", error.text);
	else
		fprintf(stderr, "strata: the process that %s has ended; it is replaced\n", does);
}

int apps_open(struct apps *apps, struct strata_error *error)
{
	apps->silence_ms = strata_app_wait_ms(secure_getenv(STRATA_APP_WAIT_VARIABLE));
	apps->patience_ms = PATIENCE_WAITS * apps->silence_ms;
	if (apps->silence_ms < SILENCE_MS)
		apps->silence_ms = SILENCE_MS;
	if (apps->patience_ms < PATIENCE_MS)
		apps->patience_ms = PATIENCE_MS;
	if (apps->channel.dir && ring_file_make_dir(apps->channel.dir, apps->named_dir, error))
		return -1;
	apps->returns = memory_return_open(error);
	if (!apps->returns)
		return -1;
	apps->relays = app_relays_open(error);
	if (!apps->relays)
		return -1;
	/* Reads its file now, before anybody waits for us. */
	app_cpus_max();
	apps->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (apps->epoll < 0)
		return strata_fail(error, "no socket for applications: %s", strerror(errno));
	apps->spare = apps_spare(apps);
	/* Programs accept it only from root; a container may not have it. */
	apps->has_kernel_memory = apps->makers && geteuid() == 0 && kernel_memory_is_possible();
	apps->listener = app_socket_open(apps->number, error);
	if (apps->listener < 0)
		return -1;
	if (apps_watch(apps, apps->listener, error) ||
	    apps_watch(apps, apps->looks->socket, error) ||
	    (apps->makers && apps_watch(apps, apps->makers->socket, error)) ||
	    apps_watch(apps, app_relays_news(apps->relays), error))
		return -1;
	apps->wake.connected = list_connected;
	apps->wake.data = apps;
	/* Programs that start from now on find the socket. */
	return app_wake_begin(&apps->wake, error);
}

int apps_add_sources(struct apps *apps, struct recorder *recorder, enum recorder_begin begin,
		     bool *left_out, struct strata_error *error)
{
	struct strata_source *source;
	char name[STRATA_ESCAPED_BYTES(32)];
	size_t i, next;
	int result;

	apps->copy = recorder;
	for (i = 0; i < apps->nr; i++) {
		struct application *one = apps->list[i];
		struct principal *who =
			principals_user(recorder_principals(recorder), one->app.starter);

		one->copied = false;
		if (one->step < APPLICATION_RECORDING || one->step >= APPLICATION_LEAVING)
			continue;
		next = 0;
		if (!who)
			return strata_fail(error, "out of memory");
		result = sources_begin_app(recorder, who, &one->app, &one->copied_source, error);
		/* One user's share may be too small on a disk that fills up: the others' is not. */
		if (result == -2) {
			principal_complain(one->who, "application %s is not in %s: %s",
					   apps_shown_name(one, name), recorder_dir(recorder)->path,
					   error->text);
			*left_out = true;
			continue;
		}
		if (result ||
		    sources_add_rings(recorder, one->copied_source, one->app.rings,
				      one->app.nr_rings, &next, one->app.nr_rings, begin, error))
			return -1;
		source = &recorder_recording(recorder)->sources[one->copied_source];
		source->since_ticks = source->came_ticks =
			recorder_recording(apps->recorder)->sources[one->source].since_ticks;
		one->copied = true;
		one->nr_copied = 0;
		copy_events(apps, one);
	}
	return 0;
}

void apps_end_copy(struct apps *apps)
{
	apps->copy = NULL;
}

bool apps_settled(const struct apps *apps)
{
	size_t i;

	if (!apps->stopping &&
	    !(app_wake_settled(&apps->wake) && !apps->wake_due && apps->all_accepted))
		return false;
	for (i = 0; i < apps->nr; i++) {
		const struct application *one = apps->list[i];

		if (one->step == APPLICATION_STOPPING)
			return false;
		/* The last message of its start may not have been sent. */
		if (!apps->stopping &&
		    (one->step < APPLICATION_RECORDING ||
		     (one->step == APPLICATION_RECORDING &&
		      (one->connection->busy || one->select_due || one->adding))))
			return false;
	}
	return true;
}

bool apps_quiet(const struct apps *apps)
{
	size_t i;

	if (apps->listener < 0)
		return true;
	if (apps->deaf || !apps->all_accepted || apps->wake_due || !hang_up_is_done() ||
	    !app_wake_settled(&apps->wake))
		return false;
	for (i = 0; i < apps->nr; i++)
		if (!apps->list[i]->app.wakes || !apps_awaits(apps->list[i]))
			return false;
	return true;
}

void apps_stop(struct apps *apps)
{
	size_t i;

	apps->stopping = true;
	app_wake_end(&apps->wake);
	apps_name_waiting(apps);
	for (i = 0; i < apps->nr; i++) {
		struct application *one = apps->list[i];

		if (one->step == APPLICATION_RECORDING)
			apps_tell_stop(apps, one);
	}
}

void apps_release(struct apps *apps, bool recorded)
{
	if (apps->relays)
		app_relays_stop(apps->relays, RELAYS_MS);
	while (apps->nr) {
		struct application *one = apps->list[--apps->nr];

		if (one->counted)
			aggregated_apps_end(apps->counting, one->counted, false);
		if (!apps->counting && !recorded && one->step >= APPLICATION_ATTACHING &&
		    one->step != APPLICATION_CLOSING)
			apps_keep_file(one);
		if (one->connection && one->connection->busy)
			app_leave_open(&one->app);
		else if (one->connection)
			app_connection_close(one->connection);
		if (one->connection)
			one->app.socket = -1;
		/* The recorder freed the shares. */
		apps_return_memory(apps, one, NULL);
		app_close(&one->app);
		free(one);
	}
	app_relays_free(apps->relays);
	memory_return_close(apps->returns);
	free(apps->list);
	free(apps->asked);
	apps->list = NULL;
	apps->asked = NULL;
	apps_forget_files(apps, recorded);
	/* If files stay, so does their directory. */
	if (apps->channel.dir && !ring_file_any(apps->channel.dir))
		ring_file_remove_dir(apps->channel.dir);
	app_wake_end(&apps->wake);
	if (apps->listener >= 0)
		app_socket_close(apps->listener, apps->number);
	if (apps->epoll >= 0)
		close(apps->epoll);
	if (apps->spare >= 0)
		close(apps->spare);
}
