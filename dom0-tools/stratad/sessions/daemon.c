// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon.c - see daemon.h. */
#include "stratad/sessions/daemon.h"

#include <errno.h>
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

/* Connections at a time; more wait in the backlog. */
#define CONNECTIONS_MAX 64u

/* The socket's name stays when we end: systemd listens there. */
static bool name_stays;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
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
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	while (nr_connections == CONNECTIONS_MAX)
		pthread_cond_wait(&ended, &lock);
	nr_connections++;
	pthread_mutex_unlock(&lock);
	if (!pthread_create(&thread, NULL, serve, (void *)(intptr_t)client)) {
		pthread_detach(thread);
		return;
	}
	leave();
	client_refuse(client, "stratad has no thread for this request; try again");
}

void daemon_serve(int listener, int quit)
{
	client_accept_all(listener, quit, begin);
	pthread_mutex_lock(&lock);
	while (nr_connections)
		pthread_cond_wait(&ended, &lock);
	pthread_mutex_unlock(&lock);
}

void daemon_close(int listener)
{
	if (!name_stays)
		run_dir_remove(MESSAGE_SOCKET);
	close(listener);
}
