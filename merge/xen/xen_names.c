// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xen_names.c - see xen_names.h.  Numbers are those of Xen 4.17: xen/softirq.h and
 * asm-x86/softirq.h with Strata's own softirq, mach-default/irq_vectors.h, xen/sched.h (ECS_*),
 * asm-x86/{p2m,time}.h, public/vcpu.h (RUNSTATE_*).  The processor's exceptions are those of
 * Intel's SDM, volume 3, section 6.15, and AMD's APM, volume 2, section 8.2.
 */
#include "xen/xen_names.h"

#include "linux/errno_names.h"
#include "xen/hypercall_names.h"

#define NR(names) (sizeof(names) / sizeof((names)[0]))

static const char *const exceptions[] = {
	[0] = "divide_error",
	[1] = "debug",
	[2] = "nmi",
	[3] = "breakpoint",
	[4] = "overflow",
	[5] = "bound_range",
	[6] = "invalid_opcode",
	[7] = "device_not_available",
	[8] = "double_fault",
	[9] = "coprocessor_overrun",
	[10] = "invalid_tss",
	[11] = "segment_not_present",
	[12] = "stack_fault",
	[13] = "general_protection",
	[14] = "page_fault",
	[15] = "spurious_interrupt",
	[16] = "x87_fault",
	[17] = "alignment_check",
	[18] = "machine_check",
	[19] = "simd_fault",
	[20] = "virtualization",
	[21] = "control_protection",
	[29] = "vmm_communication",
	[30] = "security",
};

static const char *const softirqs[] = {
	[0] = "timer",
	[1] = "rcu",
	[2] = "sched_slave",
	[3] = "schedule",
	[4] = "new_tlbflush_clock_period",
	[5] = "tasklet",
	[6] = "strata",
	[7] = "nmi",
	[8] = "time_calibrate",
	[9] = "vcpu_kick",
	[10] = "machine_check",
	[11] = "hvm_dpci",
};

static const char *const port_states[] = {
	[0] = "free", [1] = "reserved", [2] = "unbound", [3] = "interdomain",
	[4] = "pirq", [5] = "virq",     [6] = "ipi",
};

static const char *const page_types[] = {
	[0] = "ram_rw",
	[1] = "invalid",
	[2] = "ram_logdirty",
	[3] = "ram_ro",
	[4] = "mmio_dm",
	[5] = "mmio_direct",
	[6] = "populate_on_demand",
	[7] = "grant_map_rw",
	[8] = "grant_map_ro",
	[9] = "ram_paging_out",
	[10] = "ram_paged",
	[11] = "ram_paging_in",
	[12] = "ram_shared",
	[13] = "ram_broken",
	[14] = "map_foreign",
	[15] = "ioreq_server",
};

static const char *const tsc_modes[] = {
	[0] = "default",
	[1] = "always_emulate",
	[2] = "never_emulate",
};

/* Xen's own vectors; those below are given out. */
static const char *const vectors[] = {
	"timer",       NULL,
	NULL,          NULL,
	NULL,          NULL,
	NULL,          NULL,
	NULL,          "pmu",
	"local_timer", "call_function",
	"event_check", "invalidate_tlb",
	"error",       "spurious",
};

#define NAMES(name, array)                                                                     \
	static const struct strata_name_range name##_ranges[] = { STRATA_NAMES_RANGE(array) }; \
	static const struct strata_number_names name = { .ranges = name##_ranges, .nr_ranges = 1 }

NAMES(softirq_names, softirqs);
NAMES(port_state_names, port_states);
NAMES(page_type_names, page_types);
NAMES(tsc_mode_names, tsc_modes);

static const struct strata_name_range exception_ranges[] = { STRATA_NAMES_RANGE(exceptions) };
/* Bit 15 of a trap says that an error code follows. */
static const struct strata_number_names exception_names = { .ranges = exception_ranges,
							    .nr_ranges = 1,
							    .mask = 0x7fff };

static const struct strata_name_range vector_ranges[] = { { 0xf0, vectors, NR(vectors) } };
static const struct strata_number_names vector_names = { .ranges = vector_ranges, .nr_ranges = 1 };

/* In the order of the events' ids; events and fields as xen_event_table.c and xen_events.c have
 * them. */
static const struct strata_names_rule rules[] = {
	{ "domain_shutdown*", "reason", &strata_xen_shutdowns, NULL, STRATA_NAMES_TABLE },
	{ "hvm_inject_exception", "vector", &exception_names, NULL, STRATA_NAMES_TABLE },
	{ "hvm_trap", "vector", &exception_names, NULL, STRATA_NAMES_TABLE },
	{ "hvm_interrupt", "vector", &vector_names, NULL, STRATA_NAMES_TABLE },
	{ "hvm_nested_page_fault", "p2m_type", &page_type_names, NULL, STRATA_NAMES_TABLE },
	{ "hvm_vmmcall", "number", &strata_xen_hypercalls, NULL, STRATA_NAMES_TABLE },
	{ "hvm_hypercall*", "op", &strata_xen_hypercalls, NULL, STRATA_NAMES_TABLE },
	{ "hvm_hypercall_return", "result", &strata_xen_results, "op", STRATA_NAMES_TABLE },
	{ "hvm_hypercall", "arg", &strata_xen_operations, "op", STRATA_NAMES_TABLE },
	{ "hvm_hypercall", "args", &strata_xen_operations, "op", STRATA_NAMES_TABLE },
	{ "set_p2m_entry", "p2m_type", &page_type_names, NULL, STRATA_NAMES_TABLE },
	{ "grant_copy", "status", &strata_xen_grant_statuses, NULL, STRATA_NAMES_TABLE },
	{ "grant_op", "cmd", &strata_xen_grant_ops, NULL, STRATA_NAMES_TABLE },
	{ "grant_op", "result", &strata_errno_results, NULL, STRATA_NAMES_TABLE },
	{ "pv_hypercall", "number", &strata_xen_hypercalls, NULL, STRATA_NAMES_TABLE },
	{ "pv_hypercall*", "op", &strata_xen_hypercalls, NULL, STRATA_NAMES_TABLE },
	{ "pv_hypercall_return", "result", &strata_xen_results, "op", STRATA_NAMES_TABLE },
	{ "pv_hypercall", "arg", &strata_xen_operations, "op", STRATA_NAMES_TABLE },
	{ "pv_hypercall", "args", &strata_xen_operations, "op", STRATA_NAMES_TABLE },
	{ "pv_trap", "trap_and_flag", &exception_names, NULL, STRATA_NAMES_TABLE },
	{ "pv_multicall", "op", &strata_xen_hypercalls, NULL, STRATA_NAMES_TABLE },
	{ "pv_multicall", "arg", &strata_xen_operations, "op", STRATA_NAMES_TABLE },
	{ "pv_multicall", "args", &strata_xen_operations, "op", STRATA_NAMES_TABLE },
	{ "irq_move_*", "vector", &vector_names, NULL, STRATA_NAMES_TABLE },
	{ "irq_*_vector", "vector", &vector_names, NULL, STRATA_NAMES_TABLE },
	{ "evtchn_send", "state", &port_state_names, NULL, STRATA_NAMES_TABLE },
	{ "xen_softirq_*", "softirq", &softirq_names, NULL, STRATA_NAMES_TABLE },
	{ "xen_ipi_*", "vector", &vector_names, NULL, STRATA_NAMES_TABLE },
	{ "strata_vcpu_clock", "tsc_mode", &tsc_mode_names, NULL, STRATA_NAMES_TABLE },
	{ "strata_vcpu_state", "runstate", &strata_xen_runstates, NULL, STRATA_NAMES_TABLE },
	/* Numbers of domains. */
	{ "*", "of_domain", NULL, NULL, STRATA_NAMES_DOMAIN },
	{ "*", "to_domain", NULL, NULL, STRATA_NAMES_DOMAIN },
	{ "*", "from_domain", NULL, NULL, STRATA_NAMES_DOMAIN },
	{ "*", "prev_domain", NULL, NULL, STRATA_NAMES_DOMAIN },
	{ "*", "next_domain", NULL, NULL, STRATA_NAMES_DOMAIN },
	{ "grant_*map", "granter", NULL, NULL, STRATA_NAMES_DOMAIN },
	/* Addresses of code: of the guest that ran, or of Xen's own. */
	{ "vm_exit", "ip", NULL, NULL, STRATA_ADDRESS_OF_DOMAIN },
	{ "pv_*", "ip", NULL, NULL, STRATA_ADDRESS_OF_DOMAIN },
	{ "vcpu_*pause", "by", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "domain_*pause", "by", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "vcpu_migrate", "by", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "xen_timer_expire", "function", NULL, NULL, STRATA_ADDRESS_OWN },
	{ "nmi", "ip", NULL, NULL, STRATA_ADDRESS_OWN },
};

const struct strata_names_rules strata_xen_names = { rules, NR(rules) };

static const struct strata_names_rule vmx_rules[] = {
	{ "vm_exit", "reason", &strata_vmx_exits, NULL, STRATA_NAMES_TABLE },
	{ "nested_vm_exit", "reason", &strata_vmx_exits, NULL, STRATA_NAMES_TABLE },
};
static const struct strata_names_rule svm_rules[] = {
	{ "vm_exit", "reason", &strata_svm_exits, NULL, STRATA_NAMES_TABLE },
	{ "nested_vm_exit", "reason", &strata_svm_exits, NULL, STRATA_NAMES_TABLE },
};

struct strata_names_rules strata_exit_rules(enum strata_exits exits)
{
	if (exits == STRATA_EXITS_VMX)
		return (struct strata_names_rules){ vmx_rules, NR(vmx_rules) };
	if (exits == STRATA_EXITS_SVM)
		return (struct strata_names_rules){ svm_rules, NR(svm_rules) };
	return (struct strata_names_rules){ NULL, 0 };
}
