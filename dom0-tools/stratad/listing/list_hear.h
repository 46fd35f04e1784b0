/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_hear.h - receives the events of all listed programs at the same time.
 *
 * A program that sends nothing delays no other.  The programs of a user share the messages of a
 * round, so one user's many messages leave time for another's.
 */
#ifndef STRATA_STRATAD_LIST_HEAR_H
#define STRATA_STRATAD_LIST_HEAR_H

#include <stddef.h>
#include <stdint.h>

#include "consumerd/apps/app.h"
#include "consumerd/host/peer_look.h"
#include "consumerd/shares/principal.h"

/* Limit of simultaneous connections; each uses a file descriptor.  An untrusted user may have an
 * eighth. */
#define LISTED_MAX 2048u

enum listed_state {
	LISTED_CONNECTED,    /* its process was not looked at yet */
	LISTED_SPEAKING,     /* it has not sent all its events yet */
	LISTED_READY,        /* all its events are known */
	LISTED_GONE,         /* it hung up, or broke the protocol */
	LISTED_UNIDENTIFIED, /* its process has ended, or changed its user: not to be listed */
};

/* A program that has connected. */
struct listed {
	struct app app;
	const struct principal *who; /* its user */
	size_t turn;                 /* programs of that user that came before it */
	size_t number;               /* all programs that came before it */
	unsigned int round_messages; /* limit of messages per round; list_hear() sets it */
	enum listed_state state;
};

/*
 * Identifies all programs and receives their events, until the state of each is final or the time
 * is over.  A program's state afterwards tells how far it came.
 * @list:     @nr programs, LISTED_MAX at most, in state LISTED_CONNECTED; for equal chances of all
 *            users sorted by turn
 * @looks:    open, without a question
 * @until_ms: of CLOCK_MONOTONIC
 */
void list_hear(struct listed *const *list, size_t nr, struct peer_looks *looks, uint64_t until_ms);

#endif /* STRATA_STRATAD_LIST_HEAR_H */
