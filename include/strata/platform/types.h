/* SPDX-License-Identifier: MIT */
/*
 * types.h - the C99 names uint8_t..uint64_t, size_t, bool, true and false in each
 * home, and nothing else: for headers that only describe data, which a home
 * includes also on processors that the core was not ported to.
 */
#ifndef STRATA_PLATFORM_TYPES_H
#define STRATA_PLATFORM_TYPES_H

#if defined(__XEN__)
#include <xen/types.h>
#elif defined(__KERNEL__)
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#endif /* STRATA_PLATFORM_TYPES_H */
