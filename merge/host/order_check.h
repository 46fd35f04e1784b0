/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_check.h - proves that the merged order is right: an event of a kernel or of an application
 * can only happen while its vCPU runs, and the hypervisor's runstate records say when that was, in
 * the host's own clock.  An HVM or PVH guest reads its counter in guest mode, between VM entry and
 * exit, which is tighter; for an emulated counter Xen reads it, between exit and entry.
 *
 * Every such event must lie inside such an interval, or outside by no more than the bound of its
 * time. The smallest slack is the distance by which all events could be moved before one of them
 * lies outside: the largest error of the converted clocks on that side that would go unnoticed.
 *
 * The check keeps its own record of when vCPUs ran, from the merged order alone: it shares nothing
 * with the maps and places of clocks/, because it has to detect errors in those.
 *
 * Events that the hypervisor's streams do not cover are not checked, but counted: before the vCPU's
 * first record, after the end of the streams, and where a stream lost events.
 */
#ifndef STRATA_MERGE_ORDER_CHECK_H
#define STRATA_MERGE_ORDER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <strata/abi/hypervisor.h>

#include "host/order_track.h"
#include "xen/xen_events.h"

struct strata_order_result {
	struct strata_track_result run; /* each event of a kernel, against when its vCPU ran */
	/* The same for applications, any of which may write false times. */
	struct strata_track_result app;
	/* Of HVM and PVH vCPUs, against VM entry and exit: inside, or outside if Xen reads their
	 * counters for them. */
	struct strata_track_result guest_mode;
};

struct strata_order_check;
struct strata_checked_vcpu;

/*
 * The functions below must be called in order of host ticks; at equal ticks for the hypervisor's
 * records before the kernels'.
 * @covered_from, @covered_until: the time in which the hypervisor's streams are complete; both 0:
 *                                never
 * NULL: out of memory.
 */
struct strata_order_check *strata_order_check_new(uint64_t covered_from, uint64_t covered_until);
void strata_order_check_free(struct strata_order_check *check);

/* Notes that the hypervisor recorded this vCPU's change from one state to another. */
void strata_order_check_runstate(struct strata_order_check *check, uint64_t ticks, uint16_t domain,
				 uint16_t vcpu, const struct strata_runstate_change *change);

/* Notes that the hypervisor recorded the vCPU's state at the start of recording. */
void strata_order_check_state(struct strata_order_check *check, uint64_t ticks,
			      const struct strata_hv_vcpu_state *state);

/* Notes that from now until @until_ticks the hypervisor's records are incomplete. */
void strata_order_check_uncertain(struct strata_order_check *check, uint64_t until_ticks);

/* Returns the check's state of a vCPU, valid as long as the check.  NULL: out of memory, or too
 * many. */
struct strata_checked_vcpu *strata_order_check_vcpu(struct strata_order_check *check,
						    uint16_t domain, uint16_t vcpu);

/*
 * The hypervisor is about to change its selection, or has changed it; each of its CPUs records
 * both. Knowledge from before is invalid afterwards.
 */
void strata_order_check_selection(struct strata_order_check *check, bool changed);

/*
 * Ignores entries and exits of this domain's vCPUs from now on: some may be missing, because the
 * hypervisor refused some of its events. Changes of runstates are never refused.
 */
void strata_order_check_incomplete(struct strata_order_check *check, uint16_t domain);

/* Notes that the hypervisor recorded that this vCPU enters guest mode, or has left it. */
void strata_order_check_guest_mode(struct strata_order_check *check, uint64_t ticks,
				   uint16_t domain, uint16_t vcpu, bool entry);

/* Notes that Xen reads the vCPU's counter for it, after the vCPU has left guest mode for that: so
 * its events lie between an exit and the next entry.  To be called before any event. */
void strata_order_check_read_by_xen(struct strata_checked_vcpu *vcpu);

/* Checks a kernel's event on its vCPU.  @ticks may be off by @bound;
 * @event_name must live as long as the check. */
void strata_order_check_event(struct strata_order_check *check, struct strata_checked_vcpu *vcpu,
			      uint64_t ticks, uint64_t bound, const char *event_name);

/* The same for an event of an application, which is checked only against when its vCPU ran. */
void strata_order_check_app_event(struct strata_order_check *check,
				  struct strata_checked_vcpu *vcpu, uint64_t ticks, uint64_t bound,
				  const char *event_name);

/* Counts an event of an application that cannot be checked. */
void strata_order_check_skip_app(struct strata_order_check *check);

/* Counts an event that cannot be checked, because its time is uncertain. */
void strata_order_check_skip(struct strata_order_check *check,
			     const struct strata_checked_vcpu *vcpu);

/* Ends the check; to be called once. */
const struct strata_order_result *strata_order_check_finish(struct strata_order_check *check);

#endif /* STRATA_MERGE_ORDER_CHECK_H */
