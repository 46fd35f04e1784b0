// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - see report.h: the list of reports, and the names that they share. */
#include "analyses/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define RECORD_XEN    "record --xen sched"
#define RECORD_KERNEL "record --kernel 'DOMAIN:sched/*'"

const struct strata_report_kind strata_report_kinds[] = {
	{ "steal", "who waited for a physical CPU, and behind whom", STRATA_MEANS_RUNSTATE,
	  RECORD_XEN, strata_report_steal },
	{ "schedule", "who ran on each physical CPU, and which tasks of each kernel",
	  STRATA_NR_MEANINGS, RECORD_XEN "; " RECORD_KERNEL, strata_report_schedule },
	{ "runqueues", "how many tasks wait for each CPU, and how many vCPUs", STRATA_NR_MEANINGS,
	  RECORD_XEN "; " RECORD_KERNEL, strata_report_runqueues },
	{ "wakeups", "from a wake-up until the task runs, divided by where the time went",
	  STRATA_MEANS_WAKE, RECORD_KERNEL, strata_report_wakeups },
	{ "exits", "VM exits by their reasons", STRATA_MEANS_VM_EXIT, "record --xen sched,hvm",
	  strata_report_exits },
	{ "hypercalls", "hypercalls, from the call until its return", STRATA_MEANS_HYPERCALL_RETURN,
	  "record --xen sched,hvm,pv", strata_report_hypercalls },
	{ "syscalls", "system calls of tasks", STRATA_MEANS_SYSCALL_END,
	  "record --kernel 'DOMAIN:sched/*,raw_syscalls/*'", strata_report_syscalls },
	{ "irqs", "handlers of interrupts and softirqs", STRATA_NR_MEANINGS,
	  "record --kernel 'DOMAIN:irq/*'", strata_report_irqs },
	{ "evtchn", "event channels: who signals each port, and how long until its handler",
	  STRATA_MEANS_EVTCHN_PENDING,
	  "record --xen sched,evtchn --kernel 'DOMAIN:sched/*,irq/*,xen/*'", strata_report_evtchn },
	{ "grants", "which domain maps and copies pages of which other one", STRATA_NR_MEANINGS,
	  "record --xen sched,mem", strata_report_grants },
	{ "locks", "locks for which tasks wait, while other vCPUs do not run", STRATA_NR_MEANINGS,
	  "record --xen sched,hvm --kernel 'DOMAIN:sched/*,lock/*'", strata_report_locks },
	{ "requests", "requests of applications, divided by where the time went",
	  STRATA_MEANS_REQUEST, "record --app PROGRAM:EVENTS", strata_report_requests },
};
const size_t strata_nr_report_kinds = sizeof(strata_report_kinds) / sizeof(strata_report_kinds[0]);

struct strata_report *strata_report_new(const struct strata_report_kind *kind,
					const struct strata_shown *shown, uint64_t from_ns,
					uint64_t to_ns)
{
	struct strata_report *report = kind->make();

	if (!report)
		return NULL;
	report->shown = shown;
	report->from_ns = from_ns;
	report->to_ns = to_ns;
	return report;
}

int strata_report_tables(struct strata_report *report, struct strata_table *tables, size_t *nr)
{
	*nr = 0;
	return report->make(report, tables, nr);
}

void strata_report_free(struct strata_report *report)
{
	if (report)
		report->free(report);
}

uint64_t strata_report_length(const struct strata_report *report, const struct strata_span *span)
{
	const uint64_t from = span->from_ns > report->from_ns ? span->from_ns : report->from_ns;
	const uint64_t to = span->to_ns < report->to_ns ? span->to_ns : report->to_ns;

	return to > from ? to - from : 0;
}

const char *strata_report_domain_name(char *text, const struct strata_shown *shown, size_t trace,
				      uint32_t domain)
{
	const struct strata_shown_source *source = &shown->sources[trace];
	const char *const *names = source->domain_names;

	if (domain == STRATA_DOMID_IDLE)
		return "idle";
	if (names && domain < STRATA_SHOWN_DOMAINS && names[domain])
		return names[domain];
	snprintf(text, STRATA_REPORT_NAME, "d%" PRIu32, domain);
	return text;
}

const char *strata_report_vcpu_name(char *text, const struct strata_shown *shown, size_t trace,
				    const struct strata_vcpu *vcpu)
{
	char domain[STRATA_REPORT_NAME];
	const char *source = shown->sources[trace].name;
	const char *slash = strrchr(source, '/');

	/* With several hosts, the source's name begins with its host's. */
	snprintf(text, STRATA_REPORT_NAME, "%.*s%s/%" PRIu32, slash ? (int)(slash + 1 - source) : 0,
		 source, strata_report_domain_name(domain, shown, trace, vcpu->domain),
		 vcpu->number);
	return text;
}

const char *strata_report_task_name(char *text, const struct strata_task *task)
{
	char comm[STRATA_TASK_COMM_BYTES + 1] = "", shown[64];

	memcpy(comm, task->comm, STRATA_TASK_COMM_BYTES);
	snprintf(text, STRATA_REPORT_NAME, "%s-%" PRIu32,
		 comm[0] ? strata_escape_name(shown, sizeof(shown), comm) : "?", task->tid);
	return text;
}
