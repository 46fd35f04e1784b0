// SPDX-License-Identifier: GPL-2.0-or-later
/* member_socket.c - see member_socket.h. */
#include "stratad/sessions/member_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "consumerd/host/peer_user.h"
#include "consumerd/host/run_dir.h"
#include "consumerd/shares/subordinate_uids.h"
#include "control/message.h"
#include "stratad/sessions/client.h"
#include "stratad/sessions/refusal.h"

#define SOCKET_MODE 0620
#define BACKLOG     64

/* Connections at a time: of one member, and of all. */
#define MEMBER_CONNECTIONS_MAX  4u
#define MEMBERS_CONNECTIONS_MAX 32u

/* A request has at most a session's rules. */
#define REQUEST_BYTES (512u << 10)

/* After each request, in which its connection counts: limits the rate of a member's requests. */
#define PAUSE_MS 10

/* The pause until the next attempt to make a thread that refuses a connection. */
#define RETRY_MS 100

/* At the end, the time for requests that are being received and replies that are being sent: a
 * member could make either last. */
#define END_MS 1000

struct connection {
	int fd; /* -1: this place is free */
	uid_t member;
	atomic_bool works; /* a request is served: set in client_serve(), read at the end */
};

static gid_t group;
static pthread_t server;
static struct {
	int listener, quit;
} sockets;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection connections[MEMBERS_CONNECTIONS_MAX]; /* under the lock */
static size_t nr_connections;                                  /* likewise */

/* Opens the socket to the group; until then it is root's alone.  0 or -1. */
static int give_to_group(struct strata_error *error)
{
	const int dir = run_dir_open(error);
	int result;

	if (dir < 0)
		return -1;
	result = fchownat(dir, MESSAGE_MEMBER_SOCKET, (uid_t)-1, group, AT_SYMLINK_NOFOLLOW);
	if (!result)
		result = fchmodat(dir, MESSAGE_MEMBER_SOCKET, SOCKET_MODE, 0);
	if (result)
		strata_fail(error, "%s/%s: %s", run_dir_path(), MESSAGE_MEMBER_SOCKET,
			    strerror(errno));
	close(dir);
	return result;
}

int member_socket_open(struct strata_error *error)
{
	const struct group *tracing = geteuid() ? NULL : getgrnam(MESSAGE_MEMBER_GROUP);
	unsigned int i;
	int fd;

	if (!tracing || !tracing->gr_gid)
		return MEMBER_SOCKET_NONE;
	group = tracing->gr_gid;
	for (i = 0; i < MEMBERS_CONNECTIONS_MAX; i++)
		connections[i].fd = -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return strata_fail(error, "no socket: %s", strerror(errno));
	if (!run_dir_bind(fd, MESSAGE_MEMBER_SOCKET, 0600, error) && !give_to_group(error)) {
		if (!listen(fd, BACKLOG))
			return fd;
		strata_fail(error, "%s/%s: %s", run_dir_path(), MESSAGE_MEMBER_SOCKET,
			    strerror(errno));
	}
	close(fd);
	return -1;
}

/* Takes a place for a connection.  NULL: the member has as many as he may, or all have. */
static struct connection *take_place(int fd, uid_t member)
{
	struct connection *free_place = NULL;
	unsigned int of_member = 0, i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < MEMBERS_CONNECTIONS_MAX; i++) {
		if (connections[i].fd < 0)
			free_place = &connections[i];
		else
			of_member += connections[i].member == member;
	}
	if (of_member >= MEMBER_CONNECTIONS_MAX)
		free_place = NULL;
	if (free_place) {
		free_place->fd = fd;
		free_place->member = member;
		nr_connections++;
	}
	pthread_mutex_unlock(&lock);
	return free_place;
}

static void leave_place(struct connection *place)
{
	pthread_mutex_lock(&lock);
	place->fd = -1;
	nr_connections--;
	pthread_mutex_unlock(&lock);
}

static void *serve(void *data)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000l };
	struct connection *place = data;

	client_serve(place->fd, place->member, REQUEST_BYTES, &place->works);
	nanosleep(&pause, NULL);
	leave_place(place);
	return NULL;
}

/* Not here, where other members would wait.  One that cannot be refused before the end is closed by
 * it. */
static void refuse(int client, const char *why)
{
	struct pollfd quit = { .fd = sockets.quit, .events = POLLIN };

	while (refusal_begin(client, why) && poll(&quit, 1, RETRY_MS) <= 0)
		;
}

/* Whether a user id is in a range of /etc/subuid.  One user may have 65,536 of those, and would get
 * a member's shares for each.  Other users can make reading the file slow
 * (consumerd/host/own_proc.h), so it is read again only after root has changed it. */
static bool is_subordinate(uid_t user)
{
	static struct subordinate_uids uids; /* of the thread that accepts */
	static struct timespec changed;
	struct stat status = { 0 };

	stat(SUBUID_FILE, &status);
	if (status.st_ctim.tv_sec != changed.tv_sec || status.st_ctim.tv_nsec != changed.tv_nsec)
		subordinate_uids_read(&uids, SUBUID_FILE, PASSWD_FILE);
	changed = status.st_ctim;
	/* It could not be read: the next connection tries again. */
	if (status.st_size && !uids.nr)
		changed = (struct timespec){ 0 };
	return subordinate_uids_has(&uids, user);
}

static void begin(int client)
{
	struct connection *place;
	pthread_t thread;
	uid_t member;

	if (!peer_is_in_group(client, group, &member)) {
		refuse(client, "you are not a member of the group " MESSAGE_MEMBER_GROUP);
		return;
	}
	if (is_subordinate(member)) {
		refuse(client, "your user id is in a range of /etc/subuid: its owner may be a "
			       "member of the group " MESSAGE_MEMBER_GROUP ", and you are not");
		return;
	}
	place = take_place(client, member);
	if (!place) {
		refuse(client, "root's stratad serves as many requests of yours, or of all "
			       "members of the group tracing, as it may; try again");
		return;
	}
	if (!pthread_create(&thread, NULL, serve, place)) {
		pthread_detach(thread);
		return;
	}
	leave_place(place);
	refuse(client, "stratad has no thread for this request; try again");
}

static void *serve_members(void *data)
{
	(void)data;
	client_accept_all(sockets.listener, sockets.quit, begin);
	return NULL;
}

int member_socket_begin(int listener, int quit, struct strata_error *error)
{
	int number;

	if (listener == MEMBER_SOCKET_NONE)
		return 0;
	sockets.listener = listener;
	sockets.quit = quit;
	number = pthread_create(&server, NULL, serve_members, NULL);
	return number ? strata_fail(error, "no thread for members of the group tracing: %s",
				    strerror(number))
		      : 0;
}

static size_t count_connections(void)
{
	size_t nr;

	pthread_mutex_lock(&lock);
	nr = nr_connections;
	pthread_mutex_unlock(&lock);
	return nr;
}

static bool is_request_served(void)
{
	bool served = false;
	unsigned int i;

	for (i = 0; i < MEMBERS_CONNECTIONS_MAX; i++)
		served |= connections[i].works;
	return served;
}

void member_socket_end(int listener)
{
	unsigned int ms;

	if (listener == MEMBER_SOCKET_NONE)
		return;
	pthread_join(server, NULL);
	for (ms = 0; count_connections() && (ms < END_MS || is_request_served()); ms += PAUSE_MS)
		poll(NULL, 0, PAUSE_MS);
	run_dir_remove(MESSAGE_MEMBER_SOCKET);
	/* The end of the process closes the listener, without waiting for what is queued there
	 * (refusal.h). */
}
