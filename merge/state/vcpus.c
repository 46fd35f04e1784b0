// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpus.c - see vcpus.h. */
#include "state/vcpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "xen/domain_numbers.h"

/* More than any host has: traces may lie. */
#define VCPUS_MAX 65536u
#define PCPUS_MAX 4096u

/* Machines are few, domains and CPUs have 16 bits; @low is not the same for pCPUs. */
static uint64_t id_of(size_t machine, uint32_t high, uint32_t low)
{
	return (uint64_t)machine << 32 | (uint64_t)(high & 0xffff) << 16 | (low & 0xffff);
}

struct strata_vcpu *strata_vcpus_find(const struct strata_vcpus *vcpus, size_t machine,
				      uint32_t domain, uint32_t number)
{
	return strata_id_map_find(&vcpus->vcpus, id_of(machine, domain, number));
}

struct strata_vcpu *strata_vcpus_add(struct strata_vcpus *vcpus, size_t machine, uint32_t domain,
				     uint32_t number, const struct strata_moment *now)
{
	const uint64_t id = id_of(machine, domain, number);
	struct strata_vcpu *vcpu = strata_id_map_find(&vcpus->vcpus, id);

	if (vcpu) {
		*strata_vcpus_recent(vcpus, domain, number) = vcpu;
		return vcpu;
	}
	if (vcpus->nr_vcpus >= VCPUS_MAX) {
		vcpus->not_followed++;
		return NULL;
	}
	vcpu = calloc(1, sizeof(*vcpu));
	if (!vcpu || !STRATA_GROW(vcpus->all_vcpus, vcpus->nr_vcpus, vcpus->vcpus_room) ||
	    strata_id_map_add(&vcpus->vcpus, id, vcpu)) {
		free(vcpu);
		vcpus->no_memory = true;
		return NULL;
	}
	vcpus->all_vcpus[vcpus->nr_vcpus++] = vcpu;
	vcpu->machine = machine;
	vcpu->domain = domain;
	vcpu->number = number;
	vcpu->state = STRATA_VCPU_UNKNOWN;
	vcpu->since = vcpu->run_since = *now;
	vcpu->pcpu = STRATA_NO_PCPU;
	return vcpu;
}

struct strata_pcpu *strata_vcpus_add_pcpu(struct strata_vcpus *vcpus, size_t machine,
					  uint32_t number)
{
	const uint64_t id = id_of(machine, 0, number);
	struct strata_pcpu *pcpu;

	/* No physical CPU has a number that the id cannot hold. */
	if (number > UINT16_MAX)
		return NULL;
	pcpu = strata_id_map_find(&vcpus->pcpus, id);
	if (pcpu) {
		vcpus->recent_pcpus[number % STRATA_RECENT_PCPUS] = pcpu;
		return pcpu;
	}
	if (vcpus->nr_pcpus >= PCPUS_MAX) {
		vcpus->not_followed++;
		return NULL;
	}
	pcpu = calloc(1, sizeof(*pcpu));
	if (!pcpu || !STRATA_GROW(vcpus->all_pcpus, vcpus->nr_pcpus, vcpus->pcpus_room) ||
	    strata_id_map_add(&vcpus->pcpus, id, pcpu)) {
		free(pcpu);
		vcpus->no_memory = true;
		return NULL;
	}
	vcpus->all_pcpus[vcpus->nr_pcpus++] = pcpu;
	pcpu->machine = machine;
	pcpu->number = number;
	return pcpu;
}

/* Tells what the physical CPU has run until @now. */
static void tell_pcpu(const struct strata_spans *spans, const struct strata_pcpu *pcpu,
		      size_t trace, const struct strata_moment *now)
{
	const struct strata_span span = {
		.kind = STRATA_SPAN_PCPU,
		.from_ns = pcpu->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&pcpu->since, now),
		.from_bound_ns = pcpu->since.bound_ns,
		.pcpu = pcpu,
		.vcpu = pcpu->runs,
		.trace = trace,
	};

	if (pcpu->runs && span.from_ns < span.to_ns)
		strata_spans_tell(spans, &span);
}

/* The physical CPU runs another vCPU from now on; NULL: an unknown one. */
static void occupy(struct strata_vcpus *vcpus, struct strata_pcpu *pcpu, struct strata_vcpu *vcpu,
		   size_t trace, const struct strata_moment *now)
{
	if (!pcpu || pcpu->runs == vcpu)
		return;
	if (pcpu->runs)
		pcpu->past[pcpu->nr_past++ % STRATA_PCPU_PAST] =
			(struct strata_pcpu_stretch){ pcpu->runs, pcpu->since.ns, now->ns };
	tell_pcpu(vcpus->spans, pcpu, trace, now);
	pcpu->runs = vcpu;
	pcpu->trace = trace;
	pcpu->since = *now;
}

/* Tells behind whom a vCPU waited that runs on @pcpu now. */
static void tell_behind(struct strata_vcpus *vcpus, const struct strata_vcpu *vcpu,
			const struct strata_pcpu *pcpu, size_t trace,
			const struct strata_moment *now)
{
	const size_t first = pcpu->nr_past > STRATA_PCPU_PAST ? pcpu->nr_past - STRATA_PCPU_PAST
							      : 0;
	size_t i = pcpu->nr_past;

	/* Back to where the wait began. */
	while (i > first && pcpu->past[(i - 1) % STRATA_PCPU_PAST].to_ns > vcpu->run_since.ns)
		i--;
	for (; i < pcpu->nr_past; i++) {
		const struct strata_pcpu_stretch *past = &pcpu->past[i % STRATA_PCPU_PAST];
		struct strata_span span = {
			.kind = STRATA_SPAN_BEHIND,
			.from_ns = past->from_ns,
			.to_ns = past->to_ns,
			.bound_ns = strata_moments_bound(&vcpu->run_since, now),
			.from_bound_ns = vcpu->run_since.bound_ns,
			.pcpu = pcpu,
			.vcpu = vcpu,
			.other = past->vcpu,
			.trace = trace,
		};

		if (span.from_ns < vcpu->run_since.ns)
			span.from_ns = vcpu->run_since.ns;
		if (span.from_ns < span.to_ns)
			strata_spans_tell(vcpus->spans, &span);
	}
}

static struct strata_queue_span queue_of(const struct strata_vcpus *vcpus, size_t machine)
{
	return (struct strata_queue_span){
		.trace = vcpus->queues[machine].trace,
		.machine = machine,
		.cpu = STRATA_NO_CPU,
	};
}

static void set_queue(const struct strata_vcpus *vcpus, size_t machine, uint64_t waiting,
		      const struct strata_moment *now)
{
	strata_queue_set(&vcpus->queues[machine].queue, waiting, queue_of(vcpus, machine),
			 vcpus->spans, now);
}

/* A vCPU begins to wait for a physical CPU, or ends that. */
static void queue(struct strata_vcpus *vcpus, const struct strata_vcpu *vcpu,
		  enum strata_vcpu_state after, const struct strata_moment *now)
{
	const bool waited = vcpu->state == STRATA_VCPU_RUNNABLE,
		   waits = after == STRATA_VCPU_RUNNABLE;
	struct strata_vcpu_queue *larger, *of_machine;

	/* Idle ones are runnable, and wait for nothing. */
	if (waited == waits || vcpu->domain == STRATA_DOMID_IDLE)
		return;
	if (vcpu->machine >= vcpus->nr_queues) {
		larger = reallocarray(vcpus->queues, vcpu->machine + 1, sizeof(*larger));
		if (!larger) {
			vcpus->no_memory = true;
			return;
		}
		memset(larger + vcpus->nr_queues, 0,
		       (vcpu->machine + 1 - vcpus->nr_queues) * sizeof(*larger));
		vcpus->queues = larger;
		vcpus->nr_queues = vcpu->machine + 1;
	}
	of_machine = &vcpus->queues[vcpu->machine];
	of_machine->trace = vcpu->trace;
	set_queue(vcpus, vcpu->machine, of_machine->queue.waiting + waits - waited, now);
}

/* Tells for how long Xen has worked for a running vCPU until @now. */
static void tell_in_xen(const struct strata_spans *spans, const struct strata_vcpu *vcpu,
			const struct strata_moment *now)
{
	const struct strata_span span = {
		.kind = STRATA_SPAN_IN_XEN,
		.from_ns = vcpu->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&vcpu->since, now),
		.from_bound_ns = vcpu->since.bound_ns,
		.vcpu = vcpu,
		.trace = vcpu->trace,
	};

	strata_spans_tell(spans, &span);
}

/* Enters a state, and counts the time of the one before. */
static void enter(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		  enum strata_vcpu_state state, const struct strata_moment *now)
{
	if (vcpu->state == STRATA_VCPU_XEN && vcpu->since.ns < now->ns &&
	    vcpus->spans->want_spans[STRATA_SPAN_IN_XEN])
		tell_in_xen(vcpus->spans, vcpu, now);
	vcpu->ns[vcpu->state] += strata_moments_between(&vcpu->since, now);
	vcpu->state = state;
	vcpu->since = *now;
}

/* Tells its state until @now, where running in the guest and in Xen are one state. */
static void tell_run_state(const struct strata_spans *spans, const struct strata_vcpu *vcpu,
			   size_t trace, const struct strata_moment *now)
{
	const struct strata_span span = {
		.kind = STRATA_SPAN_VCPU,
		.from_ns = vcpu->run_since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&vcpu->run_since, now),
		.from_bound_ns = vcpu->run_since.bound_ns,
		.vcpu = vcpu,
		.trace = trace,
		.number = strata_vcpu_runs(vcpu->state) ? STRATA_VCPU_GUEST : vcpu->state,
		.wake = vcpu->is_woken ? &vcpu->wake : NULL,
	};

	if (span.from_ns < span.to_ns)
		strata_spans_tell(spans, &span);
}

static void end_run_state(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, size_t trace,
			  const struct strata_moment *now)
{
	tell_run_state(vcpus->spans, vcpu, trace, now);
	vcpu->run_since = *now;
}

/* Where a running vCPU is. */
static enum strata_vcpu_state running(const struct strata_vcpu *vcpu)
{
	return vcpu->exit.is_open || (vcpu->hypercall.is_open && !vcpu->is_in_guest)
		       ? STRATA_VCPU_XEN
		       : STRATA_VCPU_GUEST;
}

/* Drops Xen's jobs, which ended at an unknown time. */
static void drop_jobs(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		      const struct strata_moment *now)
{
	vcpu->exit.is_open = vcpu->hypercall.is_open = false;
	if (strata_vcpu_runs(vcpu->state))
		enter(vcpus, vcpu, STRATA_VCPU_GUEST, now);
}

void strata_vcpus_change(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
			 enum strata_vcpu_state before, enum strata_vcpu_state after, uint32_t pcpu,
			 size_t trace, const struct strata_moment *now)
{
	struct strata_pcpu *here = strata_vcpus_pcpu(vcpus, vcpu->machine, pcpu);
	const bool ran = strata_vcpu_runs(vcpu->state);

	vcpu->trace = trace;
	if (vcpu->state != STRATA_VCPU_UNKNOWN && before != STRATA_VCPU_UNKNOWN &&
	    (strata_vcpu_runs(before) ? !ran : vcpu->state != before)) {
		vcpus->contradictions++;
		drop_jobs(vcpus, vcpu, now);
	}
	if (strata_vcpu_runs(after)) {
		if (ran && vcpu->pcpu == pcpu)
			return;
		occupy(vcpus, here, vcpu, trace, now);
		if (vcpu->state == STRATA_VCPU_RUNNABLE && here)
			tell_behind(vcpus, vcpu, here, trace, now);
		vcpu->pcpu = pcpu;
		after = running(vcpu);
	} else if (here && here->runs == vcpu) {
		occupy(vcpus, here, NULL, trace, now);
	}
	end_run_state(vcpus, vcpu, trace, now);
	vcpu->is_woken &= after == STRATA_VCPU_RUNNABLE;
	queue(vcpus, vcpu, after, now);
	enter(vcpus, vcpu, after, now);
}

void strata_vcpus_wake(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		       enum strata_vcpu_state before, const struct strata_xen_place *place,
		       const struct strata_moment *now)
{
	const struct strata_pcpu *here = strata_vcpus_pcpu(vcpus, vcpu->machine, place->pcpu);
	const bool is_told = here && here->cause.via && (!here->cause.to || here->cause.to == vcpu);

	vcpu->wake = (struct strata_link){
		.kind = STRATA_LINK_VCPU_WAKEUP,
		.via = is_told ? here->cause.via : STRATA_VIA_UNKNOWN,
		.from = strata_xen_place_end(place, now),
		.to = { .at = *now,
			.vcpu = vcpu,
			.cpu = STRATA_NO_CPU,
			.pcpu = STRATA_NO_CPU,
			.trace = place->trace },
		.port = is_told ? here->cause.port : STRATA_NO_PORT,
		.number = is_told ? here->cause.number : 0,
	};
	if (vcpu->wake.via == STRATA_VIA_SEND && here->send.has_handler) {
		vcpu->wake_handler = here->send.handler;
		vcpu->wake.handler = &vcpu->wake_handler;
	}
	vcpu->is_woken = true;
	strata_spans_tell_link(vcpus->spans, &vcpu->wake);
	strata_vcpus_change(vcpus, vcpu, before, STRATA_VCPU_RUNNABLE, place->pcpu, place->trace,
			    now);
}

static void begin_job(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		      struct strata_vcpu_job *job, uint64_t number, const struct strata_moment *now)
{
	job->is_open = true;
	job->since = *now;
	job->number = number;
	strata_vcpu_times(vcpu, now, job->ns);
	if (strata_vcpu_runs(vcpu->state))
		enter(vcpus, vcpu, STRATA_VCPU_XEN, now);
}

static void end_job(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		    struct strata_vcpu_job *job, enum strata_span_kind kind, size_t trace,
		    const struct strata_moment *now)
{
	uint64_t *const ns = vcpus->split.ns[STRATA_TASK_RUNNING];
	struct strata_span span = {
		.kind = kind,
		.from_ns = job->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&job->since, now),
		.from_bound_ns = job->since.bound_ns,
		.vcpu = vcpu,
		.trace = trace,
		.number = job->number,
		.split = &vcpus->split,
	};

	strata_vcpu_times(vcpu, now, ns);
	strata_times_subtract(ns, job->ns);
	job->is_open = false;
	strata_spans_tell(vcpus->spans, &span);
	if (strata_vcpu_runs(vcpu->state))
		enter(vcpus, vcpu, running(vcpu), now);
}

void strata_vcpus_exit(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t reason,
		       const struct strata_moment *now)
{
	begin_job(vcpus, vcpu, &vcpu->exit, reason, now);
}

void strata_vcpus_entry(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, size_t trace,
			const struct strata_moment *now)
{
	/* Whatever Xen did for it, it does no more, unless the guest is to ask for the rest. */
	vcpu->hypercall.is_open &= vcpu->is_preempted;
	vcpu->is_in_guest = vcpu->hypercall.is_open;
	if (vcpu->exit.is_open)
		end_job(vcpus, vcpu, &vcpu->exit, STRATA_SPAN_EXIT, trace, now);
	else if (strata_vcpu_runs(vcpu->state))
		enter(vcpus, vcpu, STRATA_VCPU_GUEST, now);
}

void strata_vcpus_hypercall(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op,
			    const struct strata_moment *now)
{
	if (!vcpu->hypercall.is_open || vcpu->hypercall.number != op || !vcpu->is_preempted)
		begin_job(vcpus, vcpu, &vcpu->hypercall, op, now);
	else if (strata_vcpu_runs(vcpu->state))
		enter(vcpus, vcpu, STRATA_VCPU_XEN, now);
	vcpu->is_preempted = vcpu->is_in_guest = false;
}

void strata_vcpus_preempt(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op)
{
	(void)vcpus;
	vcpu->is_preempted = vcpu->hypercall.is_open && vcpu->hypercall.number == op;
}

void strata_vcpus_return(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op,
			 size_t trace, const struct strata_moment *now)
{
	if (!vcpu->hypercall.is_open)
		return;
	if (vcpu->hypercall.number == op) {
		end_job(vcpus, vcpu, &vcpu->hypercall, STRATA_SPAN_HYPERCALL, trace, now);
		return;
	}
	vcpu->hypercall.is_open = false;
	if (strata_vcpu_runs(vcpu->state))
		enter(vcpus, vcpu, running(vcpu), now);
}

/* What a vCPU does is unknown from @now on. */
static void forget(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, size_t trace,
		   const struct strata_moment *now)
{
	end_run_state(vcpus, vcpu, trace, now);
	vcpu->is_woken = false;
	vcpu->exit.is_open = vcpu->hypercall.is_open = false;
	queue(vcpus, vcpu, STRATA_VCPU_UNKNOWN, now);
	enter(vcpus, vcpu, STRATA_VCPU_UNKNOWN, now);
}

void strata_vcpus_lose(struct strata_vcpus *vcpus, size_t machine, uint32_t number, size_t trace,
		       const struct strata_moment *now)
{
	struct strata_pcpu *pcpu = strata_vcpus_pcpu(vcpus, machine, number);
	size_t i;

	occupy(vcpus, pcpu, NULL, trace, now);
	for (i = 0; number == STRATA_NO_PCPU && i < vcpus->nr_pcpus; i++) {
		if (vcpus->all_pcpus[i]->machine == machine)
			occupy(vcpus, vcpus->all_pcpus[i], NULL, trace, now);
	}
	for (i = 0; i < vcpus->nr_vcpus; i++) {
		struct strata_vcpu *vcpu = vcpus->all_vcpus[i];

		if (vcpu->machine != machine || vcpu->state == STRATA_VCPU_UNKNOWN ||
		    (strata_vcpu_runs(vcpu->state) && vcpu->pcpu != number &&
		     number != STRATA_NO_PCPU))
			continue;
		forget(vcpus, vcpu, trace, now);
	}
}

void strata_vcpus_end(struct strata_vcpus *vcpus, size_t trace, const struct strata_moment *now)
{
	size_t i;

	for (i = 0; i < vcpus->nr_pcpus; i++) {
		if (vcpus->all_pcpus[i]->trace == trace)
			occupy(vcpus, vcpus->all_pcpus[i], NULL, trace, now);
	}
	for (i = 0; i < vcpus->nr_vcpus; i++) {
		if (vcpus->all_vcpus[i]->trace == trace)
			forget(vcpus, vcpus->all_vcpus[i], trace, now);
	}
	for (i = 0; i < vcpus->nr_queues; i++) {
		if (vcpus->queues[i].trace != trace)
			continue;
		set_queue(vcpus, i, 0, now);
		vcpus->queues[i].queue.is_known = false;
	}
}

void strata_vcpus_tell_open(const struct strata_vcpus *vcpus, const struct strata_spans *spans,
			    const struct strata_moment *now)
{
	size_t i;

	for (i = 0; i < vcpus->nr_vcpus; i++) {
		tell_run_state(spans, vcpus->all_vcpus[i], vcpus->all_vcpus[i]->trace, now);
		if (vcpus->all_vcpus[i]->state == STRATA_VCPU_XEN &&
		    vcpus->all_vcpus[i]->since.ns < now->ns)
			tell_in_xen(spans, vcpus->all_vcpus[i], now);
	}
	for (i = 0; i < vcpus->nr_pcpus; i++)
		tell_pcpu(spans, vcpus->all_pcpus[i], vcpus->all_pcpus[i]->trace, now);
	for (i = 0; i < vcpus->nr_queues; i++)
		strata_queue_tell(&vcpus->queues[i].queue, queue_of(vcpus, i), spans, now);
}

void strata_vcpus_clear(struct strata_vcpus *vcpus)
{
	size_t i;

	for (i = 0; i < vcpus->nr_vcpus; i++)
		free(vcpus->all_vcpus[i]);
	for (i = 0; i < vcpus->nr_pcpus; i++)
		free(vcpus->all_pcpus[i]);
	free(vcpus->all_vcpus);
	free(vcpus->all_pcpus);
	free(vcpus->queues);
	strata_id_map_clear(&vcpus->vcpus);
	strata_id_map_clear(&vcpus->pcpus);
	memset(vcpus, 0, sizeof(*vcpus));
}
