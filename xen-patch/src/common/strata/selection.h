/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - says which events a channel takes, and the drafts from which a
 * selection is made.
 *
 * A selection is immutable once probes can see it, which they do through a set
 * (set.h).  Another selection replaces it, and it is freed after a grace
 * period.
 */

#ifndef __COMMON_STRATA_SELECTION_H__
#define __COMMON_STRATA_SELECTION_H__

#include <xen/bitops.h>
#include <xen/sched.h>
#include <xen/strata_trace.h>
#include <xen/trace.h>

#include <strata/abi/hypervisor.h>

#define STRATA_DOMAIN_NUMBERS 0x8000u /* DOMID_IDLE is the last */

struct strata_channel;

struct strata_vcpu_rule {
    uint32_t first, last; /* domain << 16 | vCPU */
    bool recorded;
};

struct strata_selection {
    uint32_t tokens; /* a window's worth of tokens; 0: no bound */
    unsigned int nr_vcpu_rules;
    struct strata_vcpu_rule vcpu_rules[STRATA_HV_VCPU_RULES_MAX];
    unsigned long domains[BITS_TO_LONGS(STRATA_DOMAIN_NUMBERS)];
    unsigned long events[STRATA_CLASSES][BITS_TO_LONGS(STRATA_CLASS_EVENTS)];
};

static always_inline bool strata_bit(const unsigned long *map, unsigned int nr)
{
    return (map[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG)) & 1;
}

/* A vCPU's runstate changes.  The states are in the event's bits 4-5, 8-9. */
static always_inline bool strata_runstate_change(uint32_t event)
{
    return (event & STRATA_HV_ID_TRACE & ~0x330u) == TRC_SCHED_RUNSTATE_CHANGE;
}

/* For selections that have rules for vCPUs. */
bool strata_vcpu_selected(const struct strata_selection *selection,
                          const struct vcpu *v);

static inline bool strata_runner_selected(
    const struct strata_selection *selection, const struct vcpu *v)
{
    if ( unlikely(selection->nr_vcpu_rules) )
        return strata_vcpu_selected(selection, v);

    return strata_bit(selection->domains,
                      v->domain->domain_id & (STRATA_DOMAIN_NUMBERS - 1));
}

/*
 * Applies the rules of one call of STRATA_HV_SELECT to the channel's draft.
 * Under the sysctl lock.
 */
int strata_selection_draft(struct strata_channel *channel,
                           const struct strata_hv_op *op);

/* Completes a draft. */
void strata_selection_set_budget(struct strata_selection *draft,
                                 uint32_t per_s);

#endif /* __COMMON_STRATA_SELECTION_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
