/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer_look.h - reads what /proc says of other users' processes, in processes of its own.
 *
 * While the kernel reads /proc/PID, the reader has a reference to that process's memory or files.
 * If the process ends meanwhile, the reader frees what they held, which takes as long as that user
 * likes: it waits for asynchronous I/O, and closes files that were mapped (SO_LINGER).  So a
 * process looks that a helper, which is small, has forked ahead.  If all that it has forked still
 * look when there is another question, the helper forks the next, so no look waits for another.
 */
#ifndef STRATA_CONSUMERD_PEER_LOOK_H
#define STRATA_CONSUMERD_PEER_LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "consumerd/host/peer.h"

struct peer_looks {
	int socket; /* readable when there is an answer, or the helper has ended; -1: not open */
	pid_t helper;
	pid_t ancestor; /* of peer_looks_open() */
};

/* A question, and its answer. */
struct peer_look {
	uint64_t number; /* the caller's */
	int32_t pid;
	bool later;      /* no process could be created to look: ask again */
	uint64_t cpu_ns; /* CPU time of the look */
	struct peer_names names;
};

/* Starts the helper, which inherits no file.  Call it early: it keeps the memory of its caller.
 * @ancestor: whose descendants are noted (peer_names.descends); 0: nobody's
 * 0 or -1. */
int peer_looks_open(struct peer_looks *looks, pid_t ancestor, struct strata_error *error);

/* Asks for the names, without waiting.  False: too much is asked already; ask again. */
bool peer_looks_ask(const struct peer_looks *looks, uint64_t number, int32_t pid);

/* Takes an answer, without waiting; answers come in any order.
 * @ended: OUT: the helper has ended, and no answer comes any more: close and open
 * False: no answer has arrived. */
bool peer_looks_answer(struct peer_looks *looks, struct peer_look *look, bool *ended);

/* Ends the helper and all looks.  Also if it was never opened. */
void peer_looks_close(struct peer_looks *looks);

#endif /* STRATA_CONSUMERD_PEER_LOOK_H */
