// SPDX-License-Identifier: GPL-2.0-or-later
/* client.c - see client.h. */
#include "stratad/sessions/client.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/exit_status.h"
#include "control/message.h"
#include "stratad/sessions/member_list.h"
#include "stratad/sessions/session_owner.h"
#include "stratad/sessions/session_verbs.h"

/* A client sends its request at once, and reads its reply. */
#define REQUEST_MS 10000
#define REPLY_MS   10000

/* How long a connection waits that could not be accepted. */
#define RETRY_MS 100

static struct json_object *make_refusal(const char *why)
{
	struct json_object *reply = json_object_new_object();

	json_object_object_add(reply, "status", json_object_new_int(STRATA_STATUS_FAILED));
	json_object_object_add(reply, "message", json_object_new_string(why));
	return reply;
}

static void answer(int client, struct json_object *reply, int limit_ms)
{
	struct strata_error error;

	/* A client that is gone needs no reply. */
	message_send(client, reply, limit_ms, &error);
	json_object_put(reply);
}

void client_serve(int client, uid_t owner, size_t max_bytes, atomic_bool *works)
{
	struct json_object *request, *reply;
	struct strata_error error;

	request = message_receive(client, max_bytes, REQUEST_MS, &error);
	if (request && owner != SESSION_OWNER_SELF && member_list_is_asked(request)) {
		member_list_serve(client, owner, request);
		json_object_put(request);
		close(client);
		return;
	}
	/* Both pair with the load in is_request_served() (member_socket.c). */
	*works = request != NULL;
	reply = request ? session_verbs_serve(owner, request) : make_refusal(error.text);
	*works = false;
	json_object_put(request);
	answer(client, reply, REPLY_MS);
	close(client);
}

void client_send_refusal(int client, const char *why)
{
	answer(client, make_refusal(why), 0);
}

void client_refuse(int client, const char *why)
{
	client_send_refusal(client, why);
	close(client);
}

void client_accept_all(int listener, int quit, void (*begin)(int client))
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
		if (client >= 0)
			begin(client);
		/* Out of descriptors or memory: the connection waits, and we do not spin. */
		else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			poll(NULL, 0, RETRY_MS);
	}
}
