// SPDX-License-Identifier: MIT
/*
 * connection.c - opens a connection, announces events, and waits for their selection; see
 * connection.h.  What a recorder says is heard in serve.c.
 *
 * A program may close all of its files, to become a daemon, and open others under the same numbers.
 * So before each use of a descriptor, its owner checks that it is still the one that it opened.
 */
#include "libstrata/connection.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libstrata/connection_state.h"
#include "libstrata/libstrata.h"
#include "libstrata/recorder_socket.h"
#include "libstrata/wait_page.h"

#define EMPTY                                                                                    \
	{                                                                                        \
		.sending = PTHREAD_MUTEX_INITIALIZER, .socket = -1, .opening = -1, .channel = -1 \
	}

struct connection connection_list[RECORDERS] = { [0 ... RECORDERS - 1] = EMPTY };

pthread_cond_t connection_decided = PTHREAD_COND_INITIALIZER;
static uint32_t wait_ms = STRATA_APP_WAIT_MS;

void connection_prepare(uint32_t ms)
{
	wait_ms = ms;
	recorder_prepare();
}

struct timespec connection_limit(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += wait_ms / 1000;
	limit.tv_nsec += wait_ms % 1000 * 1000000;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_sec++;
		limit.tv_nsec -= 1000000000;
	}
	return limit;
}

/* Milliseconds until then, rounded up. */
static uint32_t ms_until(const struct timespec *until)
{
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (until->tv_sec - now.tv_sec) * 1000000000ll + until->tv_nsec - now.tv_nsec;
	return ns > 0 ? (uint32_t)((ns + 999999) / 1000000) : 0;
}

/* Whether a descriptor is still the socket that we opened. */
static bool is_opened(const struct connection *one, int fd)
{
	struct stat now;

	return fd >= 0 && !fstat(fd, &now) && now.st_ino == one->opened.st_ino &&
	       now.st_dev == one->opened.st_dev;
}

bool connection_is_ours(const struct connection *one)
{
	return is_opened(one, one->socket);
}

/* As a timeout of poll(). */
static int timeout_until(const struct timespec *until)
{
	return until ? (int)ms_until(until) : -1;
}

/* With `sending` held.  @until: NULL: however long it takes */
static bool send_message(const struct connection *one, const struct strata_app_packet *packet,
			 uint32_t bytes, const struct timespec *until)
{
	struct pollfd fds = { .fd = one->socket, .events = POLLOUT };
	ssize_t sent;

	do {
		if (!connection_is_ours(one))
			return false;
		sent = send(one->socket, packet, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (sent < 0 &&
		 (errno == EINTR || (errno == EAGAIN && poll(&fds, 1, timeout_until(until)) != 0)));
	return sent == (ssize_t)bytes;
}

static void fill_head(struct strata_app_packet *packet, enum strata_app_message_type type)
{
	memset(&packet->head, 0, sizeof(packet->head));
	packet->head.magic = STRATA_APP_MAGIC;
	packet->head.version = STRATA_APP_ABI_VERSION;
	packet->head.type = (uint16_t)type;
}

static bool send_short(const struct connection *one, enum strata_app_message_type type,
		       const struct timespec *until)
{
	struct strata_app_packet packet;

	fill_head(&packet, type);
	return send_message(one, &packet, sizeof(packet.head), until);
}

/* Describes an event that the recorder does not know yet.  Returns the bytes of the message; 0: it
 * knows all. */
static uint32_t describe_next(const struct connection *one, struct strata_app_packet *packet)
{
	uint32_t bytes = 0;

	registry_lock();
	if (one->nr_told < registry_nr_ids()) {
		fill_head(packet, STRATA_APP_EVENT);
		bytes = (uint32_t)sizeof(packet->head) +
			registry_describe(one->nr_told, &packet->u.event);
	}
	registry_unlock();
	return bytes;
}

/* With `sending` held. */
static bool tell_events(struct connection *one, const struct timespec *until)
{
	struct strata_app_packet packet;
	uint32_t bytes;

	while ((bytes = describe_next(one, &packet))) {
		if (!send_message(one, &packet, bytes, until))
			return false;
		one->nr_told++;
		one->owes_ready = true;
	}
	one->owes_ready = !send_short(one, STRATA_APP_READY, until);
	return !one->owes_ready;
}

/* In the serving thread, for which nobody waits. */
bool connection_say_hello(struct connection *one)
{
	struct strata_app_packet packet;
	bool told;

	fill_head(&packet, STRATA_APP_HELLO);
	packet.head.value = rings_modes();
	packet.head.count = rings_nr_cpus();
	packet.head.headers = STRATA_HEADER_FORMS_ALL;
	/* The waiting thread, which is called through that page, sends the WAKE. */
	if (wait_page_is_there() && strata_read_once(rings_own))
		packet.head.headers |= STRATA_APP_WAKES;
	pthread_mutex_lock(&one->sending);
	told = send_message(one, &packet, sizeof(packet.head), NULL) && tell_events(one, NULL);
	pthread_mutex_unlock(&one->sending);
	return told;
}

/* An answer to the recorder, in the serving thread. */
bool connection_answer(struct connection *one, enum strata_app_message_type type)
{
	bool sent;

	pthread_mutex_lock(&one->sending);
	sent = send_short(one, type, NULL);
	pthread_mutex_unlock(&one->sending);
	return sent;
}

/* In the serving thread: what the program did before this selection is not recorded. */
void connection_say_went_on(struct connection *one)
{
	struct strata_app_packet packet;

	fill_head(&packet, STRATA_APP_WAKE);
	packet.head.value = STRATA_APP_WENT_ON;
	pthread_mutex_lock(&one->sending);
	send_message(one, &packet, sizeof(packet.head), NULL);
	pthread_mutex_unlock(&one->sending);
}

void connection_tell_no_thread(uint32_t recorder, const struct timespec *until)
{
	struct connection *one = &connection_list[recorder];
	struct pollfd fds = { .fd = one->socket, .events = POLLIN };
	bool told;

	pthread_mutex_lock(&one->sending);
	told = send_short(one, STRATA_APP_NO_THREAD, until);
	pthread_mutex_unlock(&one->sending);
	/* Who knows it hangs up.  A process that has ended by then is not known by name. */
	while (told && poll(&fds, 1, timeout_until(until)) < 0 && errno == EINTR)
		;
}

void connection_drop(uint32_t recorder)
{
	struct connection *one = &connection_list[recorder];

	pthread_mutex_lock(&one->sending);
	registry_lock();
	if (connection_is_ours(one))
		close(one->socket);
	one->socket = -1;
	one->channel = -1;
	pthread_cond_broadcast(&connection_decided);
	registry_unlock();
	pthread_mutex_unlock(&one->sending);
}

/* Whether a later attempt may succeed: files or memory of the program or the system were used up,
 * or the recorder was too busy. */
static bool may_pass(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS ||
	       error == EAGAIN;
}

/* Takes a free channel.  A user's own recorders get a few only, so that root's find others.  False:
 * no channel is free for this recorder. */
static bool take_channel(uint32_t recorder)
{
	uint32_t taken = 0, of_user = 0, channel, other;

	registry_lock();
	for (other = 0; other < RECORDERS; other++)
		if (connection_list[other].channel >= 0) {
			taken |= 1u << connection_list[other].channel;
			of_user += recorder_is_of_user(other);
		}
	for (channel = 0; channel < STRATA_APP_CHANNELS && taken >> channel & 1; channel++)
		;
	if (channel < STRATA_APP_CHANNELS &&
	    (!recorder_is_of_user(recorder) || of_user < STRATA_APP_USER_CHANNELS))
		connection_list[recorder].channel = (int)channel;
	registry_unlock();
	return connection_list[recorder].channel >= 0;
}

/* Opens a socket that a child does not keep which is forked while we connect it.  -1 with errno. */
static int open_socket(struct connection *one)
{
	registry_lock();
	one->opening = recorder_socket();
	if (one->opening >= 0)
		fstat(one->opening, &one->opened);
	registry_unlock();
	return one->opening;
}

/* Ends the attempt to connect a socket, without success. */
static enum connection_try give_up_opening(struct connection *one, int socket)
{
	const bool later = may_pass(errno);

	registry_lock();
	one->opening = -1;
	one->channel = -1;
	registry_unlock();
	if (socket >= 0)
		close(socket);
	return later ? CONNECTION_LATER : CONNECTION_NONE;
}

enum connection_try connection_open(uint32_t recorder, const struct timespec *until)
{
	struct connection *one = &connection_list[recorder];
	int socket;

	/* Most numbers have no recorder: a look at the path costs less than a socket. */
	if (!recorder_is_there(recorder) || !take_channel(recorder))
		return CONNECTION_NONE;
	socket = open_socket(one);
	if (socket < 0 || recorder_connect(socket, recorder, ms_until(until)))
		return give_up_opening(one, socket);
	one->nr_told = 0;
	one->owes_ready = false;
	registry_lock();
	one->nr_decided = 0;
	one->given_up = false;
	one->opening = -1;
	one->socket = socket;
	registry_unlock();
	return CONNECTION_MADE;
}

/* Whether others than its thread have something to announce: that thread announces all events when
 * it begins.  With both locks held. */
static bool has_news(const struct connection *one)
{
	return connection_is_ours(one) && one->nr_told &&
	       (one->nr_told < registry_nr_ids() || one->owes_ready);
}

static bool has_news_now(const struct connection *one)
{
	bool has;

	registry_lock();
	has = has_news(one);
	registry_unlock();
	return has;
}

/* Whether this call makes the connection late. */
static bool becomes_late(struct connection *one)
{
	bool becomes;

	registry_lock();
	becomes = !one->late;
	one->late = true;
	registry_unlock();
	return becomes;
}

static bool is_late(const struct connection *one)
{
	bool late;

	registry_lock();
	late = one->late;
	registry_unlock();
	return late;
}

bool connection_announce(uint32_t recorder, const struct timespec *until)
{
	struct connection *one = &connection_list[recorder];
	bool told;

	if (is_late(one))
		return true;
	if (pthread_mutex_clocklock(&one->sending, CLOCK_MONOTONIC, until))
		return !becomes_late(one);
	told = !has_news_now(one) || tell_events(one, until);
	pthread_mutex_unlock(&one->sending);
	return told || !becomes_late(one);
}

void connection_announce_rest(uint32_t recorder)
{
	struct connection *one = &connection_list[recorder];
	bool late = true;

	while (late) {
		pthread_mutex_lock(&one->sending);
		/* If that fails, the recorder has gone: the serving thread ends the connection. */
		if (has_news_now(one) && !tell_events(one, NULL))
			one->nr_told = 0;
		registry_lock();
		late = one->late = has_news(one);
		registry_unlock();
		pthread_mutex_unlock(&one->sending);
	}
}

static bool has_channel(const struct connection *one, uint32_t channels)
{
	bool has;

	registry_lock();
	has = one->channel >= 0 && channels >> one->channel & 1;
	registry_unlock();
	return has;
}

void connection_wake(uint32_t channels)
{
	const struct timespec now = { 0 };
	uint32_t recorder;

	for (recorder = 0; channels && recorder < RECORDERS; recorder++) {
		struct connection *one = &connection_list[recorder];

		if (!has_channel(one, channels))
			continue;
		/* Who is sending a message wakes the recorder with that. */
		if (pthread_mutex_trylock(&one->sending))
			continue;
		send_short(one, STRATA_APP_WAKE, &now);
		pthread_mutex_unlock(&one->sending);
	}
}

void connection_cannot_announce_rest(uint32_t recorder)
{
	registry_lock();
	connection_list[recorder].late = false;
	registry_unlock();
}

static bool all_decided(void)
{
	uint32_t recorder;

	for (recorder = 0; recorder < RECORDERS; recorder++)
		if (connection_list[recorder].socket >= 0 && !connection_list[recorder].given_up &&
		    connection_list[recorder].nr_decided < registry_nr_ids())
			return false;
	return true;
}

/* Each file of a program announces its events, and waits: once for a recorder that does not answer.
 */
static void give_up(void)
{
	uint32_t recorder;

	for (recorder = 0; recorder < RECORDERS; recorder++)
		connection_list[recorder].given_up |= connection_list[recorder].nr_decided <
						      registry_nr_ids();
}

void connection_await_all(const struct timespec *until)
{
	registry_lock();
	while (!all_decided())
		if (registry_wait(&connection_decided, until)) {
			give_up();
			break;
		}
	registry_unlock();
}

void connection_forget_all(void)
{
	uint32_t recorder, channel;

	for (recorder = 0; recorder < RECORDERS; recorder++) {
		struct connection *one = &connection_list[recorder];

		if (connection_is_ours(one))
			close(one->socket);
		if (is_opened(one, one->opening))
			close(one->opening);
		/* Threads that only the parent has may have been sending ... */
		*one = (struct connection)EMPTY;
	}
	for (channel = 0; channel < STRATA_APP_CHANNELS; channel++)
		rings_detach(channel);
	/* ... or waiting for it. */
	connection_decided = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
