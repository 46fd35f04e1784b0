/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clients.h - those who ask the running recorder for snapshots and for other
 * events over its socket: some as `strata snapshot` and `strata select` do, some with
 * nonsense, in pieces, or not to the end.
 * They have a turn whenever the recorder waits.
 */
#ifndef STRATA_TESTS_CLIENTS_H
#define STRATA_TESTS_CLIENTS_H

#include "random.h"

/*
 * Before each run.
 * @dir:       snapshots are to be made in it, as snap-0 and so on
 * @recording: the directory that the recorder itself writes to
 * @nonsense:  else all ask as they should
 * @granted:   a proper request is to be granted; else refused
 */
void clients_begin(const char *dir, const char *recording, bool nonsense, bool granted);

void clients_turn(struct randomness *random);

/* Disconnects all clients.  NULL, or what was wrong with an answer. */
const char *clients_end(void);

/* Snapshots that were granted since clients_begin(), and requests of other kinds since ever. */
uint32_t clients_granted(void);
uint64_t clients_nonsense(void);

#endif /* STRATA_TESTS_CLIENTS_H */
