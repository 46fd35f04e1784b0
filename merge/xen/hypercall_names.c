// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hypercall_names.c - see hypercall_names.h.  The numbers are those of Xen 4.17's public headers:
 * xen.h and arch-x86/xen-mca.h (hypercalls), sched.h, vcpu.h and grant_table.h (their operations).
 */
#include "xen/hypercall_names.h"

#include "linux/errno_names.h"

#define NR(names) (sizeof(names) / sizeof((names)[0]))

static const char *const hypercalls[] = {
	[0] = "set_trap_table",
	[1] = "mmu_update",
	[2] = "set_gdt",
	[3] = "stack_switch",
	[4] = "set_callbacks",
	[5] = "fpu_taskswitch",
	[6] = "sched_op_compat",
	[7] = "platform_op",
	[8] = "set_debugreg",
	[9] = "get_debugreg",
	[10] = "update_descriptor",
	[12] = "memory_op",
	[13] = "multicall",
	[14] = "update_va_mapping",
	[15] = "set_timer_op",
	[16] = "event_channel_op_compat",
	[17] = "xen_version",
	[18] = "console_io",
	[19] = "physdev_op_compat",
	[20] = "grant_table_op",
	[21] = "vm_assist",
	[22] = "update_va_mapping_otherdomain",
	[23] = "iret",
	[24] = "vcpu_op",
	[25] = "set_segment_base",
	[26] = "mmuext_op",
	[27] = "xsm_op",
	[28] = "nmi_op",
	[29] = "sched_op",
	[30] = "callback_op",
	[31] = "xenoprof_op",
	[32] = "event_channel_op",
	[33] = "physdev_op",
	[34] = "hvm_op",
	[35] = "sysctl",
	[36] = "domctl",
	[37] = "kexec_op",
	[38] = "tmem_op",
	[39] = "argo_op",
	[40] = "xenpmu_op",
	[41] = "dm_op",
	[42] = "hypfs_op",
	[48] = "mca",
	[49] = "paging_domctl_cont",
};

static const char *const sched_ops[] = {
	[0] = "yield",           [1] = "block",         [2] = "shutdown", [3] = "poll",
	[4] = "remote_shutdown", [5] = "shutdown_code", [6] = "watchdog", [7] = "pin_override",
};

static const char *const vcpu_ops[] = {
	[0] = "initialise",
	[1] = "up",
	[2] = "down",
	[3] = "is_up",
	[4] = "get_runstate_info",
	[5] = "register_runstate_memory_area",
	[6] = "set_periodic_timer",
	[7] = "stop_periodic_timer",
	[8] = "set_singleshot_timer",
	[9] = "stop_singleshot_timer",
	[10] = "register_vcpu_info",
	[11] = "send_nmi",
	[12] = "get_physid",
	[13] = "register_vcpu_time_memory_area",
};

static const char *const grant_ops[] = {
	[0] = "map_grant_ref",     [1] = "unmap_grant_ref",   [2] = "setup_table",
	[3] = "dump_table",        [4] = "transfer",          [5] = "copy",
	[6] = "query_size",        [7] = "unmap_and_replace", [8] = "set_version",
	[9] = "get_status_frames", [10] = "get_version",      [11] = "swap_grant_ref",
	[12] = "cache_flush",
};

static const char *const grant_statuses[] = {
	[0] = "okay",         [1] = "general_error",   [2] = "bad_domain",
	[3] = "bad_gntref",   [4] = "bad_handle",      [5] = "bad_virt_addr",
	[6] = "bad_dev_addr", [7] = "no_device_space", [8] = "permission_denied",
	[9] = "bad_page",     [10] = "bad_copy_arg",   [11] = "address_too_big",
	[12] = "eagain",      [13] = "no_space",
};

static const char *const shutdowns[] = {
	[0] = "poweroff", [1] = "reboot",   [2] = "suspend",
	[3] = "crash",    [4] = "watchdog", [5] = "soft_reset",
};

static const struct strata_name_range hypercalls_ranges[] = { STRATA_NAMES_RANGE(hypercalls) };
const struct strata_number_names strata_xen_hypercalls = { .ranges = hypercalls_ranges,
							   .nr_ranges = 1 };

static const struct strata_name_range sched_ops_ranges[] = { STRATA_NAMES_RANGE(sched_ops) };
static const struct strata_number_names sched_op_names = { .ranges = sched_ops_ranges,
							   .nr_ranges = 1 };

static const struct strata_name_range vcpu_ops_ranges[] = { STRATA_NAMES_RANGE(vcpu_ops) };
static const struct strata_number_names vcpu_op_names = { .ranges = vcpu_ops_ranges,
							  .nr_ranges = 1 };

static const struct strata_name_range grant_ops_ranges[] = { STRATA_NAMES_RANGE(grant_ops) };
const struct strata_number_names strata_xen_grant_ops = { .ranges = grant_ops_ranges,
							  .nr_ranges = 1 };

static const struct strata_name_range grant_statuses_ranges[] = { STRATA_NAMES_RANGE(
	grant_statuses) };
const struct strata_number_names strata_xen_grant_statuses = { .ranges = grant_statuses_ranges,
							       .nr_ranges = 1,
							       .is_negated = true };

static const struct strata_name_range shutdowns_ranges[] = { STRATA_NAMES_RANGE(shutdowns) };
const struct strata_number_names strata_xen_shutdowns = { .ranges = shutdowns_ranges,
							  .nr_ranges = 1 };

#define GRANT_TABLE_OP 20
#define IRET           23
#define VCPU_OP        24
#define SCHED_OP       29

/* Xen records the operation as the first argument of these alone (__trace_hypercall()). */
static const struct strata_names_choice operations[] = {
	{ GRANT_TABLE_OP, &strata_xen_grant_ops },
	{ VCPU_OP, &vcpu_op_names },
	{ SCHED_OP, &sched_op_names },
};
const struct strata_number_names strata_xen_operations = { .choices = operations,
							   .nr_choices = NR(operations) };

/* The "result" of iret is a register of the code to which it returns. */
static const struct strata_number_names no_names;
static const struct strata_names_choice results[] = { { IRET, &no_names } };
const struct strata_number_names strata_xen_results = { .ranges = strata_errno_ranges,
							.nr_ranges = STRATA_NR_ERRNO_RANGES,
							.is_negated = true,
							.choices = results,
							.nr_choices = NR(results) };
