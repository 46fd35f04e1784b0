/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resume.h - how the rings come through save, restore and migration.
 */
#ifndef STRATA_KMOD_RESUME_H
#define STRATA_KMOD_RESUME_H

#include <linux/types.h>

#include "grants.h"

/*
 * From now on the domain may be suspended.  @grants holds the rings, and at place
 * @root the root page.  Both stay the caller's, until strata_resume_close().
 */
void strata_resume_open(struct strata_grants *grants, u32 root);

/* May sleep. */
void strata_resume_close(void);

/*
 * Was the domain restored since the last call?  Then recording is to be stopped
 * and strata_resume_publish() called.  In the xenwatch thread.
 */
bool strata_resume_needed(void);

/* Announces the rings in the domain that this one has become.  May sleep. */
void strata_resume_publish(void);

#endif /* STRATA_KMOD_RESUME_H */
