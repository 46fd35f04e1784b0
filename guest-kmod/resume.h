/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resume.h - keeps the rings across save, restore and migration.
 */
#ifndef STRATA_KMOD_RESUME_H
#define STRATA_KMOD_RESUME_H

#include <linux/types.h>

/* From now on the domain may be suspended.  Channel 0 stays until strata_resume_close(). */
void strata_resume_open(void);

/* May sleep. */
void strata_resume_close(void);

/*
 * Whether the domain was restored since the last call. If so, stop recording, end
 * all channels but 0, and call strata_resume_publish(). In the xenwatch thread.
 */
bool strata_resume_needed(void);

/* Announces the rings in the domain that this one has become.  May sleep. */
void strata_resume_publish(void);

#endif /* STRATA_KMOD_RESUME_H */
