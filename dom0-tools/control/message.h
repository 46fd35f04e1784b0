/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - messages between strata and stratad: a JSON object and a newline each way, over a
 * stream socket.  docs/formats.md lists their members.
 *
 *   request   {"verb": "start", "name": "web"}
 *   reply     {"status": 0, "message": "session web records into /srv/web", "notes": [...]}
 */
#ifndef STRATA_CONTROL_MESSAGE_H
#define STRATA_CONTROL_MESSAGE_H

#include <json-c/json.h>
#include <stddef.h>

#include "base/error.h"

/* Of stratad, in the run directory. */
#define MESSAGE_SOCKET "stratad.sock"

/* Likewise, of root's stratad: for members of this group. */
#define MESSAGE_MEMBER_SOCKET "members.sock"
#define MESSAGE_MEMBER_GROUP  "tracing"

/* Likewise: it holds this file's lock (run_lock.h) while it runs. */
#define MESSAGE_LOCK "stratad.lock"

/* The directory with stratad's own files of sessions, likewise. */
#define MESSAGE_SESSIONS "sessions"

#define MESSAGE_REQUEST_BYTES (2u << 20)
#define MESSAGE_REPLY_BYTES   (256u << 20)

/* Sends an object within @limit_ms.  0 or -1. */
int message_send(int socket, struct json_object *object, int limit_ms, struct strata_error *error);

/*
 * Receives an object within @limit_ms (-1: however long it takes), for json_object_put().
 * @max_bytes: of its text
 * NULL with the reason; with errno ECONNRESET the connection was closed before a whole message.
 */
struct json_object *message_receive(int socket, size_t max_bytes, int limit_ms,
				    struct strata_error *error);

#endif /* STRATA_CONTROL_MESSAGE_H */
