/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hypervisor.h - the hypervisor's rings: Strata's sysctl, and the mapping of the
 * frames that it shares read-only.  Called by the recorder and by `strata list`.
 */
#ifndef STRATA_CONSUMERD_HYPERVISOR_H
#define STRATA_CONSUMERD_HYPERVISOR_H

#include <stddef.h>

#include <strata/abi/hypervisor.h>

#include "consumerd/rings/ring.h"

struct hypervisor;

/* Result of probing a Xen for Strata. */
enum hypervisor_support {
	HYPERVISOR_OK,
	HYPERVISOR_NO_XEN,    /* this machine does not run under Xen, or is not dom0 */
	HYPERVISOR_NO_RIGHT,  /* not root, or Xen refuses */
	HYPERVISOR_NO_STRATA, /* Xen without the patch */
	HYPERVISOR_OTHER_ABI, /* Strata of another version */
};

/*
 * Opens the hypercall device and asks for Strata.  Any answer but HYPERVISOR_OK leaves nothing
 * open, and the reason with a next step in @error.
 */
enum hypervisor_support hypervisor_open(struct hypervisor **hypervisor, struct strata_error *error);

/* Ends what create() and start() began, unmaps, closes.  NULL is fine. */
void hypervisor_close(struct hypervisor *hypervisor);

/* Operates on another channel than 0 from now on.  Before create(). */
void hypervisor_use_channel(struct hypervisor *hypervisor, uint32_t channel);

/* For hypervisor_aggregate.c: an operation on the channel, 0 or -1 with errno; says that close() is
 * to free what it made; memory that hypercalls may use, always of the same size, which stays until
 * close; NULL with the reason. */
int hypervisor_operate(struct hypervisor *hypervisor, struct strata_hv_op *op);
void hypervisor_created(struct hypervisor *hypervisor);
void *hypervisor_buffer(struct hypervisor *hypervisor, size_t bytes, struct strata_error *error);

/* Whether the channel has the rings of a flight recorder of this size. */
bool hypervisor_flies(struct hypervisor *hypervisor, struct strata_ring_geometry geo);

/* Fills @op with the answer to STRATA_HV_QUERY.  0 or -1. */
int hypervisor_query(struct hypervisor *hypervisor, struct strata_hv_op *op,
		     struct strata_error *error);

/*
 * Makes the rings of all CPUs and maps them.
 * @geo:       of each ring
 * @overwrite: a full ring loses its oldest sub-buffer, not the newest records
 * @continues: takes over the rings, and the events, of a flight recorder of the same size that died
 * @owner:     name of the recorder, shown to a second one
 * The caller holds the lock of the channel's number: existing rings belong to a recorder that died.
 * They are freed unless they are taken over. 1: taken over, 0, or -1.
 */
int hypervisor_create(struct hypervisor *hypervisor, struct strata_ring_geometry geo,
		      bool overwrite, bool continues, const char *owner,
		      struct strata_error *error);

/* Frees the channel's rings, which a recorder that died has left.  0 or -1. */
int hypervisor_free_left(struct hypervisor *hypervisor, const char *owner,
			 struct strata_error *error);

/*
 * Maps the rings that Xen has made since then, of CPUs that were added to the host: they follow
 * those that hypervisor_rings() had before.  0, or -1: some may be mapped, the others are not.
 */
int hypervisor_map_new(struct hypervisor *hypervisor, struct strata_error *error);

/* The mapped rings; they stay where they are until close. */
struct ring *hypervisor_rings(struct hypervisor *hypervisor, size_t *nr);

/*
 * Replaces the selection by these rules, before start or while it records.  When it returns, every
 * probe obeys them.
 * @budget_per_s: events that a domain may cause on a CPU; 0: no limit
 * 0, or -1: the selection has not changed.
 */
int hypervisor_select(struct hypervisor *hypervisor, const struct strata_hv_rule *rules, size_t nr,
		      uint32_t budget_per_s, struct strata_error *error);

/* Starts to record the selected events.
 * @switch_ms: how often half full sub-buffers are handed over; 0: never */
int hypervisor_start(struct hypervisor *hypervisor, uint32_t switch_ms, struct strata_error *error);

/* Records the state of all clocks and vCPUs once more and flushes all rings, while recording goes
 * on. 0 or -1. */
int hypervisor_flush(struct hypervisor *hypervisor, struct strata_error *error);

/* Stops recording; returns when no probe writes and all rings are flushed.  0 or -1. */
int hypervisor_stop(struct hypervisor *hypervisor, struct strata_error *error);

#endif /* STRATA_CONSUMERD_HYPERVISOR_H */
