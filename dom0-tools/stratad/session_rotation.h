/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_rotation.h - a recording that never ends as a series of recordings: begins a new one on
 * request, and by size and time; removes the oldest.
 */
#ifndef STRATA_STRATAD_SESSION_ROTATION_H
#define STRATA_STRATAD_SESSION_ROTATION_H

#include <strata/control.h>

#include "consumerd/recorder.h"

struct session;
struct rotation;

/* Prepares for rotations of a recording that begins now.  NULL: out of memory. */
struct rotation *rotation_open(const struct strata_rotation *when);

/* Sets when to rotate, and how many recordings to keep. */
void rotation_set(struct rotation *rotation, const struct strata_rotation *when);

/* Ends the recording and goes on in a new one beside it.  0; 1: some of the ended one could not be
 * written, which was printed; or -1: it goes on where it was. */
int session_rotate(struct session *session, struct strata_error *error);

/* Rotates, and removes everything of earlier recordings of this run.  0 or -1. */
int session_clear(struct session *session, struct strata_error *error);

/* In each turn: rotates if it is time, and has recordings removed.  Failures are printed. */
void session_tend_rotation(struct session *session);

/* How many recordings have ended. */
unsigned int rotation_count(const struct rotation *rotation);

/* Removes what is still to be removed, and frees it; before the recorder closes. */
void rotation_close(struct rotation *rotation);

#endif /* STRATA_STRATAD_SESSION_ROTATION_H */
