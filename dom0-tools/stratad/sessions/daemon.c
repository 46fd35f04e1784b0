// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon.c - see daemon.h. */
#include "stratad/sessions/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/exit_status.h"
#include "consumerd/host/peer_user.h"
#include "consumerd/host/run_dir.h"
#include "consumerd/host/run_dir_path.h"
#include "consumerd/host/run_lock.h"
#include "control/message.h"
#include "stratad/sessions/service_manager.h"
#include "stratad/sessions/session_owner.h"
#include "stratad/sessions/session_verbs.h"

#define LOCK_NAME "stratad"
#define BACKLOG   64

/* Connections at a time; more wait in the backlog. */
#define CONNECTIONS_MAX 64u

/* A client sends its request at once, and reads its reply. */
#define REQUEST_MS 10000
#define REPLY_MS   10000

/* How long a connection waits that could not be accepted. */
#define RETRY_MS 100

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

static struct json_object *refuse(const char *why)
{
	struct json_object *reply = json_object_new_object();

	json_object_object_add(reply, "status", json_object_new_int(STRATA_STATUS_FAILED));
	json_object_object_add(reply, "message", json_object_new_string(why));
	return reply;
}

static void *serve_client(void *data)
{
	const int client = (int)(intptr_t)data;
	struct json_object *request, *reply;
	struct strata_error error;

	request = message_receive(client, MESSAGE_REQUEST_BYTES, REQUEST_MS, &error);
	reply = request ? session_verbs_serve(SESSION_OWNER_SELF, request) : refuse(error.text);
	json_object_put(request);
	/* A client that is gone needs no reply. */
	message_send(client, reply, REPLY_MS, &error);
	json_object_put(reply);
	close(client);
	pthread_mutex_lock(&lock);
	nr_connections--;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void begin_client(int client)
{
	struct json_object *reply;
	struct strata_error error;
	pthread_t thread;
	int number;

	pthread_mutex_lock(&lock);
	while (nr_connections == CONNECTIONS_MAX)
		pthread_cond_wait(&ended, &lock);
	nr_connections++;
	pthread_mutex_unlock(&lock);
	number = pthread_create(&thread, NULL, serve_client, (void *)(intptr_t)client);
	if (!number) {
		pthread_detach(thread);
		return;
	}
	pthread_mutex_lock(&lock);
	nr_connections--;
	pthread_mutex_unlock(&lock);
	reply = refuse("stratad has no thread for this request; try again");
	message_send(client, reply, 0, &error);
	json_object_put(reply);
	close(client);
}

void daemon_serve(int listener, int quit)
{
	struct pollfd fds[] = {
		{ .fd = listener, .events = POLLIN },
		{ .fd = quit, .events = POLLIN },
	};

	for (;;) {
		int client;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			break;
		client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (client < 0) {
			/* Out of descriptors or memory: the connection waits, and we do not spin.
			 */
			if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
				poll(NULL, 0, RETRY_MS);
			continue;
		}
		if (peer_is_ours(client))
			begin_client(client);
		else
			close(client);
	}
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
