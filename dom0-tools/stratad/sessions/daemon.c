// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon.c - see daemon.h. */
#include "stratad/sessions/daemon.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumerd/host/peer_user.h"
#include "consumerd/host/run_dir.h"
#include "consumerd/host/run_dir_path.h"
#include "consumerd/host/run_lock.h"
#include "control/message.h"
#include "stratad/sessions/client.h"
#include "stratad/sessions/service_manager.h"
#include "stratad/sessions/session_owner.h"

#define LOCK_NAME "stratad"
#define BACKLOG   64

/* Connections at a time; more are refused. */
#define CONNECTIONS_MAX 64u

/* How often the end looks whether all requests are served. */
#define END_LOOK_MS 20

/* The socket's name stays when we end: systemd listens there. */
static bool name_stays;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nr_connections;

int daemon_open(struct strata_error *error)
{
	char holder[RUN_LOCK_HOLDER_BYTES], path[RUN_DIR_PATH_BYTES + sizeof(MESSAGE_SOCKET)];
	int socket_fd, taken;

	snprintf(holder, sizeof(holder), "process %ld", (long)getpid());
	/* Held until this process ends. */
	taken = run_lock_take(LOCK_NAME, holder, error);
	if (taken == RUN_LOCK_HELD)
		return strata_fail(error, "stratad runs already (%s)", holder);
	if (taken < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/%s", run_dir_path(), MESSAGE_SOCKET);
	socket_fd = service_manager_take_socket(path, error);
	name_stays = socket_fd >= 0;
	if (socket_fd != SERVICE_MANAGER_NO_SOCKET)
		return socket_fd;
	socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (socket_fd < 0)
		return strata_fail(error, "no socket: %s", strerror(errno));
	if (!run_dir_bind(socket_fd, MESSAGE_SOCKET, 0600, error)) {
		if (!listen(socket_fd, BACKLOG))
			return socket_fd;
		strata_fail(error, "%s: %s", path, strerror(errno));
	}
	close(socket_fd);
	return -1;
}

static void leave(void)
{
	pthread_mutex_lock(&lock);
	nr_connections--;
	pthread_mutex_unlock(&lock);
}

/* False: there are as many connections as there may be. */
static bool enter(void)
{
	bool has_room;

	pthread_mutex_lock(&lock);
	has_room = nr_connections < CONNECTIONS_MAX;
	nr_connections += has_room;
	pthread_mutex_unlock(&lock);
	return has_room;
}

static void *serve(void *data)
{
	atomic_bool works;

	client_serve((int)(intptr_t)data, SESSION_OWNER_SELF, MESSAGE_REQUEST_BYTES, &works);
	leave();
	return NULL;
}

static void begin(int client)
{
	pthread_t thread;

	if (!peer_is_ours(client)) {
		close(client);
		return;
	}
	/* It does not wait: one of those that are served may wait for a trigger, which asks here.
	 */
	if (!enter()) {
		client_refuse(client, "stratad serves as many requests as it can; try again");
		return;
	}
	if (!pthread_create(&thread, NULL, serve, (void *)(intptr_t)client)) {
		pthread_detach(thread);
		return;
	}
	leave();
	client_refuse(client, "stratad has no thread for this request; try again");
}

static bool is_serving(void)
{
	bool serves;

	pthread_mutex_lock(&lock);
	serves = nr_connections > 0;
	pthread_mutex_unlock(&lock);
	return serves;
}

/* Refuses those that come, until all requests are served: one of them may wait for a trigger, which
 * waits for an answer. */
static void refuse_the_rest(int listener)
{
	struct pollfd fd = { .fd = listener, .events = POLLIN };

	while (is_serving()) {
		int client = poll(&fd, 1, END_LOOK_MS) > 0
				     ? accept4(listener, NULL, NULL, SOCK_CLOEXEC)
				     : -1;

		if (client >= 0)
			client_refuse(client, "stratad ends; try again");
	}
}

void daemon_serve(int listener, int quit)
{
	client_accept_all(listener, quit, begin);
	refuse_the_rest(listener);
}

void daemon_close(int listener)
{
	if (!name_stays)
		run_dir_remove(MESSAGE_SOCKET);
	close(listener);
}
