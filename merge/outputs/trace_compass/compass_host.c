// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compass_host.c - see compass_host.h: who runs, and whether in the guest.
 * compass_host_events.c writes what follows from it.
 */
#include "outputs/trace_compass/compass_host.h"

#include <stdlib.h>
#include <string.h>

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

/* Whether running is being in the guest, as there are no VM entries to tell. */
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

/* It stopped, and nobody was recorded to start. */
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

/* One that starts here runs nowhere else: if it did, its stop was not recorded. */
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

/* A record tells that this one runs. */
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
	/* Xen does not stop a vCPU to run the same one: somebody else ran in between. */
	if (pcpu->stopped && pcpu->current == thread)
		settle(host, pcpu);
	if (pcpu->stopped)
		switch_to(host, pcpu, thread, ns, pcpu->stopped_as);
	else
		is_running(host, pcpu, thread, ns);
}

/* Records ------------------------------------------------------------------------------------ */

static void take_change(struct compass_host *host, struct compass_pcpu *pcpu,
			const struct strata_timeline_event *event)
{
	const struct strata_runstate_change *change = &event->class->change;
	struct compass_thread *thread;
	uint16_t vcpu_domain[2];

	memcpy(vcpu_domain, event->payload, sizeof(vcpu_domain));
	thread = strata_compass_thread(&host->threads, vcpu_domain[1], vcpu_domain[0]);
	if (!thread)
		return;
	if (change->before == STRATA_RUNSTATE_RUNNING && change->after != STRATA_RUNSTATE_RUNNING)
		stops(host, pcpu, thread, event->ns, change->after);
	else if (change->after == STRATA_RUNSTATE_RUNNING)
		starts(host, pcpu, thread, event->ns);
	else if (change->after == STRATA_RUNSTATE_RUNNABLE)
		strata_compass_put_wakeup(host, pcpu, thread, event->ns);
	else
		strata_compass_put_thread(host, pcpu, thread, event->ns, COMPASS_STATUS_WAIT);
}

/* What a vCPU was doing when recording began; that Xen tells on one CPU for all. */
static void take_state(struct compass_host *host, const struct strata_timeline_event *event)
{
	struct strata_hv_vcpu_state state;
	struct compass_thread *thread;
	struct compass_pcpu *pcpu;

	memcpy(&state, event->payload, sizeof(state));
	thread = strata_compass_thread(&host->threads, state.domain, state.vcpu);
	pcpu = host->pcpus[state.pcpu];
	if (!thread || !pcpu)
		return;
	if (!thread->has_pcpu) {
		thread->has_pcpu = true;
		thread->pcpu = state.pcpu;
	}
	if (state.runstate != STRATA_RUNSTATE_RUNNING)
		strata_compass_put_thread(host, pcpu, thread, event->ns,
					  state.runstate == STRATA_RUNSTATE_RUNNABLE
						  ? COMPASS_STATUS_WAIT_CPU
						  : COMPASS_STATUS_WAIT);
	else if (!pcpu->current)
		switch_to(host, pcpu, thread, event->ns, STRATA_RUNSTATE_RUNNING);
}

static void take_guest_mode(struct compass_host *host, struct compass_pcpu *pcpu,
			    struct compass_thread *thread,
			    const struct strata_timeline_event *event)
{
	struct compass_exit exit = { .isa = host->isa };

	/* Exits alone do not tell when it is in the guest. */
	if (!thread->has_guest_mode)
		return;
	is_running(host, pcpu, thread, event->ns);
	if (event->class->role == STRATA_ROLE_GUEST_ENTRY) {
		enters(host, pcpu, thread, event->ns);
		return;
	}
	strata_compass_read_exit(event, &exit);
	leaves(host, pcpu, thread, event->ns, &exit);
}

static void take_hypercall(struct compass_host *host, struct compass_pcpu *pcpu,
			   struct compass_thread *thread, bool issue,
			   const struct strata_timeline_event *event)
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
	if (event->payload_bytes >= sizeof(number))
		memcpy(&number, event->payload, sizeof(number));
	exit.reason += number;
	leaves(host, pcpu, thread, event->ns, &exit);
}

void strata_compass_host_event(struct compass_host *host, const struct strata_timeline_event *event)
{
	struct compass_pcpu *pcpu = host->pcpus[event->stream->cpu & 0xffffu];
	struct compass_thread *thread;
	bool issue;

	switch (event->class->role) {
	case STRATA_ROLE_RUNSTATE:
		take_change(host, pcpu, event);
		return;
	case STRATA_ROLE_VCPU_STATE:
		take_state(host, event);
		return;
	default:
		break;
	}
	thread = strata_compass_thread(&host->threads, event->domain, event->vcpu);
	if (!thread)
		return;
	/* In the middle of a switch a record still has the one before: only the first counts. */
	if (!pcpu->current)
		is_running(host, pcpu, thread, event->ns);
	if (event->class->role == STRATA_ROLE_GUEST_ENTRY ||
	    event->class->role == STRATA_ROLE_GUEST_EXIT)
		take_guest_mode(host, pcpu, thread, event);
	else if (strata_xen_pv_hypercall(event->class->desc.id, &issue))
		take_hypercall(host, pcpu, thread, issue, event);
}

void strata_compass_host_guest_event(struct compass_host *host, struct compass_thread *thread,
				     uint64_t ns, int32_t tid)
{
	const struct compass_context context = strata_compass_context(thread);

	strata_compass_sync_guest(&thread->sync, &host->sync, ns, tid, &context);
}

/* Set-up ------------------------------------------------------------------------------------- */

int strata_compass_host_open(struct compass_host *host, const struct strata_merge *merge,
			     const struct strata_dir *dir, const struct strata_source *xen,
			     struct strata_error *error)
{
	memset(host, 0, sizeof(*host));
	host->merge = merge;
	host->hypercalls = strata_merge_has_hypercall_returns(merge);
	host->isa = (uint32_t)xen->exits;
	strata_compass_threads_init(&host->threads, merge);
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

int strata_compass_host_stream(struct compass_host *host, const struct strata_merge_stream *stream,
			       struct strata_error *error)
{
	struct compass_pcpu **pcpu = &host->pcpus[stream->cpu & 0xffffu];

	if (!*pcpu)
		*pcpu = calloc(1, sizeof(**pcpu));
	if (!*pcpu)
		return strata_fail(error, "out of memory");
	(*pcpu)->file = strata_compass_trace_file(&host->trace, stream->cpu, stream, error);
	return (*pcpu)->file ? 0 : -1;
}

int strata_compass_host_finish(struct compass_host *host, struct strata_error *error)
{
	uint32_t i;

	for (i = 0; i < 1u << 16; i++) {
		if (host->pcpus[i])
			settle(host, host->pcpus[i]);
	}
	if (host->threads.no_memory)
		host->trace.no_memory = true;
	return strata_compass_trace_finish(&host->trace, strata_merge_result(host->merge), error);
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
