/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consumer.h - the process that records a channel of a session, or counts for a trigger of it:
 * strata-consumerd.
 *
 * It is no part of stratad: it records on when stratad is killed, and the next stratad finds it by
 * the lock that it holds (session_files.h).
 */
#ifndef STRATA_STRATAD_CONSUMER_H
#define STRATA_STRATAD_CONSUMER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <strata/control.h>

#include "base/error.h"
#include "stratad/sessions/session_files.h"

struct consumer {
	pid_t pid;   /* 0: none */
	int process; /* a descriptor of it; -1: none */
	int number;  /* of its recorder */
};

/*
 * Starts a consumer, and returns when it records, or counts.
 * @channel: of the session, or of one of its triggers
 * @output: directory of the recording; of a trigger ""
 * 0, or -1 with the reason, from its log.
 */
int consumer_start(struct consumer *consumer, const struct strata_session *session,
		   const struct strata_channel *channel, const char *output,
		   struct strata_error *error);

/* Finds the consumer of a channel that runs.  Whether there is one. */
bool consumer_find(struct consumer *consumer, const struct session_consumer *of);

/* Asks it to end: consumer_wait() returns when it has. */
void consumer_end(const struct consumer *consumer);

/* Waits for its end, from a thread of its own. */
void consumer_wait(const struct consumer *consumer);

/* Closes the descriptor. */
void consumer_forget(struct consumer *consumer);

/*
 * Sends a command (control_socket.h) and waits for the answer.
 * @answer: OUT
 * Returns the status of the answer, or -1.
 */
int consumer_ask(const struct consumer *consumer, const char *line, char *answer, size_t bytes,
		 struct strata_error *error);

#endif /* STRATA_STRATAD_CONSUMER_H */
