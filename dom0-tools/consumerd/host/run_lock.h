/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_lock.h - the locks of recorders, in the run directory (run_dir.h): each recorder holds that
 * of its number, and that of whatever only one recorder at a time can record.
 */
#ifndef STRATA_CONSUMERD_RUN_LOCK_H
#define STRATA_CONSUMERD_RUN_LOCK_H

#include <stddef.h>

#include "base/error.h"

#define RUN_LOCK_HOLDER_BYTES 96u

/* The holder of a lock that could not write who it is: there was no space. */
#define RUN_LOCK_NAMELESS "another strata"

/* run_lock_take(): somebody else holds it. */
#define RUN_LOCK_HELD (-2)

/*
 * Takes NAME.lock.
 * @holder: IN: who takes it, a line for others to read; OUT, with RUN_LOCK_HELD: who holds it
 * Returns a descriptor for run_lock_release(), RUN_LOCK_HELD, or -1 with the reason.
 */
int run_lock_take(const char *name, char holder[RUN_LOCK_HOLDER_BYTES], struct strata_error *error);

/* Whether somebody holds NAME.lock, and who; or who died with it, "" being nobody.  1, 0, or -1
 * with the reason. */
int run_lock_look(const char *name, char holder[RUN_LOCK_HOLDER_BYTES], struct strata_error *error);

void run_lock_release(int lock);

#endif /* STRATA_CONSUMERD_RUN_LOCK_H */
