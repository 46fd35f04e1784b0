/* SPDX-License-Identifier: MIT */
/*
 * connection.h - the connection with one recorder: the messages of strata/abi/app.h, for the
 * channel with that recorder's number.
 *
 * The thread that serves a channel owns its connection; others may only announce events.  A
 * recorder that does not read or answer delays nobody beyond the time that each call is given.
 */
#ifndef STRATA_LIBSTRATA_CONNECTION_H
#define STRATA_LIBSTRATA_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Longest wait for recorders, each time. */
void connection_prepare(uint32_t wait_ms);

/* The point in time, of CLOCK_MONOTONIC, until which a wait that begins now may last. */
struct timespec connection_limit(void);

enum connection_try {
	CONNECTION_MADE,
	CONNECTION_NONE,
	CONNECTION_LATER, /* not possible now, or the recorder is too busy */
};

/* Connects a channel that is not connected to its recorder, if that listens. */
enum connection_try connection_open(uint32_t channel, const struct timespec *until);

/* Serves a channel until the recorder or the program ends the connection. */
void connection_serve(uint32_t channel);

/* Closes a connection that is not served. */
void connection_drop(uint32_t channel);

/* Announces the events that the recorder does not know yet, if the channel is connected. */
void connection_announce(uint32_t channel, const struct timespec *until);

/* Waits until each recorder has selected or refused all events, or until then. */
void connection_await_all(const struct timespec *until);

/* After fork(), in the child: the connections are the parent's.  With the registry's lock held. */
void connection_forget_all(void);

#endif /* STRATA_LIBSTRATA_CONNECTION_H */
