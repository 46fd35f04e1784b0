/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpu_clock.h - the clock maps of vCPUs: when one is recorded, and when a change
 * of one is not, because a guest changes it all the time.
 */

#ifndef __COMMON_STRATA_VCPU_CLOCK_H__
#define __COMMON_STRATA_VCPU_CLOCK_H__

#include <xen/sched.h>

struct strata_domain;

/* Records @v's map, whatever was recorded of it before. */
void strata_vcpu_clock_state(const struct vcpu *v);

/*
 * Records the newest maps of the vCPUs of which changes were not recorded, when
 * their window is over, or now.  Any context but interrupts.
 */
void strata_vcpu_clocks_late(bool now);

/* For the vCPUs of @d.  False: no memory, and @mine is as before. */
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
