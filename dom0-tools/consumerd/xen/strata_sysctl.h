/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strata_sysctl.h - access to the hypervisor: opens the hypercall device, checks that Xen has
 * Strata in our version, and issues its operations. hypervisor.c is built on it.
 */
#ifndef STRATA_CONSUMERD_STRATA_SYSCTL_H
#define STRATA_CONSUMERD_STRATA_SYSCTL_H

#include <strata/abi/hypervisor.h>

#include "base/error.h"
#include "consumerd/xen/hypervisor.h"

struct xen_sysctl;
struct xencall_handle;
struct xentoollog_logger;

struct strata_sysctl {
	/* Suppresses the libraries' messages, which say less than ours. */
	struct xentoollog_logger *quiet;
	struct xencall_handle *call;
	struct xen_sysctl *buffer; /* in memory that the hypercall may use */
};

/* Opens and probes.  Not HYPERVISOR_OK: nothing stays open; @error has the reason and a next
 * step. */
enum hypervisor_support strata_sysctl_open(struct strata_sysctl *sysctl,
					   struct strata_error *error);

void strata_sysctl_close(struct strata_sysctl *sysctl);

/* Issues @op.  0, or -1 with errno; @op holds the answer in both cases. */
int strata_sysctl_call(struct strata_sysctl *sysctl, struct strata_hv_op *op);

#endif /* STRATA_CONSUMERD_STRATA_SYSCTL_H */
