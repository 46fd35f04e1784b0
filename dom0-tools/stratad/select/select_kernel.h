/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_kernel.h - parses and applies selections of kernels: `--kernel g1:sched_*,irq_*`,
 * `--kprobe g1:do_nanosleep`, `--tid g1:42`, `--kernel-filter 'g1:sched_switch: prev_prio < 120'`.
 */
#ifndef STRATA_STRATAD_SELECT_KERNEL_H
#define STRATA_STRATAD_SELECT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "consumerd/rings/event_set.h"

/* The meaning of `default`: scheduling and its causes, without the most frequent events. */
#define SELECT_DEFAULT_EVENTS                                                             \
	"sched_switch,sched_waking,sched_wakeup,sched_wakeup_new,sched_migrate_task,"     \
	"sched_process_fork,sched_process_exec,sched_process_exit,irq_handler_entry,"     \
	"irq_handler_exit,softirq_raise,softirq_entry,softirq_exit,hrtimer_expire_entry," \
	"hrtimer_expire_exit,sys_enter,sys_exit,xen_evtchn_upcall"

enum select_kind {
	SELECT_EVENTS,     /* --kernel: patterns, comma-separated */
	SELECT_KPROBE,     /* --kprobe: [NAME=]SYMBOL[+OFFSET] and arguments (strata/abi/guest.h) */
	SELECT_KRETPROBE,  /* --kretprobe: [NAME=]SYMBOL and arguments */
	SELECT_UPROBE,     /* --uprobe: [NAME=]PATH:SYMBOL[+OFFSET] or PATH:OFFSET, and arguments */
	SELECT_URETPROBE,  /* --uretprobe: [NAME=]PATH:SYMBOL or PATH:OFFSET, and arguments */
	SELECT_FUNCTION,   /* --function: [NAME=]PATTERN and arguments */
	SELECT_TRACEPOINT, /* --tracepoint: [NAME=]TRACEPOINT and arguments */
	SELECT_TID,        /* --tid: numbers, comma-separated */
	SELECT_PID,        /* --pid: likewise */
	SELECT_FILTER,     /* --kernel-filter: EVENTS:EXPRESSION (select_filter.h) */
	SELECT_CONTEXT,    /* --kernel-context: names, comma-separated (select_context.h) */
	NR_SELECT_KINDS,
};

/* One such argument. */
struct kernel_selection {
	enum select_kind kind;
	char domain[80];  /* a name, which may have wildcards, or a number */
	const char *text; /* what follows the colon */
	bool found;       /* a domain matched */
};

/* Whether it makes an event: --kprobe, --uretprobe and so on. */
bool select_is_probe(enum select_kind kind);

/* Whether a probe made an event, as its group says.  The event's names are hostile, but
 * zero-terminated. */
bool select_is_probe_event(const struct strata_event_desc *event);

/* Removes the events that probes made from a set of those in a table, whose names are likewise. */
void select_remove_probe_events(const struct strata_event_desc *table, size_t nr,
				struct event_set *events);

/* "--kprobe" and so on, for messages. */
const char *select_option_name(enum select_kind kind);

/* Splits DOMAIN:TEXT and checks TEXT; of --kernel it may be missing: `default`.  0 or -1. */
int select_parse_kernel(enum select_kind kind, const char *argument,
			struct kernel_selection *selection, struct strata_error *error);

bool select_matches_domain(const struct kernel_selection *selection, uint32_t domain,
			   const char *name);

/*
 * Whether a pattern matches an event: `all`, its name, or GROUP/NAME, with wildcards.  The event's
 * names are hostile, but zero-terminated.
 */
bool select_matches_event(const char *pattern, const struct strata_event_desc *event);

/*
 * The events of a guest's table that the patterns name; `default` and `none` are words among them.
 * Names in the table are hostile, but zero-terminated. 0, or -1 if a pattern matches no event.
 */
int select_kernel_events(const char *patterns, const struct strata_event_desc *events, size_t nr,
			 struct event_set *set, struct strata_error *error);

/* What a probe is at, with its arguments: its text without NAME=. */
const char *select_probe_place(const struct kernel_selection *selection);

/* The name of the event that a probe makes, a C identifier; for --function the beginning of the
 * names of both. */
void select_probe_name(const struct kernel_selection *selection,
		       char name[STRATA_EVENT_NAME_BYTES]);

/* Whether a probe makes an event.  The event's names are hostile, but zero-terminated. */
bool select_probe_makes(const struct kernel_selection *selection,
			const struct strata_event_desc *event);

#endif /* STRATA_STRATAD_SELECT_KERNEL_H */
