/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stderr_queue.h - prints messages without waiting for their reader, so that an unread pipe or a
 * stopped terminal does not stop the recorder.
 *
 * While it is open, all output to stderr goes to a bounded queue, and from there as far as possible
 * without waiting.  Messages that do not fit are dropped and counted. A file's messages wait until
 * it has room.
 */
#ifndef STRATA_CONSUMERD_STDERR_QUEUE_H
#define STRATA_CONSUMERD_STDERR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/* Puts the queue in stderr's place.  Out of memory, stderr stays as it is. */
void stderr_queue_open(void);

/* From now on, if stderr is a regular file, that is a log of at most @most bytes (log_limit.h). */
void stderr_queue_limit_file(size_t most);

/* Writes without waiting; call it often. */
void stderr_queue_flush(void);

/* Whether nothing waits to be written, but for room in a file, which may never come. */
bool stderr_queue_is_empty(void);

/* Writes the rest while it is read, and restores stderr.  Fine without stderr_queue_open(). */
void stderr_queue_close(void);

#endif /* STRATA_CONSUMERD_STDERR_QUEUE_H */
