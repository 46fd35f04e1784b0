// SPDX-License-Identifier: GPL-2.0-or-later
/* refusal.c - see refusal.h. */
#include "stratad/sessions/refusal.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "stratad/sessions/client.h"

struct refusal {
	int client;
	const char *why;
	bool has_copy;
	sem_t looked, may_end; /* has_copy is valid; the client is the thread's alone */
};

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

	/* Also of all other files, none of which it closes before it ends: another thread may close
	 * one meanwhile, and leave the last close to us. */
	refusal->has_copy = !unshare(CLONE_FILES);
	sem_post(&refusal->looked);
	wait_for(&refusal->may_end);
	if (refusal->has_copy)
		client_send_refusal(refusal->client, refusal->why);
	forget(refusal);
	/* Our end closes the client and the copies, and does not linger. */
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
	if (refusal->has_copy)
		result = close(client);
	sem_post(&refusal->may_end);
	return result;
}
