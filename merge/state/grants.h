/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grants.h - grants of a host: from a domain's mapping of another one's page to its end, and
 * copies. */
#ifndef STRATA_MERGE_STATE_GRANTS_H
#define STRATA_MERGE_STATE_GRANTS_H

#include "base/fair_share.h"
#include "state/vcpus.h"

/* Mapped at once, over all domains, by one alone half of them (fair_share.h): beyond that, new ones
 * are not followed. */
#define STRATA_GRANTS_MAX 131072u

/* Zero-initialised is empty; `spans` is the owner's. */
struct strata_grants {
	const struct strata_spans *spans;
	struct strata_id_map open;   /* mappings, by machine, domain and handle */
	struct strata_shares shares; /* of domains that map pages */
	uint64_t losses;
	uint64_t without_map; /* ends of mappings whose beginning was not seen */
	uint64_t not_followed;
};

/* A vCPU's domain maps a page that another one granted. @handle: of the mapping */
void strata_grants_map(struct strata_grants *grants, const struct strata_xen_place *place,
		       uint32_t granter, uint32_t ref, uint32_t handle,
		       const struct strata_moment *now);
void strata_grants_unmap(struct strata_grants *grants, const struct strata_xen_place *place,
			 uint32_t handle, const struct strata_moment *now);

/* A vCPU has bytes copied between domains. @status: Xen's; 0: it worked */
void strata_grants_copy(struct strata_grants *grants, const struct strata_xen_place *place,
			uint32_t from_domain, uint32_t to_domain, uint64_t bytes, uint64_t status,
			const struct strata_moment *now);

/* Events are missing: no mapping is known any more. */
void strata_grants_lose(struct strata_grants *grants);

void strata_grants_clear(struct strata_grants *grants);

#endif /* STRATA_MERGE_STATE_GRANTS_H */
