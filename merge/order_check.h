/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_check.h - proof that the merged order is right: a kernel's event can
 * only happen while its vCPU runs, and the hypervisor's runstate records say
 * when that was, in the host's own clock.
 *
 * Every kernel event must lie inside a running interval of its vCPU.  How far
 * the nearest one is from an interval's border, the smallest slack, is how far
 * the converted clocks could at most be off on that side without being caught.
 *
 * Events of which the hypervisor's streams cannot tell are not checked, and are
 * counted: before the vCPU's first record and after the end of the streams, and
 * where a stream lost events.
 */
#ifndef STRATA_MERGE_ORDER_CHECK_H
#define STRATA_MERGE_ORDER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <strata/abi/hypervisor.h>

#include "xen_events.h"

#define STRATA_PCPU_UNKNOWN     0xffffu
#define STRATA_VIOLATIONS_NAMED 5u
#define STRATA_SLACK_NONE       UINT64_MAX

/* A kernel event that lies outside every running interval of its vCPU. */
struct strata_violation {
	uint16_t domain;
	uint16_t vcpu;
	uint64_t ticks;
	char event[40];
	const char *state;    /* what the vCPU was, by the hypervisor's account */
	uint64_t late_ticks;  /* after it had stopped running; UINT64_MAX: it had not run yet */
	uint64_t early_ticks; /* before it ran again; UINT64_MAX: it did not */
};

struct strata_order_result {
	uint64_t checks;
	uint64_t violations;
	uint64_t unchecked;
	/* Smallest distance of an event inside to the border; STRATA_SLACK_NONE: there was none. */
	uint64_t slack_before_ticks;                            /* since its vCPU began to run */
	uint64_t slack_after_ticks;                             /* until it stopped */
	struct strata_violation named[STRATA_VIOLATIONS_NAMED]; /* the first ones */
	unsigned int nr_named;
};

struct strata_order_check;
struct strata_vcpu;

/*
 * All that follows must be told in order of host ticks; at equal ticks the
 * hypervisor's records before the kernels'.
 * @covered_from, @covered_until: the time in which the hypervisor's streams are
 * complete; both 0: never.
 * NULL: out of memory.
 */
struct strata_order_check *strata_order_check_new(uint64_t covered_from, uint64_t covered_until);
/* Changes the time of coverage; to be called before any event. */
void strata_order_check_cover(struct strata_order_check *check, uint64_t covered_from,
			      uint64_t covered_until);

void strata_order_check_free(struct strata_order_check *check);

/* The hypervisor says: this vCPU goes from one state to another, recorded on CPU @pcpu. */
void strata_order_check_runstate(struct strata_order_check *check, uint64_t ticks, uint16_t pcpu,
				 uint16_t domain, uint16_t vcpu,
				 const struct strata_runstate_change *change);

/* The hypervisor says: this is the vCPU's state as recording starts. */
void strata_order_check_state(struct strata_order_check *check, uint64_t ticks,
			      const struct strata_hv_vcpu_state *state);

/* From now until @until_ticks the hypervisor's records are incomplete. */
void strata_order_check_uncertain(struct strata_order_check *check, uint64_t until_ticks);

/* What is known of a vCPU; valid as long as the check.  NULL: out of memory, or too many. */
struct strata_vcpu *strata_order_check_vcpu(struct strata_order_check *check, uint16_t domain,
					    uint16_t vcpu);

/* Checks a kernel's event on its vCPU. */
void strata_order_check_event(struct strata_order_check *check, struct strata_vcpu *vcpu,
			      uint64_t ticks, const char *event_name);

/* The physical CPU that the vCPU runs on, or ran on last; STRATA_PCPU_UNKNOWN. */
uint16_t strata_vcpu_pcpu(const struct strata_vcpu *vcpu);

/* Ends the check; to be called once. */
const struct strata_order_result *strata_order_check_finish(struct strata_order_check *check);

#endif /* STRATA_MERGE_ORDER_CHECK_H */
