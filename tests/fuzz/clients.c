// SPDX-License-Identifier: GPL-2.0-or-later
/* clients.c - see clients.h. */
#include "clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "consumerd/host/control_socket.h"
#include "liars.h"

#define CLIENTS_MAX   3u
#define SNAPSHOTS_MAX 4u
/* As much as fits into nothing that the recorder has for it. */
#define REQUEST_BYTES_MAX (2u * CONTROL_LINE_BYTES)

struct client {
	bool open;
	bool proper;  /* it asks as it should */
	bool selects; /* ... for all events, and not for a snapshot */
	int fd;
	char request[REQUEST_BYTES_MAX];
	size_t bytes, sent, piece; /* of it; sent at once */
	char answer[CONTROL_LINE_BYTES + 1];
	size_t answered;
};

static struct client clients[CLIENTS_MAX];
static char snapshot_dir[100], recorder_dir[100];
static bool talks_nonsense, grants;
static uint32_t asked, granted;
static uint64_t nonsense;
static const char *wrong;

void clients_begin(const char *dir, const char *recording, bool with_nonsense, bool to_be_granted)
{
	snprintf(snapshot_dir, sizeof(snapshot_dir), "%s", dir);
	snprintf(recorder_dir, sizeof(recorder_dir), "%s", recording);
	talks_nonsense = with_nonsense;
	grants = to_be_granted;
	asked = granted = 0;
	wrong = NULL;
}

/* What one guest cannot be told, the honest one is. */
static void check_selected(bool all_told)
{
	const struct fake_guest *honest = &guests[HONEST];

	if (!all_told && !talks_nonsense)
		wrong = "events that are there cannot be selected";
	if (honest->life == FAKE_RUNS && honest->recording &&
	    honest->enabled != (1ull << honest->nr_events) - 1)
		wrong = "the honest guest is not told that other events were selected";
}

/* "STATUS TEXT\n", in full; a proper request is granted if it can be.  A snapshot may lack packets
 * of liars, and says so; nothing is selected any more in a recording that ends, nor in a guest that
 * does. */
static void check_answer(const struct client *client)
{
	const char *answer = client->answer;
	bool given = answer[0] == '0' || (answer[0] == '3' && talks_nonsense);

	if (answer[client->answered - 1] != '\n' ||
	    strchr(answer, '\n') != answer + client->answered - 1 || answer[0] < '0' ||
	    answer[0] > '3' || answer[1] != ' ')
		wrong = "an answer to a client is none";
	else if (client->selects && !strstr(answer, "is ending"))
		check_selected(answer[0] == '0' || strstr(answer, "its module is gone"));
	else if (client->proper && !client->selects && given != grants)
		wrong = "a proper request for a snapshot is answered as if it were none";
	granted += client->proper && !client->selects && given;
}

static void listen_to_answer(struct client *client)
{
	ssize_t got = recv(client->fd, client->answer + client->answered,
			   sizeof(client->answer) - 1 - client->answered, MSG_DONTWAIT);

	if (got > 0) {
		client->answered += (size_t)got;
		client->answer[client->answered] = '\0';
		return;
	}
	/* A client whose request cannot be understood is dropped without an answer. */
	if (got == 0 && client->answered)
		check_answer(client);
	if (got == 0) {
		close(client->fd);
		client->open = false;
	}
}

/* Requests that are no line, or no command, or that name no directory that a snapshot can have. */
static size_t make_nonsense(char *request, struct randomness *random)
{
	static const char *const texts[] = {
		"\n",
		" \n",
		"snapshot\n",
		"snapshot \n",
		"snapshot /nonexistent/x\n",
		"snapshot /dev/null\n",
		"snapshot",
		"snap",
		"restart\n",
		"select\n",
		"select \t\t\n",
		"select kernel\n",
		"select kernel=\n",
		"select kernel=*:all\tkernel\n",
		"select kernel=honest:no_such_event\n",
		"select kernel=liar-?:all\n",
		"select xen=all\n",
		"select xen=sched\txen-domain=honest,!liar-b\txen-budget=5\n",
		"select xen=none\n",
		"select xen=sched\tkernel=?\n",
		"select xen-domain=liar-?/0-70000\n",
		"select xen-budget=-1\n",
		"select kprobe=*:x\n",
		"select tid=liar-a:1,2,3\tpid=liar-a:4\n",
		"select tid=*:99999999999\n",
		"select =\t=\n",
		"snapshot /proc\n\n\nsnapshot /proc\n",
		"\x1b[2J %s%n\n",
	};
	size_t length;

	switch (random_below(random, 6)) {
	case 0: /* too long; the recorder reads only its beginning */
		length = REQUEST_BYTES_MAX - random_below(random, CONTROL_LINE_BYTES);
		memset(request, 'A', length);
		request[length - 1] = '\n';
		return length;
	case 1: /* as long as a line may be, and a name that is too long */
		length = CONTROL_LINE_BYTES - random_below(random, 3);
		memset(request, 'b', length);
		memcpy(request, "snapshot /", 10);
		request[length - 1] = '\n';
		return length;
	case 2: /* anything, NULs too; mostly with an end */
		length = 1 + random_below(random, 200);
		for (size_t i = 0; i < length; i++)
			request[i] = (char)random_next(random);
		request[length - 1] = '\n';
		return length;
	case 3: /* where it writes itself */
		return (size_t)snprintf(request, REQUEST_BYTES_MAX, "snapshot %s\n", recorder_dir);
	default:
		length = (size_t)snprintf(
			request, REQUEST_BYTES_MAX, "%s",
			texts[random_below(random, sizeof(texts) / sizeof(texts[0]))]);
		return length;
	}
}

static void begin(struct client *client, struct randomness *random)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memset(client, 0, sizeof(*client));
	client->proper = !talks_nonsense || random_one_in(random, 3);
	client->selects = client->proper && random_one_in(random, 4);
	if (client->proper && !client->selects && asked == SNAPSHOTS_MAX)
		return;
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		abort();
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", fake_socket_path);
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address))) {
		close(client->fd);
		return;
	}
	client->open = true;
	if (client->selects)
		client->bytes = (size_t)snprintf(client->request, sizeof(client->request),
						 "select kernel=*:all\n");
	else if (client->proper)
		client->bytes = (size_t)snprintf(client->request, sizeof(client->request),
						 "snapshot %s/snap-%u\n", snapshot_dir, asked++);
	else
		client->bytes = make_nonsense(client->request, random);
	nonsense += !client->proper;
	client->piece = client->proper || random_one_in(random, 2) ? client->bytes
								   : 1 + random_below(random, 20);
}

static void speak(struct client *client, struct randomness *random)
{
	size_t bytes = client->bytes - client->sent;

	if (bytes > client->piece)
		bytes = client->piece;
	if (bytes && send(client->fd, client->request + client->sent, bytes,
			  MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes)
		client->sent += bytes;
	/* Some go before they are answered. */
	if (!client->proper && random_one_in(random, 8)) {
		close(client->fd);
		client->open = false;
	}
}

void clients_turn(struct randomness *random)
{
	uint32_t i;

	for (i = 0; i < CLIENTS_MAX; i++) {
		if (!clients[i].open && random_one_in(random, 6))
			begin(&clients[i], random);
		if (clients[i].open)
			speak(&clients[i], random);
		if (clients[i].open)
			listen_to_answer(&clients[i]);
	}
}

const char *clients_end(void)
{
	uint32_t i;

	for (i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &clients[i];

		while (client->open) {
			size_t before = client->answered;

			listen_to_answer(client);
			if (client->open && client->answered == before) {
				close(client->fd);
				client->open = false;
			}
		}
	}
	return wrong;
}

uint32_t clients_granted(void)
{
	return granted;
}

uint64_t clients_nonsense(void)
{
	return nonsense;
}
