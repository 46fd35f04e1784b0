/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stderr_queue.h - messages that never make the recorder wait: a pipe that nobody reads, or a
 * terminal that is stopped, takes no part in how long a recording lasts.
 *
 * While it is open, all that goes to stderr is held in a bounded queue and written as far as
 * that is possible without waiting.  What has no room is dropped and counted.
 */
#ifndef STRATA_CONSUMERD_STDERR_QUEUE_H
#define STRATA_CONSUMERD_STDERR_QUEUE_H

/* Puts the queue in stderr's place.  Without memory stderr stays what it is. */
void stderr_queue_open(void);

/* Writes what can be written now; call it often. */
void stderr_queue_flush(void);

/* Writes what is left, for as long as somebody reads on, and puts stderr back.  Also if it was not
 * opened. */
void stderr_queue_close(void);

#endif /* STRATA_CONSUMERD_STDERR_QUEUE_H */
