// SPDX-License-Identifier: GPL-2.0-or-later
/* xen_happenings.c - hands events of the hypervisor to the parts of the state (happening.h). */
#include "state/happening.h"

static struct strata_vcpu *get_vcpu(struct strata_host_state *state,
				    const struct strata_happening *event, uint32_t domain,
				    uint32_t vcpu)
{
	struct strata_vcpu *found;

	if (domain > UINT16_MAX || vcpu > UINT16_MAX)
		return NULL;
	found = strata_vcpus_get(&state->vcpus, event->of->machine, domain, vcpu, &state->now);
	if (found)
		found->trace = event->trace;
	return found;
}

static struct strata_vcpu *find_vcpu_there(struct strata_host_state *state,
					   const struct strata_happening *event)
{
	const struct strata_place *place = &event->kind->place;

	return get_vcpu(state, event, strata_place_read(&place->domain, event->cpu, &event->cursor),
			strata_place_read(&place->vcpu, event->cpu, &event->cursor));
}

/* Finds the vCPU of an event's context: it had the physical CPU. */
static struct strata_vcpu *vcpu_there(struct strata_host_state *state,
				      const struct strata_happening *event)
{
	const struct strata_ctf_plain *pair = &event->kind->vcpu_pair;
	struct strata_state_recent *recent;
	uint64_t number;

	if (!pair->width || !strata_ctf_plain_read(pair, &event->cursor, &number))
		return find_vcpu_there(state, event);
	recent = &event->kind->recent[(number ^ number >> 16) % STRATA_STATE_RECENT];
	if (!recent->vcpu || recent->pair != number) {
		recent->pair = (uint32_t)number;
		recent->vcpu = find_vcpu_there(state, event);
	}
	if (recent->vcpu)
		recent->vcpu->trace = event->trace;
	return recent->vcpu;
}

/* Finds the vCPU that an event is about. */
static struct strata_vcpu *vcpu_about(struct strata_host_state *state,
				      const struct strata_happening *event)
{
	return get_vcpu(state, event, strata_happening_number_or(event, 0, STRATA_PLACE_UNKNOWN),
			strata_happening_number_or(event, 1, STRATA_PLACE_UNKNOWN));
}

/* Finds where the event was recorded, and what had the CPU there. */
static struct strata_xen_place place_of(struct strata_host_state *state,
					const struct strata_happening *event)
{
	const struct strata_vcpu *vcpu = vcpu_there(state, event);
	struct strata_kernel *kernel =
		vcpu ? strata_tasks_find_kernel(&state->tasks, vcpu->machine, vcpu->domain) : NULL;

	/* A kernel whose domain is unknown may belong to any domain. */
	if (kernel && kernel->domain != vcpu->domain)
		kernel = NULL;
	return (struct strata_xen_place){
		.vcpu = vcpu,
		.kernel = kernel,
		.task = kernel ? strata_tasks_current(kernel, vcpu->number) : NULL,
		.machine = event->of->machine,
		.pcpu = event->cpu,
		.trace = event->trace,
	};
}

/* Later events on a physical CPU are no effect of what happened before this one. */
static void end_cause(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_pcpu *pcpu = strata_vcpus_pcpu(&state->vcpus, event->of->machine, event->cpu);

	if (pcpu)
		pcpu->cause.via = STRATA_VIA_UNKNOWN;
}

static void take_runstate(struct strata_host_state *state, const struct strata_happening *event)
{
	const enum strata_vcpu_state before = event->meaning->before, after = event->meaning->after;
	struct strata_vcpu *vcpu = vcpu_about(state, event);

	if (vcpu && after == STRATA_VCPU_RUNNABLE &&
	    (before == STRATA_VCPU_BLOCKED || before == STRATA_VCPU_OFFLINE)) {
		const struct strata_xen_place place = place_of(state, event);

		strata_vcpus_wake(&state->vcpus, vcpu, before, &place, &state->now);
	} else if (vcpu) {
		strata_vcpus_change(&state->vcpus, vcpu, before, after, event->cpu, event->trace,
				    &state->now);
	}
	end_cause(state, event);
}

/* Recorded when recording starts; a known state is newer. */
static void take_vcpu_state(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = vcpu_about(state, event);
	uint64_t runstate;

	if (vcpu && vcpu->state == STRATA_VCPU_UNKNOWN &&
	    strata_happening_number(event, 3, &runstate))
		strata_vcpus_change(&state->vcpus, vcpu, STRATA_VCPU_UNKNOWN,
				    strata_vcpu_state_of(runstate),
				    strata_happening_number_or(event, 2, event->cpu), event->trace,
				    &state->now);
	end_cause(state, event);
}

/* Finds the running vCPU, for which Xen does something; NULL: unknown. */
static struct strata_vcpu *served(struct strata_host_state *state,
				  const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = vcpu_there(state, event);

	end_cause(state, event);
	/* Only scheduling events tell until when it runs. */
	if (vcpu && event->kind->has_runstates)
		strata_vcpus_seen(&state->vcpus, vcpu, event->cpu, event->trace, &state->now);
	return vcpu;
}

static void take_runs(struct strata_host_state *state, const struct strata_happening *event)
{
	served(state, event);
}

static void take_exit(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = served(state, event);
	uint64_t reason = 0;

	strata_happening_number(event, 0, &reason);
	if (vcpu)
		strata_vcpus_exit(&state->vcpus, vcpu, reason, &state->now);
}

static void take_entry(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = served(state, event);

	if (vcpu)
		strata_vcpus_entry(&state->vcpus, vcpu, event->trace, &state->now);
}

static void take_hypercall(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = served(state, event);
	uint64_t op = 0;

	strata_happening_number(event, 0, &op);
	if (vcpu)
		strata_vcpus_hypercall(&state->vcpus, vcpu, op, &state->now);
}

static void take_return(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = served(state, event);
	uint64_t op = 0, preempted = 0;

	strata_happening_number(event, 0, &op);
	strata_happening_number(event, 1, &preempted);
	if (vcpu && preempted)
		strata_vcpus_preempt(&state->vcpus, vcpu, op);
	else if (vcpu)
		strata_vcpus_return(&state->vcpus, vcpu, op, event->trace, &state->now);
}

static void take_send(struct strata_host_state *state, const struct strata_happening *event)
{
	const struct strata_xen_place place = place_of(state, event);

	strata_evtchns_send(&state->evtchns, &place,
			    strata_happening_number_or(event, 0, STRATA_PLACE_UNKNOWN),
			    strata_happening_number_or(event, 1, STRATA_NO_PORT), &state->now);
}

static void take_pending(struct strata_host_state *state, const struct strata_happening *event)
{
	const struct strata_xen_place place = place_of(state, event);
	struct strata_vcpu *to = vcpu_about(state, event);
	const uint32_t port = strata_happening_number_or(event, 2, STRATA_NO_PORT);

	if (to && port != STRATA_NO_PORT)
		strata_evtchns_pending(&state->evtchns, &place, to, port, &state->now);
}

static void take_grant(struct strata_host_state *state, const struct strata_happening *event)
{
	const struct strata_xen_place place = place_of(state, event);
	uint64_t values[4] = { 0 };
	size_t i;

	for (i = 0; i < 4; i++)
		strata_happening_number(event, i, &values[i]);
	if (event->meaning->of == STRATA_MEANS_GRANT_MAP)
		strata_grants_map(&state->grants, &place, (uint32_t)values[0], (uint32_t)values[1],
				  (uint32_t)values[2], &state->now);
	else if (event->meaning->of == STRATA_MEANS_GRANT_UNMAP)
		strata_grants_unmap(&state->grants, &place, (uint32_t)values[0], &state->now);
	else
		strata_grants_copy(&state->grants, &place, (uint32_t)values[0], (uint32_t)values[1],
				   values[2], values[3], &state->now);
	end_cause(state, event);
}

/* Timers expire within Xen's first softirq. */
static void take_timers(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_pcpu *pcpu = strata_vcpus_pcpu(&state->vcpus, event->of->machine, event->cpu);
	uint64_t number = UINT64_MAX;

	if (!pcpu)
		return;
	strata_happening_number(event, 0, &number);
	if (event->meaning->of == STRATA_MEANS_XEN_SOFTIRQ)
		pcpu->in_timers = number == 0;
	else if (event->meaning->of == STRATA_MEANS_XEN_SOFTIRQ_END)
		pcpu->in_timers = false;
	pcpu->cause = (struct strata_pcpu_cause){ .port = STRATA_NO_PORT };
	if (event->meaning->of != STRATA_MEANS_XEN_TIMER || !pcpu->in_timers)
		return;
	pcpu->cause.via = STRATA_VIA_TIMER;
	pcpu->cause.number = number;
}

strata_state_take *const strata_state_takes_xen[STRATA_NR_MEANINGS] = {
	[STRATA_MEANS_RUNSTATE] = take_runstate,
	[STRATA_MEANS_VCPU_STATE] = take_vcpu_state,
	[STRATA_MEANS_RUNS] = take_runs,
	[STRATA_MEANS_VM_EXIT] = take_exit,
	[STRATA_MEANS_VM_ENTRY] = take_entry,
	[STRATA_MEANS_HYPERCALL] = take_hypercall,
	[STRATA_MEANS_HYPERCALL_RETURN] = take_return,
	[STRATA_MEANS_EVTCHN_SEND] = take_send,
	[STRATA_MEANS_EVTCHN_PENDING] = take_pending,
	[STRATA_MEANS_GRANT_MAP] = take_grant,
	[STRATA_MEANS_GRANT_UNMAP] = take_grant,
	[STRATA_MEANS_GRANT_COPY] = take_grant,
	[STRATA_MEANS_XEN_TIMER] = take_timers,
	[STRATA_MEANS_XEN_SOFTIRQ] = take_timers,
	[STRATA_MEANS_XEN_SOFTIRQ_END] = take_timers,
};
