// SPDX-License-Identifier: GPL-2.0-or-later
/* refusal.c - see refusal.h. */
#include "stratad/sessions/refusal.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumerd/host/last_close.h"
#include "stratad/sessions/client.h"

struct refusal {
	int client;
	const char *why;
	struct last_close last_close;
};

static void forget(struct refusal *refusal)
{
	last_close_destroy(&refusal->last_close);
	free(refusal);
}

/* Our end closes the client. */
static void *refuse(void *data)
{
	struct refusal *refusal = data;

	last_close_hold(&refusal->last_close);
	if (!refusal->last_close.error)
		client_send_refusal(refusal->client, refusal->why);
	forget(refusal);
	return NULL;
}

int refusal_begin(int client, const char *why)
{
	struct refusal *refusal = malloc(sizeof(*refusal));
	int result = -1;
	pthread_t thread;

	if (!refusal)
		return -1;
	refusal->client = client;
	refusal->why = why;
	last_close_init(&refusal->last_close);
	if (pthread_create(&thread, NULL, refuse, refusal)) {
		forget(refusal);
		return -1;
	}
	pthread_detach(thread);
	/* Not its last close: the thread has it, too. */
	if (!last_close_await(&refusal->last_close))
		result = close(client);
	last_close_allow(&refusal->last_close);
	return result;
}
