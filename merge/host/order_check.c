// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_check.c - see order_check.h.  host_check.c passes each event to it in merged order; it uses
 * a few words of memory per vCPU.
 */
#include "host/order_check.h"

#include <stdlib.h>

#include "base/id_map.h"
#include "xen/domain_numbers.h"

/* Hosts have fewer vCPUs; records of a hostile file could name 2^32. */
#define VCPUS_MAX 65536u

struct strata_checked_vcpu {
	uint32_t key;        /* domain << 16 | vCPU */
	uint32_t generation; /* lower than the check's: the fields below are invalid */
	enum strata_runstate state;
	struct strata_track run;
	struct strata_track app;
	struct strata_track guest_mode;
	bool has_guest_mode; /* an entry or an exit was recorded */
	bool read_by_xen;    /* its counter: the track holds the times outside of guest mode */
	struct strata_checked_vcpu *next; /* the vCPU that was first seen after this one */
};

struct strata_order_check {
	uint64_t covered_from;
	uint64_t covered_until;
	uint64_t uncertain_until;   /* 0: certain */
	uint32_t generation;        /* incremented when all vCPUs' states become invalid */
	uint32_t changing;          /* CPUs on which the selection is about to change */
	struct strata_id_map vcpus; /* by strata_vcpu_key() */
	struct strata_checked_vcpu *first, *last;
	uint8_t incomplete[65536 / 8]; /* a bit for each domain whose events were refused */
	struct strata_order_result result;
};

struct strata_order_check *strata_order_check_new(uint64_t covered_from, uint64_t covered_until)
{
	struct strata_order_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->covered_from = covered_from;
	check->covered_until = covered_until;
	strata_track_result_init(&check->result.run);
	strata_track_result_init(&check->result.app);
	strata_track_result_init(&check->result.guest_mode);
	return check;
}

void strata_order_check_free(struct strata_order_check *check)
{
	struct strata_checked_vcpu *vcpu;

	if (!check)
		return;
	for (vcpu = check->first; vcpu; vcpu = vcpu->next) {
		strata_track_clear(&vcpu->run);
		strata_track_clear(&vcpu->app);
		strata_track_clear(&vcpu->guest_mode);
	}
	strata_id_map_free(&check->vcpus);
	free(check);
}

struct strata_checked_vcpu *strata_order_check_vcpu(struct strata_order_check *check,
						    uint16_t domain, uint16_t vcpu_id)
{
	const uint32_t key = strata_vcpu_key(domain, vcpu_id);
	struct strata_checked_vcpu *vcpu = strata_id_map_find(&check->vcpus, key);

	if (vcpu || check->vcpus.nr == VCPUS_MAX)
		return vcpu;
	vcpu = calloc(1, sizeof(*vcpu));
	if (!vcpu || strata_id_map_add(&check->vcpus, key, vcpu)) {
		free(vcpu);
		return NULL;
	}
	vcpu->key = key;
	strata_track_init(&vcpu->run, key);
	strata_track_init(&vcpu->app, key);
	strata_track_init(&vcpu->guest_mode, key);
	*(check->last ? &check->last->next : &check->first) = vcpu;
	check->last = vcpu;
	return vcpu;
}

/* Before every CPU's stream has begun, a state may have changed without being recorded: a flight
 * recorder's streams begin at different times. */
static bool is_certain(struct strata_order_check *check, uint64_t ticks)
{
	if (ticks < check->covered_from || check->changing)
		return false;
	if (check->uncertain_until && ticks > check->uncertain_until)
		check->uncertain_until = 0;
	return check->uncertain_until == 0;
}

void strata_order_check_selection(struct strata_order_check *check, bool changed)
{
	check->generation++;
	if (!changed)
		check->changing++;
	else if (check->changing)
		check->changing--;
}

void strata_order_check_uncertain(struct strata_order_check *check, uint64_t until_ticks)
{
	if (until_ticks > check->uncertain_until)
		check->uncertain_until = until_ticks;
	check->generation++;
}

/* A vCPU without guest mode has no such records, and no event waits for one. */
static void forget_guest_mode(struct strata_order_check *check, struct strata_checked_vcpu *vcpu)
{
	if (!vcpu->has_guest_mode)
		vcpu->guest_mode.waiting = 0;
	strata_track_forget(&vcpu->guest_mode, &check->result.guest_mode);
}

static void forget_running(struct strata_order_check *check, struct strata_checked_vcpu *vcpu)
{
	strata_track_forget(&vcpu->run, &check->result.run);
	strata_track_forget(&vcpu->app, &check->result.app);
}

/* Carries out, for one vCPU, what strata_order_check_uncertain() requested for all. */
static void bring_up_to_date(struct strata_order_check *check, struct strata_checked_vcpu *vcpu)
{
	if (vcpu->generation == check->generation)
		return;
	forget_running(check, vcpu);
	forget_guest_mode(check, vcpu);
	vcpu->generation = check->generation;
}

static void learn_runstate(struct strata_order_check *check, struct strata_checked_vcpu *vcpu,
			   enum strata_runstate state)
{
	vcpu->state = state;
	strata_track_learn(&vcpu->run, &check->result.run, state == STRATA_RUNSTATE_RUNNING,
			   strata_runstate_name(state));
	strata_track_learn(&vcpu->app, &check->result.app, state == STRATA_RUNSTATE_RUNNING,
			   strata_runstate_name(state));
}

void strata_order_check_runstate(struct strata_order_check *check, uint64_t ticks, uint16_t domain,
				 uint16_t vcpu_id, const struct strata_runstate_change *change)
{
	struct strata_checked_vcpu *vcpu = strata_order_check_vcpu(check, domain, vcpu_id);

	if (!vcpu)
		return;
	bring_up_to_date(check, vcpu);
	if (!is_certain(check, ticks))
		return;
	/* A state that does not follow from the one before: a record between them is missing. */
	if (vcpu->run.known && vcpu->state != change->before)
		forget_running(check, vcpu);
	if (!vcpu->run.known)
		learn_runstate(check, vcpu, change->before);

	if (change->after == STRATA_RUNSTATE_RUNNING) {
		strata_track_begin(&vcpu->run, &check->result.run, ticks);
		strata_track_begin(&vcpu->app, &check->result.app, ticks);
	} else {
		strata_track_end(&vcpu->run, &check->result.run, ticks,
				 strata_runstate_name(change->after));
		strata_track_end(&vcpu->app, &check->result.app, ticks,
				 strata_runstate_name(change->after));
	}
	vcpu->state = change->after;
}

void strata_order_check_state(struct strata_order_check *check, uint64_t ticks,
			      const struct strata_hv_vcpu_state *state)
{
	struct strata_checked_vcpu *vcpu =
		strata_order_check_vcpu(check, state->domain, state->vcpu);

	if (!vcpu)
		return;
	bring_up_to_date(check, vcpu);
	/* An earlier change is newer than the state that this record describes. */
	if (vcpu->run.known || state->runstate > STRATA_RUNSTATE_OFFLINE ||
	    !is_certain(check, ticks))
		return;
	learn_runstate(check, vcpu, (enum strata_runstate)state->runstate);
}

static bool is_incomplete(const struct strata_order_check *check, uint16_t domain)
{
	return check->incomplete[domain / 8] >> (domain % 8) & 1;
}

void strata_order_check_incomplete(struct strata_order_check *check, uint16_t domain)
{
	struct strata_checked_vcpu *vcpu;

	if (is_incomplete(check, domain))
		return;
	check->incomplete[domain / 8] |= (uint8_t)(1u << (domain % 8));
	for (vcpu = check->first; vcpu; vcpu = vcpu->next) {
		if (vcpu->key >> 16 == domain)
			forget_guest_mode(check, vcpu);
	}
}

void strata_order_check_guest_mode(struct strata_order_check *check, uint64_t ticks,
				   uint16_t domain, uint16_t vcpu_id, bool entry)
{
	struct strata_checked_vcpu *vcpu = strata_order_check_vcpu(check, domain, vcpu_id);
	struct strata_track_result *result = &check->result.guest_mode;
	const char *state;
	bool begins;

	if (!vcpu)
		return;
	bring_up_to_date(check, vcpu);
	vcpu->has_guest_mode = true;
	if (is_incomplete(check, domain) || !is_certain(check, ticks))
		return;
	begins = entry != vcpu->read_by_xen;
	state = vcpu->read_by_xen ? "in guest mode" : "in the hypervisor";
	/* An interval that ends without having begun: a record is missing.  It may begin twice: the
	 * first entry failed. */
	if (vcpu->guest_mode.known && !begins && !vcpu->guest_mode.inside)
		strata_track_forget(&vcpu->guest_mode, result);
	if (!vcpu->guest_mode.known)
		strata_track_learn(&vcpu->guest_mode, result, !begins, state);
	if (begins)
		strata_track_begin(&vcpu->guest_mode, result, ticks);
	else
		strata_track_end(&vcpu->guest_mode, result, ticks, state);
}

void strata_order_check_read_by_xen(struct strata_checked_vcpu *vcpu)
{
	if (vcpu)
		vcpu->read_by_xen = true;
}

void strata_order_check_skip(struct strata_order_check *check,
			     const struct strata_checked_vcpu *vcpu)
{
	check->result.run.unchecked++;
	if (vcpu && vcpu->has_guest_mode)
		check->result.guest_mode.unchecked++;
}

void strata_order_check_skip_app(struct strata_order_check *check)
{
	check->result.app.unchecked++;
}

/* Whether the hypervisor's records cover a time. */
static bool is_told_of(struct strata_order_check *check, const struct strata_checked_vcpu *vcpu,
		       uint64_t ticks)
{
	return vcpu && ticks >= check->covered_from && ticks <= check->covered_until &&
	       is_certain(check, ticks);
}

void strata_order_check_app_event(struct strata_order_check *check,
				  struct strata_checked_vcpu *vcpu, uint64_t ticks, uint64_t bound,
				  const char *event_name)
{
	if (!is_told_of(check, vcpu, ticks)) {
		strata_order_check_skip_app(check);
		return;
	}
	bring_up_to_date(check, vcpu);
	strata_track_event(&vcpu->app, &check->result.app, ticks, bound, event_name);
}

void strata_order_check_event(struct strata_order_check *check, struct strata_checked_vcpu *vcpu,
			      uint64_t ticks, uint64_t bound, const char *event_name)
{
	if (!is_told_of(check, vcpu, ticks)) {
		strata_order_check_skip(check, vcpu);
		return;
	}
	bring_up_to_date(check, vcpu);
	strata_track_event(&vcpu->run, &check->result.run, ticks, bound, event_name);
	strata_track_event(&vcpu->guest_mode, &check->result.guest_mode, ticks, bound, event_name);
}

const struct strata_order_result *strata_order_check_finish(struct strata_order_check *check)
{
	struct strata_checked_vcpu *vcpu;

	for (vcpu = check->first; vcpu; vcpu = vcpu->next) {
		strata_track_finish(&vcpu->run, &check->result.run, check->covered_until);
		strata_track_finish(&vcpu->app, &check->result.app, check->covered_until);
		if (!vcpu->has_guest_mode)
			vcpu->guest_mode.waiting = 0;
		strata_track_finish(&vcpu->guest_mode, &check->result.guest_mode,
				    check->covered_until);
	}
	return &check->result;
}
