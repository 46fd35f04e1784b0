// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compass_host.c - see compass_host.h: tracks which vCPU runs on each CPU, and whether it is in the
 * guest. compass_host_events.c writes the resulting events.
 */
#include "outputs/trace_compass/compass_host.h"

#include <stdlib.h>

#include <strata/abi/hypervisor.h>

#include "outputs/trace_compass/compass_host_events.h"

/* In the guest or not ------------------------------------------------------------------------ */

static void enters(struct compass_host *host, struct compass_pcpu *pcpu,
		   struct compass_thread *thread, uint64_t ns)
{
	thread->in_guest = true;
	strata_compass_put_entry(host, pcpu, thread, ns);
	if (thread->sync.guest)
		strata_compass_sync_entry(&thread->sync, pcpu->file, ns);
}

static void leaves(struct compass_host *host, struct compass_pcpu *pcpu,
		   struct compass_thread *thread, uint64_t ns, const struct compass_exit *exit)
{
	struct compass_context context;

	thread->in_guest = false;
	strata_compass_put_exit(host, pcpu, ns, exit);
	if (!thread->sync.guest)
		return;
	context = strata_compass_context(thread);
	strata_compass_sync_exit(&thread->sync, &host->sync, pcpu->file, ns, &context);
}

/* Without recorded VM entries, a running vCPU counts as being in the guest. */
static bool is_in_by_running(const struct compass_thread *thread)
{
	return thread->is_vcpu && !thread->has_guest_mode;
}

static void stops_being_in(struct compass_host *host, struct compass_pcpu *pcpu,
			   struct compass_thread *thread, uint64_t ns)
{
	const struct compass_exit exit = { .reason = COMPASS_EXIT_STOPS, .isa = COMPASS_ISA_PV };

	if (is_in_by_running(thread) && thread->in_guest)
		leaves(host, pcpu, thread, ns, &exit);
}

/* Who runs ----------------------------------------------------------------------------------- */

static void switch_to(struct compass_host *host, struct compass_pcpu *pcpu,
		      struct compass_thread *next, uint64_t ns, enum strata_runstate prev_state);

/* The vCPU stopped, and no other was recorded to start. */
static void settle(struct compass_host *host, struct compass_pcpu *pcpu)
{
	if (pcpu->stopped)
		switch_to(host, pcpu, &host->threads.unrecorded, pcpu->stopped_ns,
			  pcpu->stopped_as);
}

static void stop(struct compass_host *host, struct compass_pcpu *pcpu, uint64_t ns,
		 enum strata_runstate state)
{
	stops_being_in(host, pcpu, pcpu->current, ns);
	pcpu->stopped = true;
	pcpu->stopped_ns = ns;
	pcpu->stopped_as = state;
}

/* A vCPU that starts here runs nowhere else: if it seemed to, its stop was not recorded. */
static void leave_other(struct compass_host *host, const struct compass_pcpu *pcpu,
			const struct compass_thread *thread, uint64_t ns)
{
	struct compass_pcpu *other = thread->has_pcpu ? host->pcpus[thread->pcpu] : NULL;

	if (!thread->is_vcpu || !other || other == pcpu || other->current != thread)
		return;
	if (!other->stopped)
		stop(host, other, ns, STRATA_RUNSTATE_RUNNABLE);
	settle(host, other);
}

static void switch_to(struct compass_host *host, struct compass_pcpu *pcpu,
		      struct compass_thread *next, uint64_t ns, enum strata_runstate prev_state)
{
	struct compass_thread *prev;

	leave_other(host, pcpu, next, ns);
	if (!pcpu->current)
		pcpu->current = next;
	prev = pcpu->current;
	stops_being_in(host, pcpu, prev, ns);
	strata_compass_put_thread(host, pcpu, next, ns, COMPASS_STATUS_RUN);
	strata_compass_put_switch(host, pcpu, prev, next, ns, prev_state);
	pcpu->current = next;
	pcpu->stopped = false;
	next->has_pcpu = true;
	next->pcpu = (uint16_t)pcpu->file->cpu;
	if (is_in_by_running(next) && !next->in_hypercall)
		enters(host, pcpu, next, ns);
}

/* A record shows that this vCPU runs. */
static void is_running(struct compass_host *host, struct compass_pcpu *pcpu,
		       struct compass_thread *thread, uint64_t ns)
{
	settle(host, pcpu);
	if (pcpu->current != thread)
		switch_to(host, pcpu, thread, ns, STRATA_RUNSTATE_RUNNING);
}

static void stops(struct compass_host *host, struct compass_pcpu *pcpu,
		  struct compass_thread *thread, uint64_t ns, enum strata_runstate state)
{
	is_running(host, pcpu, thread, ns);
	stop(host, pcpu, ns, state);
}

static void starts(struct compass_host *host, struct compass_pcpu *pcpu,
		   struct compass_thread *thread, uint64_t ns)
{
	/* Xen does not stop a vCPU to run the same one: another one ran in between. */
	if (pcpu->stopped && pcpu->current == thread)
		settle(host, pcpu);
	if (pcpu->stopped)
		switch_to(host, pcpu, thread, ns, pcpu->stopped_as);
	else
		is_running(host, pcpu, thread, ns);
}

/* Records ------------------------------------------------------------------------------------ */

static void take_change(struct compass_host *host, struct compass_pcpu *pcpu,
			const struct strata_runstate_change *change,
			const struct strata_hv_context *changed, uint64_t ns)
{
	struct compass_thread *thread =
		strata_compass_thread(&host->threads, changed->domain, changed->vcpu);

	if (!thread)
		return;
	if (change->before == STRATA_RUNSTATE_RUNNING && change->after != STRATA_RUNSTATE_RUNNING)
		stops(host, pcpu, thread, ns, change->after);
	else if (change->after == STRATA_RUNSTATE_RUNNING)
		starts(host, pcpu, thread, ns);
	else if (change->after == STRATA_RUNSTATE_RUNNABLE)
		strata_compass_put_wakeup(host, pcpu, thread, ns);
	else
		strata_compass_put_thread(host, pcpu, thread, ns, COMPASS_STATUS_WAIT);
}

/* The state of a vCPU at the start of recording, which Xen records on one CPU for all vCPUs. */
static void take_state(struct compass_host *host, const struct strata_hv_vcpu_state *state,
		       uint64_t ns)
{
	struct compass_thread *thread =
		strata_compass_thread(&host->threads, state->domain, state->vcpu);
	struct compass_pcpu *pcpu = host->pcpus[state->pcpu];

	if (!thread || !pcpu)
		return;
	if (!thread->has_pcpu) {
		thread->has_pcpu = true;
		thread->pcpu = state->pcpu;
	}
	if (state->runstate != STRATA_RUNSTATE_RUNNING)
		strata_compass_put_thread(host, pcpu, thread, ns,
					  state->runstate == STRATA_RUNSTATE_RUNNABLE
						  ? COMPASS_STATUS_WAIT_CPU
						  : COMPASS_STATUS_WAIT);
	else if (!pcpu->current)
		switch_to(host, pcpu, thread, ns, STRATA_RUNSTATE_RUNNING);
}

static void take_guest_mode(struct compass_host *host, struct compass_pcpu *pcpu,
			    struct compass_thread *thread, bool is_entry,
			    const struct strata_ctf_reader *reader,
			    const struct strata_lane_event *event)
{
	struct compass_exit exit = { .isa = host->isa };

	/* From exits alone one cannot tell when it is in the guest. */
	if (!thread->has_guest_mode)
		return;
	is_running(host, pcpu, thread, event->ns);
	if (is_entry) {
		enters(host, pcpu, thread, event->ns);
		return;
	}
	strata_compass_read_exit(reader, event, &exit);
	leaves(host, pcpu, thread, event->ns, &exit);
}

static void take_hypercall(struct compass_host *host, struct compass_pcpu *pcpu,
			   struct compass_thread *thread, bool issue,
			   const struct strata_ctf_reader *reader,
			   const struct strata_lane_event *event)
{
	struct compass_exit exit = { .reason = COMPASS_EXIT_HYPERCALL, .isa = COMPASS_ISA_PV };
	uint16_t number = 0;

	if (!host->hypercalls || !is_in_by_running(thread))
		return;
	is_running(host, pcpu, thread, event->ns);
	thread->in_hypercall = issue;
	if (!issue && !thread->in_guest)
		enters(host, pcpu, thread, event->ns);
	if (!issue || !thread->in_guest)
		return;
	strata_xen_read(reader, event, &number, sizeof(number));
	exit.reason += number;
	leaves(host, pcpu, thread, event->ns, &exit);
}

/* An event in the context of the running vCPU. */
static void take_of_context(struct compass_host *host, struct compass_pcpu *pcpu,
			    const struct strata_xen_class *class,
			    const struct strata_ctf_reader *reader,
			    const struct strata_lane_event *event)
{
	const bool is_entry = class->tells == STRATA_XEN_GUEST_ENTRY;
	struct strata_hv_context context;
	struct compass_thread *thread;
	bool issue;

	if (!strata_xen_read_context(reader, event, &context))
		return;
	thread = strata_compass_thread(&host->threads, context.domain, context.vcpu);
	if (!thread)
		return;
	/* During a switch, a record still has the old vCPU: only the first record counts. */
	if (!pcpu->current)
		is_running(host, pcpu, thread, event->ns);
	if (is_entry || class->tells == STRATA_XEN_GUEST_EXIT)
		take_guest_mode(host, pcpu, thread, is_entry, reader, event);
	else if (strata_xen_pv_hypercall(class->id, &issue))
		take_hypercall(host, pcpu, thread, issue, reader, event);
}

void strata_compass_host_event(struct compass_host *host, uint32_t cpu,
			       const struct strata_xen_class *class,
			       const struct strata_ctf_reader *reader,
			       const struct strata_lane_event *event)
{
	struct compass_pcpu *pcpu = host->pcpus[cpu & 0xffffu];
	struct strata_hv_context changed;
	struct strata_hv_vcpu_state state;

	switch (class->tells) {
	case STRATA_XEN_RUNSTATE:
		if (strata_xen_read_changed(reader, event, &changed))
			take_change(host, pcpu, &class->change, &changed, event->ns);
		break;
	case STRATA_XEN_VCPU_STATE:
		if (strata_xen_read(reader, event, &state, sizeof(state)))
			take_state(host, &state, event->ns);
		break;
	default:
		take_of_context(host, pcpu, class, reader, event);
		break;
	}
}

void strata_compass_host_guest_event(struct compass_host *host, struct compass_thread *thread,
				     uint64_t ns, int32_t tid)
{
	const struct compass_context context = strata_compass_context(thread);

	strata_compass_sync_guest(&thread->sync, &host->sync, ns, tid, &context);
}

/* Set-up ------------------------------------------------------------------------------------- */

int strata_compass_host_open(struct compass_host *host, const struct strata_recorded_host *of,
			     const struct strata_dir *dir, const struct strata_source *xen,
			     struct strata_error *error)
{
	memset(host, 0, sizeof(*host));
	host->of = of;
	host->hypercalls = of->scan.hypercall_returns;
	host->isa = (uint32_t)xen->exits;
	strata_compass_threads_init(&host->threads, of);
	host->sync.trace = &host->trace;
	if (strata_compass_trace_open(&host->trace, dir, xen->name, &strata_compass_host_context,
				      xen->uuid, error))
		return -1;
	host->pcpus = calloc(1u << 16, sizeof(struct compass_pcpu *));
	if (!host->pcpus)
		return strata_fail(error, "out of memory");
	strata_compass_host_describe(host);
	return 0;
}

struct compass_file *strata_compass_host_stream(struct compass_host *host, uint32_t cpu,
						struct strata_error *error)
{
	struct compass_pcpu **pcpu = &host->pcpus[cpu & 0xffffu];

	if (!*pcpu)
		*pcpu = calloc(1, sizeof(**pcpu));
	if (!*pcpu) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	(*pcpu)->file = strata_compass_trace_file(&host->trace, cpu, error);
	return (*pcpu)->file;
}

int strata_compass_host_finish(struct compass_host *host, uint64_t last_ns, uint64_t precision_ns,
			       struct strata_error *error)
{
	uint32_t i;

	for (i = 0; i < 1u << 16; i++) {
		if (host->pcpus[i])
			settle(host, host->pcpus[i]);
	}
	if (host->threads.no_memory)
		host->trace.no_memory = true;
	return strata_compass_trace_finish(&host->trace, last_ns, precision_ns, error);
}

void strata_compass_host_close(struct compass_host *host)
{
	uint32_t i;

	for (i = 0; host->pcpus && i < 1u << 16; i++)
		free(host->pcpus[i]);
	free(host->pcpus);
	strata_compass_threads_clear(&host->threads);
	strata_compass_trace_close(&host->trace);
}
