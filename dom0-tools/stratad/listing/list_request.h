/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_request.h - answers the request `list` (docs/formats.md): what can be recorded here.
 *
 * `stratad --list` answers one and ends.  The running stratad answers none itself: a list takes
 * seconds when programs do not answer, needs nothing of stratad's state, and shall work where no
 * stratad runs.  For members of the group tracing it has a child answer (list_member.h).
 */
#ifndef STRATA_STRATAD_LIST_REQUEST_H
#define STRATA_STRATAD_LIST_REQUEST_H

#include <json-c/json.h>

/* Answers a request.  Returns the reply, for json_object_put().  Further messages go to stderr. */
struct json_object *list_request_answer(struct json_object *request);

/* Receives a request from a connected socket, and sends the reply.  Returns an exit status. */
int list_request_serve(int socket);

#endif /* STRATA_STRATAD_LIST_REQUEST_H */
