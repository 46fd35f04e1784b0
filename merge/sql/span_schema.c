// SPDX-License-Identifier: GPL-2.0-or-later
/* span_schema.c - see span_schema.h. */
#include "sql/span_schema.h"

/* Each kind of span: its name, and whether the column `number` has its number. The spans of Xen's
 * work for a vCPU have no name and are in no table: the exits and hypercalls that they consist of
 * are. */
#define SPAN_KINDS(KIND)                      \
	KIND(PCPU, "pcpu", false)             \
	KIND(VCPU, "runstate", false)         \
	KIND(BEHIND, "steal", false)          \
	KIND(EXIT, "exit", true)              \
	KIND(HYPERCALL, "hypercall", true)    \
	KIND(TASK, "task", false)             \
	KIND(WAKEUP, "wakeup", false)         \
	KIND(PREEMPTED, "preempted", false)   \
	KIND(SYSCALL, "syscall", true)        \
	KIND(IRQ, "irq", true)                \
	KIND(SOFTIRQ, "softirq", true)        \
	KIND(REQUEST, "request", true)        \
	KIND(EVTCHN, "evtchn", true)          \
	KIND(GRANT, "grant", true)            \
	KIND(GRANT_COPY, "grant_copy", false) \
	KIND(LOCK, "lock", true)              \
	KIND(IN_XEN, NULL, false)

#define AS_ENTRY(kind, name, has_number) [STRATA_SPAN_##kind] = { name, has_number },
#define AS_ONE(kind, name, has_number)   +1

static const struct {
	const char *name;
	bool has_number;
} kinds[STRATA_NR_SPANS] = { SPAN_KINDS(AS_ENTRY) };

_Static_assert(0 SPAN_KINDS(AS_ONE) == STRATA_NR_SPANS,
	       "a new kind of spans needs a name in SQL, and a table or none on purpose");

#define IN_TABLES ((1u << STRATA_NR_SPANS) - 1 - SQL_SPAN_KIND(IN_XEN))

#define OF(kind)    SQL_SPAN_KIND(kind)
#define HAS(column) (1ull << SPAN_##column)
#define HAS_ALL     ((1ull << NR_SPAN_COLUMNS) - 1)
#define HAS_TIMES   (HAS(TIME) | HAS(END) | HAS(NS) | HAS(BOUND) | HAS(HOST) | HAS(SOURCE))
#define HAS_DOMAIN  (HAS(DOMAIN) | HAS(DOMAIN_NAME))
#define HAS_VCPU    (HAS_DOMAIN | HAS(VCPU))
#define HAS_TASK    (HAS_DOMAIN | HAS(CPU) | HAS(TID) | HAS(TASK))
#define HAS_WORK    (HAS(NUMBER) | HAS(NAME))
#define HAS_PARTS   (((1ull << STRATA_NR_PARTS) - 1) << SPAN_PARTS)
#define HAS_BEHIND  (HAS(BEHIND_DOMAIN) | HAS(BEHIND_DOMAIN_NAME) | HAS(BEHIND_VCPU))
#define HAS_SENDER  (HAS(SENDER_DOMAIN) | HAS(SENDER_DOMAIN_NAME) | HAS(SENDER_VCPU))
#define HAS_GRANTER (HAS(GRANTER) | HAS(GRANTER_NAME))

const struct sql_span_table sql_span_tables[] = {
	{ "slices", "all of the state: every row of the tables below", IN_TABLES, HAS_ALL, NULL,
	  STRATA_NR_MEANINGS, NULL },
	{ "spans", "the same as slices", IN_TABLES, HAS_ALL, NULL, STRATA_NR_MEANINGS, NULL },
	{ "pcpus", "which vCPU each physical CPU ran", OF(PCPU), HAS_TIMES | HAS_VCPU | HAS(PCPU),
	  "xen", STRATA_MEANS_RUNSTATE, "steal" },
	{ "runstates", "states of vCPUs: running, runnable, blocked, offline, unknown", OF(VCPU),
	  HAS_TIMES | HAS_VCPU | HAS(STATE), "xen", STRATA_MEANS_RUNSTATE, "steal" },
	{ "steal", "a vCPU waited for a physical CPU that another one had", OF(BEHIND),
	  HAS_TIMES | HAS_VCPU | HAS(PCPU) | HAS_BEHIND, "xen", STRATA_MEANS_RUNSTATE, "steal" },
	{ "exits", "VM exits until the entry; number is the reason", OF(EXIT),
	  HAS_TIMES | HAS_VCPU | HAS_WORK, "xen", STRATA_MEANS_VM_EXIT, "exits" },
	{ "hypercalls", "hypercalls until their return", OF(HYPERCALL),
	  HAS_TIMES | HAS_VCPU | HAS_WORK, "xen", STRATA_MEANS_HYPERCALL_RETURN, "hypercalls" },
	{ "evtchn", "event channels from a signal until the upcall; number is the port", OF(EVTCHN),
	  HAS_TIMES | HAS_VCPU | HAS(CPU) | HAS_WORK | HAS_SENDER | HAS_PARTS, NULL,
	  STRATA_MEANS_EVTCHN_UPCALL, "evtchn" },
	{ "grants", "grants mapped, and copies (kind); number is the reference",
	  OF(GRANT) | OF(GRANT_COPY),
	  HAS_TIMES | HAS_VCPU | HAS(KIND) | HAS_WORK | HAS(BYTES) | HAS_GRANTER, NULL,
	  STRATA_NR_MEANINGS, "grants" },
	{ "tasks", "states of tasks: running, runnable, blocked, unknown", OF(TASK),
	  HAS_TIMES | HAS_TASK | HAS(STATE) | HAS(BLOCKED_IN) | HAS_PARTS, NULL,
	  STRATA_MEANS_SWITCH, "wakeups" },
	{ "wakeups", "from a wake-up, or from being preempted, until the task ran",
	  OF(WAKEUP) | OF(PREEMPTED), HAS_TIMES | HAS_TASK | HAS(KIND) | HAS_PARTS, NULL,
	  STRATA_MEANS_SWITCH, "wakeups" },
	{ "syscalls", "system calls", OF(SYSCALL), HAS_TIMES | HAS_TASK | HAS_WORK | HAS_PARTS,
	  NULL, STRATA_MEANS_SYSCALL_END, "syscalls" },
	{ "locks", "waits of tasks for locks of the kernel; number is the address", OF(LOCK),
	  HAS_TIMES | HAS_TASK | HAS_WORK | HAS(OTHERS_WAITED) | HAS_PARTS, NULL, STRATA_MEANS_LOCK,
	  "locks" },
	{ "irqs", "handlers of interrupts, and softirqs", OF(IRQ) | OF(SOFTIRQ),
	  HAS_TIMES | HAS_DOMAIN | HAS(CPU) | HAS(KIND) | HAS_WORK | HAS_PARTS, NULL,
	  STRATA_NR_MEANINGS, "irqs" },
	{ "requests", "requests of applications; number is the key", OF(REQUEST),
	  HAS_TIMES | HAS_TASK | HAS_WORK | HAS_PARTS, NULL, STRATA_MEANS_REQUEST, "requests" },
};

_Static_assert(sizeof(sql_span_tables) / sizeof(sql_span_tables[0]) <= 32,
	       "gaps.h has a bit for each table");

const size_t sql_nr_span_tables = sizeof(sql_span_tables) / sizeof(sql_span_tables[0]);

const struct sql_described_column sql_span_columns[NR_SPAN_COLUMNS] = {
	[SPAN_TIME] = { "time_ns", "INTEGER", "when it began, ns since 1970" },
	[SPAN_END] = { "end_ns", "INTEGER", "when it ended" },
	[SPAN_NS] = { "ns", "INTEGER", "how long it took: end_ns - time_ns" },
	[SPAN_BOUND] = { "bound_ns", "INTEGER", "ns is off by no more; NULL: not known" },
	[SPAN_HOST] = { "host", "TEXT", "the machine" },
	[SPAN_SOURCE] = { "source", "TEXT", "whose events tell of it" },
	[SPAN_DOMAIN] = { "domain", "INTEGER", "" },
	[SPAN_DOMAIN_NAME] = { "domain_name", "TEXT", "" },
	[SPAN_VCPU] = { "vcpu", "INTEGER", "" },
	[SPAN_PCPU] = { "pcpu", "INTEGER", "" },
	[SPAN_CPU] = { "cpu", "INTEGER", "the kernel's number of its CPU" },
	[SPAN_TID] = { "tid", "INTEGER", "the task's number in its kernel" },
	[SPAN_TASK] = { "task", "TEXT", "the task's name" },
	[SPAN_KIND] = { "kind", "TEXT", "of what; slices have those of all tables" },
	[SPAN_STATE] = { "state", "TEXT", "" },
	[SPAN_BLOCKED_IN] = { "blocked_in", "TEXT",
			      "the system call of a blocked task; NULL: none, or not known" },
	[SPAN_NUMBER] = { "number", "COLLATE u64", "" },
	[SPAN_NAME] = { "name", "TEXT", "the name of the number, or its digits" },
	[SPAN_BYTES] = { "bytes", "INTEGER", "of a copy; 0: it failed" },
	[SPAN_BEHIND_DOMAIN] = { "behind_domain", "INTEGER", "the domain that has the pCPU" },
	[SPAN_BEHIND_DOMAIN_NAME] = { "behind_domain_name", "TEXT", "" },
	[SPAN_BEHIND_VCPU] = { "behind_vcpu", "INTEGER", "its vCPU" },
	[SPAN_SENDER_DOMAIN] = { "sender_domain", "INTEGER", "that signalled; NULL: Xen did" },
	[SPAN_SENDER_DOMAIN_NAME] = { "sender_domain_name", "TEXT", "" },
	[SPAN_SENDER_VCPU] = { "sender_vcpu", "INTEGER", "its vCPU" },
	[SPAN_GRANTER] = { "granter", "INTEGER", "the domain whose page it is" },
	[SPAN_GRANTER_NAME] = { "granter_name", "TEXT", "" },
	[SPAN_OTHERS_WAITED] = { "others_waited_ns", "INTEGER",
				 "of ns, other vCPUs of the domain waited for a pCPU" },
	[SPAN_PARTS + STRATA_PART_RUNS] = { "runs_ns", "INTEGER", "parts that sum to ns" },
	[SPAN_PARTS + STRATA_PART_QUEUED] = { "queued_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_XEN] = { "in_xen_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_STOLEN] = { "stolen_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_ASLEEP] = { "vcpu_asleep_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_PAUSED] = { "vcpu_paused_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_BLOCKED] = { "blocked_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_UNKNOWN] = { "unknown_ns", "INTEGER", "" },
};

const char *sql_span_kind_name(enum strata_span_kind kind)
{
	return kinds[kind].name;
}

bool sql_span_has_number(enum strata_span_kind kind)
{
	return kinds[kind].has_number;
}
