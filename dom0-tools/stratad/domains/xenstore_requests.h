/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenstore_requests.h - sends requests to xenstored in a separate thread while rings fill: a guest
 * that keeps xenstored busy must not delay the loop that drains rings.
 *
 * Requests are executed in order, and with them the commands of each guest.
 */
#ifndef STRATA_STRATAD_XENSTORE_REQUESTS_H
#define STRATA_STRATAD_XENSTORE_REQUESTS_H

#include <stdbool.h>

#include "consumerd/xen/guest.h"

struct xenstore_requests;

/* The result of a read or a command. */
struct xenstore_reply {
	bool is_look;
	uint64_t whose;          /* as it was given */
	struct guest guest;      /* of a read: the nodes */
	uint32_t sequence;       /* a command: its number */
	bool failed;             /* ... it was not written */
	struct strata_error why; /* ... because of this */
};

/*
 * @xenstore: owned by the requests until xenstore_requests_close().  The caller may still use
 *            xs_check_watch() and xs_fileno(), which do not block.
 * @channel: of each kernel, which they are about
 * NULL with the reason; then the caller still owns it.
 */
struct xenstore_requests *xenstore_requests_open(struct xs_handle *xenstore, uint32_t channel,
						 struct strata_error *error);

/* Requests a read of a domain's nodes, or a command. @whose: returned with the reply. False: out of
 * memory. */
bool xenstore_requests_look(struct xenstore_requests *requests, uint32_t domain, uint64_t whose);
bool xenstore_requests_tell(struct xenstore_requests *requests, uint32_t domain, uint64_t whose,
			    uint32_t sequence, const struct guest_command *command);

/* Begins or ends a watch of a domain's nodes; the domain's number is the token.  Failures are not
 * reported.  False: out of memory. */
bool xenstore_requests_watch(struct xenstore_requests *requests, uint32_t domain, bool begins);

/* Takes the oldest reply; false: none. */
bool xenstore_requests_take(struct xenstore_requests *requests, struct xenstore_reply *reply);

/*
 * Executes the remaining requests, ends the thread, and closes xenstore.  If xenstored does not
 * answer for a second, reports that, and leaves both until the process ends.
 */
void xenstore_requests_close(struct xenstore_requests *requests);

#endif /* STRATA_STRATAD_XENSTORE_REQUESTS_H */
