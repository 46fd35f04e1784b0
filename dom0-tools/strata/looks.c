// SPDX-License-Identifier: GPL-2.0-or-later
/* looks.c - see looks.h. */
#include "looks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

struct looks {
	struct worker *worker;
	struct xs_handle *xenstore; /* the thread's own: a slow answer keeps no command waiting */
};

struct look {
	struct work work; /* first: they are converted */
	struct looks *looks;
	uint64_t whose;
	struct guest guest;
};

static void run(struct work *work)
{
	struct look *look = (struct look *)work;

	guest_look(look->looks->xenstore, look->guest.domain, &look->guest);
}

struct looks *looks_open(struct strata_error *error)
{
	struct looks *looks = calloc(1, sizeof(*looks));

	if (!looks) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	looks->xenstore = xs_open(0);
	if (!looks->xenstore)
		strata_fail(error, "xenstore cannot be reached: %s; is xenstored running?",
			    strerror(errno));
	else
		looks->worker = worker_open(error);
	if (looks->worker)
		return looks;
	looks_close(looks);
	return NULL;
}

bool looks_ask(struct looks *looks, uint32_t domain, uint64_t whose)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return false;
	look->work.run = run;
	look->looks = looks;
	look->whose = whose;
	look->guest.domain = domain;
	worker_give(looks->worker, &look->work);
	return true;
}

bool looks_take(struct looks *looks, uint64_t *whose, struct guest *guest)
{
	struct look *look = (struct look *)worker_take(looks->worker);

	if (!look)
		return false;
	*whose = look->whose;
	*guest = look->guest;
	free(look);
	return true;
}

static void drop(struct work *work)
{
	free(work);
}

void looks_close(struct looks *looks)
{
	if (!looks)
		return;
	worker_close(looks->worker, drop);
	if (looks->xenstore)
		xs_close(looks->xenstore);
	free(looks);
}
