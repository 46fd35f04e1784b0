// SPDX-License-Identifier: GPL-2.0-or-later
/* grants.c - see grants.h. */
#include "state/grants.h"

#include <stdlib.h>

/* DOMID_SELF: the domain that asks. */
#define DOMAIN_SELF 0x7ff0u

struct grant {
	const struct strata_vcpu *vcpu; /* that mapped it */
	struct strata_moment since;
	uint32_t granter, ref;
	uint64_t losses;
};

static uint64_t id_of(const struct strata_vcpu *vcpu, uint32_t handle)
{
	return (uint64_t)(vcpu->machine & 0xffff) << 48 | (uint64_t)(vcpu->domain & 0xffff) << 32 |
	       handle;
}

/* NULL: out of memory, or the domain's share is used up. */
static struct grant *add(struct strata_grants *grants, const struct strata_vcpu *vcpu,
			 uint32_t handle)
{
	struct grant *grant;

	if (!strata_shares_take(&grants->shares, id_of(vcpu, 0), STRATA_GRANTS_MAX))
		return NULL;
	grant = calloc(1, sizeof(*grant));
	if (grant && !strata_id_map_add(&grants->open, id_of(vcpu, handle), grant))
		return grant;
	free(grant);
	strata_shares_give_back(&grants->shares, id_of(vcpu, 0));
	return NULL;
}

void strata_grants_map(struct strata_grants *grants, const struct strata_xen_place *place,
		       uint32_t granter, uint32_t ref, uint32_t handle,
		       const struct strata_moment *now)
{
	struct grant *grant;

	if (!place->vcpu)
		return;
	grant = strata_id_map_find(&grants->open, id_of(place->vcpu, handle));
	if (!grant)
		grant = add(grants, place->vcpu, handle);
	if (!grant) {
		grants->not_followed++;
		return;
	}
	*grant = (struct grant){
		.vcpu = place->vcpu,
		.since = *now,
		.granter = granter == DOMAIN_SELF ? place->vcpu->domain : granter,
		.ref = ref,
		.losses = grants->losses,
	};
}

void strata_grants_unmap(struct strata_grants *grants, const struct strata_xen_place *place,
			 uint32_t handle, const struct strata_moment *now)
{
	struct grant *grant =
		place->vcpu ? strata_id_map_take(&grants->open, id_of(place->vcpu, handle)) : NULL;
	struct strata_span span = { .kind = STRATA_SPAN_GRANT, .trace = place->trace };

	if (grant)
		strata_shares_give_back(&grants->shares, id_of(place->vcpu, 0));
	if (!grant || grant->losses != grants->losses) {
		grants->without_map++;
		free(grant);
		return;
	}
	span.from_ns = grant->since.ns;
	span.to_ns = now->ns;
	span.bound_ns = strata_moments_bound(&grant->since, now);
	span.from_bound_ns = grant->since.bound_ns;
	span.vcpu = grant->vcpu;
	span.domain = grant->granter;
	span.number = grant->ref;
	strata_spans_tell(grants->spans, &span);
	free(grant);
}

void strata_grants_copy(struct strata_grants *grants, const struct strata_xen_place *place,
			uint32_t from_domain, uint32_t to_domain, uint64_t bytes, uint64_t status,
			const struct strata_moment *now)
{
	struct strata_span span = {
		.kind = STRATA_SPAN_GRANT_COPY,
		.from_ns = now->ns,
		.to_ns = now->ns,
		.bound_ns = now->bound_ns,
		.from_bound_ns = now->bound_ns,
		.vcpu = place->vcpu,
		.trace = place->trace,
		.number = status == 0 ? bytes : 0,
	};

	if (!place->vcpu)
		return;
	if (from_domain == DOMAIN_SELF)
		from_domain = place->vcpu->domain;
	if (to_domain == DOMAIN_SELF)
		to_domain = place->vcpu->domain;
	span.domain = from_domain == place->vcpu->domain ? to_domain : from_domain;
	strata_spans_tell(grants->spans, &span);
}

void strata_grants_lose(struct strata_grants *grants)
{
	grants->losses++;
}

void strata_grants_clear(struct strata_grants *grants)
{
	strata_id_map_free(&grants->open);
	strata_shares_clear(&grants->shares);
}
