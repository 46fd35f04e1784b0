/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.h - identifies the process at the other end of a socket, as reported by the kernel. */
#ifndef STRATA_CONSUMERD_PEER_H
#define STRATA_CONSUMERD_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct peer {
	/* A descriptor of the process, for the caller to close: its user can make that take as long
	 * as he likes (locks of ranges).  -1: none. */
	int process;
	int32_t pid;
	uint32_t uid; /* effective, when it connected */
	/* The user whose share it uses. For a set-user-ID program the user who started it, and who
	 * may start any number of them; else the same as @uid. */
	uint32_t starter;
	bool ended;       /* it has ended since, so the starter is unknown */
	bool changed;     /* likewise: its user has changed since */
	char comm[32];    /* its name, chosen by the process */
	char program[80]; /* the name of its executable; likewise */
	bool descends;    /* from the process that was asked after */
};

/* What /proc says of a process: of the next one of that pid if it has ended. */
struct peer_names {
	bool has_users; /* false: it has ended */
	uint32_t real;
	uint32_t effective;
	bool descends;    /* from the process that was asked after */
	char comm[32];    /* see struct peer */
	char program[80]; /* likewise */
};

/* Reads what peer_identify() has to know of this machine, once: others may delay who reads these
 * files (own_proc.h). */
void peer_prepare(void);

/* Reads the pid and the effective user of the process that connected.  0, or -1: it is in another
 * PID namespace. */
int peer_process(int socket, int32_t *pid, uint32_t *uid, struct strata_error *error);

/*
 * Reads what /proc says of a process.  It may wait for as long as that process's user likes: see
 * peer_look.h.
 * @ancestor: see peer_names.descends; 0: nobody
 */
void peer_read_names(int32_t pid, int32_t ancestor, struct peer_names *names);

/*
 * Identifies the process that connected. Its names are empty if it has ended since: another process
 * may have its pid now.
 * @names: what peer_read_names() has read since
 * 0, or -1: it is in another PID namespace, or this user namespace does not map its user.
 */
int peer_identify(int socket, const struct peer_names *names, struct peer *peer,
		  struct strata_error *error);

/*
 * Whether the process that connected has ended, or, before Linux 5.3, false.
 * @process: IN/OUT: as of struct peer; opened if it is -1
 */
bool peer_has_ended(int socket, int *process);

#endif /* STRATA_CONSUMERD_PEER_H */
