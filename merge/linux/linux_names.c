// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linux_names.c - see linux_names.h.  The numbers are those of Linux 6.1 on x86-64:
 * linux/interrupt.h (softirqs), linux/sched.h (task states as sched_switch reports them),
 * asm/irq_vectors.h, asm/signal.h, net/tcp_states.h.
 *
 * Strata's module and LTTng have the kernel's trace points under different names; a rule names
 * both.
 */
#include "linux/linux_names.h"

#include "linux/errno_names.h"
#include "linux/syscall_names.h"

#define NR(names) (sizeof(names) / sizeof((names)[0]))

static const char *const softirqs[] = {
	[0] = "hi",       [1] = "timer",   [2] = "net_tx", [3] = "net_rx",  [4] = "block",
	[5] = "irq_poll", [6] = "tasklet", [7] = "sched",  [8] = "hrtimer", [9] = "rcu",
};

static const char *const signals[] = {
	[1] = "SIGHUP",     [2] = "SIGINT",   [3] = "SIGQUIT",   [4] = "SIGILL",   [5] = "SIGTRAP",
	[6] = "SIGABRT",    [7] = "SIGBUS",   [8] = "SIGFPE",    [9] = "SIGKILL",  [10] = "SIGUSR1",
	[11] = "SIGSEGV",   [12] = "SIGUSR2", [13] = "SIGPIPE",  [14] = "SIGALRM", [15] = "SIGTERM",
	[16] = "SIGSTKFLT", [17] = "SIGCHLD", [18] = "SIGCONT",  [19] = "SIGSTOP", [20] = "SIGTSTP",
	[21] = "SIGTTIN",   [22] = "SIGTTOU", [23] = "SIGURG",   [24] = "SIGXCPU", [25] = "SIGXFSZ",
	[26] = "SIGVTALRM", [27] = "SIGPROF", [28] = "SIGWINCH", [29] = "SIGIO",   [30] = "SIGPWR",
	[31] = "SIGSYS",
};

static const char *const tcp_states[] = {
	[1] = "established", [2] = "syn_sent",  [3] = "syn_recv", [4] = "fin_wait1",
	[5] = "fin_wait2",   [6] = "time_wait", [7] = "close",    [8] = "close_wait",
	[9] = "last_ack",    [10] = "listen",   [11] = "closing", [12] = "new_syn_recv",
};

/* From 0xec on. */
static const char *const vectors[] = {
	[0] = "local_timer",
	[1] = "hyperv_stimer0",
	[2] = "hyperv_reenlightenment",
	[3] = "managed_irq_shutdown",
	[4] = "posted_interrupt_nested",
	[5] = "posted_interrupt_wakeup",
	[6] = "posted_interrupt",
	[7] = "hypervisor_callback",
	[8] = "deferred_error",
	[10] = "irq_work",
	[11] = "x86_platform_ipi",
	[12] = "reboot",
	[13] = "threshold_apic",
	[14] = "thermal_apic",
	[15] = "call_function_single",
	[16] = "call_function",
	[17] = "reschedule",
	[18] = "error_apic",
	[19] = "spurious_apic",
};

/* Masks with at most one bit set: 0, 1, 2, 4, 8... */
static const char *const running[] = { "running", "interruptible", "uninterruptible" };
static const char *const stopped[] = { "stopped" }, *const traced[] = { "traced" },
			 *const dead[] = { "dead" }, *const zombie[] = { "zombie" },
			 *const parked[] = { "parked" }, *const idle[] = { "idle" },
			 *const preempted[] = { "preempted" };

static const struct strata_name_range task_states[] = {
	STRATA_NAMES_RANGE(running), { 0x04, stopped, 1 },    { 0x08, traced, 1 },
	{ 0x10, dead, 1 },           { 0x20, zombie, 1 },     { 0x40, parked, 1 },
	{ 0x80, idle, 1 },           { 0x100, preempted, 1 },
};
static const struct strata_number_names task_state_names = { .ranges = task_states,
							     .nr_ranges = NR(task_states) };

static const struct strata_name_range vector_ranges[] = { { 0xec, vectors, NR(vectors) } };
static const struct strata_number_names vector_names = { .ranges = vector_ranges, .nr_ranges = 1 };

#define NAMES(name, array)                                                                     \
	static const struct strata_name_range name##_ranges[] = { STRATA_NAMES_RANGE(array) }; \
	static const struct strata_number_names name = { .ranges = name##_ranges, .nr_ranges = 1 }

static const struct strata_name_range softirq_ranges[] = { STRATA_NAMES_RANGE(softirqs) };
const struct strata_number_names strata_linux_softirqs = { .ranges = softirq_ranges,
							   .nr_ranges = 1 };
NAMES(signal_names, signals);
NAMES(tcp_state_names, tcp_states);

static const struct strata_names_rule rules[] = {
	{ "sys_enter", "id", &strata_linux_syscalls, NULL, STRATA_NAMES_TABLE },
	{ "sys_exit", "id", &strata_linux_syscalls, NULL, STRATA_NAMES_TABLE },
	{ "sys_exit", "ret", &strata_errno_results, NULL, STRATA_NAMES_TABLE },
	{ "syscall_exit_*", "ret", &strata_errno_results, NULL, STRATA_NAMES_TABLE },
	{ "compat_syscall_exit_*", "ret", &strata_errno_results, NULL, STRATA_NAMES_TABLE },
	{ "softirq_*", "vec", &strata_linux_softirqs, NULL, STRATA_NAMES_TABLE },
	{ "irq_softirq_*", "vec", &strata_linux_softirqs, NULL, STRATA_NAMES_TABLE },
	{ "sched_switch", "prev_state", &task_state_names, NULL, STRATA_NAMES_TABLE },
	{ "signal_*", "sig", &signal_names, NULL, STRATA_NAMES_TABLE },
	{ "signal_generate", "errno", &strata_errno_results, NULL, STRATA_NAMES_TABLE },
	{ "signal_deliver", "errno", &strata_errno_results, NULL, STRATA_NAMES_TABLE },
	{ "inet_sock_set_state", "oldstate", &tcp_state_names, NULL, STRATA_NAMES_TABLE },
	{ "inet_sock_set_state", "newstate", &tcp_state_names, NULL, STRATA_NAMES_TABLE },
	{ "*_entry", "vector", &vector_names, NULL, STRATA_NAMES_TABLE },
	{ "*_exit", "vector", &vector_names, NULL, STRATA_NAMES_TABLE },
	/* Addresses of the kernel's code. */
	{ "*", "ip", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "*", "function", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "*", "callsite", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "*", "call_site", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "*", "caller_ip", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "*", "parent_ip", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "*", "caller", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "kfree_skb", "location", NULL, NULL, STRATA_ADDRESS_OWN },
};

const struct strata_names_rules strata_linux_names = { rules, NR(rules) };
