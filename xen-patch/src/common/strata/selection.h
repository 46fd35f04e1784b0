/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - says which events are recorded: a probe's test before it
 * reserves, which costs a few loads; and the drafts from which a selection is
 * made.
 *
 * A selection is immutable once probes can see it.  Another selection replaces
 * it, and it is freed after a grace period.
 */

#ifndef __COMMON_STRATA_SELECTION_H__
#define __COMMON_STRATA_SELECTION_H__

#include <xen/bitops.h>
#include <xen/sched.h>
#include <xen/trace.h>

#include <strata/abi/hypervisor.h>

#define STRATA_CLASSES        12 /* bits of an event that say its class ... */
#define STRATA_CLASS_EVENTS   (1u << TRC_CLS_SHIFT) /* ... and what is below */
#define STRATA_DOMAIN_NUMBERS 0x8000u /* DOMID_IDLE is the last */

struct strata_vcpu_rule {
    uint32_t first, last; /* domain << 16 | vCPU */
    bool recorded;
};

struct strata_selection {
    uint32_t budget_per_s;
    uint32_t tokens; /* a window's worth of tokens; 0: no bound */
    unsigned int nr_vcpu_rules;
    struct strata_vcpu_rule vcpu_rules[STRATA_HV_VCPU_RULES_MAX];
    unsigned long domains[BITS_TO_LONGS(STRATA_DOMAIN_NUMBERS)];
    unsigned long events[STRATA_CLASSES][BITS_TO_LONGS(STRATA_CLASS_EVENTS)];
};

/*
 * The current selection; NULL: no event.  A probe reads it once, after it has
 * been counted and before it ends.
 */
extern struct strata_selection *strata_selection;

static always_inline bool strata_bit(const unsigned long *map, unsigned int nr)
{
    return (map[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG)) & 1;
}

static always_inline bool strata_event_selected(
    const struct strata_selection *selection, uint32_t event)
{
    uint32_t class = (event & STRATA_HV_ID_TRACE) >> TRC_CLS_SHIFT;

    return class && strata_bit(selection->events[find_first_set_bit(class)],
                               event & (STRATA_CLASS_EVENTS - 1));
}

/* A vCPU's runstate changes.  The states are in the event's bits 4-5, 8-9. */
static always_inline bool strata_runstate_change(uint32_t event)
{
    return (event & STRATA_HV_ID_TRACE & ~0x330u) == TRC_SCHED_RUNSTATE_CHANGE;
}

/* For selections that have rules for vCPUs. */
bool strata_vcpu_selected(const struct strata_selection *selection,
                          const struct vcpu *v);

static always_inline bool strata_runner_selected(
    const struct strata_selection *selection, const struct vcpu *v)
{
    if ( unlikely(selection->nr_vcpu_rules) )
        return strata_vcpu_selected(selection, v);

    return strata_bit(selection->domains,
                      v->domain->domain_id & (STRATA_DOMAIN_NUMBERS - 1));
}

/*
 * Does STRATA_HV_SELECT without the grace period: on 0, the caller frees *@old
 * after one.  Under the sysctl lock.
 */
int strata_selection_change(struct strata_hv_op *op,
                            struct strata_selection **old);

/* Frees the selection and the draft.  The gate is shut and no probe is under
 * way. */
void strata_selection_free(void);

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
