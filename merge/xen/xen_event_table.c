// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xen_event_table.c - names and fields of Xen 4.17's trace points, looked up by
 * xen_events.c.
 *
 * Ids are from xen/include/public/trace.h; those private to a scheduler from
 * common/sched/{credit,credit2,rt,null}.c.  Fields are as the call sites fill them, which is not
 * always what xentrace's `formats` file says: where they differ, the call site wins. 64-bit values
 * lie low word first, as x86 stores them.  The record's context has the vCPU that ran, so fields
 * that name another vCPU are called of_domain and of_vcpu; `by` is the address of the calling code,
 * as in xen-syms.
 *
 * Sorted by id, then by number of words.
 */
#include "xen/xen_event_table.h"

#include "base/partition.h"

/* clang-format off */
const struct xen_event_row strata_xen_event_table[] = {
	/* General (common/trace.c) */
	{ 0x0001f001, 4, "lost_records", "lost:u32 of_domain:u16 of_vcpu:u16 first_tsc:u64" },
	{ 0x0001f002, 0, "wrap_buffer", "" },
	{ 0x0001f003, 1, "cpu_change", "of_vcpu:u16 of_domain:u16" },

	/* Scheduling: runstate changes are described by xen_events.c (common/sched/core.c) */
	{ 0x00021002, 1, "continue_running", "of_vcpu:u16 of_domain:u16" },

	/* The credit scheduler (common/sched/credit.c) */
	{ 0x00022001, 0, "credit_tasklet", "" },
	{ 0x00022002, 3, "credit_account_start", "of_domain:u32 of_vcpu:u32 active:u32" },
	{ 0x00022003, 3, "credit_account_stop", "of_domain:u32 of_vcpu:u32 active:u32" },
	{ 0x00022004, 3, "credit_stolen_vcpu", "from_pcpu:u32 of_domain:u32 of_vcpu:u32" },
	{ 0x00022005, 3, "credit_picked_cpu", "of_domain:u32 of_vcpu:u32 pcpu:u32" },
	{ 0x00022006, 1, "credit_tickle", "pcpu:u32" },
	{ 0x00022007, 2, "credit_boost", "of_domain:u32 of_vcpu:u32" },
	{ 0x00022008, 2, "credit_unboost", "of_domain:u32 of_vcpu:u32" },
	{ 0x00022009, 1, "credit_schedule", "pcpu:u16 tasklet:u8 idle:u8" },
	{ 0x0002200a, 2, "credit_ratelimit", "of_vcpu:u16 of_domain:u16 runtime:u32" },
	{ 0x0002200b, 2, "credit_steal_check", "peer_pcpu:u32 checked:u32" },

	/* credit2, the default scheduler (common/sched/credit2.c) */
	{ 0x00022201, 1, "credit2_tick", "pcpu:u32" },
	{ 0x00022202, 2, "credit2_runq_pos", "of_vcpu:u16 of_domain:u16 position:u32" },
	{ 0x00022203, 4, "credit2_burn", "of_vcpu:u16 of_domain:u16 credit:s32 budget:s32 delta:s32" },
	{ 0x00022204, 0, "credit2_add", "" },
	{ 0x00022205, 3, "credit2_tickle_check", "of_vcpu:u16 of_domain:u16 credit:s32 score:s32" },
	{ 0x00022206, 1, "credit2_tickle", "pcpu:u16 pad:u16" },
	{ 0x00022207, 3, "credit2_reset", "of_vcpu:u16 of_domain:u16 credit_before:s32 credit_after:s32" },
	{ 0x00022208, 0, "credit2_tasklet", "" },
	{ 0x00022209, 0, "credit2_update_load", "" },
	{ 0x0002220a, 2, "credit2_runq_assign", "of_vcpu:u16 of_domain:u16 runq:u16 pad:u16" },
	{ 0x0002220b, 4, "credit2_vcpu_load", "load:x64 of_vcpu:u16 of_domain:u16 shift:u32" },
	{ 0x0002220c, 6, "credit2_runq_load", "load_avg:x64 balance_avg:x64 load:u16 runq:u8 shift:u8 pad:u32" },
	{ 0x0002220d, 3, "credit2_tickle_new", "of_vcpu:u16 of_domain:u16 pcpu:u32 credit:s32" },
	{ 0x0002220e, 1, "credit2_runq_max_weight", "runq:u16 max_weight:u16" },
	{ 0x0002220f, 2, "credit2_migrate", "of_vcpu:u16 of_domain:u16 runq:u16 to_runq:u16" },
	{ 0x00022210, 2, "credit2_load_check", "runq:u16 other_runq:u16 delta:s32" },
	{ 0x00022211, 6, "credit2_load_balance", "balance_avg:x64 other_avg:x64 runq:u16 other_runq:u16 pad:u32" },
	{ 0x00022213, 4, "credit2_picked_cpu", "balance_avg:x64 of_vcpu:u16 of_domain:u16 runq:u16 pcpu:u16" },
	{ 0x00022214, 3, "credit2_runq_candidate", "of_vcpu:u16 of_domain:u16 tickled_pcpu:u32 credit:s32" },
	{ 0x00022215, 2, "credit2_schedule", "pcpu:u16 runq:u16 tasklet:u8 idle:u8 smt_idle:u8 tickled:u8" },
	{ 0x00022216, 2, "credit2_ratelimit", "of_vcpu:u16 of_domain:u16 runtime:u32" },
	{ 0x00022217, 1, "credit2_candidate_check", "of_vcpu:u16 of_domain:u16" },

	/* RTDS (common/sched/rt.c) */
	{ 0x00022801, 1, "rtds_tickle", "pcpu:u16 pad:u16" },
	{ 0x00022802, 5, "rtds_runq_pick", "of_vcpu:u16 of_domain:u16 deadline:u64 budget:u64" },
	{ 0x00022803, 6, "rtds_budget_burn", "of_vcpu:u16 of_domain:u16 budget:u64 delta:s32 priority:u32 extra_time:u8 pad:u8*3" },
	{ 0x00022804, 6, "rtds_budget_replenish", "of_vcpu:u16 of_domain:u16 priority:u32 deadline:u64 budget:u64" },
	{ 0x00022805, 0, "rtds_tasklet", "" },
	{ 0x00022806, 1, "rtds_schedule", "pcpu:u16 tasklet:u8 tickled_and_idle:x8" },

	/* The null scheduler (common/sched/null.c) */
	{ 0x00022a01, 2, "null_picked_cpu", "of_vcpu:u16 of_domain:u16 pcpu:u32" },
	{ 0x00022a02, 2, "null_assign", "of_vcpu:u16 of_domain:u16 pcpu:u32" },
	{ 0x00022a03, 2, "null_deassign", "of_vcpu:u16 of_domain:u16 pcpu:u32" },
	{ 0x00022a04, 2, "null_migrate", "of_vcpu:u16 of_domain:u16 pcpu:u16 to_pcpu:u16" },
	{ 0x00022a05, 2, "null_schedule", "tasklet:u16 pcpu:u16 of_vcpu:s16 of_domain:s16" },
	{ 0x00022a06, 0, "null_tasklet", "" },

	/* Scheduling, verbose (common/sched/core.c) */
	{ 0x00028001, 1, "sched_domain_add", "of_domain:u32" },
	{ 0x00028002, 1, "sched_domain_remove", "of_domain:u32" },
	{ 0x00028003, 2, "vcpu_sleep", "of_domain:u32 of_vcpu:u32" },
	{ 0x00028004, 2, "vcpu_wake", "of_domain:u32 of_vcpu:u32" },
	{ 0x00028005, 2, "vcpu_yield", "of_domain:u32 of_vcpu:u32" },
	{ 0x00028006, 2, "vcpu_block", "of_domain:u32 of_vcpu:u32" },
	{ 0x00028007, 3, "domain_shutdown", "of_domain:u32 of_vcpu:u32 reason:u32" },
	{ 0x00028008, 0, "sched_control", "" },
	{ 0x00028009, 1, "sched_adjust_domain", "of_domain:u32" },
	{ 0x0002800a, 4, "sched_switch", "prev_domain:u32 prev_vcpu:u32 next_domain:u32 next_vcpu:u32" },
	{ 0x0002800b, 0, "sched_s_timer", "" },
	{ 0x0002800c, 0, "sched_t_timer", "" },
	{ 0x0002800d, 0, "sched_domain_timer", "" },
	{ 0x0002800e, 3, "sched_switch_prev", "of_domain:u32 of_vcpu:u32 ran_ns:u32" },
	{ 0x0002800f, 4, "sched_switch_next", "of_domain:u32 of_vcpu:u32 waited_ns:u32 slice_ns:s32" },
	{ 0x00028010, 3, "domain_shutdown_code", "of_domain:u32 of_vcpu:u32 reason:u32" },
	{ 0x00028011, 4, "sched_switch_continue", "of_domain:u32 of_vcpu:u32 ran_ns:u32 slice_ns:s32" },
	{ 0x00028012, 4, "vcpu_pause", "of_vcpu:u16 of_domain:u16 count:s32 by:x64" },
	{ 0x00028013, 4, "vcpu_unpause", "of_vcpu:u16 of_domain:u16 count:s32 by:x64" },
	{ 0x00028014, 4, "domain_pause", "pad:u16 of_domain:u16 count:s32 by:x64" },
	{ 0x00028015, 4, "domain_unpause", "pad:u16 of_domain:u16 count:s32 by:x64" },
	{ 0x00028016, 4, "vcpu_migrate", "of_vcpu:u16 of_domain:u16 from_pcpu:u16 to_pcpu:u16 by:x64" },

	/* Domains (common/{domain,domctl}.c) */
	{ 0x00041001, 1, "domain_create", "of_domain:u32" },
	{ 0x00041002, 1, "domain_destroy", "of_domain:u32" },
	{ 0x00041003, 5, "domain_created", "of_domain:u16 is_hvm:u16 uuid:x8*16" },
	{ 0x00041004, 5, "domain_handle", "of_domain:u16 is_hvm:u16 uuid:x8*16" },
	{ 0x00041005, 5, "domain_killed", "of_domain:u16 is_hvm:u16 uuid:x8*16" },
	{ 0x00041006, 5, "domain_destroyed", "of_domain:u16 is_hvm:u16 uuid:x8*16" },

	/* HVM and PVH: entry and exit (arch/x86/hvm/{vmx,svm}/); bit 10 of the id: nested */
	{ 0x00081001, 0, "vm_entry", "" },
	{ 0x00081002, 2, "vm_exit", "reason:x32 ip:x32" },
	{ 0x00081003, 4, "vm_exit_info", "info1:x64 info2:x64" },
	{ 0x00081102, 3, "vm_exit", "reason:x32 ip:x64" },
	{ 0x00081401, 0, "nested_vm_entry", "" },
	{ 0x00081402, 2, "nested_vm_exit", "reason:x32 ip:x32" },
	{ 0x00081403, 4, "nested_vm_exit_info", "info1:x64 info2:x64" },
	{ 0x00081502, 3, "nested_vm_exit", "reason:x32 ip:x64" },

	/* HVM and PVH: what the exit handlers did */
	{ 0x00082001, 2, "hvm_page_fault_xen", "error_code:x32 address:x32" },
	{ 0x00082002, 2, "hvm_page_fault_inject", "error_code:x32 address:x32" },
	{ 0x00082003, 2, "hvm_inject_exception", "vector:u32 error_code:x32" },
	{ 0x00082004, 2, "hvm_inject_irq", "vector:u32 fake:u32" },
	{ 0x00082005, 1, "hvm_reinject_irq", "vector:u32" },
	{ 0x00082006, 2, "hvm_io_read", "port:x32 bytes:u32" },
	{ 0x00082007, 2, "hvm_io_write", "port:x32 bytes:u32" },
	{ 0x00082008, 2, "hvm_cr_read", "cr:u32 value:x32" },
	{ 0x00082009, 2, "hvm_cr_write", "cr:u32 value:x32" },
	{ 0x0008200a, 0, "hvm_dr_read", "" },
	{ 0x0008200b, 0, "hvm_dr_write", "" },
	{ 0x0008200c, 3, "hvm_msr_read", "msr:x32 value:x64" },
	{ 0x0008200d, 3, "hvm_msr_write", "msr:x32 value:x64" },
	{ 0x0008200e, 6, "hvm_cpuid", "leaf:x32 subleaf:x32 eax:x32 ebx:x32 ecx:x32 edx:x32" },
	{ 0x0008200f, 0, "hvm_interrupt", "" },
	{ 0x0008200f, 1, "hvm_interrupt", "vector:u32" },
	{ 0x00082010, 0, "hvm_nmi", "" },
	{ 0x00082011, 0, "hvm_smi", "" },
	{ 0x00082012, 1, "hvm_vmmcall", "number:u32" },
	{ 0x00082013, 1, "hvm_halt", "pending:u32" },
	{ 0x00082014, 2, "hvm_invlpg", "invlpga:u32 address:x32" },
	{ 0x00082015, 0, "hvm_machine_check", "" },
	{ 0x00082016, 1, "hvm_ioport_read", "port:x32" },
	{ 0x00082016, 2, "hvm_ioport_read", "port:x32 data:x32" },
	{ 0x00082017, 1, "hvm_mmio_read", "address:x32" },
	{ 0x00082017, 2, "hvm_mmio_read", "address:x32 data:x32" },
	{ 0x00082018, 0, "hvm_clts", "" },
	{ 0x00082019, 1, "hvm_lmsw", "value:x32" },
	{ 0x0008201a, 2, "hvm_rdtsc", "value:x64" },
	{ 0x00082020, 3, "hvm_interrupt_window", "vector:u32 source:u32 pending_vector:s32" },
	{ 0x00082021, 6, "hvm_nested_page_fault", "gpa:x64 mfn:x64 qualification:x32 p2m_type:u32" },
	{ 0x00082022, 0, "hvm_realmode_emulate", "" },
	{ 0x00082023, 1, "hvm_trap", "vector:u32" },
	{ 0x00082024, 1, "hvm_trap_debug", "qualification:x32" },
	{ 0x00082025, 0, "hvm_vlapic", "" },
	{ 0x00082028, 1, "hvm_hypercall", "op:u16 args_present:x16" },
	{ 0x00082028, 2, "hvm_hypercall", "op:u16 args_present:x16 arg:x32" },
	{ 0x00082028, 3, "hvm_hypercall", "op:u16 args_present:x16 args:x32*2" },
	{ 0x00082029, 3, "hvm_hypercall_return", "op:u16 preempted:u16 result:s64" },
	{ 0x00082101, 3, "hvm_page_fault_xen", "error_code:x32 address:x64" },
	{ 0x00082102, 3, "hvm_page_fault_inject", "error_code:x32 address:x64" },
	{ 0x00082108, 3, "hvm_cr_read", "cr:u32 value:x64" },
	{ 0x00082109, 3, "hvm_cr_write", "cr:u32 value:x64" },
	{ 0x00082114, 3, "hvm_invlpg", "invlpga:u32 address:x64" },
	{ 0x00082116, 2, "hvm_ioport_read", "port:x64" },
	{ 0x00082116, 4, "hvm_ioport_read", "port:x64 data:x64" },
	{ 0x00082117, 2, "hvm_mmio_read", "address:x64" },
	{ 0x00082117, 4, "hvm_mmio_read", "address:x64 data:x64" },
	{ 0x00082119, 2, "hvm_lmsw", "value:x64" },
	{ 0x00082126, 3, "hvm_xcr_read", "xcr:u32 value:x64" },
	{ 0x00082127, 3, "hvm_xcr_write", "xcr:u32 value:x64" },
	{ 0x00082216, 1, "hvm_ioport_write", "port:x32" },
	{ 0x00082216, 2, "hvm_ioport_write", "port:x32 data:x32" },
	{ 0x00082217, 1, "hvm_mmio_write", "address:x32" },
	{ 0x00082217, 2, "hvm_mmio_write", "address:x32 data:x32" },
	{ 0x00082316, 2, "hvm_ioport_write", "port:x64" },
	{ 0x00082316, 4, "hvm_ioport_write", "port:x64 data:x64" },
	{ 0x00082317, 2, "hvm_mmio_write", "address:x64" },
	{ 0x00082317, 4, "hvm_mmio_write", "address:x64 data:x64" },

	/* HVM: emulated timers and interrupt controllers (arch/x86/hvm/, emul-i8254.c) */
	{ 0x00084001, 6, "hpet_start_timer", "timer:u32 irq:u32 delta_ns:u64 period_ns:u64" },
	{ 0x00084002, 2, "pit_start_timer", "delta:u32 period:u32" },
	{ 0x00084003, 2, "rtc_start_timer", "delta:u32 period:u32" },
	{ 0x00084004, 5, "lapic_start_timer", "delta_ns:u64 period_ns:u64 irq:u32" },
	{ 0x00084005, 1, "hpet_stop_timer", "timer:u32" },
	{ 0x00084006, 0, "pit_stop_timer", "" },
	{ 0x00084007, 0, "rtc_stop_timer", "" },
	{ 0x00084008, 0, "lapic_stop_timer", "" },
	{ 0x00084009, 0, "pit_timer_fired", "" },
	{ 0x0008400a, 0, "lapic_timer_fired", "" },
	{ 0x0008400b, 3, "pic_int_output", "int_output:u32 is_master:u32 irq:s32" },
	{ 0x0008400c, 1, "pic_kick", "irq:s32" },
	{ 0x0008400d, 2, "pic_intack", "is_master:u32 irq:u32" },
	{ 0x0008400e, 1, "pic_positive_edge", "irq:u32" },
	{ 0x0008400f, 1, "pic_negative_edge", "irq:u32" },
	{ 0x00084010, 2, "pic_ack_pending", "accept:u32 int_output:u32" },
	{ 0x00084011, 2, "lapic_accept_pic", "target:u32 accept:u32" },

	/* Memory (common/{grant_table,memory}.c, arch/x86/mm/p2m-{pt,pod}.c) */
	{ 0x0010f001, 1, "grant_map", "granter:u32" },
	{ 0x0010f001, 4, "grant_map", "granter:u32 ref:u32 handle:u32 flags:x32" },
	{ 0x0010f002, 1, "grant_unmap", "granter:u32" },
	{ 0x0010f002, 3, "grant_unmap", "granter:u32 ref:u32 handle:u32" },
	{ 0x0010f003, 1, "grant_transfer", "to_domain:u32" },
	{ 0x0010f004, 6, "set_p2m_entry", "gfn:x64 mfn:x64 p2m_type:u32 of_domain:u16 order:u16" },
	{ 0x0010f005, 4, "decrease_reservation", "gfn:x64 of_domain:u16 order:u16 pad:u32" },
	{ 0x0010f006, 6, "grant_copy", "from_domain:u16 to_domain:u16 from:u32 to:u32 bytes:u32 flags:x32 status:s32" },
	{ 0x0010f007, 3, "grant_op", "cmd:u32 count:u32 result:s32" },
	{ 0x0010f010, 6, "pod_populate", "gfn:x64 mfn:x64 of_domain:u16 order:u16 pad:u32" },
	{ 0x0010f011, 6, "pod_zero_reclaim", "gfn:x64 mfn:x64 of_domain:u16 order:u16 pad:u32" },
	{ 0x0010f012, 4, "pod_superpage_splinter", "gfn:x64 of_domain:u16 pad:u16*3" },

	/* PV guests: entries into the hypervisor (arch/x86/pv/trace.c, common/trace.c) */
	{ 0x00201001, 2, "pv_hypercall", "ip:x32 number:u32" },
	{ 0x00201003, 2, "pv_trap", "ip:x32 trap_and_flag:x16 error_code:x16" },
	{ 0x00201004, 3, "pv_page_fault", "ip:x32 address:x32 error_code:x32" },
	{ 0x00201005, 1, "pv_forced_invalid_op", "ip:x32" },
	{ 0x00201006, 1, "pv_emulate_privop", "ip:x32" },
	{ 0x00201007, 1, "pv_emulate_4gb", "ip:x32" },
	{ 0x00201008, 0, "pv_math_state_restore", "" },
	{ 0x00201009, 2, "pv_paging_fixup", "ip:x32 address:x32" },
	{ 0x0020100a, 2, "pv_gdt_ldt_fault", "ip:x32 offset:x32" },
	{ 0x0020100c, 4, "pv_ptwr_emulation_pae", "pte:x64 address:x32 ip:x32" },
	{ 0x0020100d, 1, "pv_hypercall", "op:u16 args_present:x16" },
	{ 0x0020100d, 2, "pv_hypercall", "op:u16 args_present:x16 arg:x32" },
	{ 0x0020100d, 3, "pv_hypercall", "op:u16 args_present:x16 args:x32*2" },
	{ 0x0020100d, 4, "pv_hypercall", "op:u16 args_present:x16 args:x32*3" },
	{ 0x0020100d, 5, "pv_hypercall", "op:u16 args_present:x16 args:x32*4" },
	{ 0x0020100d, 6, "pv_hypercall", "op:u16 args_present:x16 args:x32*5" },
	{ 0x0020100f, 3, "pv_hypercall_return", "op:u16 preempted:u16 result:s64" },
	{ 0x00201101, 3, "pv_hypercall", "ip:x64 number:u32" },
	{ 0x00201103, 3, "pv_trap", "ip:x64 trap_and_flag:x16 error_code:x16" },
	{ 0x00201104, 5, "pv_page_fault", "ip:x64 address:x64 error_code:x32" },
	{ 0x00201105, 2, "pv_forced_invalid_op", "ip:x64" },
	{ 0x00201106, 2, "pv_emulate_privop", "ip:x64" },
	{ 0x00201107, 2, "pv_emulate_4gb", "ip:x64" },
	{ 0x00201109, 4, "pv_paging_fixup", "ip:x64 address:x64" },
	{ 0x0020110a, 4, "pv_gdt_ldt_fault", "ip:x64 offset:x64" },
	{ 0x0020110b, 6, "pv_ptwr_emulation", "pte:x64 address:x64 ip:x64" },
	{ 0x0020200e, 1, "pv_multicall", "op:u16 args_present:x16" },
	{ 0x0020200e, 2, "pv_multicall", "op:u16 args_present:x16 arg:x32" },
	{ 0x0020200e, 3, "pv_multicall", "op:u16 args_present:x16 args:x32*2" },
	{ 0x0020200e, 4, "pv_multicall", "op:u16 args_present:x16 args:x32*3" },
	{ 0x0020200e, 5, "pv_multicall", "op:u16 args_present:x16 args:x32*4" },
	{ 0x0020200e, 6, "pv_multicall", "op:u16 args_present:x16 args:x32*5" },

	/* Power management (arch/x86/acpi/cpu_idle.c, cpu/mwait-idle.c, drivers/cpufreq/) */
	{ 0x00801001, 2, "cpu_frequency", "before_mhz:u32 after_mhz:u32" },
	{ 0x00801002, 4, "cpu_idle_entry", "c_state:u32 tick:u32 expected_us:u32 predicted_us:u32" },
	{ 0x00801003, 6, "cpu_idle_exit", "c_state:u32 tick:u32 irqs:s32*4" },

	/* Interrupts of the hardware (arch/x86/irq.c) */
	{ 0x00802001, 3, "irq_move_cleanup_delay", "irq:u32 vector:u32 pcpu:u32" },
	{ 0x00802002, 3, "irq_move_cleanup", "irq:u32 vector:u32 pcpu:u32" },
	{ 0x00802003, 7, "irq_bind_vector", "irq:u16 vector:u16 cpu_mask:x32*6" },
	{ 0x00802004, 7, "irq_clear_vector", "irq:u16 vector:u16 cpu_mask:x32*6" },
	{ 0x00802005, 3, "irq_move_finish", "irq:u32 vector:u32 pcpu:u32" },
	{ 0x00802006, 7, "irq_assign_vector", "irq:u16 vector:u16 cpu_mask:x32*6" },
	{ 0x00802007, 1, "irq_unmapped_vector", "vector:u32" },
	{ 0x00802008, 3, "irq_handled", "irq:u32 tsc_in_low:u32 tsc_out_low:u32" },
	{ 0x00804001, 3, "nmi", "cs:x32 ip:x64" },

	/* Event channels (common/event_channel.c, include/xen/event.h); state: Xen's ECS_* of the port */
	{ 0x01001001, 3, "evtchn_send", "port:u32 to_domain:u16 state:u16 to_port:u32" },
	{ 0x01001002, 2, "evtchn_pending", "of_vcpu:u16 of_domain:u16 port:u32" },
	{ 0x01001003, 1, "evtchn_unmask", "port:u32" },

	/* Xen's own work (common/{softirq,timer}.c, arch/x86/smp.c) */
	{ 0x02001001, 1, "xen_softirq_entry", "softirq:u32" },
	{ 0x02001002, 1, "xen_softirq_exit", "softirq:u32" },
	{ 0x02002001, 4, "xen_timer_expire", "function:x64 expires_ns:u64" },
	{ 0x02004001, 3, "xen_ipi_send", "vector:x32 to_pcpus:x64" },
	{ 0x02004002, 1, "xen_ipi_receive", "vector:x32" },
};
/* clang-format on */

const size_t strata_xen_event_table_rows =
	sizeof(strata_xen_event_table) / sizeof(strata_xen_event_table[0]);

const struct xen_event_row *strata_xen_event_row(uint32_t id, uint32_t words)
{
	const struct xen_event_row *rows = strata_xen_event_table;
	const size_t at =
		STRATA_PARTITION(i, 0, strata_xen_event_table_rows,
				 rows[i].id != id ? rows[i].id < id : rows[i].words < words);

	return at < strata_xen_event_table_rows && rows[at].id == id && rows[at].words == words
		       ? &rows[at]
		       : NULL;
}
