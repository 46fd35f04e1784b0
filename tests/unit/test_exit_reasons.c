// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_exit_reasons.c - which processor's numbers the reasons of VM exits are, their names, and
 * that a recording and a timeline contain them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/recording_traces.h"
#include "xentrace_fixture.h"

#define EXIT    (0x00081002u | 2u << 28)
#define EXIT_64 (0x00081102u | 3u << 28)
#define NESTED  (0x00081502u | 3u << 28)

static enum strata_exits judge(uint32_t id, uint32_t first_word)
{
	struct strata_exits_evidence evidence = { 0 };

	strata_exits_note(&evidence, id, first_word);
	return strata_exits_judge(&evidence);
}

static void reasons_that_only_one_has_tell(void **state)
{
	/* External interrupt, CPUID, HLT, CR access, I/O, RDMSR, and a failed entry. */
	const uint32_t vmx[] = { 1, 10, 12, 28, 30, 31, 0x80000021u };
	/* #PF, INTR, CPUID, HLT, IOIO, VMMCALL, XSETBV, NPF, invalid state. */
	const uint32_t svm[] = { 78, 96, 114, 120, 123, 129, 141, 1024, 0xffffffffu };
	/* RDTSC or a write to CR0, VMCALL or CR2, EPT violation or DR0, XRSTORS or #DE. */
	const uint32_t either[] = { 0, 16, 18, 33, 48, 55, 64, 74 };
	/* Not in any list, or with undefined flags. */
	const uint32_t neither[] = { 42, 200, 1025, 0x40000001u, 0x80000400u };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(vmx) / sizeof(vmx[0]); i++) {
		assert_int_equal(judge(EXIT, vmx[i]), STRATA_EXITS_VMX);
		assert_int_equal(judge(EXIT_64, vmx[i]), STRATA_EXITS_VMX);
	}
	for (i = 0; i < sizeof(svm) / sizeof(svm[0]); i++) {
		assert_int_equal(judge(EXIT, svm[i]), STRATA_EXITS_SVM);
		assert_int_equal(judge(EXIT_64, svm[i]), STRATA_EXITS_SVM);
	}
	for (i = 0; i < sizeof(either) / sizeof(either[0]); i++)
		assert_int_equal(judge(EXIT_64, either[i]), STRATA_EXITS_UNKNOWN);
	for (i = 0; i < sizeof(neither) / sizeof(neither[0]); i++)
		assert_int_equal(judge(EXIT_64, neither[i]), STRATA_EXITS_UNKNOWN);
}

static void records_that_only_one_writes_tell(void **state)
{
	(void)state;
	assert_int_equal(judge(NESTED, 16), STRATA_EXITS_SVM);
	assert_int_equal(judge(0x00081401, 0), STRATA_EXITS_SVM);
	assert_int_equal(judge(0x0008200f, 0), STRATA_EXITS_SVM);
	assert_int_equal(judge(0x0008200f | 1u << 28, 0xf0), STRATA_EXITS_VMX);
	assert_int_equal(judge(0x00082022, 0), STRATA_EXITS_VMX);
	/* An entry, and one of Strata's own events, tell nothing. */
	assert_int_equal(judge(0x00081001, 0), STRATA_EXITS_UNKNOWN);
	assert_int_equal(judge(0x80081002u, 12), STRATA_EXITS_UNKNOWN);
}

static void signs_of_both_are_no_answer(void **state)
{
	struct strata_exits_evidence evidence = { 0 };

	(void)state;
	assert_int_equal(strata_exits_judge(&evidence), STRATA_EXITS_UNKNOWN);
	strata_exits_note(&evidence, EXIT, 12);
	strata_exits_note(&evidence, EXIT, 120);
	assert_int_equal(strata_exits_judge(&evidence), STRATA_EXITS_UNKNOWN);
}

static void assert_reason(enum strata_exits exits, uint32_t reason, const char *name)
{
	const char *found = strata_number_name(
		exits == STRATA_EXITS_VMX ? &strata_vmx_exits : &strata_svm_exits, reason);

	if (!name)
		assert_null(found);
	else
		assert_string_equal(found ? found : "none", name);
}

static void a_number_means_what_its_processor_says(void **state)
{
	(void)state;
	assert_reason(STRATA_EXITS_VMX, 48, "ept_violation");
	assert_reason(STRATA_EXITS_SVM, 48, "dr0_write");
	assert_reason(STRATA_EXITS_VMX, 12, "hlt");
	assert_reason(STRATA_EXITS_SVM, 12, NULL);
	assert_reason(STRATA_EXITS_SVM, 0x40, "exception_de");
	assert_reason(STRATA_EXITS_SVM, 0x55, "exception_cp");
	assert_reason(STRATA_EXITS_SVM, 0x60, "intr");
	assert_reason(STRATA_EXITS_SVM, 0x78, "hlt");
	assert_reason(STRATA_EXITS_SVM, 0x8e, "rdpru");
	assert_reason(STRATA_EXITS_SVM, 0x8f, NULL);
	assert_reason(STRATA_EXITS_SVM, 0x400, "npf");
	assert_reason(STRATA_EXITS_SVM, 0xffffffffu, "invalid");
	assert_reason(STRATA_EXITS_VMX, 75, "notify");
	assert_reason(STRATA_EXITS_VMX, 76, NULL);
	/* An entry that failed. */
	assert_reason(STRATA_EXITS_VMX, 0x80000021u, "invalid_guest_state");
}

/* A file with exits of that reason, and the expected name. */
static void assert_imported(uint32_t reason, enum strata_exits told, enum strata_exits exits,
			    const char *named)
{
	struct strata_xentrace_options options = { .tsc_khz = 2400000, .exits = told };
	struct strata_recording recording;
	struct strata_error error;
	struct xentrace_file file;
	struct imported imported;
	char command[300];

	xentrace_init(&file);
	xentrace_timed(&file, 0, 1000, 0x81102, 3, reason, 0u, 0u);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_with(&imported, &file, options);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.report.exits, exits);
	assert_int_equal(strata_recording_load(&recording, file.raw, &error), 0);
	assert_int_equal(recording.sources[0].exits, exits);
	if (told == STRATA_EXITS_VMX && judge(EXIT_64, reason) == STRATA_EXITS_SVM)
		assert_said(&imported, "but the records are of");
	strata_recording_clear(&recording);
	snprintf(command, sizeof(command),
		 "out/bin/strata merge '%s' -o '%s/merged' >/dev/null && "
		 "grep -qE ' unknown/65535 +vm_exit +reason=0x%x%s ip=' %s/merged/timeline.txt",
		 file.raw, file.dir, reason, named, file.dir);
	assert_int_equal(system(command), 0);
	imported_free(&imported);
	xentrace_free(&file);
}

static void an_import_finds_it_out_or_is_told(void **state)
{
	(void)state;
	assert_imported(12, STRATA_EXITS_UNKNOWN, STRATA_EXITS_VMX, "\\(hlt\\)");
	assert_imported(120, STRATA_EXITS_UNKNOWN, STRATA_EXITS_SVM, "\\(hlt\\)");
	assert_imported(48, STRATA_EXITS_UNKNOWN, STRATA_EXITS_UNKNOWN, "");
	assert_imported(48, STRATA_EXITS_SVM, STRATA_EXITS_SVM, "\\(dr0_write\\)");
	assert_imported(120, STRATA_EXITS_VMX, STRATA_EXITS_VMX, "");
}

/* A file without that information: Strata's own recorder does not know it. */
static void a_merge_finds_it_out(void **state)
{
	const uint32_t payload[] = { 0x7b, 0, 0 };
	const uint16_t context[] = { 1, 0 };
	struct strata_error error;
	struct strata_recording_traces *traces;
	struct synthetic rec;

	(void)state;
	synthetic_init(&rec);
	synthetic_add_source(&rec, "xen", "xen", 0x7ff2);
	synthetic_guest_mode(&rec, 0, 1000, 1, 0, true);
	synthetic_record(&rec, synthetic_stream(&rec, "xen", 0), 2000, EXIT_64, context,
			 sizeof(context), payload, sizeof(payload));
	synthetic_write(&rec);
	traces = strata_recording_traces_open(rec.dir, NULL, NULL, NULL, &error);
	assert_non_null(traces);
	assert_int_equal(strata_recording_traces_table(traces)->sources[0].exits, STRATA_EXITS_SVM);
	strata_recording_traces_close(traces);
	synthetic_free(&rec);
}

static void a_processor_that_nobody_makes_is_refused(void **state)
{
	struct strata_recording recording;
	struct strata_error error;
	struct xentrace_file file;
	struct imported imported;
	char command[160];

	(void)state;
	xentrace_init(&file);
	xentrace_timed(&file, 0, 1000, 0x81102, 3, 120u, 0u, 0u);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	imported_free(&imported);
	snprintf(command, sizeof(command), "sed -i 's/\"svm\"/\"unknown\"/' %s/recording.json",
		 file.raw);
	assert_int_equal(system(command), 0);
	assert_int_equal(strata_recording_load(&recording, file.raw, &error), -1);
	assert_non_null(strstr(error.text, "\"vm_exits\" is not one of vmx, svm"));
	xentrace_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_that_only_one_has_tell),
		cmocka_unit_test(records_that_only_one_writes_tell),
		cmocka_unit_test(signs_of_both_are_no_answer),
		cmocka_unit_test(a_number_means_what_its_processor_says),
		cmocka_unit_test(an_import_finds_it_out_or_is_told),
		cmocka_unit_test(a_merge_finds_it_out),
		cmocka_unit_test(a_processor_that_nobody_makes_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
