/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_relay.h - sends to, receives from and closes the sockets of applications: a thread for each
 * user, from his first connection to his last.
 *
 * These calls take as long as that user likes (app_message.h, hang_up.h).  Only he waits for them,
 * and the recorder's loop never does.  It gives a connection one task at a time, and the connection
 * is busy until app_relays_tend() has found the task done.  A thread knows no more than its
 * connections' sockets, messages and inboxes, and only during their tasks; so nothing is locked
 * here but worker.c's queues.
 *
 * All calls come from the recorder's loop.
 */
#ifndef STRATA_CONSUMERD_APP_RELAY_H
#define STRATA_CONSUMERD_APP_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "consumerd/apps/app_message.h"
#include "consumerd/host/worker.h"

struct app_relays;
struct app_inbox;

/* One connection.  For reading, except the process while it is not busy. */
struct app_connection {
	struct work work; /* first: they are converted */
	struct app_relay *relay;
	struct app_inbox *inbox; /* NULL: nothing received is left */
	int socket;              /* -1: closed; used by tasks alone */
	/* Of its process, closed by the next task, which its user may make wait: a program that is
	 * recorded takes no more of ours than its socket.  -1: none. */
	int process;
	bool busy;
	int loop_cpu;                  /* where the loop gave the last task */
	int failed;                    /* errno of the last message */
	uint64_t spent_ns;             /* CPU time of tasks, until the caller sets it to 0 */
	struct app_outgoing *outgoing; /* NULL: no message is begun or being sent */
};

struct app_relays *app_relays_open(struct strata_error *error);

/* A descriptor that is readable when app_relays_tend() has work. */
int app_relays_news(const struct app_relays *relays);

/* Has the descriptor readable until app_relays_tend(). */
void app_relays_remind(const struct app_relays *relays);

/* Finds the tasks that are done. */
void app_relays_tend(struct app_relays *relays);

/* A connection for a connected socket of @user's, which it owns from then on.  NULL with the
 * reason: no thread can be made now, or no memory. */
struct app_connection *app_connection_open(struct app_relays *relays, const void *user, int socket,
					   struct strata_error *error);

/* Whether the other end is closed: what it sent before can still be received.  Not one that only
 * receives no more. */
bool app_connection_is_closed(const struct app_connection *connection);

/* Tasks.  The connection is not busy before, and busy afterwards. */

/* A message to be filled in, and sent by app_connection_send(); the connection is not busy.  NULL:
 * out of memory. */
struct app_outgoing *app_connection_begin(struct app_connection *connection);

/* Sends the message that was begun, which is freed then. */
void app_connection_send(struct app_connection *connection);

/* Receives up to a bounded number of messages.  Nothing received is left.  False: out of memory. */
bool app_connection_receive(struct app_connection *connection);

/* Shuts down and closes its socket. */
void app_connection_hang_up(struct app_connection *connection);

/* What it has received next; valid until the next call.  NULL: nothing is left. */
const struct app_incoming *app_connection_next(struct app_connection *connection);

/* Frees a connection that is not busy, and has its socket closed (hang_up.h) if it is open.  With
 * his last connection, a user's thread ends. */
void app_connection_close(struct app_connection *connection);

/*
 * Ends all threads, and waits at most @wait_ms for all tasks together.  Lines that are busy
 * afterwards must stay as they are, with the descriptors that they use.  No task is given any more.
 */
void app_relays_stop(struct app_relays *relays, unsigned int wait_ms);

/* Frees what no busy connection uses, after the other connections have been closed.  Also NULL. */
void app_relays_free(struct app_relays *relays);

#endif /* STRATA_CONSUMERD_APP_RELAY_H */
