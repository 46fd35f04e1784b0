/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domain_numbers.h - numbers of domains that stand for something else than a guest (xen.h,
 * DOMID_*). */
#ifndef STRATA_MERGE_DOMAIN_NUMBERS_H
#define STRATA_MERGE_DOMAIN_NUMBERS_H

#define STRATA_DOMID_XEN     0x7ff2u
#define STRATA_DOMID_UNKNOWN 0x7ff4u /* of xentrace's records before the first switch */
#define STRATA_DOMID_IDLE    0x7fffu

#endif /* STRATA_MERGE_DOMAIN_NUMBERS_H */
