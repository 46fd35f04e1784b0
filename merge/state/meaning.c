// SPDX-License-Identifier: GPL-2.0-or-later
/* meaning.c - see meaning.h. */
#include "state/meaning.h"

#include <string.h>

/* Field names: alternatives with '|' between them, Strata's and the kernel's first, then LTTng's.
 */
struct meaning_form {
	const char
		*event; /* its name; ending in '*': what it begins with, and the rest is `name` */
	enum strata_meaning_of of;
	unsigned int needed; /* of the fields, the first ones */
	const char *fields[STRATA_MEANING_FIELDS];
};

static const struct meaning_form xen_forms[] = {
	{ "strata_vcpu_state",
	  STRATA_MEANS_VCPU_STATE,
	  4,
	  { "of_domain", "of_vcpu", "on_pcpu", "runstate" } },
	{ "vm_exit", STRATA_MEANS_VM_EXIT, 1, { "reason" } },
	{ "vm_entry", STRATA_MEANS_VM_ENTRY, 0, { NULL } },
	{ "pv_hypercall", STRATA_MEANS_HYPERCALL, 1, { "op" } },
	{ "pv_hypercall_return", STRATA_MEANS_HYPERCALL_RETURN, 1, { "op", "preempted" } },
	{ "hvm_hypercall", STRATA_MEANS_HYPERCALL, 1, { "op", "preempted" } },
	{ "hvm_hypercall_return", STRATA_MEANS_HYPERCALL_RETURN, 1, { "op", "preempted" } },
	{ "evtchn_send", STRATA_MEANS_EVTCHN_SEND, 2, { "to_domain", "to_port" } },
	{ "evtchn_pending", STRATA_MEANS_EVTCHN_PENDING, 3, { "of_domain", "of_vcpu", "port" } },
	{ "grant_map", STRATA_MEANS_GRANT_MAP, 3, { "granter", "ref", "handle" } },
	{ "grant_unmap", STRATA_MEANS_GRANT_UNMAP, 1, { "handle" } },
	{ "grant_copy",
	  STRATA_MEANS_GRANT_COPY,
	  4,
	  { "from_domain", "to_domain", "bytes", "status" } },
	{ "xen_timer_expire", STRATA_MEANS_XEN_TIMER, 1, { "function" } },
	{ "xen_softirq_entry", STRATA_MEANS_XEN_SOFTIRQ, 1, { "softirq" } },
	{ "xen_softirq_exit", STRATA_MEANS_XEN_SOFTIRQ_END, 1, { "softirq" } },
};

static const struct meaning_form kernel_forms[] = {
	{ "sched_switch",
	  STRATA_MEANS_SWITCH,
	  5,
	  { "next_pid|next_tid", "next_comm", "prev_pid|prev_tid", "prev_comm", "prev_state" } },
	{ "sched_waking", STRATA_MEANS_WAKING, 3, { "pid|tid", "comm", "target_cpu" } },
	{ "sched_wakeup", STRATA_MEANS_WAKE, 3, { "pid|tid", "comm", "target_cpu" } },
	/* A new task is woken on the CPU of its parent, with no event before. */
	{ "sched_wakeup_new", STRATA_MEANS_WAKING, 3, { "pid|tid", "comm", "target_cpu" } },
	{ "sched_migrate_task", STRATA_MEANS_MIGRATE, 3, { "pid|tid", "comm", "dest_cpu" } },
	{ "sched_process_exec", STRATA_MEANS_RENAME, 2, { "pid|tid", "filename" } },
	{ "task_rename", STRATA_MEANS_RENAME, 2, { "pid|tid", "newcomm" } },
	{ "sys_enter", STRATA_MEANS_SYSCALL, 1, { "id" } },
	{ "sys_exit", STRATA_MEANS_SYSCALL_END, 1, { "id" } },
	{ "syscall_entry_*", STRATA_MEANS_SYSCALL, 0, { NULL } },
	{ "syscall_exit_*", STRATA_MEANS_SYSCALL_END, 0, { NULL } },
	{ "compat_syscall_entry_*", STRATA_MEANS_SYSCALL, 0, { NULL } },
	{ "compat_syscall_exit_*", STRATA_MEANS_SYSCALL_END, 0, { NULL } },
	{ "irq_handler_entry", STRATA_MEANS_IRQ, 1, { "irq", "name" } },
	{ "irq_handler_exit", STRATA_MEANS_IRQ_END, 1, { "irq" } },
	{ "softirq_entry", STRATA_MEANS_SOFTIRQ, 1, { "vec" } },
	{ "softirq_exit", STRATA_MEANS_SOFTIRQ_END, 1, { "vec" } },
	{ "softirq_raise", STRATA_MEANS_SOFTIRQ_RAISE, 1, { "vec" } },
	{ "hrtimer_start", STRATA_MEANS_TIMER_ARM, 2, { "hrtimer", "expires" } },
	{ "hrtimer_expire_entry", STRATA_MEANS_TIMER, 1, { "function", "hrtimer", "now" } },
	{ "hrtimer_expire_exit", STRATA_MEANS_TIMER_END, 0, { NULL } },
	{ "timer_expire_entry", STRATA_MEANS_TIMER, 1, { "function" } },
	{ "timer_expire_exit", STRATA_MEANS_TIMER_END, 0, { NULL } },
	{ "contention_begin", STRATA_MEANS_LOCK, 2, { "lock_addr", "flags" } },
	{ "contention_end", STRATA_MEANS_LOCK_END, 1, { "lock_addr" } },
	{ "xen_evtchn_upcall", STRATA_MEANS_EVTCHN_UPCALL, 2, { "port", "irq" } },
};

enum strata_vcpu_state strata_vcpu_state_of(uint64_t runstate)
{
	static const enum strata_vcpu_state states[] = {
		[STRATA_RUNSTATE_RUNNING] = STRATA_VCPU_GUEST,
		[STRATA_RUNSTATE_RUNNABLE] = STRATA_VCPU_RUNNABLE,
		[STRATA_RUNSTATE_BLOCKED] = STRATA_VCPU_BLOCKED,
		[STRATA_RUNSTATE_OFFLINE] = STRATA_VCPU_OFFLINE,
	};

	return runstate < sizeof(states) / sizeof(states[0]) ? states[runstate]
							     : STRATA_VCPU_UNKNOWN;
}

/* What follows @prefix in @name; NULL: it begins otherwise. */
static const char *behind(const char *name, const char *prefix, size_t length)
{
	return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

/* "runstate_blocked_to_runnable": both states, of which the second may have more behind it. */
static bool read_runstates(const char *name, struct strata_meaning *meaning)
{
	const char *at = behind(name, "runstate_", 9);
	unsigned int i, j;

	for (i = 0; at && i <= STRATA_RUNSTATE_OFFLINE; i++) {
		const char *state = strata_runstate_name(i);
		const char *rest = behind(at, state, strlen(state));

		rest = rest ? behind(rest, "_to_", 4) : NULL;
		for (j = 0; rest && j <= STRATA_RUNSTATE_OFFLINE; j++) {
			if (strcmp(rest, strata_runstate_name(j)) != 0)
				continue;
			meaning->before = strata_vcpu_state_of(i);
			meaning->after = strata_vcpu_state_of(j);
			return true;
		}
	}
	return false;
}

/* 0, or -1. */
static int find_fields(struct strata_meaning *meaning, const char *const *names, size_t needed,
		       const struct strata_ctf_stream_class *stream,
		       const struct strata_ctf_event_class *event, struct strata_ctf_arena *arena)
{
	size_t i;
	int of_task;

	for (i = 0; i < STRATA_MEANING_FIELDS && names[i]; i++) {
		const int found = strata_named_field_find(&meaning->fields[i], stream, event,
							  names[i], arena);

		if (found < 0)
			return -1;
		if (!found && i < needed)
			meaning->of = STRATA_MEANS_NOTHING;
	}
	of_task = strata_named_field_find(&meaning->task, stream, event, "tid", arena);
	if (of_task == 0) {
		of_task = strata_named_field_find(&meaning->task, stream, event, "vtid", arena);
		meaning->task_is_virtual = of_task > 0;
	}
	return of_task < 0 ? -1 : 0;
}

static int find_form(struct strata_meaning *meaning, const struct meaning_form *forms, size_t nr,
		     const char *name, const struct strata_ctf_stream_class *stream,
		     const struct strata_ctf_event_class *event, struct strata_ctf_arena *arena)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const size_t length = strlen(forms[i].event);
		const bool is_prefix = forms[i].event[length - 1] == '*';

		if (is_prefix ? strncmp(name, forms[i].event, length - 1) != 0
			      : strcmp(name, forms[i].event) != 0)
			continue;
		meaning->of = forms[i].of;
		if (is_prefix)
			meaning->name = name + length - 1;
		return find_fields(meaning, forms[i].fields, forms[i].needed, stream, event, arena);
	}
	return 0;
}

/* Whether a name ends so; then @length is what comes before that. */
static bool ends_in(const char *name, const char *end, size_t *length)
{
	const size_t whole = strlen(name), of_end = strlen(end);

	if (whole <= of_end || strcmp(name + whole - of_end, end) != 0)
		return false;
	*length = whole - of_end;
	return true;
}

/* @by_name: any two events whose names end so, not only those that a user names */
static int find_request(struct strata_meaning *meaning, const char *name, bool by_name,
			const struct strata_request_forms *requests,
			const struct strata_ctf_stream_class *stream,
			const struct strata_ctf_event_class *event, struct strata_ctf_arena *arena)
{
	const char *fields[STRATA_MEANING_FIELDS] = { "id|request_id|request|key" };
	size_t i, length = 0;
	char *kept;

	for (i = 0; i < requests->nr; i++) {
		const struct strata_request_form *form = &requests->forms[i];
		const bool begins = strcmp(name, form->begin) == 0;

		if (!begins && strcmp(name, form->end) != 0)
			continue;
		meaning->of = begins ? STRATA_MEANS_REQUEST : STRATA_MEANS_REQUEST_END;
		meaning->name = form->name;
		fields[0] = form->key;
		return find_fields(meaning, fields, 1, stream, event, arena);
	}
	if (!by_name)
		return 0;
	if (ends_in(name, "_begin", &length))
		meaning->of = STRATA_MEANS_REQUEST;
	else if (ends_in(name, "_end", &length))
		meaning->of = STRATA_MEANS_REQUEST_END;
	else
		return 0;
	kept = strata_ctf_arena_get(arena, length + 1, 1);
	if (!kept)
		return -1;
	memcpy(kept, name, length);
	meaning->name = kept;
	return find_fields(meaning, fields, 0, stream, event, arena);
}

int strata_meaning_find(struct strata_meaning *meaning, const char *layer,
			const struct strata_ctf_stream_class *stream,
			const struct strata_ctf_event_class *event,
			const struct strata_request_forms *requests, struct strata_ctf_arena *arena)
{
	static const char *const of_vcpu[STRATA_MEANING_FIELDS] = { "of_domain", "of_vcpu" };
	const char *colon = strrchr(event->name, ':');
	const char *name = colon ? colon + 1 : event->name;

	memset(meaning, 0, sizeof(*meaning));
	meaning->before = meaning->after = STRATA_VCPU_UNKNOWN;
	if (strcmp(layer, "xen") == 0) {
		if (!read_runstates(name, meaning))
			return find_form(meaning, xen_forms,
					 sizeof(xen_forms) / sizeof(xen_forms[0]), name, stream,
					 event, arena);
		meaning->of = STRATA_MEANS_RUNSTATE;
		return find_fields(meaning, of_vcpu, 2, stream, event, arena);
	}
	if (strcmp(layer, "kernel") == 0 &&
	    find_form(meaning, kernel_forms, sizeof(kernel_forms) / sizeof(kernel_forms[0]), name,
		      stream, event, arena))
		return -1;
	if (meaning->of != STRATA_MEANS_NOTHING)
		return 0;
	/* Kernels have many such pairs, of which few are requests. */
	return find_request(meaning, name, strcmp(layer, "kernel") != 0, requests, stream, event,
			    arena);
}
