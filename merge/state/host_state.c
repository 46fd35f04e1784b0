// SPDX-License-Identifier: GPL-2.0-or-later
/* host_state.c - see host_state.h: finds what each event means, and tells the part of the state. */
#include "state/host_state.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/event_place.h"

/* Room for what is found out of a set once: meanings and ways to fields. */
#define ARENA_BYTES ((size_t)1 << 30)

/* Linux's bits of a task's state: any of these, and it does not want to run; and it ends. */
#define TASK_SLEEPS 0xffu

/* Of one kind of a trace's streams. */
struct kind {
	struct strata_place place;
	struct strata_meaning *meanings; /* as its classes */
	bool means_anything, has_runstates;
};

struct strata_host_state {
	struct strata_slice_sink sink;
	const struct strata_trace_set *set;
	struct strata_spans spans;
	struct strata_ctf_arena *arena;
	struct kind **kinds; /* of each trace */
	struct strata_vcpus vcpus;
	struct strata_tasks tasks;
	struct strata_requests requests;
	struct strata_state_facts facts;
	struct strata_moment now;
};

/* An event, opened. */
struct happening {
	size_t trace;
	const struct strata_ctf_trace *of;
	const struct kind *kind;
	const struct strata_meaning *meaning;
	uint32_t cpu; /* of its stream */
	struct strata_ctf_cursor cursor;
};

static bool number(const struct happening *event, size_t field, uint64_t *value)
{
	return strata_named_field_number(&event->meaning->fields[field], event->cursor, value);
}

/* A number that fits into 32 bits; else @otherwise. */
static uint32_t number_or(const struct happening *event, size_t field, uint32_t otherwise)
{
	uint64_t value;

	return number(event, field, &value) && value < UINT32_MAX ? (uint32_t)value : otherwise;
}

/* The vCPU that an event is about; or, without such fields, the one of its context. */
static struct strata_vcpu *vcpu_of(struct strata_host_state *state, const struct happening *event,
				   bool by_fields)
{
	const struct strata_place *place = &event->kind->place;
	const uint32_t domain =
		by_fields ? number_or(event, 0, STRATA_PLACE_UNKNOWN)
			  : strata_place_read(&place->domain, event->cpu, &event->cursor);
	const uint32_t vcpu = by_fields
				      ? number_or(event, 1, STRATA_PLACE_UNKNOWN)
				      : strata_place_read(&place->vcpu, event->cpu, &event->cursor);

	struct strata_vcpu *found;

	if (domain > UINT16_MAX || vcpu > UINT16_MAX)
		return NULL;
	found = strata_vcpus_get(&state->vcpus, event->of->machine, domain, vcpu, &state->now);
	if (found)
		found->trace = event->trace;
	return found;
}

static void take_runstate(struct strata_host_state *state, const struct happening *event)
{
	struct strata_vcpu *vcpu = vcpu_of(state, event, true);

	if (vcpu)
		strata_vcpus_change(&state->vcpus, vcpu, event->meaning->before,
				    event->meaning->after, event->cpu, event->trace, &state->now);
}

/* As recording starts; what is known already is newer. */
static void take_vcpu_state(struct strata_host_state *state, const struct happening *event)
{
	struct strata_vcpu *vcpu = vcpu_of(state, event, true);
	uint64_t runstate;

	if (vcpu && vcpu->state == STRATA_VCPU_UNKNOWN && number(event, 3, &runstate))
		strata_vcpus_change(&state->vcpus, vcpu, STRATA_VCPU_UNKNOWN,
				    strata_vcpu_state_of(runstate), number_or(event, 2, event->cpu),
				    event->trace, &state->now);
}

/* What Xen does for the vCPU that runs. */
static void take_work(struct strata_host_state *state, const struct happening *event)
{
	struct strata_vcpu *vcpu = vcpu_of(state, event, false);
	uint64_t value = 0, preempted = 0;

	if (!vcpu)
		return;
	number(event, 0, &value);
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
	else if (number(event, 1, &preempted) && preempted)
		strata_vcpus_preempt(&state->vcpus, vcpu, value);
	else
		strata_vcpus_return(&state->vcpus, vcpu, value, event->trace, &state->now);
}

static struct strata_kernel *kernel_of(struct strata_host_state *state,
				       const struct happening *event)
{
	const struct strata_place_number *domain = &event->kind->place.domain;

	if (state->tasks.kernels[event->trace])
		return state->tasks.kernels[event->trace];
	return strata_tasks_kernel(&state->tasks, event->trace, event->of->machine,
				   domain->in == STRATA_PLACE_FIXED ? domain->fixed
								    : STRATA_NO_DOMAIN);
}

/* The task that an event names, and its name, if it has one. */
static struct strata_task *named_task(struct strata_host_state *state, struct strata_kernel *kernel,
				      const struct happening *event, size_t field, uint32_t cpu)
{
	const uint32_t tid = number_or(event, field, UINT32_MAX);
	struct strata_task *task;
	const char *name;
	size_t bytes;

	if (tid == UINT32_MAX)
		return NULL;
	task = strata_tasks_get(&state->tasks, kernel, tid, cpu, &state->now);
	if (task && strata_named_field_text(&event->meaning->fields[field + 1], event->cursor,
					    &name, &bytes)) {
		const char *slash = memrchr(name, '/', bytes);

		/* Of exec it is the whole path; kernels' threads have such names, too. */
		if (event->meaning->of == STRATA_MEANS_RENAME && slash) {
			bytes -= (size_t)(slash + 1 - name);
			name = slash + 1;
		}
		strata_task_rename(task, name, bytes);
	}
	return task;
}

static void take_switch(struct strata_host_state *state, struct strata_kernel *kernel,
			const struct happening *event)
{
	struct strata_task *after = named_task(state, kernel, event, 0, event->cpu);
	struct strata_task *before = named_task(state, kernel, event, 2, event->cpu);
	uint64_t value = 0;

	number(event, 4, &value);
	if (before && after)
		strata_tasks_switch(&state->tasks, before,
				    value & TASK_SLEEPS ? STRATA_TASK_BLOCKED
							: STRATA_TASK_RUNNABLE,
				    after, event->cpu, &state->now);
	else
		strata_tasks_lose(&state->tasks, kernel, &state->now);
}

static void take_interrupt(struct strata_host_state *state, struct strata_kernel *kernel,
			   const struct happening *event)
{
	const char *name = NULL;
	size_t bytes = 0;
	uint64_t value;

	if (!number(event, 0, &value))
		return;
	if (event->meaning->of == STRATA_MEANS_IRQ) {
		strata_named_field_text(&event->meaning->fields[1], event->cursor, &name, &bytes);
		strata_tasks_irq(&state->tasks, kernel, event->cpu, value, name, bytes,
				 &state->now);
	} else if (event->meaning->of == STRATA_MEANS_IRQ_END) {
		strata_tasks_irq_end(&state->tasks, kernel, event->cpu, value, &state->now);
	} else if (event->meaning->of == STRATA_MEANS_SOFTIRQ) {
		strata_tasks_softirq(&state->tasks, kernel, event->cpu, value, &state->now);
	} else {
		strata_tasks_softirq_end(&state->tasks, kernel, event->cpu, value, &state->now);
	}
}

/* Who does it: as the event's context says, else who runs on its CPU. */
static struct strata_task *doer(struct strata_host_state *state, struct strata_kernel *kernel,
				const struct happening *event)
{
	uint64_t tid;

	if (strata_named_field_number(&event->meaning->task, event->cursor, &tid) &&
	    tid <= INT32_MAX)
		return strata_tasks_get(&state->tasks, kernel, (uint32_t)tid, event->cpu,
					&state->now);
	return strata_tasks_current(kernel, event->cpu);
}

static void take_kernels(struct strata_host_state *state, const struct happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	struct strata_task *task = NULL;
	uint64_t value = 0;

	if (!kernel)
		return;
	switch (event->meaning->of) {
	case STRATA_MEANS_SWITCH:
		take_switch(state, kernel, event);
		break;
	case STRATA_MEANS_WAKE:
	case STRATA_MEANS_MIGRATE:
		task = named_task(state, kernel, event, 0, number_or(event, 2, event->cpu));
		if (task && event->meaning->of == STRATA_MEANS_WAKE)
			strata_tasks_wake(&state->tasks, task, number_or(event, 2, event->cpu),
					  &state->now);
		else if (task)
			strata_tasks_migrate(&state->tasks, task, number_or(event, 2, event->cpu),
					     &state->now);
		break;
	case STRATA_MEANS_RENAME:
		named_task(state, kernel, event, 0, event->cpu);
		break;
	case STRATA_MEANS_SYSCALL:
		task = doer(state, kernel, event);
		number(event, 0, &value);
		if (task)
			strata_tasks_syscall(&state->tasks, task, value, event->meaning->name,
					     &state->now);
		break;
	case STRATA_MEANS_SYSCALL_END:
		task = doer(state, kernel, event);
		if (task)
			strata_tasks_syscall_end(&state->tasks, task, &state->now);
		break;
	default:
		take_interrupt(state, kernel, event);
	}
}

/* The kernel under an application: of the same machine and domain; NULL: it was not traced. */
static struct strata_kernel *kernel_under(const struct strata_host_state *state,
					  const struct happening *event)
{
	const struct strata_place_number *domain = &event->kind->place.domain;
	size_t i;

	for (i = 0; i < state->tasks.nr_traces; i++) {
		struct strata_kernel *kernel = state->tasks.kernels[i];

		if (kernel && kernel->machine == event->of->machine &&
		    (domain->in != STRATA_PLACE_FIXED || kernel->domain == STRATA_NO_DOMAIN ||
		     kernel->domain == domain->fixed))
			return kernel;
	}
	return NULL;
}

static void take_request(struct strata_host_state *state, const struct happening *event)
{
	struct strata_kernel *kernel = kernel_under(state, event);
	struct strata_task *task = kernel ? doer(state, kernel, event) : NULL;
	uint64_t key = 0;

	/* Without a key, one task does one at a time. */
	if (!number(event, 0, &key))
		strata_named_field_number(&event->meaning->task, event->cursor, &key);
	if (event->meaning->of == STRATA_MEANS_REQUEST)
		strata_requests_begin(&state->requests, &state->tasks, task, event->trace,
				      event->meaning->name, key, &state->now);
	else
		strata_requests_end(&state->requests, &state->tasks, task, event->trace,
				    event->meaning->name, key, &state->now);
}

static void take_event(struct strata_host_state *state, const struct happening *event)
{
	state->facts.seen[event->meaning->of]++;
	switch (event->meaning->of) {
	case STRATA_MEANS_NOTHING:
	case STRATA_NR_MEANINGS:
		break;
	case STRATA_MEANS_RUNSTATE:
		take_runstate(state, event);
		break;
	case STRATA_MEANS_VCPU_STATE:
		take_vcpu_state(state, event);
		break;
	case STRATA_MEANS_RUNS:
	case STRATA_MEANS_VM_EXIT:
	case STRATA_MEANS_VM_ENTRY:
	case STRATA_MEANS_HYPERCALL:
	case STRATA_MEANS_HYPERCALL_RETURN:
		take_work(state, event);
		break;
	case STRATA_MEANS_REQUEST:
	case STRATA_MEANS_REQUEST_END:
		take_request(state, event);
		break;
	default:
		take_kernels(state, event);
	}
}

/* The part of the bounds that is the same for all events of a trace. */
static uint64_t trace_bound(const struct strata_ctf_trace *trace)
{
	return trace->times_are_tied ? trace->own_bound_ns : 0;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_host_state *state = (struct strata_host_state *)sink;
	struct happening event = { .trace = state->set->streams[stream].trace };
	size_t i;

	(void)error;
	event.of = state->set->traces[event.trace];
	event.kind = &state->kinds[event.trace][reader->kind->class->index];
	if (!reader->kind->has_time)
		return 0;
	if (state->facts.events == 0)
		state->facts.first_ns = events[0].ns;
	state->facts.events += nr;
	state->now.ns = state->facts.last_ns = events[nr - 1].ns;
	if (!event.kind->means_anything)
		return 0;
	event.cpu = reader->packet.has_cpu && reader->packet.cpu < STRATA_NO_PCPU
			    ? (uint32_t)reader->packet.cpu
			    : STRATA_NO_PCPU;
	for (i = 0; i < nr; i++) {
		event.meaning = &event.kind->meanings[events[i].class];
		if (event.meaning->of == STRATA_MEANS_NOTHING)
			continue;
		state->now.ns = events[i].ns;
		state->now.bound_ns = strata_ctf_add_clamped(
			strata_ctf_bound_ns(reader, events[i].bound), trace_bound(event.of));
		strata_ctf_event_open(reader, &events[i], &event.cursor);
		take_event(state, &event);
	}
	return 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_host_state *state = (struct strata_host_state *)sink;
	const size_t at = state->set->streams[stream].trace;
	const struct strata_ctf_trace *trace = state->set->traces[at];
	const struct kind *kind = &state->kinds[at][reader->kind ? reader->kind->class->index : 0];
	const struct strata_moment now = { .ns = loss->from_ns > state->now.ns ? loss->from_ns
									       : state->now.ns };

	(void)error;
	if (!kind->means_anything)
		return 0;
	state->facts.losses++;
	if (strcmp(kind->place.layer, "xen") == 0)
		strata_vcpus_lose(&state->vcpus, trace->machine,
				  reader->packet.has_cpu ? (uint32_t)reader->packet.cpu
							 : STRATA_NO_PCPU,
				  at, &now);
	else if (state->tasks.kernels[at])
		strata_tasks_lose(&state->tasks, state->tasks.kernels[at], &now);
	strata_requests_lose(&state->requests, at);
	return 0;
}

static int find_kind(struct strata_host_state *state, const struct strata_ctf_trace *trace,
		     size_t at, const struct strata_request_forms *requests, struct kind *kind)
{
	const struct strata_ctf_stream_class *stream = &trace->metadata.streams[at];
	size_t i;

	kind->meanings =
		strata_ctf_arena_get(state->arena, stream->nr_events, sizeof(*kind->meanings));
	if (!kind->meanings || strata_place_find(&kind->place, trace, at, state->arena))
		return -1;
	for (i = 0; i < stream->nr_events; i++) {
		if (strata_meaning_find(&kind->meanings[i], kind->place.layer, stream,
					&stream->events[i], requests, state->arena))
			return -1;
		kind->means_anything |= kind->meanings[i].of != STRATA_MEANS_NOTHING;
		kind->has_runstates |= kind->meanings[i].of == STRATA_MEANS_RUNSTATE;
	}
	return 0;
}

/* Hypercalls and VM exits whose ends are not recorded have no length. */
static void need_returns(struct strata_host_state *state, const struct strata_ctf_trace *trace,
			 struct kind *kinds)
{
	static const enum strata_meaning_of pairs[][2] = {
		{ STRATA_MEANS_HYPERCALL, STRATA_MEANS_HYPERCALL_RETURN },
		{ STRATA_MEANS_VM_EXIT, STRATA_MEANS_VM_ENTRY },
	};
	bool has[STRATA_NR_MEANINGS] = { false };
	size_t i, j, k;

	(void)state;
	for (i = 0; i < trace->metadata.nr_streams; i++) {
		for (j = 0; j < trace->metadata.streams[i].nr_events; j++)
			has[kinds[i].meanings[j].of] = true;
	}
	for (i = 0; i < trace->metadata.nr_streams; i++) {
		for (j = 0; j < trace->metadata.streams[i].nr_events; j++) {
			for (k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++) {
				if (kinds[i].meanings[j].of == pairs[k][0] && !has[pairs[k][1]])
					kinds[i].meanings[j].of = STRATA_MEANS_RUNS;
			}
		}
	}
}

static int find_kinds(struct strata_host_state *state, const struct strata_request_forms *requests)
{
	size_t i, j;

	state->kinds =
		strata_ctf_arena_get(state->arena, state->set->nr_traces, sizeof(*state->kinds));
	for (i = 0; state->kinds && i < state->set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = state->set->traces[i];

		state->kinds[i] = strata_ctf_arena_get(state->arena, trace->metadata.nr_streams,
						       sizeof(**state->kinds));
		if (!state->kinds[i])
			return -1;
		for (j = 0; j < trace->metadata.nr_streams; j++) {
			if (find_kind(state, trace, j, requests, &state->kinds[i][j]))
				return -1;
		}
		need_returns(state, trace, state->kinds[i]);
	}
	return state->kinds ? 0 : -1;
}

struct strata_host_state *strata_host_state_new(const struct strata_trace_set *set,
						const struct strata_request_forms *requests,
						struct strata_span_listener *const *listeners,
						size_t nr_listeners)
{
	struct strata_host_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->sink.take = take;
	state->sink.lose = lose;
	state->set = set;
	state->spans = (struct strata_spans){ listeners, nr_listeners };
	state->vcpus.spans = state->tasks.spans = state->requests.spans = &state->spans;
	state->tasks.vcpus = &state->vcpus;
	state->tasks.nr_traces = set->nr_traces;
	state->tasks.kernels = calloc(set->nr_traces + 1, sizeof(*state->tasks.kernels));
	state->arena = strata_ctf_arena_new(ARENA_BYTES);
	if (state->tasks.kernels && state->arena && !find_kinds(state, requests))
		return state;
	strata_host_state_free(state);
	return NULL;
}

struct strata_slice_sink *strata_host_state_observer(struct strata_host_state *state)
{
	return &state->sink;
}

int strata_host_state_finish(struct strata_host_state *state, struct strata_error *error)
{
	const struct strata_moment end = { .ns = state->facts.last_ns };

	/* Tasks first: they want to know how the time of their vCPUs was divided. */
	strata_tasks_finish(&state->tasks, &end);
	strata_vcpus_finish(&state->vcpus, &end);
	state->facts.contradictions = state->vcpus.contradictions;
	state->facts.not_followed = state->vcpus.not_followed + state->tasks.not_followed;
	state->facts.requests_without_begin = state->requests.without_begin;
	state->facts.requests_without_end = state->requests.without_end + state->requests.open.nr;
	state->facts.requests_not_followed = state->requests.not_followed;
	if (state->vcpus.no_memory || state->tasks.no_memory)
		return strata_fail(error, "out of memory");
	return 0;
}

const struct strata_state_facts *strata_host_state_facts(const struct strata_host_state *state)
{
	return &state->facts;
}

void strata_host_state_free(struct strata_host_state *state)
{
	if (!state)
		return;
	strata_vcpus_clear(&state->vcpus);
	strata_tasks_clear(&state->tasks);
	strata_requests_clear(&state->requests);
	strata_ctf_arena_free(state->arena);
	free(state);
}
