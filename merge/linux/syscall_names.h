/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall_names.h - the system calls of Linux on x86-64 by name.
 *
 * A record of a system call carries its number. A 32-bit program's call is numbered by another
 * list, but the record does not say so: it gets the 64-bit name of that number.
 */
#ifndef STRATA_MERGE_SYSCALL_NAMES_H
#define STRATA_MERGE_SYSCALL_NAMES_H

#include "base/number_names.h"

extern const struct strata_number_names strata_linux_syscalls;

#endif /* STRATA_MERGE_SYSCALL_NAMES_H */
