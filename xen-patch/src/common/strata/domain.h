/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domain.h - the state of each limited domain: a budget for each channel on
 * each physical CPU, and the last clock map of each vCPU.
 *
 * It is allocated when recording starts, or when a vCPU is created, and freed
 * with the domain or with the rings of the last channel.  Probes reach it through d->strata, which
 * they load once, between strata_probe_begin() and strata_probe_end().
 */

#ifndef __COMMON_STRATA_DOMAIN_H__
#define __COMMON_STRATA_DOMAIN_H__

#include <xen/cache.h>
#include <xen/sched.h>
#include <xen/types.h>

struct strata_vcpu_map;

/* The causes of records while a domain runs; see budget.h. */
enum strata_cause {
    STRATA_BY_GUEST,
    STRATA_BY_INTERRUPT,
    STRATA_NR_CAUSES
};

/* The budget of a domain on one CPU, in one channel, for one cause; see
 * budget.h. */
struct strata_bucket {
    long tokens; /* none are left below 1 */
    uint64_t refilled_ticks;
    bool refusing; /* since the last window began */
};

struct strata_budget {
    struct strata_bucket bucket[STRATA_NR_CAUSES];
    unsigned long refused; /* in all */
    unsigned long told;    /* of these, recorded */
} __cacheline_aligned;

struct strata_domain {
    struct strata_vcpu_map *maps; /* of each vCPU; see vcpu_clock.c */
    unsigned int nr_maps;
    bool late; /* a vCPU's newest map is not recorded yet */
    struct strata_budget budget[]; /* of each channel of each CPU */
};

/* Domains without a limit: they could do worse harm than fill a ring. */
static always_inline bool strata_domain_unbounded(const struct domain *d)
{
    return d->is_privileged || d == hardware_domain ||
           d->domain_id >= DOMID_FIRST_RESERVED;
}

/*
 * Allocates the state of @d, unless it exists or @d has no bound.  Without
 * memory, only changes of @d's runstates are recorded; during a recording, a
 * record says so.
 */
void strata_domain_make(struct domain *d);

/* Frees the state of all domains.  No channel is left, no probe is under way. */
void strata_domain_free_all(void);

#endif /* __COMMON_STRATA_DOMAIN_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
