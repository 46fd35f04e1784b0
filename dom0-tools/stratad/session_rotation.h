/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_rotation.h - rotation: ends a recording and continues in a new one, on request, by size
 * or by time; removes the oldest recordings.
 */
#ifndef STRATA_STRATAD_SESSION_ROTATION_H
#define STRATA_STRATAD_SESSION_ROTATION_H

#include <strata/control.h>

#include "consumerd/recorder.h"

struct session;
struct rotation;

/* Prepares rotation of a recording that begins now.  NULL: out of memory. */
struct rotation *rotation_open(const struct strata_rotation *when);

/* Sets when to rotate, and how many recordings to keep. */
void rotation_set(struct rotation *rotation, const struct strata_rotation *when);

/*
 * Ends the recording and continues in a new one beside it.
 * @path: its directory, which does not exist; NULL: named by the date
 * Returns 0; 1: the ended recording is incomplete, and the reason was printed; -1: the present
 * recording continues.
 */
int session_rotate(struct session *session, const char *path, struct strata_error *error);

/* Rotates, likewise, and removes all ended recordings of this run.  0 or -1. */
int session_clear(struct session *session, const char *path, struct strata_error *error);

/* Call it in each turn: rotates when due, and removes old recordings.  Prints failures. */
void session_tend_rotation(struct session *session);

/* How long the loop may wait, @most_ms at most, before it is to rotate by time, or to try again. */
uint64_t session_rotation_wait_ms(const struct session *session, uint64_t most_ms);

/* How many recordings have ended. */
unsigned int rotation_count(const struct rotation *rotation);

/* Whether an ended recording lacks something that could not be written. */
bool rotation_is_partial(const struct rotation *rotation);

/* Waits for removals in progress, and frees the rotation.  Call it before recorder_close(). */
void rotation_close(struct rotation *rotation);

#endif /* STRATA_STRATAD_SESSION_ROTATION_H */
