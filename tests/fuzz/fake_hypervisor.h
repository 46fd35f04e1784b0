/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_hypervisor.h - the hypervisor's side of abi/hypervisor.h: rings that only it writes, and
 * reads for others, controlled by sysctl.  It does not lie.
 */
#ifndef STRATA_TESTS_FAKE_HYPERVISOR_H
#define STRATA_TESTS_FAKE_HYPERVISOR_H

#include <stdbool.h>

#include <strata/abi/hypervisor.h>
#include <strata/ring_state.h>

#include "random.h"

#define FAKE_XEN_GEOMETRY ((struct strata_ring_geometry){ 12, 2 })

/* Before each run: no rings; or @left: those of an earlier recorder in channel 0, which record. */
void fake_hypervisor_reset(bool left, bool left_overwrite);

/* As Xen answers the sysctl: 0, or -1 with errno. */
int fake_hypervisor_call(struct strata_hv_op *op);

/* Writes up to @nr records on each CPU into each channel that is recording. */
void fake_hypervisor_write(struct randomness *random, uint32_t nr);

/* Records written since the rings were made, into those that the recorder made. */
uint64_t fake_hypervisor_records(void);

/* What the rings that the recorder made hold, without their headers. */
uint64_t fake_hypervisor_ring_bytes(void);

/* Whether all rings are freed; an earlier flight recorder's stay until one takes them over. */
bool fake_hypervisor_freed(void);

#endif /* STRATA_TESTS_FAKE_HYPERVISOR_H */
