// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes_syscall.c - the probes at entry and exit of every system call.
 */
#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/syscall.h>

#include "probes.h"
#include "record.h"

void strata_probe_syscall_entry(void *unused, struct pt_regs *regs, long nr)
{
	unsigned long args[STRATA_SYSCALL_ARGS];
	struct strata_open_record record;
	struct strata_payload_syscall_entry *payload = strata_record_begin(&record, syscall_entry);

	if (!payload)
		return;
	payload->nr = nr;
	syscall_get_arguments(current, regs, args);
	memcpy(payload->args, args, sizeof(payload->args));
	strata_record_end(&record);
}

void strata_probe_syscall_exit(void *unused, struct pt_regs *regs, long ret)
{
	struct strata_open_record record;
	struct strata_payload_syscall_exit *payload = strata_record_begin(&record, syscall_exit);

	if (!payload)
		return;
	payload->nr = syscall_get_nr(current, regs);
	payload->ret = ret;
	strata_record_end(&record);
}
