/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.h - which process is at the other end of a socket, by the kernel's word. */
#ifndef STRATA_CONSUMERD_PEER_H
#define STRATA_CONSUMERD_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct peer {
	int32_t pid;
	uint32_t uid; /* effective, when it connected */
	/* Whose share it takes: the same, but of a set-user-ID program the user who started it, who
	 * could start as many as he likes. */
	uint32_t starter;
	bool ended;       /* it has ended since, so the starter is not known */
	bool changed;     /* likewise: it has become another user's since */
	char comm[32];    /* its name; its own choice */
	char program[80]; /* the name of its executable; likewise */
};

/* The effective user of the process that connected.  0, or -1: the kernel does not say. */
int peer_user(int socket, uint32_t *uid, struct strata_error *error);

/*
 * Identifies the process that connected.  Its names are empty if it has ended since:
 * another process may have its number now.
 * 0, or -1: it is of another PID namespace, or of a user without a number in this user
 * namespace.
 */
int peer_identify(int socket, struct peer *peer, struct strata_error *error);

#endif /* STRATA_CONSUMERD_PEER_H */
