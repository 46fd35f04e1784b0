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

/* The vCPU of an event's context: it had the physical CPU. */
static struct strata_vcpu *vcpu_there(struct strata_host_state *state,
				      const struct strata_happening *event)
{
	const struct strata_place *place = &event->kind->place;

	return get_vcpu(state, event, strata_place_read(&place->domain, event->cpu, &event->cursor),
			strata_place_read(&place->vcpu, event->cpu, &event->cursor));
}

/* The vCPU that an event is about. */
static struct strata_vcpu *vcpu_about(struct strata_host_state *state,
				      const struct strata_happening *event)
{
	return get_vcpu(state, event, strata_happening_number_or(event, 0, STRATA_PLACE_UNKNOWN),
			strata_happening_number_or(event, 1, STRATA_PLACE_UNKNOWN));
}

/* Where the event was recorded, and what had the CPU there. */
static struct strata_xen_place place_of(struct strata_host_state *state,
					const struct strata_happening *event)
{
	const struct strata_vcpu *vcpu = vcpu_there(state, event);
	struct strata_kernel *kernel =
		vcpu ? strata_tasks_find_kernel(&state->tasks, vcpu->machine, vcpu->domain) : NULL;

	/* A kernel whose domain is unknown may be of any. */
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
}

/* As recording starts; what is known already is newer. */
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
}

/* What Xen does for the vCPU that runs. */
static void take_work(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_vcpu *vcpu = vcpu_there(state, event);
	uint64_t value = 0, preempted = 0;

	if (!vcpu)
		return;
	strata_happening_number(event, 0, &value);
	/* Until when it runs, only scheduling events tell. */
	if (event->kind->has_runstates)
		strata_vcpus_seen(&state->vcpus, vcpu, event->cpu, event->trace, &state->now);
	if (event->meaning->of == STRATA_MEANS_RUNS)
		return;
	if (event->meaning->of == STRATA_MEANS_VM_EXIT)
		strata_vcpus_exit(&state->vcpus, vcpu, value, &state->now);
	else if (event->meaning->of == STRATA_MEANS_VM_ENTRY)
		strata_vcpus_entry(&state->vcpus, vcpu, event->trace, &state->now);
	else if (event->meaning->of == STRATA_MEANS_HYPERCALL)
		strata_vcpus_hypercall(&state->vcpus, vcpu, value, &state->now);
	else if (strata_happening_number(event, 1, &preempted) && preempted)
		strata_vcpus_preempt(&state->vcpus, vcpu, value);
	else
		strata_vcpus_return(&state->vcpus, vcpu, value, event->trace, &state->now);
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
}

/* Timers expire within Xen's first softirq. */
static void take_timers(const struct strata_happening *event, struct strata_pcpu *pcpu)
{
	uint64_t number = UINT64_MAX;

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

void strata_state_take_xen(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_pcpu *pcpu = strata_vcpus_pcpu(&state->vcpus, event->of->machine, event->cpu);

	switch (event->meaning->of) {
	case STRATA_MEANS_EVTCHN_SEND:
		take_send(state, event);
		return;
	case STRATA_MEANS_EVTCHN_PENDING:
		take_pending(state, event);
		return;
	case STRATA_MEANS_GRANT_MAP:
	case STRATA_MEANS_GRANT_UNMAP:
	case STRATA_MEANS_GRANT_COPY:
		take_grant(state, event);
		break;
	case STRATA_MEANS_XEN_TIMER:
	case STRATA_MEANS_XEN_SOFTIRQ:
	case STRATA_MEANS_XEN_SOFTIRQ_END:
		if (pcpu)
			take_timers(event, pcpu);
		return;
	case STRATA_MEANS_RUNSTATE:
		take_runstate(state, event);
		break;
	case STRATA_MEANS_VCPU_STATE:
		take_vcpu_state(state, event);
		break;
	default:
		take_work(state, event);
	}
	/* What comes next is no effect of what was before this. */
	if (pcpu)
		pcpu->cause.via = STRATA_VIA_UNKNOWN;
}
