// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_happenings.c - hands events of kernels and applications to the parts of the state
 * (happening.h). */
#include "state/happening.h"
#include "state/locks.h"

#include <string.h>

/* Linux's bits of a task's state: any of these, and it does not want to run; and it ends. */
#define TASK_SLEEPS 0xffu

static struct strata_kernel *add_kernel(struct strata_host_state *state,
					const struct strata_happening *event)
{
	const struct strata_place_number *domain = &event->kind->place.domain;

	return strata_tasks_kernel(&state->tasks, event->trace, event->of->machine,
				   domain->in == STRATA_PLACE_FIXED ? domain->fixed
								    : STRATA_NO_DOMAIN);
}

/* NULL: out of memory. */
static struct strata_kernel *kernel_of(struct strata_host_state *state,
				       const struct strata_happening *event)
{
	struct strata_kernel *kernel = state->tasks.kernels[event->trace];

	return kernel ? kernel : add_kernel(state, event);
}

/* The task whose number is in a field; NULL: none is. */
static struct strata_task *task_in(struct strata_host_state *state, struct strata_kernel *kernel,
				   const struct strata_happening *event, size_t field, uint32_t cpu)
{
	const uint32_t tid = strata_happening_number_or(event, field, UINT32_MAX);

	return tid == UINT32_MAX ? NULL
				 : strata_tasks_get(&state->tasks, kernel, tid, cpu, &state->now);
}

/* The same of one whose name is in the next field, if the event has one. */
static struct strata_task *named_task(struct strata_host_state *state, struct strata_kernel *kernel,
				      const struct strata_happening *event, size_t field,
				      uint32_t cpu)
{
	const struct strata_named_field *comm = &event->meaning->fields[field + 1];
	struct strata_task *task = task_in(state, kernel, event, field, cpu);
	const char *name;
	size_t bytes;

	/* Most events name a task as it is known; then it need not be looked at closely. */
	if (task && !strata_named_field_is(comm, &event->cursor, task->comm, sizeof(task->comm)) &&
	    strata_named_field_text(comm, &event->cursor, &name, &bytes))
		strata_task_rename(task, name, bytes);
	return task;
}

static void take_switch(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	struct strata_task *after, *before;
	uint64_t value = 0;

	if (!kernel)
		return;
	after = named_task(state, kernel, event, 0, event->cpu);
	before = named_task(state, kernel, event, 2, event->cpu);
	strata_happening_number(event, 4, &value);
	if (before && after)
		strata_tasks_switch(&state->tasks, before,
				    value & TASK_SLEEPS ? STRATA_TASK_BLOCKED
							: STRATA_TASK_RUNNABLE,
				    value, after, event->cpu, &state->now);
	else
		strata_tasks_lose(&state->tasks, kernel, &state->now);
}

static void take_irq(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	const char *name = NULL;
	size_t bytes = 0;
	uint64_t number;

	if (!kernel || !strata_happening_number(event, 0, &number))
		return;
	strata_named_field_text(&event->meaning->fields[1], &event->cursor, &name, &bytes);
	strata_tasks_irq(&state->tasks, kernel, event->cpu, number, name, bytes, &state->now);
}

/* What else has one number, and no name, to be told of. */
static void take_number(struct strata_host_state *state, const struct strata_happening *event,
			void take(struct strata_tasks *, struct strata_kernel *, uint32_t cpu,
				  uint64_t number, const struct strata_moment *))
{
	struct strata_kernel *kernel = kernel_of(state, event);
	uint64_t number;

	if (kernel && strata_happening_number(event, 0, &number))
		take(&state->tasks, kernel, event->cpu, number, &state->now);
}

static void take_irq_end(struct strata_host_state *state, const struct strata_happening *event)
{
	take_number(state, event, strata_tasks_irq_end);
}

static void take_softirq(struct strata_host_state *state, const struct strata_happening *event)
{
	take_number(state, event, strata_tasks_softirq);
}

static void take_softirq_end(struct strata_host_state *state, const struct strata_happening *event)
{
	take_number(state, event, strata_tasks_softirq_end);
}

static void take_raise(struct strata_host_state *state, const struct strata_happening *event)
{
	take_number(state, event, strata_tasks_raise);
}

/* Who does it, as the event's context says.  False: it says nothing, or only a namespace's number
 * while it is known who runs on its CPU. */
static bool doer_number(const struct strata_happening *event, const struct strata_task *current,
			uint32_t *tid)
{
	uint64_t number;

	if ((current && event->meaning->task_is_virtual) ||
	    !strata_named_field_number(&event->meaning->task, &event->cursor, &number) ||
	    number > INT32_MAX)
		return false;
	*tid = (uint32_t)number;
	return true;
}

/* Who does it: as the event's context says, else who runs on its CPU. */
static struct strata_task *doer(struct strata_host_state *state, struct strata_kernel *kernel,
				const struct strata_happening *event)
{
	struct strata_task *current = strata_tasks_current(kernel, event->cpu);
	uint32_t tid;

	return doer_number(event, current, &tid)
		       ? strata_tasks_get(&state->tasks, kernel, tid, event->cpu, &state->now)
		       : current;
}

/* The same of an application's event.  It may name any task, so the kernel's events have to know
 * it: NULL: they do not. */
static struct strata_task *known_doer(const struct strata_kernel *kernel,
				      const struct strata_happening *event)
{
	struct strata_task *current = strata_tasks_current(kernel, event->cpu);
	uint32_t tid;

	return doer_number(event, current, &tid) ? strata_tasks_known(kernel, tid, event->cpu)
						 : current;
}

static void take_wake(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	const uint32_t cpu = strata_happening_number_or(event, 2, event->cpu);
	struct strata_task *task = kernel ? named_task(state, kernel, event, 0, cpu) : NULL;
	struct strata_waker waker = {
		.cpu = STRATA_NO_CPU,
		.is_waking = event->meaning->of == STRATA_MEANS_WAKING,
	};

	if (!task)
		return;
	/* On the CPU for which a task is woken, an interrupt from who woke it may have come. */
	if (waker.is_waking || event->cpu != cpu) {
		waker.cpu = event->cpu;
		waker.task = doer(state, kernel, event);
	}
	/* Either tells of wake-ups. */
	state->facts.seen[STRATA_MEANS_WAKE] += waker.is_waking;
	strata_tasks_wake(&state->tasks, task, cpu, &waker, &state->now);
}

static void take_upcall(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	const uint32_t port = strata_happening_number_or(event, 0, STRATA_NO_PORT);
	uint64_t irq = UINT64_MAX;

	strata_happening_number(event, 1, &irq);
	if (kernel && port != STRATA_NO_PORT)
		strata_evtchns_upcall(&state->evtchns, kernel, event->cpu, port, irq, &state->now);
}

static void take_timer(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	uint64_t function = 0, timer, clock_ns;

	if (!kernel)
		return;
	strata_happening_number(event, 0, &function);
	strata_tasks_timer(&state->tasks, kernel, event->cpu, true, function, &state->now);
	if (strata_happening_number(event, 1, &timer) &&
	    strata_happening_number(event, 2, &clock_ns))
		strata_tasks_timer_late(&state->tasks, kernel, event->cpu, timer, clock_ns,
					&state->now);
}

static void end_timer(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);

	if (kernel)
		strata_tasks_timer(&state->tasks, kernel, event->cpu, false, 0, &state->now);
}

static void arm_timer(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	uint64_t timer, due_ns;

	if (kernel && strata_happening_number(event, 0, &timer) &&
	    strata_happening_number(event, 1, &due_ns) &&
	    strata_timers_arm(&kernel->timers, timer, due_ns, kernel->losses))
		state->tasks.no_memory = true;
}

static void take_lock(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	struct strata_task *task = kernel ? doer(state, kernel, event) : NULL;
	uint64_t lock, flags = 0;

	if (!task || !strata_happening_number(event, 0, &lock))
		return;
	strata_happening_number(event, 1, &flags);
	if (event->meaning->of == STRATA_MEANS_LOCK)
		strata_locks_begin(&state->tasks, task, lock, flags, &state->now);
	else
		strata_locks_end(&state->tasks, task, lock, &state->now);
}

static void take_migrate(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	const uint32_t cpu = strata_happening_number_or(event, 2, event->cpu);
	struct strata_task *task = kernel ? named_task(state, kernel, event, 0, cpu) : NULL;

	if (task)
		strata_tasks_migrate(&state->tasks, task, cpu, &state->now);
}

static void take_rename(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	struct strata_task *task = kernel ? task_in(state, kernel, event, 0, event->cpu) : NULL;
	const char *name, *slash;
	size_t bytes;

	if (!task ||
	    !strata_named_field_text(&event->meaning->fields[1], &event->cursor, &name, &bytes))
		return;
	/* Of exec it is the whole path; kernels' threads have such names, too. */
	slash = memrchr(name, '/', bytes);
	if (slash) {
		bytes -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	strata_task_rename(task, name, bytes);
}

static void take_syscall(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	struct strata_task *task = kernel ? doer(state, kernel, event) : NULL;
	uint64_t number = 0;

	strata_happening_number(event, 0, &number);
	if (task)
		strata_tasks_syscall(&state->tasks, task, number, event->meaning->name,
				     &state->now);
}

static void end_syscall(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_of(state, event);
	struct strata_task *task = kernel ? doer(state, kernel, event) : NULL;

	if (task)
		strata_tasks_syscall_end(&state->tasks, task, &state->now);
}

/* The kernel under an application: of the same machine and domain; NULL: it was not traced. */
static struct strata_kernel *kernel_under(const struct strata_host_state *state,
					  const struct strata_happening *event)
{
	const struct strata_place_number *domain = &event->kind->place.domain;

	return strata_tasks_find_kernel(&state->tasks, event->of->machine,
					domain->in == STRATA_PLACE_FIXED ? domain->fixed
									 : STRATA_NO_DOMAIN);
}

static void take_request(struct strata_host_state *state, const struct strata_happening *event)
{
	struct strata_kernel *kernel = kernel_under(state, event);
	struct strata_task *task = kernel ? known_doer(kernel, event) : NULL;
	uint64_t key = 0;

	/* Without a key, one task does one at a time. */
	if (!strata_happening_number(event, 0, &key))
		strata_named_field_number(&event->meaning->task, &event->cursor, &key);
	if (event->meaning->of == STRATA_MEANS_REQUEST)
		strata_requests_begin(&state->requests, &state->tasks, task, event->trace,
				      event->meaning->name, key, &state->now);
	else
		strata_requests_end(&state->requests, &state->tasks, task, event->trace,
				    event->meaning->name, key, &state->now);
}

strata_state_take *const strata_state_takes_kernel[STRATA_NR_MEANINGS] = {
	[STRATA_MEANS_SWITCH] = take_switch,
	[STRATA_MEANS_WAKING] = take_wake,
	[STRATA_MEANS_WAKE] = take_wake,
	[STRATA_MEANS_MIGRATE] = take_migrate,
	[STRATA_MEANS_RENAME] = take_rename,
	[STRATA_MEANS_SYSCALL] = take_syscall,
	[STRATA_MEANS_SYSCALL_END] = end_syscall,
	[STRATA_MEANS_IRQ] = take_irq,
	[STRATA_MEANS_IRQ_END] = take_irq_end,
	[STRATA_MEANS_SOFTIRQ] = take_softirq,
	[STRATA_MEANS_SOFTIRQ_END] = take_softirq_end,
	[STRATA_MEANS_SOFTIRQ_RAISE] = take_raise,
	[STRATA_MEANS_TIMER_ARM] = arm_timer,
	[STRATA_MEANS_TIMER] = take_timer,
	[STRATA_MEANS_TIMER_END] = end_timer,
	[STRATA_MEANS_LOCK] = take_lock,
	[STRATA_MEANS_LOCK_END] = take_lock,
	[STRATA_MEANS_EVTCHN_UPCALL] = take_upcall,
	[STRATA_MEANS_REQUEST] = take_request,
	[STRATA_MEANS_REQUEST_END] = take_request,
};
