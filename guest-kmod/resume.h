/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resume.h - keeps the rings across save, restore and migration.
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
 * Whether the domain was restored since the last call. If so, stop recording and call
 * strata_resume_publish(). In the xenwatch thread.
 */
bool strata_resume_needed(void);

/* Announces the rings in the domain that this one has become.  May sleep. */
void strata_resume_publish(void);

#endif /* STRATA_KMOD_RESUME_H */
