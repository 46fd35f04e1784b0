/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.c - makes a selection from rules: which events of which domains
 * are recorded.
 *
 * Called by select.c, under the sysctl lock.  set.c makes of it what probes
 * test.
 */

#include <xen/errno.h>
#include <xen/lib.h>
#include <xen/vmap.h>

#include "channel.h"
#include "selection.h"

bool strata_vcpu_selected(const struct strata_selection *selection,
                          const struct vcpu *v)
{
    uint32_t domain = v->domain->domain_id & (STRATA_DOMAIN_NUMBERS - 1);
    uint32_t number = (domain << 16) | v->vcpu_id;
    unsigned int i = selection->nr_vcpu_rules;

    while ( i-- )
    {
        const struct strata_vcpu_rule *rule = &selection->vcpu_rules[i];

        if ( number >= rule->first && number <= rule->last )
            return rule->recorded;
    }

    return strata_bit(selection->domains, domain);
}

static void assign(unsigned long *map, unsigned int nr, bool set)
{
    if ( set )
        __set_bit(nr, map);
    else
        __clear_bit(nr, map);
}

/* Visits every combination of the free bits in each matching class. */
static int apply_event_rule(struct strata_selection *draft,
                            const struct strata_hv_rule *rule)
{
    const uint32_t low = STRATA_CLASS_EVENTS - 1;
    uint32_t free = ~rule->b & low;
    unsigned int class;

    if ( (rule->a & ~rule->b) || (rule->b & ~STRATA_HV_ID_TRACE) )
        return -EINVAL;

    for ( class = 0; class < STRATA_CLASSES; class++ )
    {
        uint32_t filled = 0;

        if ( ((1u << (TRC_CLS_SHIFT + class)) & rule->b) !=
             (rule->a & rule->b & ~low) )
            continue;
        if ( free == low )
        {
            memset(draft->events[class], rule->recorded ? 0xff : 0,
                   sizeof(draft->events[class]));
            continue;
        }
        do {
            assign(draft->events[class], (rule->a & low) | filled,
                   rule->recorded);
            filled = (filled - free) & free;
        } while ( filled );
    }

    return 0;
}

/* Removes the rules for vCPUs of domains @first to @last. */
static void drop_vcpu_rules(struct strata_selection *draft, uint32_t first,
                            uint32_t last)
{
    unsigned int i, kept = 0;

    for ( i = 0; i < draft->nr_vcpu_rules; i++ )
    {
        uint32_t domain = draft->vcpu_rules[i].first >> 16;

        if ( domain < first || domain > last )
            draft->vcpu_rules[kept++] = draft->vcpu_rules[i];
    }
    draft->nr_vcpu_rules = kept;
}

static int apply_domain_rule(struct strata_selection *draft,
                             const struct strata_hv_rule *rule)
{
    unsigned int domain;

    if ( rule->a > rule->b || rule->b >= STRATA_DOMAIN_NUMBERS )
        return -EINVAL;

    drop_vcpu_rules(draft, rule->a, rule->b);
    for ( domain = rule->a; domain <= rule->b; domain++ )
        assign(draft->domains, domain, rule->recorded);

    return 0;
}

static int apply_vcpu_rule(struct strata_selection *draft,
                           const struct strata_hv_rule *rule)
{
    struct strata_vcpu_rule *new;

    if ( rule->a > rule->b || (rule->a ^ rule->b) >> 16 ||
         rule->a >> 16 >= STRATA_DOMAIN_NUMBERS )
        return -EINVAL;
    if ( draft->nr_vcpu_rules == ARRAY_SIZE(draft->vcpu_rules) )
        return -E2BIG;

    new = &draft->vcpu_rules[draft->nr_vcpu_rules++];
    new->first = rule->a;
    new->last = rule->b;
    new->recorded = rule->recorded;

    return 0;
}

static int apply_rule(struct strata_selection *draft,
                      const struct strata_hv_rule *rule)
{
    if ( rule->recorded > 1 )
        return -EINVAL;

    switch ( rule->kind )
    {
    case STRATA_HV_RULE_EVENTS:
        return apply_event_rule(draft, rule);

    case STRATA_HV_RULE_DOMAINS:
        return apply_domain_rule(draft, rule);

    case STRATA_HV_RULE_VCPUS:
        return apply_vcpu_rule(draft, rule);
    }

    return -EINVAL;
}

static int begin(struct strata_channel *channel)
{
    vfree(channel->draft);
    channel->draft = vzalloc(sizeof(*channel->draft));
    if ( !channel->draft )
        return -ENOMEM;

    memset(channel->draft->domains, 0xff, sizeof(channel->draft->domains));

    return 0;
}

void strata_selection_set_budget(struct strata_selection *draft,
                                 uint32_t per_s)
{
    uint64_t tokens = (uint64_t)per_s * STRATA_HV_BUDGET_WINDOW_MS / 1000;

    draft->tokens = per_s ? max_t(uint64_t, tokens, 1) : 0;
}

int strata_selection_draft(struct strata_channel *channel,
                           const struct strata_hv_op *op)
{
    unsigned int i;
    int rc;

    if ( op->u.select.nr > ARRAY_SIZE(op->u.select.rules) )
        return -EINVAL;

    if ( op->u.select.flags & STRATA_HV_SELECT_BEGIN )
    {
        rc = begin(channel);
        if ( rc )
            return rc;
    }
    if ( !channel->draft )
        return -ENOENT;

    for ( i = 0; i < op->u.select.nr; i++ )
    {
        rc = apply_rule(channel->draft, &op->u.select.rules[i]);
        if ( rc )
            return rc;
    }

    return 0;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
