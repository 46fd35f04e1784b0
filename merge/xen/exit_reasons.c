// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exit_reasons.c - see exit_reasons.h.  The numbers are the processors' own: Intel's
 * SDM, volume 3, appendix C; AMD's APM, volume 2, appendix C; Xen 4.17 has them in
 * arch/x86/include/asm/hvm/{vmx/vmx,svm/vmcb}.h.
 */
#include "xen/exit_reasons.h"

#include <stddef.h>

#include <strata/abi/hypervisor.h>

/* Xen's events: an exit of a 64-bit guest has bit 8, one of a nested guest bit 10, which only
 * Xen's code for AMD sets. */
#define VMENTRY     0x00081001u
#define VMEXIT      0x00081002u
#define LONG_FLAG   0x00000100u
#define NESTED_FLAG 0x00000400u

/* Events that only one of the two processors records. */
#define HVM_INTERRUPT        0x0008200fu /* with the vector: Intel; without: AMD */
#define HVM_SMI              0x00082011u /* AMD */
#define HVM_CLTS             0x00082018u /* Intel */
#define HVM_LMSW_LONG        0x00082119u /* Intel */
#define HVM_REALMODE_EMULATE 0x00082022u /* Intel */
#define HVM_TRAP_DEBUG       0x00082024u /* Intel */
#define HVM_VLAPIC           0x00082025u /* Intel */

/* Intel's reason is in the low 16 bits; above them are flags, the highest one for a failed
 * entry. */
#define VMX_REASON_MASK 0x0000ffffu
#define VMX_FAILED      0x80000000u

/* AMD's numbers after the accesses to registers, and beyond all of Intel's. */
#define SVM_EXCEPTIONS 0x40u
#define SVM_OTHERS     0x60u
#define SVM_NPF        0x400u
#define SVM_INVALID    0xffffffffu

#define NR(names) (sizeof(names) / sizeof((names)[0]))

static const char *const vmx_names[] = {
	[0] = "exception_or_nmi",
	[1] = "external_interrupt",
	[2] = "triple_fault",
	[3] = "init",
	[4] = "sipi",
	[5] = "io_smi",
	[6] = "other_smi",
	[7] = "interrupt_window",
	[8] = "nmi_window",
	[9] = "task_switch",
	[10] = "cpuid",
	[11] = "getsec",
	[12] = "hlt",
	[13] = "invd",
	[14] = "invlpg",
	[15] = "rdpmc",
	[16] = "rdtsc",
	[17] = "rsm",
	[18] = "vmcall",
	[19] = "vmclear",
	[20] = "vmlaunch",
	[21] = "vmptrld",
	[22] = "vmptrst",
	[23] = "vmread",
	[24] = "vmresume",
	[25] = "vmwrite",
	[26] = "vmxoff",
	[27] = "vmxon",
	[28] = "cr_access",
	[29] = "dr_access",
	[30] = "io_instruction",
	[31] = "msr_read",
	[32] = "msr_write",
	[33] = "invalid_guest_state",
	[34] = "msr_loading",
	[36] = "mwait",
	[37] = "monitor_trap_flag",
	[39] = "monitor",
	[40] = "pause",
	[41] = "machine_check",
	[43] = "tpr_below_threshold",
	[44] = "apic_access",
	[45] = "virtualized_eoi",
	[46] = "gdtr_or_idtr_access",
	[47] = "ldtr_or_tr_access",
	[48] = "ept_violation",
	[49] = "ept_misconfiguration",
	[50] = "invept",
	[51] = "rdtscp",
	[52] = "preemption_timer",
	[53] = "invvpid",
	[54] = "wbinvd",
	[55] = "xsetbv",
	[56] = "apic_write",
	[57] = "rdrand",
	[58] = "invpcid",
	[59] = "vmfunc",
	[60] = "encls",
	[61] = "rdseed",
	[62] = "pml_full",
	[63] = "xsaves",
	[64] = "xrstors",
	[66] = "spp",
	[67] = "umwait",
	[68] = "tpause",
	[74] = "bus_lock",
	[75] = "notify",
};

/* 0x00 to 0x3f; registers that no processor has are left out. */
static const char *const svm_register_names[] = {
	[0x00] = "cr0_read",  [0x02] = "cr2_read",  [0x03] = "cr3_read",  [0x04] = "cr4_read",
	[0x08] = "cr8_read",  [0x10] = "cr0_write", [0x12] = "cr2_write", [0x13] = "cr3_write",
	[0x14] = "cr4_write", [0x18] = "cr8_write", [0x20] = "dr0_read",  [0x21] = "dr1_read",
	[0x22] = "dr2_read",  [0x23] = "dr3_read",  [0x24] = "dr4_read",  [0x25] = "dr5_read",
	[0x26] = "dr6_read",  [0x27] = "dr7_read",  [0x30] = "dr0_write", [0x31] = "dr1_write",
	[0x32] = "dr2_write", [0x33] = "dr3_write", [0x34] = "dr4_write", [0x35] = "dr5_write",
	[0x36] = "dr6_write", [0x37] = "dr7_write",
};

/* From 0x40 on. */
static const char *const svm_exception_names[] = {
	[0] = "exception_de",  [1] = "exception_db",  [2] = "exception_nmi", [3] = "exception_bp",
	[4] = "exception_of",  [5] = "exception_br",  [6] = "exception_ud",  [7] = "exception_nm",
	[8] = "exception_df",  [9] = "exception_09",  [10] = "exception_ts", [11] = "exception_np",
	[12] = "exception_ss", [13] = "exception_gp", [14] = "exception_pf", [15] = "exception_15",
	[16] = "exception_mf", [17] = "exception_ac", [18] = "exception_mc", [19] = "exception_xf",
	[21] = "exception_cp",
};

/* From 0x60 on. */
static const char *const svm_names[] = {
	"intr",        "nmi",        "smi",
	"init",        "vintr",      "cr0_selective_write",
	"idtr_read",   "gdtr_read",  "ldtr_read",
	"tr_read",     "idtr_write", "gdtr_write",
	"ldtr_write",  "tr_write",   "rdtsc",
	"rdpmc",       "pushf",      "popf",
	"cpuid",       "rsm",        "iret",
	"swint",       "invd",       "pause",
	"hlt",         "invlpg",     "invlpga",
	"ioio",        "msr",        "task_switch",
	"ferr_freeze", "shutdown",   "vmrun",
	"vmmcall",     "vmload",     "vmsave",
	"stgi",        "clgi",       "skinit",
	"rdtscp",      "icebp",      "wbinvd",
	"monitor",     "mwait",      "mwait_conditional",
	"xsetbv",      "rdpru",
};

static const char *const svm_npf[] = { "npf" };
static const char *const svm_invalid[] = { "invalid" };

static const struct strata_name_range vmx_ranges[] = { STRATA_NAMES_RANGE(vmx_names) };
static const struct strata_name_range svm_ranges[] = {
	STRATA_NAMES_RANGE(svm_register_names),
	{ SVM_EXCEPTIONS, svm_exception_names, NR(svm_exception_names) },
	{ SVM_OTHERS, svm_names, NR(svm_names) },
	{ SVM_NPF, svm_npf, 1 },
	{ SVM_INVALID, svm_invalid, 1 },
};

const struct strata_number_names strata_vmx_exits = { .ranges = vmx_ranges,
						      .nr_ranges = NR(vmx_ranges),
						      .mask = VMX_REASON_MASK };
const struct strata_number_names strata_svm_exits = { .ranges = svm_ranges,
						      .nr_ranges = NR(svm_ranges) };

const struct strata_number_names *strata_exit_names(enum strata_exits exits)
{
	return exits == STRATA_EXITS_VMX   ? &strata_vmx_exits
	       : exits == STRATA_EXITS_SVM ? &strata_svm_exits
					   : NULL;
}

const char *strata_exits_name(enum strata_exits exits)
{
	static const char *const names[STRATA_NR_EXITS] = { "unknown", "vmx", "svm" };

	return (unsigned int)exits < STRATA_NR_EXITS ? names[exits] : names[0];
}

/* Notes a number that is valid in only one of the two lists. */
static void note_reason(struct strata_exits_evidence *evidence, uint32_t reason)
{
	bool can_be_vmx = strata_number_name(&strata_vmx_exits, reason) &&
			  (reason & ~(VMX_REASON_MASK | VMX_FAILED)) == 0;
	bool can_be_svm = strata_number_name(&strata_svm_exits, reason);

	if (can_be_vmx && !can_be_svm)
		evidence->vmx++;
	if (can_be_svm && !can_be_vmx)
		evidence->svm++;
}

void strata_exits_note(struct strata_exits_evidence *evidence, uint32_t id, uint32_t first_word)
{
	uint32_t event = id & STRATA_HV_ID_TRACE;
	uint32_t words = id >> STRATA_HV_ID_WORDS_SHIFT;

	if (id & STRATA_HV_ID_OWN)
		return;
	if (((event & ~LONG_FLAG) == (VMEXIT | NESTED_FLAG)) || event == (VMENTRY | NESTED_FLAG)) {
		evidence->svm++;
		return;
	}
	switch (event) {
	case VMEXIT:
	case VMEXIT | LONG_FLAG:
		if (words)
			note_reason(evidence, first_word);
		break;
	case HVM_INTERRUPT:
		*(words ? &evidence->vmx : &evidence->svm) += 1;
		break;
	case HVM_SMI:
		evidence->svm++;
		break;
	case HVM_CLTS:
	case HVM_LMSW_LONG:
	case HVM_REALMODE_EMULATE:
	case HVM_TRAP_DEBUG:
	case HVM_VLAPIC:
		evidence->vmx++;
		break;
	}
}

enum strata_exits strata_exits_judge(const struct strata_exits_evidence *evidence)
{
	if (evidence->vmx && !evidence->svm)
		return STRATA_EXITS_VMX;
	if (evidence->svm && !evidence->vmx)
		return STRATA_EXITS_SVM;
	return STRATA_EXITS_UNKNOWN;
}
