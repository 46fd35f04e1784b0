/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.h - identifies the process at the other end of a socket, as reported by the kernel. */
#ifndef STRATA_CONSUMERD_PEER_H
#define STRATA_CONSUMERD_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct peer {
	int32_t pid;
	uint32_t uid; /* effective, when it connected */
	/* The user whose share it uses. For a set-user-ID program the user who started it, and who
	 * may start any number of them; else the same as @uid. */
	uint32_t starter;
	bool ended;       /* it has ended since, so the starter is unknown */
	bool changed;     /* likewise: its user has changed since */
	char comm[32];    /* its name, chosen by the process */
	char program[80]; /* the name of its executable; likewise */
};

/* Reads the effective user of the process that connected.  0 or -1. */
int peer_user(int socket, uint32_t *uid, struct strata_error *error);

/*
 * Identifies the process that connected. Its names are empty if it has ended since: another process
 * may have its pid now. 0, or -1: it is in another PID namespace, or this user namespace does not
 * map its user.
 */
int peer_identify(int socket, struct peer *peer, struct strata_error *error);

#endif /* STRATA_CONSUMERD_PEER_H */
