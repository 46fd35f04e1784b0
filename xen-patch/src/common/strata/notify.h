/* SPDX-License-Identifier: GPL-2.0-only */
/* notify.h - wakes the reader of a channel when a sub-buffer is ready. */

#ifndef __COMMON_STRATA_NOTIFY_H__
#define __COMMON_STRATA_NOTIFY_H__

#include "private.h"

/*
 * A sub-buffer of @ring became ready: a softirq wakes the reader.  Any context,
 * NMI included.
 */
void strata_notify(struct strata_cpu_ring *ring, unsigned int channel);

#endif /* __COMMON_STRATA_NOTIFY_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
