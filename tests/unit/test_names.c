// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_names.c - the tables of names agree with Xen's public headers, Linux's, and the C library,
 * and end where these end.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <fnmatch.h>
#include <asm/unistd.h>
#include <netinet/tcp.h>

#include <cmocka.h>

#define __XEN_TOOLS__ 1 /* the newest interface */
#include <xen/xen.h>
#include <xen/arch-x86/xen-mca.h>
#include <xen/event_channel.h>
#include <xen/grant_table.h>
#include <xen/sched.h>
#include <xen/vcpu.h>

#include "base/number_names.h"
#include "linux/errno_names.h"
#include "linux/linux_names.h"
#include "linux/syscall_names.h"
#include "xen/domain_numbers.h"
#include "xen/hypercall_names.h"
#include "xen/xen_event_table.h"
#include "xen/xen_events.h"
#include "xen/xen_names.h"

#define assert_name(names, number, name) \
	assert_string_equal(strata_number_name(names, (uint64_t)(number)), name)
#define assert_nameless(names, number) assert_null(strata_number_name(names, (uint64_t)(number)))

/* The table that a rule gives to a field. */
static const struct strata_number_names *table_of(const struct strata_names_rules *rules,
						  const char *event, const char *field)
{
	size_t i;

	for (i = 0; i < rules->nr; i++) {
		if (strcmp(rules->rules[i].event, event) == 0 &&
		    strcmp(rules->rules[i].field, field) == 0)
			return rules->rules[i].names;
	}
	fail_msg("no rule for %s of %s", field, event);
	return NULL;
}

static size_t count(const struct strata_number_names *names)
{
	size_t at = 0;

	while (strata_number_names_next(names, &at))
		;
	return at - 1;
}

static void hypercalls_are_those_of_the_headers(void **state)
{
	const struct strata_number_names *names = &strata_xen_hypercalls;

	(void)state;
	assert_name(names, __HYPERVISOR_set_trap_table, "set_trap_table");
	assert_name(names, __HYPERVISOR_memory_op, "memory_op");
	assert_name(names, __HYPERVISOR_iret, "iret");
	assert_name(names, __HYPERVISOR_sched_op, "sched_op");
	assert_name(names, __HYPERVISOR_event_channel_op, "event_channel_op");
	assert_name(names, __HYPERVISOR_dm_op, "dm_op");
	assert_name(names, __HYPERVISOR_mca, "mca");
	assert_nameless(names, 11);
	assert_nameless(names, __HYPERVISOR_arch_7);
	assert_nameless(names, UINT64_MAX);
	assert_int_equal(count(names), 44);
}

static void operations_follow_the_hypercall(void **state)
{
	const struct strata_number_names *names;

	(void)state;
	assert_null(strata_names_choose(&strata_xen_operations, __HYPERVISOR_memory_op));
	names = strata_names_choose(&strata_xen_operations, __HYPERVISOR_sched_op);
	assert_name(names, SCHEDOP_yield, "yield");
	assert_name(names, SCHEDOP_pin_override, "pin_override");
	assert_nameless(names, SCHEDOP_pin_override + 1);
	names = strata_names_choose(&strata_xen_operations, __HYPERVISOR_vcpu_op);
	assert_name(names, VCPUOP_initialise, "initialise");
	assert_name(names, VCPUOP_set_singleshot_timer, "set_singleshot_timer");
	assert_name(names, VCPUOP_register_vcpu_time_memory_area, "register_vcpu_time_memory_area");
	assert_nameless(names, VCPUOP_register_vcpu_time_memory_area + 1);
	names = strata_names_choose(&strata_xen_operations, __HYPERVISOR_grant_table_op);
	assert_name(names, GNTTABOP_map_grant_ref, "map_grant_ref");
	assert_name(names, GNTTABOP_copy, "copy");
	assert_name(names, GNTTABOP_cache_flush, "cache_flush");
	assert_nameless(names, GNTTABOP_cache_flush + 1);
}

static void results_are_errors_but_for_iret(void **state)
{
	const struct strata_number_names *names;

	(void)state;
	names = strata_names_choose(&strata_xen_results, __HYPERVISOR_memory_op);
	assert_name(names, -(int64_t)ENOSYS, "ENOSYS");
	assert_nameless(names, 0);
	assert_nameless(names, ENOSYS);
	names = strata_names_choose(&strata_xen_results, __HYPERVISOR_iret);
	assert_nameless(names, -(int64_t)ENOSYS);
}

static void other_numbers_of_xen(void **state)
{
	const struct strata_number_names *names;

	(void)state;
	assert_name(&strata_xen_grant_statuses, GNTST_okay, "okay");
	assert_name(&strata_xen_grant_statuses, GNTST_general_error, "general_error");
	assert_name(&strata_xen_grant_statuses, GNTST_no_space, "no_space");
	assert_nameless(&strata_xen_grant_statuses, GNTST_no_space - 1);
	assert_name(&strata_xen_shutdowns, SHUTDOWN_poweroff, "poweroff");
	assert_name(&strata_xen_shutdowns, SHUTDOWN_MAX, "soft_reset");
	assert_nameless(&strata_xen_shutdowns, SHUTDOWN_MAX + 1);
	assert_name(&strata_xen_runstates, RUNSTATE_running, "running");
	assert_name(&strata_xen_runstates, RUNSTATE_offline, "offline");
	assert_nameless(&strata_xen_runstates, RUNSTATE_offline + 1);
	assert_int_equal(STRATA_DOMID_XEN, DOMID_XEN);
	assert_int_equal(STRATA_DOMID_IDLE, DOMID_IDLE);
	/* Not in public headers: asm/mach-default/irq_vectors.h, xen/softirq.h, xen/sched.h. */
	names = table_of(&strata_xen_names, "xen_ipi_*", "vector");
	assert_name(names, 0xf9, "pmu");
	assert_name(names, 0xfa, "local_timer");
	assert_name(names, 0xff, "spurious");
	assert_nameless(names, 0xf1);
	assert_nameless(names, 0x100);
	names = table_of(&strata_xen_names, "xen_softirq_*", "softirq");
	assert_name(names, 0, "timer");
	assert_name(names, 3, "schedule");
	assert_name(names, 11, "hvm_dpci");
	assert_nameless(names, 12);
	names = table_of(&strata_xen_names, "evtchn_send", "state");
	assert_name(names, 3, "interdomain");
	assert_name(names, 6, "ipi");
	assert_nameless(names, 7);
	names = table_of(&strata_xen_names, "pv_trap", "trap_and_flag");
	assert_name(names, 14, "page_fault");
	assert_name(names, 0x8000 | 13, "general_protection");
}

static void exits_are_the_processors(void **state)
{
	(void)state;
	assert_name(&strata_vmx_exits, 0, "exception_or_nmi");
	assert_name(&strata_vmx_exits, 0x80000021u, "invalid_guest_state");
	assert_name(&strata_vmx_exits, 75, "notify");
	assert_nameless(&strata_vmx_exits, 76);
	assert_name(&strata_svm_exits, 0, "cr0_read");
	assert_name(&strata_svm_exits, 0x4e, "exception_pf");
	assert_name(&strata_svm_exits, 0x7b, "ioio");
	assert_name(&strata_svm_exits, 0x8e, "rdpru");
	assert_name(&strata_svm_exits, 0x400, "npf");
	assert_name(&strata_svm_exits, 0xffffffffu, "invalid");
	assert_nameless(&strata_svm_exits, 0x401);
}

static void system_calls_are_those_of_the_headers(void **state)
{
	const struct strata_number_names *names = &strata_linux_syscalls;

	(void)state;
	assert_name(names, __NR_read, "read");
	assert_name(names, __NR_openat, "openat");
	assert_name(names, __NR_clock_nanosleep, "clock_nanosleep");
	assert_name(names, __NR_rseq, "rseq");
	assert_name(names, __NR_pidfd_send_signal, "pidfd_send_signal");
	assert_name(names, __NR_set_mempolicy_home_node, "set_mempolicy_home_node");
	assert_nameless(names, __NR_rseq + 1);
	assert_nameless(names, __NR_set_mempolicy_home_node + 1);
	assert_nameless(names, -1);
}

/* glibc names each number of an error and of a signal. */
static void errors_are_those_of_the_c_library(void **state)
{
	int error;

	(void)state;
	for (error = 1; error < 600; error++) {
		const char *name = strata_number_name(&strata_errno_results, 0 - (uint64_t)error);

		if (error < 512 && strerrorname_np(error))
			assert_string_equal(name, strerrorname_np(error));
		else if (error < 512)
			assert_null(name);
	}
	assert_nameless(&strata_errno_results, 0);
	assert_name(&strata_errno_results, -512, "ERESTARTSYS");
	assert_name(&strata_errno_results, -516, "ERESTART_RESTARTBLOCK");
	assert_nameless(&strata_errno_results, -520);
}

static void other_numbers_of_linux(void **state)
{
	const struct strata_names_rules *rules = &strata_linux_names;
	const struct strata_number_names *names = table_of(rules, "signal_*", "sig");
	int number;

	(void)state;
	/* The library's name for SIGIO is POLL. */
	for (number = 1; number <= SIGSYS; number++)
		number == SIGIO
			? (void)0
			: assert_string_equal(strata_number_name(names, (uint64_t)number) + 3,
					      sigabbrev_np(number));
	assert_nameless(names, 0);
	assert_nameless(names, SIGSYS + 1);
	names = table_of(rules, "inet_sock_set_state", "newstate");
	assert_name(names, TCP_ESTABLISHED, "established");
	assert_name(names, TCP_CLOSING, "closing");
	assert_nameless(names, 0);
	/* linux/interrupt.h, linux/sched.h, asm/irq_vectors.h: no header for programs has them. */
	names = table_of(rules, "softirq_*", "vec");
	assert_name(names, 0, "hi");
	assert_name(names, 3, "net_rx");
	assert_name(names, 9, "rcu");
	assert_nameless(names, 10);
	names = table_of(rules, "sched_switch", "prev_state");
	assert_name(names, 0, "running");
	assert_name(names, 2, "uninterruptible");
	assert_name(names, 0x80, "idle");
	assert_name(names, 0x100, "preempted");
	assert_nameless(names, 3);
	names = table_of(rules, "*_entry", "vector");
	assert_name(names, 0xec, "local_timer");
	assert_name(names, 0xf3, "hypervisor_callback");
	assert_name(names, 0xff, "spurious_apic");
	assert_nameless(names, 0xeb);
	assert_nameless(names, 0x100);
}

/* Whether one of Xen's own events that fit the rule has its field. */
static bool is_used(const struct strata_names_rule *rule)
{
	char field[64];
	size_t i;

	snprintf(field, sizeof(field), "%s:", rule->field);
	for (i = 0; i < strata_xen_event_table_rows; i++) {
		const struct xen_event_row *row = &strata_xen_event_table[i];

		if (fnmatch(rule->event, row->name, 0) == 0 && strstr(row->fields, field))
			return true;
	}
	return strncmp(rule->event, "strata_", 7) == 0;
}

static void rules_name_fields_that_there_are(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < strata_xen_names.nr; i++) {
		const struct strata_names_rule *rule = &strata_xen_names.rules[i];

		if (!is_used(rule))
			fail_msg("no event has the field of %s.%s", rule->event, rule->field);
		assert_int_equal(rule->names != NULL, rule->of == STRATA_NAMES_TABLE);
		assert_true(!rule->chosen_by || rule->names->nr_choices);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hypercalls_are_those_of_the_headers),
		cmocka_unit_test(operations_follow_the_hypercall),
		cmocka_unit_test(results_are_errors_but_for_iret),
		cmocka_unit_test(other_numbers_of_xen),
		cmocka_unit_test(exits_are_the_processors),
		cmocka_unit_test(system_calls_are_those_of_the_headers),
		cmocka_unit_test(errors_are_those_of_the_c_library),
		cmocka_unit_test(other_numbers_of_linux),
		cmocka_unit_test(rules_name_fields_that_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
