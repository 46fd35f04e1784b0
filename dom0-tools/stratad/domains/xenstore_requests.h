/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenstore_requests.h - what a recorder asks of xenstored while rings fill, in a thread of its own:
 * xenstored serves all guests, and one that keeps it busy must not hold up the loop that drains
 * rings.
 *
 * Requests are made one after the other, in the order in which they were given; so are the commands
 * of each guest.
 */
#ifndef STRATA_STRATAD_XENSTORE_REQUESTS_H
#define STRATA_STRATAD_XENSTORE_REQUESTS_H

#include <stdbool.h>

#include "consumerd/xen/guest.h"

struct xenstore_requests;

/* What came of a look or a command. */
struct xenstore_reply {
	bool is_look;
	uint64_t whose;          /* as it was given */
	struct guest guest;      /* a look: what is there */
	uint32_t sequence;       /* a command: its number */
	bool failed;             /* ... it was not written */
	struct strata_error why; /* ... because of this */
};

/*
 * @xenstore: belongs to the requests from now on, until xenstore_requests_close().  The caller may
 *            go on with xs_check_watch() and xs_fileno(), which wait for nobody.
 * NULL with the reason; then it is the caller's still.
 */
struct xenstore_requests *xenstore_requests_open(struct xs_handle *xenstore,
						 struct strata_error *error);

/* Asks for a look at a domain, or for a command to it.  @whose: given back with the reply.  False:
 * out of memory. */
bool xenstore_requests_look(struct xenstore_requests *requests, uint32_t domain, uint64_t whose);
bool xenstore_requests_tell(struct xenstore_requests *requests, uint32_t domain, uint64_t whose,
			    uint32_t sequence, const struct guest_command *command);

/* Begins, or ends, a watch of what a domain's module publishes; the domain's number is its token.
 * Nobody is told if that fails.  False: out of memory. */
bool xenstore_requests_watch(struct xenstore_requests *requests, uint32_t domain, bool begins);

/* The oldest reply that was not taken; false: there is none. */
bool xenstore_requests_take(struct xenstore_requests *requests, struct xenstore_reply *reply);

/*
 * Makes the requests that are left, ends the thread, and closes the handle of xenstore.  If
 * xenstored does not answer for a second both stay as they are, until the process ends, which is
 * said.
 */
void xenstore_requests_close(struct xenstore_requests *requests);

#endif /* STRATA_STRATAD_XENSTORE_REQUESTS_H */
