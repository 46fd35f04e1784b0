// SPDX-License-Identifier: GPL-2.0-or-later
/* app_relay.c - see app_relay.h; the apps files of stratad call it. */
#include "consumerd/apps/app_relay.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#include "consumerd/host/hang_up.h"
#include "consumerd/host/other_cpus.h"

/* Messages that a task receives: as many as are handled in a turn, unless they are long. */
#define INBOX_MESSAGES 64u
#define INBOX_BYTES    (32u << 10)

struct app_inbox {
	unsigned int nr; /* that are left */
	size_t next;     /* the first of them */
	size_t end;
	_Alignas(struct app_incoming) unsigned char bytes[INBOX_BYTES];
};

/* A user's. */
struct app_relay {
	struct app_relays *all;
	struct app_relay *next;
	const void *user;
	struct worker *worker; /* NULL: stopped */
	unsigned int nr_connections, nr_busy;
};

struct app_relays {
	struct app_relay *first;
	int news; /* eventfd */
};

struct app_relays *app_relays_open(struct strata_error *error)
{
	struct app_relays *relays = calloc(1, sizeof(*relays));

	if (!relays) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	relays->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (relays->news >= 0)
		return relays;
	strata_fail(error, "no eventfd for applications: %s", strerror(errno));
	free(relays);
	return NULL;
}

int app_relays_news(const struct app_relays *relays)
{
	return relays->news;
}

void app_relays_remind(const struct app_relays *relays)
{
	eventfd_write(relays->news, 1);
}

/* Puts a connection's task back into the caller's hands. */
static void finish(struct work *work)
{
	struct app_connection *connection = (struct app_connection *)work;

	connection->busy = false;
	connection->relay->nr_busy--;
	free(connection->outgoing);
	connection->outgoing = NULL;
}

void app_relays_tend(struct app_relays *relays)
{
	struct app_relay *relay;
	struct work *work;
	eventfd_t ignored;

	/* First: what is done from now on makes it readable again. */
	if (eventfd_read(relays->news, &ignored))
		return;
	for (relay = relays->first; relay; relay = relay->next)
		while ((work = worker_take(relay->worker)))
			finish(work);
}

static struct app_relay *relay_of(struct app_relays *relays, const void *user,
				  struct strata_error *error)
{
	struct app_relay *relay = relays->first;

	while (relay && relay->user != user)
		relay = relay->next;
	if (relay)
		return relay;
	relay = calloc(1, sizeof(*relay));
	if (!relay) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	relay->worker = worker_open(relays->news, error);
	if (!relay->worker) {
		free(relay);
		return NULL;
	}
	relay->all = relays;
	relay->user = user;
	relay->next = relays->first;
	relays->first = relay;
	return relay;
}

/* Ends the thread of a user whose last connection was closed. */
static void forget(struct app_relay *relay)
{
	struct app_relay **place = &relay->all->first;

	while (*place != relay)
		place = &(*place)->next;
	*place = relay->next;
	if (relay->worker)
		worker_leave(relay->worker);
	free(relay);
}

struct app_connection *app_connection_open(struct app_relays *relays, const void *user, int socket,
					   struct strata_error *error)
{
	struct app_relay *relay = relay_of(relays, user, error);
	struct app_connection *connection = relay ? calloc(1, sizeof(*connection)) : NULL;

	if (connection) {
		connection->relay = relay;
		connection->socket = socket;
		connection->process = -1;
		relay->nr_connections++;
		return connection;
	}
	if (relay)
		strata_fail(error, "out of memory");
	if (relay && !relay->nr_connections)
		forget(relay);
	return NULL;
}

static void close_process(struct app_connection *connection)
{
	if (connection->process >= 0)
		close(connection->process);
	connection->process = -1;
}

void app_connection_close(struct app_connection *connection)
{
	close_process(connection);
	if (connection->socket >= 0)
		hang_up(connection->socket);
	if (!--connection->relay->nr_connections)
		forget(connection->relay);
	free(connection->inbox);
	free(connection->outgoing);
	free(connection);
}

/* Where interrupts are off while the kernel wakes the waiters of a socket (since Linux 6.7), the
 * loop's timers would wait, too. */
static uint64_t begin_task(const struct app_connection *connection)
{
	other_cpus_than(connection->loop_cpu);
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void give(struct app_connection *connection, void (*run)(struct work *work))
{
	connection->busy = true;
	connection->relay->nr_busy++;
	connection->loop_cpu = sched_getcpu();
	connection->work.run = run;
	worker_give(connection->relay->worker, &connection->work);
}

static void send_outgoing(struct work *work)
{
	struct app_connection *connection = (struct app_connection *)work;
	const uint64_t begin_ns = begin_task(connection);

	connection->failed = app_message_send(connection->socket, connection->outgoing);
	if (connection->outgoing->closes_fd)
		close(connection->outgoing->fd);
	close_process(connection);
	connection->spent_ns += clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

bool app_connection_is_closed(const struct app_connection *connection)
{
	struct pollfd fd = { .fd = connection->socket, .events = POLLRDHUP };

	return poll(&fd, 1, 0) == 1 && (fd.revents & (POLLRDHUP | POLLHUP));
}

struct app_outgoing *app_connection_begin(struct app_connection *connection)
{
	if (!connection->outgoing)
		connection->outgoing = malloc(sizeof(*connection->outgoing));
	return connection->outgoing;
}

void app_connection_send(struct app_connection *connection)
{
	give(connection, send_outgoing);
}

/* The next place in an inbox for something of that many bytes behind its head. */
static size_t place_after(size_t place, size_t bytes)
{
	const size_t align = _Alignof(struct app_incoming);

	if (bytes > sizeof(struct strata_app_packet))
		bytes = sizeof(struct strata_app_packet);
	return (place + offsetof(struct app_incoming, packet) + bytes + align - 1) & ~(align - 1);
}

static void receive(struct work *work)
{
	struct app_connection *connection = (struct app_connection *)work;
	const uint64_t begin_ns = begin_task(connection);
	struct app_inbox *inbox = connection->inbox;
	struct app_incoming *arrived;

	do {
		arrived = (struct app_incoming *)(inbox->bytes + inbox->end);
		app_message_receive(connection->socket, arrived);
		if (arrived->kind == APP_ARRIVAL_NONE)
			break;
		inbox->end = place_after(inbox->end, arrived->bytes);
		inbox->nr++;
	} while (arrived->kind == APP_ARRIVAL_MESSAGE && inbox->nr < INBOX_MESSAGES &&
		 INBOX_BYTES - inbox->end >= sizeof(*arrived));
	close_process(connection);
	connection->spent_ns += clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

bool app_connection_receive(struct app_connection *connection)
{
	connection->inbox = malloc(sizeof(*connection->inbox));
	if (!connection->inbox)
		return false;
	connection->inbox->nr = 0;
	connection->inbox->next = connection->inbox->end = 0;
	give(connection, receive);
	return true;
}

const struct app_incoming *app_connection_next(struct app_connection *connection)
{
	struct app_inbox *inbox = connection->inbox;
	const struct app_incoming *arrived;

	if (!inbox)
		return NULL;
	if (!inbox->nr) {
		free(inbox);
		connection->inbox = NULL;
		return NULL;
	}
	arrived = (const struct app_incoming *)(inbox->bytes + inbox->next);
	inbox->next = place_after(inbox->next, arrived->bytes);
	inbox->nr--;
	return arrived;
}

static void close_socket(struct work *work)
{
	struct app_connection *connection = (struct app_connection *)work;
	const uint64_t begin_ns = begin_task(connection);

	if (hang_up_clean(connection->socket))
		connection->socket = -1;
	close_process(connection);
	connection->spent_ns += clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

void app_connection_hang_up(struct app_connection *connection)
{
	give(connection, close_socket);
}

void app_relays_stop(struct app_relays *relays, unsigned int wait_ms)
{
	const uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + wait_ms * UINT64_C(1000000);
	struct app_relay *relay;

	for (relay = relays->first; relay; relay = relay->next) {
		const uint64_t now = clock_now_ns(CLOCK_MONOTONIC);

		if (relay->nr_busy)
			worker_close(relay->worker,
				     now < end_ns ? (unsigned int)((end_ns - now) / 1000000u) : 0,
				     finish);
		else
			worker_leave(relay->worker);
		relay->worker = NULL;
	}
}

void app_relays_free(struct app_relays *relays)
{
	/* The thread of a busy connection uses the eventfd. */
	if (!relays || relays->first)
		return;
	close(relays->news);
	free(relays);
}
