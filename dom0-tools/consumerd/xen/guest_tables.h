/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_tables.h - reads the tables of a kernel's channel that counts (strata/abi/aggregate.h):
 * copies its pages, and adds up the copies.  Nothing stays mapped, so no domain lingers for it.
 */
#ifndef STRATA_CONSUMERD_GUEST_TABLES_H
#define STRATA_CONSUMERD_GUEST_TABLES_H

#include "consumerd/xen/guest_map.h"
#include "consumerd/xen/hypervisor_aggregate.h"

/* Replaces @rows by the current ones.  0, or -1: the guest's pages cannot be read. */
int guest_tables_read(xengnttab_handle *gnttab, uint32_t domain, const struct guest_tables *tables,
		      const struct strata_aggregate_spec *spec, struct aggregate_rows *rows,
		      struct strata_error *error);

#endif /* STRATA_CONSUMERD_GUEST_TABLES_H */
