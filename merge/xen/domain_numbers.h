/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domain_numbers.h - special domain numbers that are not guests (xen.h, DOMID_*), and dom0's
 * name. */
#ifndef STRATA_MERGE_DOMAIN_NUMBERS_H
#define STRATA_MERGE_DOMAIN_NUMBERS_H

#include <stdint.h>

#define STRATA_DOMID_XEN     0x7ff2u
#define STRATA_DOMID_UNKNOWN 0x7ff4u /* of xentrace's records before the first switch */
#define STRATA_DOMID_IDLE    0x7fffu

#define STRATA_DOM0_NAME "dom0"

/* The name to show for a domain: dom0's, which is "Domain-0" in xenstore, is always the same. */
static inline const char *strata_domain_shown_name(uint32_t domain, const char *xenstore_name)
{
	return domain ? xenstore_name : STRATA_DOM0_NAME;
}

/* A vCPU of a domain as one number. */
static inline uint32_t strata_vcpu_key(uint16_t domain, uint16_t vcpu)
{
	return (uint32_t)domain << 16 | vcpu;
}

#endif /* STRATA_MERGE_DOMAIN_NUMBERS_H */
