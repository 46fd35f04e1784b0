// SPDX-License-Identifier: GPL-2.0-or-later
/* domain_names.c - see domain_names.h; for filters, and for what shows events. */
#include "timeline/domain_names.h"

#include <string.h>

#define DOMAIN_IDLE    0x7fffu
#define DOMAIN_XEN     0x7ff2u
#define DOMAIN_UNKNOWN 0x7ff4u /* of xentrace's records before the first switch */

bool strata_is_same_host(const struct strata_ctf_trace *one, const struct strata_ctf_trace *other)
{
	return one->clock_group == other->clock_group ||
	       (one->recording && one->recording == other->recording) ||
	       strata_ctf_converted_alike(one, other, STRATA_CTF_MACHINE);
}

void strata_domain_names(const struct strata_trace_set *set, const struct strata_ctf_trace *trace,
			 strata_domain_name_fn *tell, void *data)
{
	bool is_under_xen = false;
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_ctf_trace *other = set->traces[i];
		const char *layer = strata_ctf_env_text(other, "layer");
		const char *name = strata_ctf_env_text(other, "domain");
		int64_t id;

		if (!layer || !strata_is_same_host(other, trace))
			continue;
		is_under_xen |= strcmp(layer, "xen") == 0;
		if (name && strcmp(layer, "kernel") == 0 &&
		    strata_ctf_env_number(other, "domain_id", &id) && id >= 0 && id <= UINT16_MAX)
			tell(data, (uint32_t)id, name);
	}
	tell(data, 0, is_under_xen ? "dom0" : "host");
	tell(data, DOMAIN_XEN, "xen");
	tell(data, DOMAIN_IDLE, "idle");
	tell(data, DOMAIN_UNKNOWN, "unknown");
}
