/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpu_clock.h - decides when the clock map of a vCPU is recorded, and when
 * changes are only counted, because a guest makes too many.
 */

#ifndef __COMMON_STRATA_VCPU_CLOCK_H__
#define __COMMON_STRATA_VCPU_CLOCK_H__

#include <xen/sched.h>

struct strata_domain;

/* Records @v's map, even if it was recorded before. */
void strata_vcpu_clock_state(const struct vcpu *v);

/*
 * Records the newest maps of vCPUs with unrecorded changes, at the end of
 * their window, or @now.  Any context but interrupts.
 */
void strata_vcpu_clocks_late(bool now);

/* For the vCPUs of @d.  False: out of memory, with @mine unchanged. */
bool strata_vcpu_maps_make(struct strata_domain *mine, const struct domain *d);
void strata_vcpu_maps_free(struct strata_domain *mine);

#endif /* __COMMON_STRATA_VCPU_CLOCK_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
