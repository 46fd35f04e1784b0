/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h - stratad's socket: takes requests of its own user and of root, each connection in a
 * thread of its own, so that commands of different sessions do not wait for each other.
 */
#ifndef STRATA_STRATAD_DAEMON_H
#define STRATA_STRATAD_DAEMON_H

#include "base/error.h"

/* Takes the daemon's lock and listens, at the socket that systemd hands over if it does.  A
 * descriptor to poll for input, or -1: another stratad runs, or may not. */
int daemon_open(struct strata_error *error);

/* Serves requests until @quit, a descriptor, is readable; waits for those that are being served.
 * Consumers record on. */
void daemon_serve(int listener, int quit);

/* Closes the socket, and removes its name unless it is systemd's. */
void daemon_close(int listener);

#endif /* STRATA_STRATAD_DAEMON_H */
