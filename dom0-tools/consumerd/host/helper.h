/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helper.h - what makes a child of the recorder a helper: a small process that does what may take
 * long, and forks others for it.
 *
 * Called by peer_look.c and memory_makers.c.
 */
#ifndef STRATA_CONSUMERD_HELPER_H
#define STRATA_CONSUMERD_HELPER_H

/*
 * Keeps one descriptor of the recorder's, which becomes STDIN_FILENO, and ignores signals that are
 * for the recorder.  Children need nobody to wait for them.  A helper that hangs keeps no file,
 * lock or directory of the recorder's.  Ends the process if it cannot.
 */
void helper_settle(int socket);

#endif /* STRATA_CONSUMERD_HELPER_H */
