// SPDX-License-Identifier: GPL-2.0-or-later
/* refusal.c - see refusal.h. */
#include "stratad/sessions/refusal.h"

#include <linux/close_range.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "stratad/sessions/client.h"

struct refusal {
	int client;
	const char *why;
	bool is_apart;
	sem_t looked, may_end; /* is_apart is valid; the client is the thread's alone */
};

/* Takes a table of open files of its own, which holds the client alone.  The client has the
 * highest number that is copied. */
static bool hold_alone(int client)
{
	if (close_range((unsigned int)client + 1, ~0u, CLOSE_RANGE_UNSHARE))
		return false;
	if (client > 0)
		close_range(0, (unsigned int)client - 1, 0);
	return true;
}

static void wait_for(sem_t *event)
{
	while (sem_wait(event))
		;
}

static void forget(struct refusal *refusal)
{
	sem_destroy(&refusal->looked);
	sem_destroy(&refusal->may_end);
	free(refusal);
}

static void *refuse(void *data)
{
	struct refusal *refusal = data;

	refusal->is_apart = hold_alone(refusal->client);
	sem_post(&refusal->looked);
	wait_for(&refusal->may_end);
	if (refusal->is_apart)
		client_send_refusal(refusal->client, refusal->why);
	forget(refusal);
	/* Our end closes the client. */
	return NULL;
}

int refusal_begin(int client, const char *why)
{
	struct refusal *refusal = malloc(sizeof(*refusal));
	int result = -1;
	pthread_t thread;

	if (!refusal)
		return -1;
	*refusal = (struct refusal){ .client = client, .why = why };
	sem_init(&refusal->looked, 0, 0);
	sem_init(&refusal->may_end, 0, 0);
	if (pthread_create(&thread, NULL, refuse, refusal)) {
		forget(refusal);
		return -1;
	}
	pthread_detach(thread);
	wait_for(&refusal->looked);
	/* Not its last close: the thread has it, too. */
	if (refusal->is_apart)
		result = close(client);
	sem_post(&refusal->may_end);
	return result;
}
