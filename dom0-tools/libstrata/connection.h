/* SPDX-License-Identifier: MIT */
/*
 * connection.h - the connection with one recorder (recorder_socket.h): the messages of
 * strata/abi/app.h, for the channel that it has while it is connected.
 *
 * The thread that serves a recorder owns its connection; others may only announce events.  A
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

/* Connects to a recorder that is not connected, if it listens and a channel is free. */
enum connection_try connection_open(uint32_t recorder, const struct timespec *until);

/* Serves a connection until the recorder or the program ends it. */
void connection_serve(uint32_t recorder);

/* Tells a recorder why the program is not recorded, over a connection that is not served; until the
 * recorder has heard it, or until then. */
void connection_tell_no_thread(uint32_t recorder, const struct timespec *until);

/* Closes a connection that is not served. */
void connection_drop(uint32_t recorder);

/* Announces the events that a recorder does not know yet, if it is connected.  False: it does not
 * read them in time; a thread has to announce the rest. */
bool connection_announce(uint32_t recorder, const struct timespec *until);

/* Announces the rest, however long that takes. */
void connection_announce_rest(uint32_t recorder);

/* There is no such thread: the rest is announced with the next events. */
void connection_cannot_announce_rest(uint32_t recorder);

/* Wakes the recorders of channels, given as bits.  One that has not read its last messages is awake
 * anyway. */
void connection_wake(uint32_t channels);

/* Waits until each recorder has selected or refused all events, or until then. */
void connection_await_all(const struct timespec *until);

/* After fork(), in the child: the connections are the parent's.  With the registry's lock held. */
void connection_forget_all(void);

#endif /* STRATA_LIBSTRATA_CONNECTION_H */
